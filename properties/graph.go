package properties

import "fmt"

// This file declares the properties of graphs (for Graph.Finalize) and of memory (for buffers and views). Kernels
// and launches cannot have them. The fusion properties follow SYCL's extension sycl_ext_codeplay_kernel_fusion.

// Updatable makes it possible to update the nodes of a graph after it has been finalized (see
// runtime's ExecutableGraph.Update).
func Updatable() Property { return Property{key: KeyUpdatable} }

// EnableFusion fuses launches of a graph into one if that is correct and no slower. EnableFusion
// never causes an error. A launch that cannot be fused runs separately, and runtime's
// ExecutableGraph.Report says why.
func EnableFusion() Property { return Property{key: KeyEnableFusion} }

// RequireFusion fuses all launches of a graph into one. Finalize returns ErrKernelNotSupported if
// that is not possible, and ErrFeatureNotSupported if the device lacks the aspect GraphFusion. If
// EnableFusion is given, too, RequireFusion takes precedence.
func RequireFusion() Property { return Property{key: KeyRequireFusion} }

// InsertBarriers puts a barrier of each work-group between the kernels of a fused launch. A kernel
// may then read elements that other work-items of the work-group wrote in the kernel before. Either
// kgen must have proved that indices stay within the elements of the work-group, or the memory must
// have AccessScope(ScopeWorkGroup). The launches state the size of their work-groups.
// InsertBarriers has no effect without EnableFusion or RequireFusion.
func InsertBarriers() Property { return Property{key: KeyInsertBarriers} }

// OfGraphs reports whether the key is that of a property of graphs.
func (k Key) OfGraphs() bool {
	return k == KeyUpdatable || k == KeyEnableFusion || k == KeyRequireFusion || k == KeyInsertBarriers
}

// Scope says which work-items may use the same element of memory.
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

// AccessScope says for a buffer, or for a view, which work-items may use the same element. If
// memory also has FusionInternalMemory and NoInit, a fused launch may keep it in registers or in
// work-group memory.
func AccessScope(s Scope) Property {
	return Property{key: KeyAccessScope, dims: [3]int{int(s)}, ndims: 1}
}

// FusionInternalMemory says for a buffer, or for a view, that the program does not read the values
// that fused launches leave in it.
func FusionInternalMemory() Property { return Property{key: KeyFusionInternalMemory} }

// NoInit says for a buffer, or for a view, that its initial values are not read.
func NoInit() Property { return Property{key: KeyNoInit} }

// Scope returns the value of an AccessScope property.
func (p Property) Scope() Scope { return Scope(p.dims[0]) }

// OfMemory reports whether the key is that of a property of buffers and views.
func (k Key) OfMemory() bool {
	return k == KeyAccessScope || k == KeyFusionInternalMemory || k == KeyNoInit
}
