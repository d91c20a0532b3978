package ir

// This file defines the targets for which variants of a kernel's module are compiled.

import "github.com/kgen-go/kgen/internal/matrix"

// Target describes the launches and devices for which a module is compiled. The first module of a kernel has
// a zero Target and serves all launches and devices. Variants of the module serve special launches or
// devices.
type Target struct {
	// Small restricts a module to launches whose sizes are at most abi.MaxSmall. If Small is true, facts.Result assumes
	// that products of sizes are at most abi.MaxSmall too.
	Small bool
	// NoSubGroups is set for devices that do not support group algorithms of sub-groups. With NoSubGroups, group
	// algorithms of work-groups use work-group memory instead of sub-groups. Lowering sets NoSubGroups if the kernel's
	// DeviceHas does not include sub-groups.
	NoSubGroups bool
	// Cancel is set for launches that may be cancelled. With Cancel, work-items return when the host requests
	// cancellation.
	Cancel bool
	// Tuples are the matrix products that the device supports natively. The list is empty if matrices
	// are expanded.
	Tuples []matrix.Tuple
	// Host is set for host forms of kernels with matrices. In a host form (a module for the host
	// device), a matrix variable contains a whole matrix for each sub-group.
	Host bool
	// First is the kernel's first module if this module is a variant, else nil. A fault record identifies the
	// fault by a site of the first module.
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
