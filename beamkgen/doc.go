// Package beamkgen runs kernels in pipelines of Apache Beam. A [Function] collects the elements of a pipeline
// in batches, and launches kernels on each batch, on the one device of the process. Each element
// gets its own result. The package is a Go module of its own, so that kgen requires nothing of Beam.
//
//	import gen "example.com/app/generated/scaling"
//
//	// halves computes x/2 for each number x.
//	var halves = beamkgen.Register("example.com/app.halves", halve, beamkgen.Options{Size: 4096, Kernels: gen.Kernels()})
//
//	func halve(w *beamkgen.Worker, batch []float32) ([]float32, error) {
//		x, err := beamkgen.To(w, batch)
//		if err != nil {
//			return nil, err
//		}
//		out, err := beamkgen.New[float32](w, len(batch))
//		if err != nil {
//			return nil, err
//		}
//		if err := w.Run(gen.Scale{A: 0.5, X: x, Out: out}.ParallelFor(w.Queue(), runtime.Range1(len(batch)))); err != nil {
//			return nil, err
//		}
//		results := make([]float32, len(batch))
//		return results, beamkgen.From(w, out, results)
//	}
//
//	func main() {
//		flag.Parse()
//		beam.Init()
//		p, s := beam.NewPipelineWithRoot()
//		results, failures := halves.ParDo(s, numbers(s))
//		…
//		_, err := beam.Run(ctx, *runner, p)
//	}
//
// The folder examples/kmers has a whole program, which counts k-mers in FASTA files.
//
// # Batches
//
// A batch has at most Options.Size elements, all of one bundle. It is launched when it is full, when it is
// older than Options.Wait and a further element comes, and when the bundle ends. So no element is left
// after its bundle. The runner decides how many elements a bundle has: small bundles make small batches.
//
// # Windows and timestamps
//
// All elements of a batch are in the same windows. A bundle fills up to 64 batches at a time, each for other
// windows. When a 65th would begin, the oldest is launched. So a bundle holds less than 64 times
// Options.Size elements. An element in several windows, such as sliding ones, is computed once, and its
// result is in all of them.
//
// Results and failures have the windows, the timestamp and the pane of their elements, also at the end of a
// bundle. There Beam's own emitters would put them into the global window, at time zero.
//
// # Faults
//
// If a work-item panics, the launch function returns the *runtime.Fault. The fault names a work-item, which
// need not be an element: a kernel may have a work-item for each letter of a text. So beamkgen
// calls the launch function again for each half of the batch, and for each half of a half that faults. An
// element that faults alone becomes a [Failure]. All others have their results.
//
// One such element in a batch of n costs at most 2·log2(n) further launches, rounded up, and k of them at
// most k times as many. If all elements fault, there are 2n-1 launches. Elements that fault only
// together with others have results.
//
// # Errors
//
// All other errors of a launch function are errors of the bundle: a lost device, a lack of memory, a kernel
// that is not supported, a deadline. So are a wrong number of results, and an error that is joined with
// a fault. Runners drop the outputs of such a bundle, and most run it again. Beam keeps the text of
// these errors, but errors.Is does not find their classes.
//
// Wrong arguments of Register and TryParDo are errors of class runtime.ErrInvalid when the pipeline is made.
// A device that cannot run one of Options.Kernels is an error in the DoFn's Setup, before anything is
// launched. It is of class runtime.ErrKernelNotSupported.
//
// # Devices
//
// A process opens one device, once, however many bundles and plans there are. Beam calls Setup once for each
// plan, of which a process has several, and prism never calls Teardown. So the device stays open until the
// process ends or calls CloseDevice. A lost device is closed, and the next bundle opens one again. To
// use several GPUs of a machine, run a worker process for each, with KGEN_DEVICE set to its index, UUID
// or PCI address.
//
// # Metrics
//
// Each Function's step has these metrics, in the namespace "beamkgen":
//
//	batch_elements    distribution of the sizes of batches, in elements
//	launches          launches of kernels, including those after faults
//	bytes             bytes that To and From copied to and from the device
//	device_ns         nanoseconds that launches took on the device, without copies
//	launches_untimed  launches without a time in device_ns, on devices without timestamps
//	failures          elements without a result
//
// Run, To and From count by themselves. For other launches and copies, launch functions call Worker.Count.
//
// # Several machines
//
// The program that makes a pipeline is also the program of its workers. Workers find functions by their names.
// So Register belongs where a variable of a package is initialized. In a worker, beam.Init does not
// return, and flags of the program are not set. Values that launch functions need are in the elements,
// or in beam.PipelineOptions.
//
// A runner for several machines takes the program's pipeline at an address, and starts workers in containers:
//
//	app -runner universal -endpoint HOST:PORT -environment_type DOCKER -environment_config IMAGE
//
// The image is made from Beam's image for Go. For a GPU it also needs a Vulkan loader and the driver's files,
// which docs/container.md of kgen lists. Without a GPU, workers run on the host device. This module's tests
// run workers in this process and in another one, by prism, but none in containers.
package beamkgen
