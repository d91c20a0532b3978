package ir

// This file describes the variants of a kernel's module.

import "github.com/kgen-go/kgen/internal/matrix"

// Target describes the launches and devices for which a module is made. A kernel has one module for
// all launches and devices, whose Target is zero. It may have variants for special ones.
type Target struct {
	// Small is set for launches whose sizes are at most abi.MaxSmall. The products of sizes in
	// facts.Result must not be larger, either.
	Small bool
	// NoSubGroups is set for devices without group algorithms of sub-groups. Group algorithms of
	// work-groups then use work-group memory. Lowering sets it if the kernel's DeviceHas does not
	// include sub-groups.
	NoSubGroups bool
	// Cancel is set for launches that may be cancelled. Work-items return when the host requests
	// it.
	Cancel bool
	// Tuples are the matrix products that the device supports natively. It is empty if matrices are
	// expanded.
	Tuples []matrix.Tuple
	// Host is set for host forms of kernels with matrices. A host form holds whole matrices.
	Host bool
	// First is the kernel's first module, if this one is a variant. Faults are identified by the
	// sites of the first module. It is nil in the first module itself.
	First *Module
}

// Add returns the target that combines the properties of t and u.
func (t Target) Add(u Target) Target {
	t.Small, t.NoSubGroups, t.Cancel, t.Host = t.Small || u.Small, t.NoSubGroups || u.NoSubGroups, t.Cancel || u.Cancel, t.Host || u.Host
	if u.Tuples != nil {
		t.Tuples = u.Tuples
	}
	if u.First != nil {
		t.First = u.First
	}
	return t
}
