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

// countCopy notes a call that has been lowered.
func (l *lowerer) countCopy(f *frame) {
	n := l.m.Len() - f.begin
	if f.caller != nil {
		f.caller.inner += n
	}
	c := l.copies[f.fn]
	l.copies[f.fn] = copied{c.times + 1, c.values + n - f.inner}
}

// isTooLarge reports whether the code is too large, and says so the first time: with the
// function that takes most of it, as calls by one of several functions or types in one
// another write that out for each combination.
func (l *lowerer) isTooLarge() bool {
	if l.m.Len() <= maxValues || l.tooLarge {
		return l.tooLarge
	}
	l.tooLarge = true
	for f := l.frame; f != nil; f = f.caller {
		l.countCopy(f)
	}
	var most *ssa.Function
	for fn, c := range l.copies {
		if d := l.copies[most]; most == nil || c.values > d.values || c.values == d.values && fn.Pos() < most.Pos() {
			most = fn
		}
	}
	l.report(diag.TooLarge, l.pos, "call it from fewer places, such as once in a loop; call by one of several functions or types in one place, not in each of their bodies; or split the kernel",
		"the kernel has more than %d instructions here: calls are written out where they stand, of %s, the most of it, %d by now",
		maxValues, load.FuncText(most), l.copies[most].times)
	return true
}
