package lower

// This file limits the size of the kernel's code.

import (
	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/load"
)

// maxValues is the largest number of instructions of a kernel before dead code is removed. The
// limit is about ten times the size of the largest useful kernels. The passes take half a minute
// for so many instructions, and drivers take longer.
const maxValues = 250_000

// The type copied counts the inlined copies of a function, and the instructions of all these
// copies. It does not count instructions of further calls inside the function.
type copied struct{ times, values int }

// The type budget limits the size of the kernel's code.
type budget struct {
	*reporter
	copies   map[*ssa.Function]copied // number of copies and instructions of each inlined function
	tooLarge bool                     // whether the code has exceeded maxValues; if it has, lowering stops
}

// countCopy adds frame f, whose lowering has ended, to the counts of its function.
func (g *budget) countCopy(f *frame) {
	n := g.m.Len() - f.begin
	if f.caller != nil {
		f.caller.inner += n
	}
	c := g.copies[f.fn]
	g.copies[f.fn] = copied{c.times + 1, c.values + n - f.inner}
}

// isTooLarge reports whether the code exceeds maxValues. The first time, isTooLarge reports an
// error that names the function with the most code. The usual cause is a chain of calls through
// variables with several functions or types, because each combination is lowered separately.
func (g *budget) isTooLarge() bool {
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
	g.report(diag.TooLarge, g.pos, "call it from fewer places, such as once in a loop; call by one of several functions or types in one place, not in each of their bodies; or split the kernel",
		"the kernel has more than %d instructions here: calls are written out where they stand, of %s, the most of it, %d by now",
		maxValues, load.FuncText(most), g.copies[most].times)
	return true
}
