package lower

import (
	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/load"
)

// maxValues bounds a kernel's code, before anything is left out of it: some ten times that
// of the largest that make sense. Passes take half a minute for it, and drivers longer.
const maxValues = 250_000

// copied says how often a function has been written out, and in how many values, without
// those of the calls in it.
type copied struct{ times, values int }

// budget bounds the kernel's code.
type budget struct {
	*reporter
	copies   map[*ssa.Function]copied // the code that each function takes
	tooLarge bool                     // whether the code is too large, so that no more is made
}

// countCopy notes a call that has been lowered.
func (g *budget) countCopy(f *frame) {
	n := g.m.Len() - f.begin
	if f.caller != nil {
		f.caller.inner += n
	}
	c := g.copies[f.fn]
	g.copies[f.fn] = copied{c.times + 1, c.values + n - f.inner}
}

// isTooLarge reports whether the code is too large, and says so the first time: with the
// function that takes most of it, as calls by one of several functions or types in one
// another write that out for each combination.
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
