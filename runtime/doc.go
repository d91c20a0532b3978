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
//	ev, err := saxpygen.SAXPY{A: 2, X: x.All(), Y: y.All()}.ParallelFor(q, runtime.Range1(len(ys)))
//	err = ev.Wait(ctx)
//	err = y.CopyTo(ctx, q, ys)
//
// # Order
//
// Commands run in any order that their reads and writes of memory allow: kgen
// knows for each kernel which slices it reads and writes, and the runtime
// compares ranges of memory, across all queues of a device. So there are no
// barriers to place. [DependsOn] orders what memory does not.
//
// # Graphs
//
// What is run again and again can be made a [Graph] once, by recording a queue or node by
// node, and then be submitted by one call each time:
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
// The Run functions of generated packages take slices of the program's memory. A
// nil slice is an empty one; slices that share memory share it on the device;
// those that the kernel writes are copied back, also after a fault, and others
// are not. The host device uses the memory as it is, where it can. If the context
// ends before the device is done, the launch ends with it, as by WithContext; from
// then on the slices are neither read nor written, and those that the kernel writes
// hold part of the results, or none.
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
// What a dsl.SpecConstant is for a launch, the launch says ([WithSpec]), or a
// [Program], in which constants are set until it is built:
//
//	p, err := runtime.NewProgram(dev, blurgen.Kernels()...)
//	radius, err := runtime.SetSpec(p, blur.Radius, 4)
//	exe, err := p.Build()
//	ev, err := blurgen.Blur{…}.ParallelFor(q, r, runtime.WithProgram(exe))
//
// A device makes a kernel ready once for each set of values, which takes
// milliseconds; see Device.Pipelines. It may do so twice: kgen compiles kernels that
// compute many indices for small launches, too, whose sizes (int arguments, lengths,
// ranges) and their products where they matter, such as height times width, are
// below 2^28, since devices index in 32 bits much faster. Which module a launch
// takes shows in its time alone. KGEN_SMALL=never takes the general one always, for
// tests and measurements.
//
// # Printing
//
// What kernels print by package fmt and println is written when their launch has completed, before
// its event is done: see PrintTo, PrintItems and PrintBuffer.
//
// # Faults
//
// What panics in Go, such as an index out of range, is a [Fault] on every device.
// It is returned by Event.Wait or a Run function, or, if nobody waits for that
// launch, by the next Queue.Wait, CopyTo or Device.Close.
//
// # Long loops
//
// Mesa's llvmpipe, which is lavapipe, leaves the loops that a work-item is in once it and
// the few work-items that it runs it with have made 65,535 rounds in all their loops
// together, and goes on behind them. Open tries whether a device does so. On one that does,
// kernels count their rounds, which costs a little, and a launch whose loops were ended
// returns a [LoopError], which says where the loop is. Other devices run kernels as they
// are.
//
// # Floating point
//
// Float32 division and square root are correctly rounded, as in Go. Not every
// device does that by itself: Open tries, DeviceInfo.ExactDivide has the result,
// and where it does not, kernels whose mode is not properties.FloatFast correct
// them. KGEN_EXACT_DIVIDE=always makes kernels correct on every device, for
// tests of the correction; KGEN_EXACT_DIVIDE=never takes what the device has, to
// measure its cost. Float64 division and square root are the device's;
// DeviceInfo.ExactDivide64 says whether they are correctly rounded.
//
// # Where the time goes
//
// A device that is opened with [Profiling] notes when its commands run, for [Event.Profile]; with
// [Trace], or KGEN_TRACE in the environment, it writes what it does for https://ui.perfetto.dev. What
// it decides it tells [Logger] at debug level. In CPU profiles, the samples of a kernel on the host
// device have the label kernel.
//
// # Closing
//
// Buffers and devices may be closed in any order and twice. A buffer's memory is
// freed when the commands that use it have completed.
package runtime
