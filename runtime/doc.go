// Package runtime opens devices and runs kernels that kgen compiled.
//
//	dev, err := runtime.Open()
//	defer dev.Close()
//	err = saxpygen.RunSAXPY(ctx, dev, saxpy.SAXPY{A: 2, X: xs, Y: ys}, runtime.Range1(len(ys)))
//
// A [Device] is a Vulkan device, or the host: the host device runs the kernel's
// own Go code, or other Go that kgen has made of it, and is always there. [Open] takes a
// GPU if there is one, else the host. A device has
// [Buffer]s, whose memory kernels see through [View]s, and [Queue]s, which take
// launches and return [Event]s:
//
//	q := dev.DefaultQueue()
//	x, err := runtime.BufferOf(dev, xs)
//	y, err := runtime.BufferOf(dev, ys)
//	k := saxpygen.SAXPY{A: 2, X: x.All(), Y: y.All()}
//	ev, err := k.ParallelFor(q, runtime.Range1(len(ys))) // launches
//	err = ev.Wait(ctx)                                   // waits
//	err = k.Run(ctx, q, runtime.Range1(len(ys)))         // launches and waits
//	err = y.CopyTo(ctx, q, ys)
//
// # Order
//
// A command waits for earlier commands whose memory it uses, on all queues of the device: kgen
// records which slices each kernel reads and writes, and the runtime compares the ranges of
// memory. Other commands may run at the same time, in any order. There are no barriers to
// place; [DependsOn] orders commands that share no memory.
//
// # Graphs
//
// A [Graph] holds commands that run many times. It is made once, by recording a queue or node by
// node, and then submitted by one call each time:
//
//	g := runtime.NewGraph(dev)
//	err = q.BeginRecording(g)
//	step1.ParallelFor(q, r) // becomes a node
//	step2.ParallelFor(q, r) // depends on the first if it uses its results
//	err = q.EndRecording()
//	ex, err := g.Finalize()
//	ev, err := q.Submit(ex)
//
// # Running on slices
//
// The method Run of a generated type launches on views and waits, as above. The Run functions of
// generated packages take slices of the program's memory instead. A nil slice is an empty one, and
// slices that share memory share it on the device. Slices that the kernel writes are copied back,
// also after a fault. The host device uses the program's memory without copying, where it can. If the context ends before the device is done,
// the launch is cancelled, as by WithContext: the slices are no longer read or written, and
// those that the kernel writes hold part of the results, or none.
//
// # Checks
//
// A launch is checked before anything is dispatched, in this order: the device
// and the queue (ErrInvalid), the arguments (ErrKernelArgument), conflicts of
// properties and sizes of ranges (ErrInvalid), the kernel's work-group size
// against the device's limits (ErrKernelNotSupported) and against the launch,
// the launch's own work-group size (ErrNDRange), aspects (ErrKernelNotSupported),
// specialization constants (ErrSpecConst), work-group and private memory
// (ErrMemoryAllocation), the sub-group size (ErrKernelNotSupported). A range without
// work-items passes the same checks and does nothing.
//
// # Specialization constants
//
// The value of a dsl.SpecConstant comes from the launch ([WithSpec]), or from a [Program], whose
// constants can be set until it is built:
//
//	p, err := runtime.NewProgram(dev, blurgen.Kernels()...)
//	radius, err := runtime.SetSpec(p, blur.Radius, 4)
//	exe, err := p.Build()
//	ev, err := blurgen.Blur{…}.ParallelFor(q, r, runtime.WithProgram(exe))
//
// A device builds a pipeline once for each set of values, which takes milliseconds; see
// Device.Pipelines. There may be two for a kernel that computes many indices: kgen also compiles
// it for small launches, whose sizes (int arguments, lengths, ranges), and products of sizes such
// as height times width, are below 2^28, because devices compute indices in 32 bits much faster.
// Both give the same results. Of a package with the directive //kgen:variants load, as those of prim
// are, the runtime makes that module itself, once in a program. KGEN_SMALL=never always takes the general module, for tests and
// measurements.
//
// # Printing
//
// The output of fmt and println in kernels is written when the launch has completed, before its
// event is done: see PrintTo, PrintItems and PrintBuffer.
//
// # Faults
//
// A panic, such as an index out of range, is a [Fault] on every device. Event.Wait or a Run
// function returns it or, if nobody waits for that launch, the next Queue.Wait, CopyTo or
// Device.Close.
//
// # Long loops
//
// Mesa's software driver (llvmpipe, also called lavapipe) runs a few work-items at a time and,
// once they have made 65,535 rounds of loops together, leaves the loop and goes on after it. Open
// tests whether a device does that. On such a device kernels count their rounds, which costs a
// little, and a launch whose loop was left returns a [LoopError] with the loop's place.
//
// # Floating point
//
// Float32 division and square root are correctly rounded, as in Go. Open tests whether the
// device's own are (DeviceInfo.ExactDivide); if not, kernels correct them, unless their mode is
// properties.FloatFast. KGEN_EXACT_DIVIDE=always corrects on every device, to test the correction;
// KGEN_EXACT_DIVIDE=never corrects on none, to measure its cost. Corrections, and math32.Rsqrt on
// every device, take fused products and sums where Open finds that the device rounds them once, and
// else, or with KGEN_FUSED=never, integers, which is slower and gives the same bits. Float64
// division and square root are the device's; DeviceInfo.ExactDivide64 says whether they are
// correctly rounded.
//
// Open also tests which float32 operations keep subnormal numbers ([Subnormals]). Where the
// device flushes them, kernels convert float32 to float64 by integers, and so do the functions
// of package math32 with subnormals. Which code that is, is decided when a kernel is loaded.
// KGEN_SUBNORMALS=flushed takes that code on every Vulkan device, to test it.
//
// Open tests which instructions have the results of package half ([Float16]). Others are replaced by
// integers and float32s when a kernel is loaded. KGEN_HALVES=computed replaces all, to test that,
// as on drivers on the processor, whose instructions are slower; KGEN_HALVES=native replaces none there.
//
// # Where the time goes
//
// A device opened with [Profiling] records when its commands run, for [Event.Profile]. With
// [Trace], or KGEN_TRACE in the environment, it writes a trace for https://ui.perfetto.dev. [Logger]
// gets the runtime's decisions at debug level. In CPU profiles, samples of a kernel on the host
// device have the label "kernel".
//
// # Closing
//
// Buffers and devices may be closed in any order and twice. A buffer's memory is
// freed when the commands that use it have completed.
package runtime
