package pass

import (
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// passes is the pipeline. The order matters: passOrder says what must run before what,
// and why.
var passes = []Pass{
	{Name: "soa", Doc: "turn private arrays of structs into arrays of their fields", Run: soa},
	{Name: "sroa", Doc: "split variables into their parts", Run: sroa},
	{Name: "mem2reg", Doc: "turn scalar variables into values", Run: rewrite.Mem2Reg},
	{Name: "params", Doc: "take arguments that are never read out of the argument block", Run: elide},
	{Name: "simplify", Doc: "fold constants and drop what does nothing", Run: runSimplify},
	{Name: "cse", Doc: "compute and check everything once", Run: runCSE},
	{Name: "dce", Doc: "remove what has no effect", Run: runDCE},
	{Name: "floats", Doc: "compute in float32 what is the same there", Run: narrowFloats},
	{Name: "fuse", Doc: "fuse products and sums", Run: fuse},
	{Name: "bounds", Doc: "decide comparisons that ranges decide", RunNoting: bounds},
	{Name: "ahead", Doc: "make the checks of loops ahead of them", RunNoting: ahead},
	{Name: "unroll", Doc: "write out small loops that have checks", Run: unroll},
	{Name: "shortdiv", Doc: "divide in 32 bits what fits there", RunNoting: shortDivide},
	{Name: "narrow", Doc: "compute in 32 bits what is the same there", RunNoting: narrow},
	{Name: "gather", Doc: "make one branch of the checks of straight-line code", Run: gather},
	{Name: "coarsen", Doc: "run several work-items per invocation", Run: coarsen},
	{Name: "polls", Doc: "have work-items leave when the host asks them to", Run: polls},
	{Name: "deadlanes", Doc: "prove barriers uniform; let lanes that leave go on as dead ones", Run: runDeadLanes},
	{Name: "groups", Doc: "replace group algorithms by what SPIR-V has", Run: runGroups},
	{Name: "atomics", Doc: "replace atomic operations by what SPIR-V has", Run: runAtomics},
	{Name: "zerolocal", Doc: "zero work-group memory and large arrays", Run: runZeroLocal},
	{Name: "mem2reg2", Doc: "turn the flags of dead lanes into values", Run: rewrite.Mem2Reg},
	{Name: "constdiv", Doc: "divide 64-bit integers by constants by multiplication", Run: constDivide},
	{Name: "simplify2", Doc: "fold what the passes since simplify made constant", Run: runSimplify},
	{Name: "dce2", Doc: "remove what has no effect any more", Run: runDCE},
	{Name: "partial", Doc: "leave out invocations that are no work-items", Run: runPartial},
	{Name: "structurize", Doc: "give control flow SPIR-V's structure", Run: structurize, Check: checkReducible, Level: ir.Structured},
	{Name: "simplify3", Doc: "fold what structurize made constant", Run: runSimplify},
	{Name: "dce3", Doc: "remove what structurize left unused", Run: runDCE},
	{Name: "loopvalues", Doc: "let values outlive loops as phis of their headers", Run: loopValues},
	{Name: "quirks", Doc: "avoid what drivers compile wrongly", Run: quirks},
	{Name: "exactdiv", Doc: "round float32 division and square root correctly", Run: exactDivide},
	{Name: "longdiv", Doc: "write out divisions of 64-bit integers", Run: longDivide},
	{Name: "access", Doc: "infer what the kernel reads and writes", Run: facts.InferAccess},
	{Name: "unsigned", Doc: "round unsigned integers as float32 once", Run: unsigned},
	{Name: "outlive", Doc: "compute behind loops again what drivers would lose", Run: outlive},
	{Name: "expand", Doc: "replace faults and spilled arguments by what SPIR-V has", RunNoting: runExpand, Level: ir.Legal},
}
