// Package back is the back half of kgen: it compiles a kernel's lowered module to SPIR-V.
//
//	                  ┌─ pass, emit ──▶ the first module, for every launch and device that has
//	                  │                 what it uses; Lower ──▶ "words"
//	Kernel.Module ────┼─ pass, emit ──▶ "small": for launches of few work-items and short slices
//	  (cloned)        ├─ pass, emit ──▶ "alone": without sub-groups; Lower ──▶ "aloneWords"
//	                  └─ pass, emit ──▶ "cancel…": work-items leave when the host asks them to
//
// The first module determines the aspects that the kernel needs, and the kernel's faults. A variant
// is a module for some launches or devices, which its row in abi.Kernel.Variants describes. A
// variant has the same work-items and the same faults as the first module. A variant is omitted if
// it saves little, or if the first module uses none of the aspects that the variant avoids.
//
// The variants "words" and "aloneWords" use only 32-bit integers. The package imports neither Go's
// syntax packages nor kgen's loader. So the runtime can call it in programs.
package back
