package properties

import "fmt"

// This file has the properties of graphs, which are given to runtime's Graph.Finalize, and of
// memory, which are given to its buffers and views; kernels and launches have none of them. Those of fusion follow SYCL's extension sycl_ext_codeplay_kernel_fusion.

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

// InsertBarriers has the work-items of a work-group wait for each other between the kernels of a
// fused launch: a kernel may then read what others of the work-group wrote in the one before, if
// it is proved that indices stay within the elements of the work-group, or the memory has
// AccessScope(ScopeWorkGroup). The launches state the size of their work-groups. Without
// EnableFusion or RequireFusion it does nothing.
func InsertBarriers() Property { return Property{key: KeyInsertBarriers} }

// OfGraphs reports whether the key's properties are those of graphs.
func (k Key) OfGraphs() bool {
	return k == KeyUpdatable || k == KeyEnableFusion || k == KeyRequireFusion || k == KeyInsertBarriers
}

// Scope is how far apart the work-items are that use one element of memory.
type Scope uint8

// The scopes.
const (
	ScopeNone      Scope = iota // any
	ScopeWorkItem               // an element is used by one work-item alone
	ScopeWorkGroup              // an element is used within one work-group
)

// String returns the scope's name.
func (s Scope) String() string {
	if s <= ScopeWorkGroup {
		return [...]string{"ScopeNone", "ScopeWorkItem", "ScopeWorkGroup"}[s]
	}
	return fmt.Sprintf("Scope(%d)", uint8(s))
}

// AccessScope says of a buffer, or of a view, which work-items use an element of it. With
// FusionInternalMemory and NoInit, a fused launch keeps such memory in registers or in memory
// of the work-group.
func AccessScope(s Scope) Property {
	return Property{key: KeyAccessScope, dims: [3]int{int(s)}, ndims: 1}
}

// FusionInternalMemory says of a buffer, or of a view, that nobody looks at what fused launches
// leave in it.
func FusionInternalMemory() Property { return Property{key: KeyFusionInternalMemory} }

// NoInit says of a buffer, or of a view, that what is in it before is not read.
func NoInit() Property { return Property{key: KeyNoInit} }

// Scope returns the value of an AccessScope property.
func (p Property) Scope() Scope { return Scope(p.dims[0]) }

// OfMemory reports whether the key's properties are those of buffers and views.
func (k Key) OfMemory() bool {
	return k == KeyAccessScope || k == KeyFusionInternalMemory || k == KeyNoInit
}
