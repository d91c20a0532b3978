package pass

// This file contains the list of passes, in the order in which they run.

import (
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/checks"
	"github.com/kgen-go/kgen/codegen/pass/items"
	"github.com/kgen-go/kgen/codegen/pass/lanes"
	"github.com/kgen-go/kgen/codegen/pass/loops"
	"github.com/kgen-go/kgen/codegen/pass/memory"
	"github.com/kgen-go/kgen/codegen/pass/numbers"
	"github.com/kgen-go/kgen/codegen/pass/quirks"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
	"github.com/kgen-go/kgen/codegen/pass/structurize"
)

// allPasses is the list of passes in the order in which they run. The constraints in
// passOrder describe which pass must run before another, with reasons.
var allPasses = []Pass{
	{Name: "soa", Doc: "turn private arrays of structs into arrays of their fields", Run: memory.SoA},
	{Name: "sroa", Doc: "split variables into their parts", Run: memory.SRoA},
	{Name: "mem2reg", Doc: "turn scalar variables into values", Run: rewrite.Mem2Reg},
	{Name: "exits", Doc: "have work-items that return from a called kernel, and reach no further barrier, return from the whole kernel", Run: lanes.Exits},
	{Name: "params", Doc: "remove arguments that are never read from the argument block", Run: memory.Params},
	{Name: "simplify", Doc: "fold constants and drop operations without effect", Run: simplify.Run},
	{Name: "cse", Doc: "compute each value and make each check once", Run: simplify.CSE},
	{Name: "dce", Doc: "remove values and stores without effect", Run: simplify.DCE},
	{Name: "floats", Doc: "narrow float64 operations to float32 where the result has the same bits", Run: numbers.NarrowFloats},
	{Name: "fuse", Doc: "fuse products and sums", Run: numbers.Fuse},
	{Name: "internal", Doc: "keep memory that is internal to the kernel in variables", Run: memory.Internal, GoesOn: true},
	{Name: "arrays", Doc: "replace loads of private arrays by values stored or loaded before, and merge copies of arrays", Run: memory.Arrays},
	{Name: "matrices", Doc: "hold matrices in the work-items' own memory, and multiply them there", Run: lanes.Matrices},
	{Name: "once", Doc: "hoist loads that a loop's head repeats in each round, with their checks", Run: memory.Once},
	{Name: "forward", Doc: "replace loads of device memory by values stored or loaded before", Run: memory.Forward},
	{Name: "bounds", Doc: "decide comparisons that ranges decide", RunNoting: checks.Bounds},
	{Name: "ahead", Doc: "hoist the checks of loops", RunNoting: loops.Ahead},
	{Name: "unroll", Doc: "write out small loops that have checks", Run: loops.Unroll},
	{Name: "shortdiv", Doc: "divide 64-bit integers in 32 bits where they fit", RunNoting: numbers.ShortDivide},
	{Name: "narrow", Doc: "compute 64-bit integers in 32 bits where the result is the same", RunNoting: numbers.Narrow},
	{Name: "writeout", Doc: "write out small loops that index private arrays", Run: loops.WriteOut},
	{Name: "elements", Doc: "turn the elements of private arrays into values", Run: memory.Elements},
	{Name: "overlap", Doc: "load for several rounds of a loop at once", Run: loops.Overlap},
	{Name: "gather", Doc: "combine the checks of straight-line code in one branch", Run: checks.Gather},
	{Name: "coarsen", Doc: "run several work-items per invocation, with loads and stores of 16 bytes where possible", Run: items.Coarsen},
	{Name: "polls", Doc: "have work-items leave when the host asks them to", Run: loops.Polls},
	{Name: "deadlanes", Doc: "prove barriers uniform; let lanes that leave go on as dead ones", Run: lanes.DeadLanes},
	{Name: "tiles", Doc: "split matrices into those of the device", RunNoting: lanes.Tiles},
	{Name: "superwords", Doc: "store 16 bytes at once to work-group memory from which matrices are loaded", Run: memory.Superwords},
	{Name: "adjacent", Doc: "load and store adjacent numbers of an element at once", Run: memory.Adjacent},
	{Name: "groups", Doc: "replace group algorithms by operations that SPIR-V has", Run: lanes.Groups},
	{Name: "atomics", Doc: "replace atomic operations by those that SPIR-V has", Run: lanes.Atomics},
	{Name: "mem2reg2", Doc: "turn the flags of dead lanes into values", Run: rewrite.Mem2Reg},
	{Name: "constdiv", Doc: "divide 64-bit integers by constants by multiplication", Run: numbers.ConstDivide},
	{Name: "simplify2", Doc: "fold values that the passes since simplify made constant", Run: simplify.Run},
	{Name: "dce2", Doc: "remove values that no longer have an effect", Run: simplify.DCE},
	{Name: "zerolocal", Doc: "zero work-group memory and large arrays", Run: lanes.ZeroLocal},
	{Name: "dropbarriers", Doc: "remove barriers of sub-groups that order nothing", Run: lanes.DropBarriers},
	{Name: "relax", Doc: "relax atomic additions to work-group memory whose results nothing uses", Run: lanes.Relax},
	{Name: "lighten", Doc: "let barriers order only work-group memory", Run: lanes.Lighten},
	{Name: "askunroll", Doc: "ask drivers to unroll small loops over work-group memory", Run: loops.AskUnroll},
	{Name: "partial", Doc: "return early from invocations without a work-item", Run: lanes.Partial},
	{Name: "structurize", Doc: "give control flow SPIR-V's structure", Run: structurize.Run, Check: structurize.CheckReducible, Level: ir.Structured},
	{Name: "simplify3", Doc: "fold values that structurize made constant", Run: simplify.Run},
	{Name: "dce3", Doc: "remove values that structurize left unused", Run: simplify.DCE},
	{Name: "loopvalues", Doc: "route live-out values of loops through their headers", Run: quirks.LoopValues},
	{Name: "quirks", Doc: "avoid code that drivers compile wrongly", Run: quirks.Apply},
	{Name: "exactdiv", Doc: "round float32 division and roots correctly", Run: numbers.ExactDivide},
	{Name: "longdiv", Doc: "expand divisions of 64-bit integers", Run: numbers.LongDivide},
	{Name: "access", Doc: "infer which slices the kernel reads and writes", Run: memory.InferAccess},
	{Name: "unsigned", Doc: "round unsigned integers as float32 once", Run: numbers.Unsigned},
	{Name: "outlive", Doc: "recompute live-out values of loops that drivers would lose", Run: quirks.Outlive},
	{Name: "expand", Doc: "replace faults and spilled arguments by code that SPIR-V has", RunNoting: lanes.Expand, Level: ir.Legal},
}
