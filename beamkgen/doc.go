// Package beamkgen runs kernels in pipelines of Apache Beam. A [Function] collects the elements of
// a pipeline in batches, and launches kernels for each batch on the device of the process. The
// Function returns one result for each element. The package is in a separate Go module, so that
// kgen itself does not require Beam.
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
// The folder examples/kmers contains a complete program, which counts k-mers in FASTA files.
//
// # Batches
//
// A batch contains at most Options.Size elements, which belong to the same bundle. A batch is launched when it is full
// or when its bundle ends. A batch that is older than Options.Wait is also launched when the bundle's next element
// arrives. The runner decides how many elements a bundle contains. A batch cannot be larger than its bundle.
//
// # Windows and timestamps
//
// All elements of a batch are in the same windows. A bundle fills up to 64 batches at the same
// time, and each batch is for different windows. If a bundle needs a further batch, the bundle
// first launches the oldest batch. A bundle keeps less than 64 times Options.Size elements in
// memory. An element that is in several windows, for example sliding windows, is computed once, and
// the result is in all windows of the element.
//
// Results and failures have the windows, the timestamp and the pane of their elements. Results at
// the end of a bundle have the windows of their elements too, although Beam's own emitters would
// use the global window and time zero.
//
// # Faults
//
// If a work-item panics, the launch function returns the *runtime.Fault. The fault contains the id
// of a work-item, but beamkgen cannot determine the faulting element from the id of a work-item.
// For example, the elements may be texts, and a kernel may have a work-item for each letter of a
// text. To find the faulting element, beamkgen calls the launch function again for each half of the
// batch. If a half faults, beamkgen divides the half again. If a batch of a single element faults,
// the element becomes a [Failure]. Elements that do not become failures have results.
//
// In a batch of n elements, one faulting element causes at most 2·log2(n) further launches, rounded
// up. For k faulting elements, the limit is k times as large. If all elements fault, beamkgen calls
// the launch function 2n-1 times. An element that faults only in batches with other elements does
// not become a failure, but has a result.
//
// # Errors
//
// If a launch function returns an error that is not a fault, the bundle fails. Examples of errors
// that make the bundle fail are a lost device, insufficient memory, a kernel that is not supported,
// and a deadline. The bundle also fails if the number of results is wrong, or if a fault is joined
// with another error. Runners drop the outputs of a failed bundle, and most runners run the bundle
// again. Beam keeps only the text of an error of a bundle, so errors.Is does not find the error's
// class.
//
// If arguments of Register or TryParDo are wrong, TryParDo returns an error of class
// runtime.ErrInvalid when the pipeline is built. If the device cannot run one of Options.Kernels,
// the DoFn's Setup returns an error of class runtime.ErrKernelNotSupported, before any kernel is
// launched.
//
// # Devices
//
// A process opens only one device, however many bundles and plans the process runs. Beam calls
// Setup once for each plan, and prism never calls Teardown. Because prism never calls Teardown, the
// device stays open until the process ends or calls CloseDevice. If a device is lost, beamkgen
// closes it, and the next bundle opens a device again. To use several GPUs of a machine, run a
// worker process for each GPU. The environment variable KGEN_DEVICE of each worker process must be
// the index, UUID or PCI address of a GPU.
//
// # Metrics
//
// The pipeline step of each Function has the following metrics, in the namespace "beamkgen":
//
//	batch_elements: distribution of the number of elements in a batch.
//	launches: number of kernel launches, including the launches after faults.
//	bytes: number of bytes that To copied to the device, plus the number that From copied from the device.
//	device_ns: nanoseconds that launches took on the device, without copies.
//	launches_untimed: number of launches that are not in device_ns, because the device has no timestamps.
//	failures: number of elements without a result.
//
// Worker.Run, To and From update the metrics. For launches and copies that do not use Run, To or
// From, launch functions must call Worker.Count.
//
// # Several machines
//
// The program that builds a pipeline is also the program that workers run. Workers find Functions by their names, so
// Register should initialize a package-level variable. In a worker, beam.Init does not return, and the program's flags
// are not set. Values that launch functions need must be in the elements or in beam.PipelineOptions.
//
// A runner for several machines accepts the program's pipeline at a network address, and starts workers in containers:
//
//	app -runner universal -endpoint HOST:PORT -environment_type DOCKER -environment_config IMAGE
//
// The container image is built from Beam's image for Go. For a worker with a GPU, the container
// image also needs a Vulkan loader and the driver's files, which kgen's docs/container.md lists.
// Workers without a GPU use the host device. The tests of this module use the runner prism, with
// workers in the same process and in another process. The tests do not run workers in containers.
package beamkgen
