// Package runtime opens devices and runs kernels that kgen compiled.
//
//	dev, err := runtime.Open()
//	defer dev.Close()
//	err = saxpygen.RunSAXPY(ctx, dev, saxpy.SAXPY{A: 2, X: xs, Y: ys}, runtime.Range1(len(ys))) // launches and waits.
//
// A [Device] is a Vulkan device or the host device, which is always available. The host device runs
// the kernel's own Go code, or Go code that kgen has generated from it. [Open] opens a GPU if the
// machine has a GPU, otherwise the host device. A device has [Buffer]s. Kernels access the memory
// of a Buffer through [View]s. A device also has [Queue]s, which accept launches and return
// [Event]s:
//
//	q := dev.DefaultQueue()
//	x, err := runtime.BufferOf(dev, xs)
//	y, err := runtime.BufferOf(dev, ys)
//	k := saxpygen.SAXPY{A: 2, X: x.All(), Y: y.All()}
//	ev, err := k.ParallelFor(q, runtime.Range1(len(ys))) // launches
//	err = ev.Wait(ctx)                                   // waits
//	err = k.Run(ctx, q, runtime.Range1(len(ys)))         // launches and waits
//	err = y.CopyTo(ctx, q, ys)                           // copies the results to ys.
//
// # Order
//
// A command waits for the earlier commands whose memory it uses, on all queues of the device. To
// find the earlier commands, kgen records which slices each kernel reads and writes, and the
// runtime compares the memory ranges of the slices. Commands that share no memory may run at the
// same time, in any order. Programs need no barriers. The option [DependsOn] orders commands that
// share no memory.
//
// # Graphs
//
// A [Graph] holds commands that run many times. A program makes the graph once, by recording a
// queue or by adding nodes. After that, the program submits the graph with one call for each run:
//
//	g := runtime.NewGraph(dev)
//	err = q.BeginRecording(g)
//	step1.ParallelFor(q, r) // becomes a node
//	step2.ParallelFor(q, r) // depends on the first if it uses its results
//	err = q.EndRecording()
//	ex, err := g.Finalize()
//	ev, err := q.Submit(ex) // runs the commands of the graph.
//
// # Running on slices
//
// The method Run of a generated type launches the kernel with views as arguments, and waits. The
// Run functions of generated packages take slices of the program's memory instead. A nil slice
// counts as an empty slice. Slices that share memory in the program also share memory on the
// device. Slices that the kernel writes are copied back to the program's memory, even after a
// fault. The host device uses the program's memory without copying it, where possible. If the
// context ends before the device is done, the launch is cancelled, as with WithContext. After the
// Run function has returned, the launch no longer accesses the slices. After a cancelled launch,
// slices that the kernel writes contain only part of the results, or none.
//
// # Checks
//
// The runtime checks a launch before it dispatches anything, in this order:
//
//   - the device and the queue (ErrInvalid);
//   - the arguments (ErrKernelArgument);
//   - conflicts of properties, and sizes of ranges (ErrInvalid);
//   - the kernel's work-group size against the device's limits (ErrKernelNotSupported) and
//     against the launch;
//   - the launch's own work-group size (ErrNDRange);
//   - aspects (ErrKernelNotSupported);
//   - specialization constants (ErrSpecConst);
//   - work-group and private memory (ErrMemoryAllocation);
//   - the sub-group size (ErrKernelNotSupported).
//
// A launch over an empty range passes the same checks, and then does nothing.
//
// # Specialization constants
//
// The value of a dsl.SpecConstant comes from the launch ([WithSpec]), or from a [Program], whose
// constants can be set until the program is built:
//
//	p, err := runtime.NewProgram(dev, blurgen.Kernels()...)
//	radius, err := runtime.SetSpec(p, blur.Radius, 4)
//	exe, err := p.Build()
//	ev, err := blurgen.Blur{…}.ParallelFor(q, r, runtime.WithProgram(exe)) // launches with Radius = 4.
//
// A device builds a pipeline once for each set of values, which takes milliseconds; see
// Device.Pipelines. A kernel that computes many indices may have two pipelines, because kgen also
// compiles such a kernel for small launches. In a small launch the sizes (int arguments, lengths,
// ranges), and products of sizes such as height times width, are below 2^28. In small launches,
// kernels compute indices in 32 bits, which is much faster. Both pipelines compute the same
// results. With the directive //kgen:variants load, a generated package does not contain the module
// for small launches. For example, the packages below prim use this directive. If a package lacks
// the module for small launches, the runtime makes this module, once in each run of a program. For
// tests and measurements, KGEN_SMALL=never makes all launches use the general module.
//
// # Printing
//
// The output of fmt and println in kernels is written when the launch has completed, before its
// event is done. The options PrintTo, PrintItems and PrintBuffer affect the output.
//
// # Faults
//
// A panic in a kernel, such as an index out of range, is a [Fault] on every device. Event.Wait or a
// Run function returns the Fault. If the program does not wait for the launch, the next Queue.Wait,
// CopyTo or Device.Close returns the Fault.
//
// # Long loops
//
// Mesa's software driver (llvmpipe, also called lavapipe) runs a few work-items at a time. When the
// work-items that run together have run 65,535 loop iterations, the driver leaves the loop early.
// Open tests whether a device ends long loops early. On devices that end long loops, kernels count
// their loop iterations, which takes a little time. If the driver left a loop early, the launch
// returns a [LoopError] with the loop's source position.
//
// # Floating point
//
// Float32 division and square root are correctly rounded, as in Go. Open tests whether the device's
// own instructions round correctly (DeviceInfo.ExactDivide). If the device does not round division
// or square root correctly, kernels correct the results, except in the mode properties.FloatFast.
// With KGEN_EXACT_DIVIDE=always, kernels correct results on every device, for tests. With
// KGEN_EXACT_DIVIDE=never, kernels correct results on no device, for measurements.
//
// Corrections use fused multiply-adds if Open finds that the device rounds a fused multiply-add
// only once. If fused multiply-adds are rounded only once, math32.Rsqrt also uses them, even if
// kernels correct no results. If the device rounds twice, or if KGEN_FUSED=never is set,
// corrections use integer operations. Integer operations are slower, but have the same results. For
// float64 division and square root, kernels use the device's own instructions;
// DeviceInfo.ExactDivide64 says whether the results are correctly rounded.
//
// Open also tests which float32 operations keep subnormal numbers ([Subnormals]). Where the device
// flushes subnormals, kernels convert float32 to float64 by integer code. Where the device flushes
// subnormals, some functions of package math32 also use integer code. The runtime chooses the
// integer code when it loads a kernel. KGEN_SUBNORMALS=flushed chooses the integer code on every
// Vulkan device, for tests.
//
// Open tests which float16 instructions of the device have the same results as package half
// ([Float16]). When the runtime loads a kernel, it replaces the float16 instructions whose results
// differ. The new code uses integers and float32s. On drivers that run on the CPU, the runtime
// replaces all float16 instructions, because they are slow on a CPU. KGEN_HALVES=computed replaces
// all float16 instructions on every device, for tests. KGEN_HALVES=native keeps float16
// instructions on drivers that run on the CPU.
//
// # Where the time goes
//
// A device opened with [Profiling] records when its commands run, for [Event.Profile]. With
// [Trace], or KGEN_TRACE in the environment, the device writes a trace for https://ui.perfetto.dev.
// With the option [Logger], the runtime logs its decisions at debug level. In CPU profiles, samples
// of a kernel on the host device have the label "kernel".
//
// # Several devices
//
// A program may open several devices, each with its own queues and buffers. The command [Copy] can
// copy from one device to another, and is then ordered with the commands of both devices. Package
// shard divides arrays and work among devices.
//
// # Closing
//
// Buffers and devices may be closed in any order, and twice. A buffer's memory is freed when the
// commands that use it have completed.
package runtime
