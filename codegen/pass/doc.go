// Package pass turns a module as lower makes it into one that emit can write as SPIR-V: it is
// the middle of the compiler. It holds the list of passes (list.go), what must run before what
// and why (order.go), and a report of what the passes could not prove (report.go). The passes
// themselves stand in rooms below, which import only rooms to their left:
//
//	rewrite ← facts ← uniform ← simplify ← {memory, numbers, checks, lanes, structurize, quirks} ← words ← pass
//
//	lowered       memory        arguments and variables that nobody needs go away
//	   │          rewrite       the variables that are left become values (mem2reg)
//	   │          simplify      constants are folded, equal values computed once
//	   │          numbers       floats: narrower and fused
//	   │          memory        loads of what was stored or loaded before become values, or leave loops
//	   │          checks        Go's checks are proved, or hoisted and gathered
//	   │          numbers       integers of 64 bits become ones of 32
//	   │          lanes         work-items that leave become dead lanes; groups combine
//	   ▼
//	structured    structurize   loops and selections nest as SPIR-V wants them
//	   │
//	   │          quirks        what drivers compile wrongly is written in another way
//	   │          facts         which slices the kernel reads and writes
//	   ▼
//	legal         lanes         faults become calls
//
// rewrite, facts and uniform are the tools that passes share; the rooms in braces do not know
// each other. A new pass goes into the room whose doc describes what it does; it becomes a
// row in list.go, and rows in order.go.
//
// Lower, of package words, is no pass of the list: it writes a finished module anew for devices
// without integers of 64 bits.
//
// Many tests are here, too: they run several rooms' passes over the same random kernels.
package pass
