package properties

// This file has the properties of graphs, which are given to runtime's Graph.Finalize, and not
// to kernels and launches. Those of fusion follow SYCL's extension sycl_ext_codeplay_kernel_fusion.

// Updatable has a graph take updates of its nodes after it has been finalized: see runtime's
// ExecutableGraph.Update.
func Updatable() Property { return Property{key: KeyUpdatable} }

// EnableFusion has launches of a graph become one where that is right and no slower. It is never
// an error: what cannot be fused is launched by itself, and runtime's ExecutableGraph.Report
// says why.
func EnableFusion() Property { return Property{key: KeyEnableFusion} }

// RequireFusion has all launches of a graph become one. Finalize returns ErrKernelNotSupported
// where that cannot be, and ErrFeatureNotSupported on a device without the aspect GraphFusion.
// Beside EnableFusion it has the say.
func RequireFusion() Property { return Property{key: KeyRequireFusion} }

// OfGraphs reports whether the key's properties are those of graphs.
func (k Key) OfGraphs() bool {
	return k == KeyUpdatable || k == KeyEnableFusion || k == KeyRequireFusion
}
