// Package beamkgen runs kernels in pipelines of Apache Beam. A [Function] collects the elements of a pipeline
// in batches, launches kernels on each batch on the one device of the process, and gives each
// element its result. It is a module of its own, so that kgen requires nothing of Beam.
//
//	import gen "example.com/app/generated/scaling"
//
//	// halves computes x/2 of numbers x.
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
// A batch has at most Options.Size elements, all of one bundle. It is launched when it is full, when it has
// waited for Options.Wait and a further element comes, and when the bundle ends. So no element is left
// after its bundle. Runners decide how many elements a bundle has: a runner that makes bundles
// of a few elements also makes batches of a few. Beam's prism and direct runner make large ones.
//
// # Windows and timestamps
//
// The elements of a batch are in the same windows, so that a batch never mixes windows. A bundle fills up
// to 64 batches at a time, for elements of as many sets of windows, and launches the oldest one when a
// 65th begins. The memory of a bundle is thus bounded by 64 times Options.Size elements. An element in several
// windows, such as sliding ones, is computed once, and its result is in all of them. Results and
// failures keep the windows, the timestamp and the pane of their elements, also at the end of a bundle.
// There Beam's own emitters would put them into the global window, at time zero.
//
// # Faults
//
// If a work-item panics, the launch function returns the *runtime.Fault. A fault names a work-item, which
// need not be an element: a kernel may run a work-item for each letter of a text. So beamkgen calls
// the launch function again for each half of the batch, and for the halves of a half that faults. An
// element that faults alone goes to the failures, with a [Failure], and all others have their results. One such
// element in a batch of n costs up to 2·log2(n) further launches, k of them up to k times as many. If all
// elements of a batch fault, there are 2n-1 launches. Elements that fault together, but not alone, have results.
//
// # Errors
//
// All other errors of a launch function are errors of the bundle: a device that is lost or lacks memory, a
// kernel that is not supported, a deadline. So is a number of results other than that of the elements, and
// an error that is joined with a fault. Nothing of a failed bundle is kept, and most runners run it again.
// Beam keeps the text of such errors, not their classes.
//
// Mistakes in the arguments of Register or TryParDo are errors of class runtime.ErrInvalid when the pipeline
// is made. A device that cannot run one of Options.Kernels is an error of class
// runtime.ErrKernelNotSupported in Setup, before anything is launched.
//
// # Devices
//
// A process has one device, which is opened once, whatever the number of bundles and of plans. Beam calls
// Setup once for each plan, of which a process has several, and prism never calls Teardown. So the device
// is open until the process ends or calls CloseDevice. A device that is lost is closed, and the next
// bundle opens a device again. To use several GPUs of a machine, run a worker process for each, with
// KGEN_DEVICE set to an index, a UUID or a PCI address.
//
// # Metrics
//
// The metrics of a Function's step are in the namespace "beamkgen":
//
//	batch_elements    distribution of the sizes of batches, in elements
//	launches          launches of kernels, those after faults included
//	bytes             bytes that To and From copied to and from the device
//	device_ns         nanoseconds that launches took on the device, without copies
//	launches_untimed  launches of which the device does not say how long they took
//	failures          elements without a result
//
// Launches and copies by other functions than Run, To and From count if the launch function
// says so to Worker.Count. Beam drops the metrics of bundles that fail.
//
// # Several machines
//
// The program of a pipeline is its workers' program, too. A runner that is given to the program, such as
// Flink's or Dataflow's, starts the program on its machines and gives it bundles:
//
//	app -runner universal -endpoint HOST:PORT -environment_type DOCKER -environment_config IMAGE
//
// The image is Beam's container for Go (apache/beam_go_sdk:2.77.0) with a Vulkan loader and the GPU's driver, as
// docs/container.md of kgen lists them; without a GPU it runs on the host device. Workers find
// functions by their names. So Register belongs where a package's variable is initialized, and
// not after beam.Init, which does not return in a worker. Flags of the program are not set in workers:
// values that launch functions need are in the elements, or in beam.PipelineOptions.
package beamkgen
