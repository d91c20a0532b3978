// Package natskgen runs kernels on any number of machines. Jobs wait in a queue of NATS JetStream.
// Worker processes take jobs, run kernels, and store results. Package natskgen is in a module of
// its own, so that kgen's module does not depend on NATS.
//
// The following program is a worker. Run one worker for each GPU:
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
// Another program submits jobs:
//
//	c, err := natskgen.Open[Job, []float32](ctx, js, "saxpy")
//	job, err := c.Submit(ctx, Job{2, xs, ys}) // returns when the server has the job
//	y, err := job.Wait(ctx)
//
// The two programs may start in any order, because the server keeps the jobs of the queue until
// there are workers. The server is nats-server 2.10 or later with the option -js, or a server that
// a program embeds.
//
// # Promises
//
//   - After Submit has returned, the server delivers the job to workers until the job has a result
//     or is a dead letter.
//   - A job has at most one result. A worker stores a result only if the job has none, and
//     acknowledges the job after that. So if a worker dies, another worker runs the job. If two
//     workers have run a job, the result that was stored first remains.
//   - If a job has the id and the contents of an earlier job, it is the same job. This is so from
//     the first Submit until the queue's Retention has passed after the job's end.
//   - A job runs as long as its handler needs. During that time the worker sends a heartbeat after
//     each third of the queue's AckWait. If no heartbeat comes during the time AckWait, the job
//     goes to another worker.
//   - The setting Tries is the number of failed deliveries after which a job becomes a dead letter.
//     Calls that wait for the job return a *JobError with the text of the handler's error. If a
//     work-item panicked, the JobError also contains the *runtime.Fault, which has the file and
//     line, the work-item and the values.
//   - All calls end when their contexts end. Calls return ErrConnection if the connection is
//     closed. While the client library tries to reach the server again, Serve and Wait continue.
//     Other calls return ErrConnection after 5 to 30 seconds.
//   - A slice arrives with the bits that were sent, or the call returns an error. To make this
//     possible, an object has a SHA-256, and an encoding contains the lengths of slices.
//
// A handler may run more than once for a job. If a worker sends no heartbeat during the time
// AckWait, another worker may run the same job at the same time.
//
// # Types
//
// J and R are types of numbers, bools or strings, or arrays, slices, structs or pointers of such
// types. Fields must be exported. Types with the methods MarshalBinary and UnmarshalBinary, such as
// time.Time, are encoded and decoded by these methods. For maps, interfaces, functions, channels,
// uintptr and types that contain themselves, Serve and Open return ErrType. The queue stores a
// description of its types, with the names of fields, the kinds and the lengths. Serve and Open
// return ErrType if their types do not match this description. A program whose types have changed
// must use a queue with another name, or call Remove first.
//
// # Encoding
//
// Numbers are little-endian. An int or uint has 8 bytes, and a bool has one byte. A string is
// encoded as its length and its bytes, where the length is a uvarint (see package encoding/binary).
// The output of MarshalBinary is encoded like a string. An array is encoded as its elements, and a
// struct as its fields in order, without padding. A pointer is encoded as the byte 0 if it is nil,
// and otherwise as the byte 1 and its element. A slice is encoded as a uvarint and its elements.
// The uvarint is 0 for a nil slice, and otherwise 2*(length+1). Elements of a fixed size are stored
// in the job's object if the slice has more than MaxInline bytes. The uvarint of a slice in the
// object is 2*(length+1)+1. The object contains its slices one after the other. If the rest of the
// encoding is longer than MaxInline, the object begins with that rest.
//
// The memory of a slice of numbers is copied as a whole, without a loop over the elements. Slices
// of arrays of numbers are copied in the same way. So are slices of structs, if the structs contain
// only numbers and have no padding.
//
// # On the server
//
// A queue called NAME consists of the following streams and stores on the server:
//
//   - The stream KGEN_NAME_JOBS contains the messages of jobs that have not ended. The stream's
//     consumer is called "workers".
//   - The stream KGEN_NAME_DEAD contains dead letters.
//   - The key-value bucket KGEN_NAME contains the results and errors of jobs that have ended.
//   - The object store KGEN_NAME contains long slices of jobs and results.
//
// The header Nats-Msg-Id of a message is the job's id. The slices of a job are removed once the job
// has its result. Results, dead letters and their slices are removed when they are as old as the
// queue's Retention. A worker may die after it has stored an object, and before it has stored the
// record that names the object. Then the object is also removed when it is as old as the Retention.
package natskgen
