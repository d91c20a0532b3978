package ir

import "github.com/kgen-go/kgen/internal/matrix"

// Target says what a module is made for. A kernel has one module for every launch and device,
// whose Target is zero, and variants for some.
type Target struct {
	// Small is set for launches whose sizes, and the products of sizes that facts.Result has,
	// are at most abi.MaxSmall.
	Small bool
	// NoSubGroups is set for devices without group algorithms of sub-groups: those of
	// work-groups run in work-group memory. Lowering sets it where the kernel's DeviceHas
	// leaves sub-groups out.
	NoSubGroups bool
	// Cancel is set for launches that may be cancelled: work-items leave when the host asks
	// them to.
	Cancel bool
	// Tuples are the products that the device's own matrices have. There are none where matrices
	// are expanded.
	Tuples []matrix.Tuple
	// Host is set for host forms of kernels with matrices, which hold these whole.
	Host bool
	// First is the kernel's first module where this one is another: faults are known by the
	// sites of that. It is nil for the first module itself.
	First *Module
}

// Add returns the target that is all of what t and u are.
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
