package lower

// This file limits the size of the kernel's code.

import (
	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/load"
)

// maxValues is the largest number of instructions of a kernel before dead code is removed.
// maxValues is about ten times the size of the largest useful kernels. For a kernel with maxValues
// instructions, the passes run for half a minute, and drivers run longer.
const maxValues = 250_000

// copyCounts counts the inlined copies of a function, and the instructions of all copies.
// copyCounts does not include the instructions of further calls inside the function.
type copyCounts struct{ times, values int }

// codeBudget limits the size of the kernel's code.
type codeBudget struct {
	*reporter
	copies   map[*ssa.Function]copyCounts // number of copies and instructions of each inlined function
	tooLarge bool                         // whether the code has exceeded maxValues; if it has, lowering stops
}

// countCopy adds frame f to the counts of its function, after the lowering of f has ended.
func (g *codeBudget) countCopy(f *frame) {
	n := g.m.Len() - f.begin
	if f.caller != nil {
		f.caller.inner += n
	}
	c := g.copies[f.fn]
	g.copies[f.fn] = copyCounts{c.times + 1, c.values + n - f.inner}
}

// isTooLarge reports whether the code exceeds maxValues. The first time, isTooLarge reports an
// error that names the function with the most code. The usual cause is a chain of calls through
// variables with several functions or types, because each combination is lowered separately.
func (g *codeBudget) isTooLarge() bool {
	if g.m.Len() <= maxValues || g.tooLarge {
		return g.tooLarge
	}
	g.tooLarge = true
	for f := g.frame; f != nil; f = f.caller {
		g.countCopy(f)
	}
	var most *ssa.Function
	for fn, c := range g.copies {
		if d := g.copies[most]; most == nil || c.values > d.values || c.values == d.values && fn.Pos() < most.Pos() {
			most = fn
		}
	}
	g.addDiag(diag.TooLarge, g.pos, "call it from fewer places, such as once in a loop; call by one of several functions or types in one place, not in each of their bodies; or split the kernel",
		"the kernel has more than %d instructions here: calls are written out where they stand, of %s, the most of it, %d by now",
		maxValues, load.FuncText(most), g.copies[most].times)
	return true
}
