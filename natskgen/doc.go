// Package natskgen runs kernels on any number of machines: jobs wait in a queue of NATS JetStream,
// and worker processes take them, run kernels, and store results. It is a module of its own, so
// that kgen requires nothing of NATS.
//
// A worker, one for each GPU:
//
//	type Job struct { A float32; X, Y []float32 }
//
//	nc, err := nats.Connect(url, nats.MaxReconnects(-1))
//	js, err := jetstream.New(nc)
//	dev, err := runtime.Open()
//	err = natskgen.Serve(ctx, js, "saxpy", func(ctx context.Context, j Job) ([]float32, error) {
//		err := saxpygen.RunSAXPY(ctx, dev, saxpy.SAXPY{A: j.A, X: j.X, Y: j.Y}, runtime.Range1(len(j.Y)))
//		return j.Y, err
//	})
//
// A program that has work:
//
//	c, err := natskgen.Open[Job, []float32](ctx, js, "saxpy")
//	job, err := c.Submit(ctx, Job{2, xs, ys}) // returns when the server has the job
//	y, err := job.Wait(ctx)
//
// The order of the two does not matter: the queue is on the server, and keeps the jobs until there
// are workers. The server is nats-server 2.10 or later with -js, or one that a program embeds.
//
// # Promises
//
//   - A job that Submit has returned is run until it has a result, or is a dead letter.
//   - A job has at most one result. A worker stores it under the job's id only if there is none yet, and acknowledges
//     the job after that. So a job whose worker dies goes to another worker. If two workers have run the job, its
//     result is that of the first.
//   - A job with the id of an earlier one is that job. This holds from the first Submit until the
//     queue's Retention after the job's end.
//   - A job runs as long as its handler, with a sign of life to the server each third of the queue's AckWait. The job
//     goes to another worker when AckWait has passed since the last sign of life.
//   - A job whose deliveries have all failed is a dead letter: after Tries of them. Calls that wait for it return a
//     *JobError. It has the text of the handler's error and, if a work-item panicked, the *runtime.Fault with the file
//     and line, the work-item and the values.
//   - All calls end with their contexts. Calls whose connection is closed end with ErrConnection.
//     While the client library tries to reach the server again, Serve and Wait go on; other calls
//     end with ErrConnection after 5 to 30 seconds.
//   - A slice that comes back has the bits that were sent, or the call returns an error: objects
//     have a SHA-256, and encodings their lengths.
//
// A handler may run more than once for a job, and two workers may run a job at the same time if one
// of them was silent for AckWait.
//
// # Types
//
// J and R are numbers, bools, strings, and arrays, slices, structs and pointers of those. Fields are exported. A type
// with the methods MarshalBinary and UnmarshalBinary, such as time.Time, is encoded by them. For maps, interfaces,
// functions, channels, uintptr and types that contain themselves, Serve and Open return ErrType. The queue has the
// types, as the encoding sees them: field names, kinds and lengths. Serve and Open return ErrType for others. A program
// whose types have changed must use a queue with another name, or call Remove first.
//
// # Encoding
//
// Numbers are little-endian, with 8 bytes for int and uint, and one for a bool. A string is its length as a uvarint
// (encoding/binary) and its bytes; so is the output of MarshalBinary. An array is its elements, a struct its fields in
// their order, without padding. A pointer is the byte 0 for nil, and otherwise the byte 1 and its element. A slice is a
// uvarint and its elements. The uvarint is 0 for nil, and otherwise 2*(length+1), or 2*(length+1)+1 if the elements are
// in the job's object, one slice after the other: if they have a fixed size, and together more than MaxInline bytes. If
// the rest of the encoding is longer than MaxInline, the object begins with that rest.
//
// Slices of numbers are copied as they are in memory, without a loop over their elements. The same
// holds for arrays and structs of numbers, if the struct has no padding.
//
// # On the server
//
// For a queue called NAME: the stream KGEN_NAME_JOBS with the messages of jobs that have not ended, its consumer
// "workers", the stream KGEN_NAME_DEAD with dead letters, and the key-value bucket and the object store KGEN_NAME with
// results and slices. A message has the id in Nats-Msg-Id. The slices of a job are removed once the job has its result.
// Results, dead letters and their slices are removed when they are as old as the queue's Retention. The same happens to
// an object if a worker died after storing it and before storing the record that names it.
package natskgen
