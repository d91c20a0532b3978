// Package pass is the middle part of the compiler. The input of the passes is a module from package
// lower. The result is a module that package emit can write as SPIR-V. The package contains the
// list of passes (list.go) and the constraints on the order of passes, with reasons (order.go). The
// package also reports the checks that could not be proved and the integers that could not be
// narrowed (report.go).
//
// The passes themselves are in packages below codegen/pass, which are called rooms. A room may
// import the rooms to its left in the following line, but not the other rooms in the same braces:
//
//	rewrite ← facts ← uniform ← simplify ← {memory, numbers, checks, loops, items, lanes, structurize, quirks} ← split64 ← pass
//
// The rooms rewrite, facts and uniform contain tools for the passes. The passes run in this order:
//
//	level     room         passes
//
//	built     memory       soa sroa             structs and short arrays are split into scalars
//	  │       rewrite      mem2reg              variables that hold scalars become values
//	  │       lanes        exits                a return from a called kernel returns from the whole kernel
//	  │       memory       params               arguments that nothing reads are dropped
//	  │       simplify     simplify cse dce     constants are folded, equal values merged, dead code removed
//	  │       numbers      floats fuse          float64 becomes float32 with the same bits, products and sums are fused
//	  │       memory       internal arrays      loads of elements that the work-item has stored become values
//	  │                      ◀─ link (the kernels of a graph without barriers become one here)
//	  │       lanes        matrices             sub-groups' matrices become the work-items' own arrays
//	  │       memory       once forward         loads are hoisted out of loops, or become values
//	  │       checks       bounds               Go's checks are proved
//	  │       loops        ahead unroll         checks are hoisted out of loops
//	  │       numbers      shortdiv narrow      integers of 64 bits become integers of 32 bits
//	  │                      ─▶ gohost (host forms are made of this code)
//	  │       loops        writeout             loops over private arrays are unrolled
//	  │       memory       elements             private arrays become values
//	  │       loops        overlap              four iterations of a loop load at once
//	  │       checks       gather               checks are combined ahead of the loads that waited for them
//	  │       items        coarsen              invocations run four work-items
//	  │       loops        polls                long loops ask whether to stop
//	  │       lanes        deadlanes            work-items that leave a group early become dead lanes
//	  │                      ◀─ link (kernels with barriers become one here)
//	  │       lanes        tiles                loads and products become instructions for a device's own matrices
//	  │       memory       superwords           work-group memory of matrices is written by 16 bytes
//	  │       memory       adjacent             neighbouring numbers of an element are loaded and stored together
//	  │       lanes        groups atomics       operations that SPIR-V lacks are expanded
//	  │       rewrite      mem2reg2             the dead lanes' flags become values
//	  │       numbers      constdiv             divisions by constants become multiplications
//	  │       simplify     simplify2 dce2       the code that was added is simplified
//	  │       lanes        zerolocal            work-group memory is zeroed, unless it is written first
//	  │       lanes        dropbarriers relax   barriers and atomic counting order only as much as needed
//	  │       lanes        lighten              barriers order only work-group memory where that is enough
//	  │       loops        askunroll            drivers are asked to unroll some loops
//	  │       lanes        partial              invocations that have no work-item return
//	  ▼
//	structured structurize structurize          control flow becomes nested selections and loops
//	  │       simplify     simplify3 dce3       the flags that were added are simplified
//	  │       quirks       loopvalues quirks    code that drivers miscompile is rewritten
//	  │       numbers      exactdiv longdiv     float32 and 64-bit divisions are expanded
//	  │       memory       access               which slices the kernel reads and writes is recorded
//	  │       numbers      unsigned             uint32 to float32 is rounded once
//	  │       quirks       outlive              live-out values of loops are recomputed after the loops
//	  ▼
//	legal     lanes        expand               faults become calls of a helper.
//
// The level of a module determines the rules that the verifier enforces. Structured modules have
// the control flow that SPIR-V requires. Legal modules have only ops that package emit supports.
// After structurize, a pass may change control flow only if the code remains structured. After
// simplify3, no pass may fold code that was added by the pass `quirks`.
//
// The function Lower of package split64 is not a pass. Lower rewrites a legal module for devices
// without 64-bit integers. The function Link of package link merges several modules into one at the
// points marked in the picture, and the later passes run on the merged module.
//
// A new pass belongs to the room (a package below codegen/pass) whose package doc describes its
// purpose. The pass needs an entry in list.go, its name in the picture, and constraints in
// order.go.
//
// The tests of a pass are in its room. The room's folder testdata contains modules before and after
// the pass. Package internal/tests/passtest has random kernels for the tests of several rooms.
package pass
