// Package back is the back half of kgen: it makes SPIR-V of a kernel's lowered module.
//
//	                  ┌─ pass, emit ──▶ the first module, for every launch and device that has
//	                  │                 what it uses; Lower ──▶ "words"
//	Kernel.Module ────┼─ pass, emit ──▶ "small": for launches of few work-items and short slices
//	  (cloned)        ├─ pass, emit ──▶ "alone": without sub-groups; Lower ──▶ "aloneWords"
//	                  └─ pass, emit ──▶ "cancel…": work-items leave when the host asks them to
//
// The first module decides what the kernel needs of a device and which faults it has; a
// variant is a module for the launches or devices that its row in abi.Kernel.Variants names,
// with the same work-items and the same faults. A variant that would save little, or that
// uses nothing of what it is to do without, is left out.
//
// The package knows neither Go's syntax nor kgen's loader: a program that has modules at run
// time can call it.
package back
