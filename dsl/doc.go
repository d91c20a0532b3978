// Package dsl is the language that kernels import. Its types and functions are
// ordinary Go with ordinary bodies: run on the host they are the meaning that
// every device keeps to.
//
// # Kernels
//
// A kernel is an exported struct type with a method named Kernel, in an
// importable package. The fields are the kernel's arguments; the parameter of
// Kernel chooses its form:
//
//	Kernel(t dsl.Task)       single_task: runs once
//	Kernel(it dsl.Item1)     parallel_for over a range; also Item2, Item3
//	Kernel(it dsl.NDItem1)   parallel_for over an nd-range; also NDItem2, NDItem3
//
// For example
//
//	//go:generate go tool kgen .
//
//	type SAXPY struct {
//		A    float32
//		X, Y []float32
//	}
//
//	func (k SAXPY) Kernel(it dsl.Item1) {
//		i := it.GlobalID()
//		k.Y[i] += k.A * k.X[i]
//	}
//
// Slices are device memory. Whether a kernel reads or writes one is inferred
// from its body. Other fields are copied in; assigning to them changes the
// work-item's own copy.
//
// The work-items of a launch run in no particular order and in parallel. Two
// work-items that touch one element, with at least one writing, have a data race
// unless they use atomics or stand on two sides of a barrier of their group.
//
// # Ids
//
// Ids and ranges come as Go writes array indices: the last dimension varies
// fastest.
//
//	i := it.GlobalID()          // Item1, NDItem1
//	y, x := it.GlobalID()       // Item2, NDItem2
//	z, y, x := it.GlobalID()    // Item3, NDItem3
//
// A linear id counts in the same order, so work-items with neighbouring linear
// ids differ in x. An nd-range cuts the global range into work-groups of one
// size, the local range, which divides the global range:
//
//	GlobalID == GroupID*LocalRange + LocalID    in each dimension
//
// A work-group is made of sub-groups, runs of work-items with neighbouring
// linear local ids that the device executes together. Their size is the
// device's, or what properties.SubGroupSize asks for.
//
// # Work-group memory
//
// The work-items of a group share memory in three ways: [Local] for sizes known
// when the kernel is written, [LocalSlice] for sizes set by specialization
// constants, and a [LocalAccessor] field for sizes set at each launch.
//
//	func (k Transpose) Kernel(it dsl.NDItem2) {
//		tile := dsl.Local[[16][17]float32](it) // a spare column avoids bank conflicts
//		y, x := it.GlobalID()
//		ly, lx := it.LocalID()
//		tile[ly][lx] = k.In[y*k.N+x]
//		it.Barrier()
//		gy, gx := it.GroupID()
//		k.Out[(gx*16+ly)*k.N+gy*16+lx] = tile[lx][ly]
//	}
//
// # Barriers and uniform control flow
//
// Barrier makes the work-items of a group (or sub-group) wait for one another
// and orders their reads and writes of work-group and device memory.
//
// Barriers and calls of Local and LocalSlice stand in control flow
// that is uniform over the group: all its work-items take the same way there.
// Conditions made of constants, kernel fields, ranges, group ids and
// specialization constants are uniform; conditions on a work-item's own id or on
// data of its own are not. kgen proves uniformity or rejects the call with its
// position. On the host, work-items that wait at different barriers fault with
// "divergent barriers"; a work-item that has returned is no longer waited for.
//
// # Faults
//
// What panics in Go is a fault in a kernel: an index out of range, a division of
// integers by zero, an explicit panic. The work-item that faults ends; it takes
// no further part in barriers. The others go on, and the launch reports the
// first fault. Recover has no use in kernels.
//
// # Which Go
//
// A kernel, with all functions it calls, is written in a part of Go. The host
// device would run the rest too, but kgen rejects it.
//
//	integers, float32, float64, bool     yes; float64 and explicit 64-bit integers need an aspect
//	int, uint, len                       yes, 64 bits on every device
//	arrays, structs, slices, sub-slices  yes
//	pointers                             yes, to variables and elements; not stored in memory
//	if, for, range, switch, labels       yes
//	goto                                 yes, when it makes no irreducible loop
//	functions and methods, calls         yes, without recursion
//	generic functions and types          yes; a generic kernel is instantiated by an alias
//	package-level variables              yes, when never written
//	constants                            yes
//	panic                                yes, with a constant string
//	append, make, new                    no; see Local and PrivateAlloca
//	strings, maps, channels, interfaces  no
//	go, defer, select, recover           no
package dsl
