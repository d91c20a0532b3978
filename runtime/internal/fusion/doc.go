// Package fusion decides which launches of a graph can be fused into one launch, and links the IR
// of the launches' kernels into one kernel.
//
// The launches must be given in the order of the graph. Group.Refuses returns the reason why a
// launch cannot be added to a [Group], or "". Group.Link links the kernels of a group into one
// kernel, which can be launched over any range. The result is a value of the type [Fused], which
// contains the kernel's abi.Kernel. For each argument of the fused kernel, the result says from
// which launch the argument comes.
//
// A work-item of a fused kernel may run the code of all launches before another work-item begins.
// Two launches can therefore be fused only if no work-item of one launch uses memory that a
// different work-item of the other launch writes. If there is a barrier between the code of two
// launches, a work-item may also use memory that other work-items of the same work-group write.
// kgen proves which elements the work-items of a kernel use (see abi.Footprint). Package fusion
// checks which arguments of the launches are the same memory. The decision is the same for all
// devices, even for the host device, which runs the Go code of the launches' kernels one by one.
package fusion
