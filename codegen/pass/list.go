package pass

import "github.com/kgen-go/kgen/codegen/ir"

// passes is the pipeline. The order matters; each row's reason for standing
// where it does is in its comment.
var passes = []Pass{
	// Arrays that are left then have scalar elements, which sroa may split further.
	{Name: "soa", Doc: "turn private arrays of structs into arrays of their fields", Run: soa},
	// What sroa leaves of a variable's parts are scalars for mem2reg.
	{Name: "sroa", Doc: "split variables into their parts", Run: sroa},
	// Everything after it looks at values, not at memory.
	{Name: "mem2reg", Doc: "turn scalar variables into values", Run: mem2reg},
	// Which arguments are read shows once they are values. It stands before what differs
	// among a kernel's modules, since all have one block of arguments.
	{Name: "params", Doc: "take arguments that are never read out of the argument block", Run: elide},
	// Constants decide branches, so it comes before what counts checks and loops.
	{Name: "simplify", Doc: "fold constants and drop what does nothing", Run: runSimplify},
	{Name: "cse", Doc: "compute and check everything once", Run: runCSE},
	// cse and simplify leave values that nothing uses.
	{Name: "dce", Doc: "remove what has no effect", Run: runDCE},
	// Before products are fused, since it leaves roundings where Go has conversions.
	{Name: "floats", Doc: "compute in float32 what is the same there", Run: narrowFloats},
	// All that calls and variables kept apart is together, and no copies are made
	// yet. What counts values counts what is left.
	{Name: "fuse", Doc: "fuse products and sums", Run: fuse},
	// Every check that it decides saves a branch and perhaps a dead lane.
	{Name: "bounds", Doc: "decide comparisons that ranges decide", Run: bounds},
	// Only now is it known which loops have checks left. What it tests says more of
	// integers.
	{Name: "ahead", Doc: "make the checks of loops ahead of them", Run: ahead},
	// Those that nothing can be said of ahead.
	{Name: "unroll", Doc: "write out small loops that have checks", Run: unroll},
	// The ranges that decided checks say what fits in 32 bits. It makes more of that.
	{Name: "shortdiv", Doc: "divide in 32 bits what fits there", Run: shortDivide},
	// As before; fewer values are left to convert.
	{Name: "narrow", Doc: "compute in 32 bits what is the same there", Run: narrow},
	// It moves what narrow looks at, and comes before what counts branches.
	{Name: "gather", Doc: "make one branch of the checks of straight-line code", Run: gather},
	// Kernels without loops are known only when constants have decided branches.
	{Name: "coarsen", Doc: "run several work-items per invocation", Run: coarsen},
	// Nothing after it moves, copies or counts checks, and deadlanes sees who leaves.
	{Name: "polls", Doc: "have work-items leave when the host asks them to", Run: polls},
	// Which lanes die is known when all checks that can be decided are.
	{Name: "deadlanes", Doc: "prove barriers uniform; let lanes that leave go on as dead ones", Run: runDeadLanes},
	// What dead lanes put in is known; the loops that it adds need structure.
	{Name: "groups", Doc: "replace group algorithms by what SPIR-V has", Run: runGroups},
	// Its loops are no part of the skeleton of dead lanes.
	{Name: "atomics", Doc: "replace atomic operations by what SPIR-V has", Run: runAtomics},
	// The loops that it adds need structure, too.
	{Name: "zerolocal", Doc: "zero work-group memory and large arrays", Run: runZeroLocal},
	{Name: "mem2reg2", Doc: "turn the flags of dead lanes into values", Run: mem2reg},
	// Which divisions are left in 64 bits is known.
	{Name: "constdiv", Doc: "divide 64-bit integers by constants by multiplication", Run: constDivide},
	{Name: "simplify2", Doc: "fold what the passes since simplify made constant", Run: runSimplify},
	{Name: "dce2", Doc: "remove what has no effect any more", Run: runDCE},
	// Before it, a branch by the work-item would make all barriers after it suspect.
	{Name: "partial", Doc: "leave out invocations that are no work-items", Run: runPartial},
	// Checks and dead lanes are branches by now; nothing after it adds any.
	{Name: "structurize", Doc: "give control flow SPIR-V's structure", Run: structurize, Check: checkReducible, Level: ir.Structured},
	// Structurize's flags leave copies behind; at this level only values change.
	{Name: "simplify3", Doc: "fold what structurize made constant", Run: runSimplify},
	{Name: "dce3", Doc: "remove what structurize left unused", Run: runDCE},
	// It adds branches and phis that nothing must simplify.
	{Name: "loopvalues", Doc: "let values outlive loops as phis of their headers", Run: loopValues},
	// Once nothing folds constants any more.
	{Name: "quirks", Doc: "avoid what drivers compile wrongly", Run: quirks},
	// After quirks: the raw operation stays beside its correction, whose
	// integers nothing needs to tidy any more. It adds no control flow.
	{Name: "exactdiv", Doc: "round float32 division and square root correctly", Run: exactDivide},
	// It divides float32s where rounding does not matter: exactdiv has done its part.
	{Name: "longdiv", Doc: "write out divisions of 64-bit integers", Run: longDivide},
	// Before expand hides the arguments of a spilled launch.
	{Name: "access", Doc: "infer what the kernel reads and writes", Run: runAccess},
	// Nothing after it converts anything.
	{Name: "unsigned", Doc: "round unsigned integers as float32 once", Run: unsigned},
	// What is handed out is no other value any more; before arguments become loads.
	{Name: "outlive", Doc: "compute behind loops again what drivers would lose", Run: outlive},
	{Name: "expand", Doc: "replace faults and spilled arguments by what SPIR-V has", Run: runExpand, Level: ir.Legal},
}
