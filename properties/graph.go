package properties

import "fmt"

// This file declares the properties of graphs (for Graph.Finalize) and of memory (for buffers and
// views). Kernels and launches cannot have properties of graphs or of memory. The fusion properties
// correspond to SYCL's extension sycl_ext_codeplay_kernel_fusion.

// Updatable allows updates of a graph's nodes after the graph has been finalized (see runtime's
// ExecutableGraph.Update).
func Updatable() Property { return Property{key: KeyUpdatable} }

// EnableFusion fuses launches of a graph if the fused launch computes the same results and is no
// slower. EnableFusion never causes an error. A launch that cannot be fused runs separately, and
// runtime's ExecutableGraph.Report returns the reason.
func EnableFusion() Property { return Property{key: KeyEnableFusion} }

// RequireFusion fuses all launches of a graph into one. Finalize returns ErrKernelNotSupported if a launch cannot be
// fused, and ErrFeatureNotSupported if the device lacks GraphFusion. If a graph also has EnableFusion, RequireFusion
// takes precedence.
func RequireFusion() Property { return Property{key: KeyRequireFusion} }

// InsertBarriers puts work-group barriers between the kernels of a fused launch. With
// InsertBarriers, a kernel may read elements that other work-items of its work-group wrote in the
// previous kernel. Either kgen must have proved that each work-group uses only its own elements, or
// the memory must have AccessScope(ScopeWorkGroup). With InsertBarriers, each launch must state its
// work-group size. InsertBarriers has no effect without EnableFusion or RequireFusion.
func InsertBarriers() Property { return Property{key: KeyInsertBarriers} }

// OfGraphs reports whether k is the key of a graph's property.
func (k Key) OfGraphs() bool {
	return k == KeyUpdatable || k == KeyEnableFusion || k == KeyRequireFusion || k == KeyInsertBarriers
}

// Scope is the set of work-items that may use the same element of memory.
type Scope uint8

// The scopes.
const (
	ScopeNone      Scope = iota // no restriction
	ScopeWorkItem               // only one work-item uses an element
	ScopeWorkGroup              // only work-items of one work-group use an element
)

// String returns the scope's name.
func (s Scope) String() string {
	if s <= ScopeWorkGroup {
		return [...]string{"ScopeNone", "ScopeWorkItem", "ScopeWorkGroup"}[s]
	}
	return fmt.Sprintf("Scope(%d)", uint8(s))
}

// AccessScope states which work-items may use the same element of a buffer or view. If the buffer
// or view also has FusionInternalMemory and NoInit, a fused launch may keep the elements in
// registers or work-group memory.
func AccessScope(s Scope) Property {
	return Property{key: KeyAccessScope, dims: [3]int{int(s)}, ndims: 1}
}

// FusionInternalMemory asserts that the program does not read values that fused launches write to
// the buffer or view.
func FusionInternalMemory() Property { return Property{key: KeyFusionInternalMemory} }

// NoInit asserts that launches do not read the initial values of a buffer or view.
func NoInit() Property { return Property{key: KeyNoInit} }

// Scope returns the value of an AccessScope property.
func (p Property) Scope() Scope { return Scope(p.dims[0]) }

// OfMemory reports whether k is the key of a property of buffers and views.
func (k Key) OfMemory() bool {
	return k == KeyAccessScope || k == KeyFusionInternalMemory || k == KeyNoInit
}
