// Package back is the back half of kgen: it compiles a kernel's lowered module to SPIR-V.
//
//	                  ┌─ pass, emit ──▶ the first module, for every launch and device that has
//	                  │                 what it uses; Lower ──▶ "words"
//	Kernel.Module ────┼─ pass, emit ──▶ "small": for launches of few work-items and short slices
//	  (cloned)        ├─ pass, emit ──▶ "alone": without sub-groups; Lower ──▶ "aloneWords"
//	                  └─ pass, emit ──▶ "cancel…": work-items leave when the host asks them to
//
// The first module decides which aspects the kernel needs and which faults it has. A variant is a
// module for the launches or devices that its row in abi.Kernel.Variants names. It has the same
// work-items and the same faults. A variant is left out if it saves little, or if the first module
// uses none of the aspects that the variant avoids.
//
// The package knows neither Go's syntax nor kgen's loader, so that the runtime can call it in
// programs.
package back
