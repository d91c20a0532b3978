// Package fusion decides which launches of a graph can be fused into one. The package links the IR of
// the launches' kernels into one kernel.
//
// The input consists of launches in the order of the graph. Group.Refuses decides whether a launch
// may join a [Group], or returns the reason why not. Group.Link links the kernels of a group into
// one kernel, which can be launched over any range. The result, a value of the type [Fused],
// contains the kernel's abi.Kernel, and says from which launch each argument comes.
//
// Two launches can be fused if no work-item of one uses memory that another work-item of the other
// writes. This rule is needed because a work-item of a fused kernel may run all launches' code
// before another work-item begins. With a barrier between the launches' code, a work-item may use
// memory that other work-items of its work-group write. kgen proves such facts about each kernel,
// for all arguments (abi.Footprint). This package checks which arguments are the same memory. All
// devices make the same decision, including devices that run the kernels' own Go and launch kernels
// one by one.
package fusion
