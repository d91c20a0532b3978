package facts

// This file bounds the elements of a work-item's own variables: each element is 0, or a value that
// some store of the kernel stores there. So an element of a [256]uint8, which is kept in 32 bits,
// is at most 255.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// leaves are the integers of one type within a variable.
type leaves struct {
	v *ir.Var
	t *ir.Type
}

// maxGrowth bounds how often the interval of leaves grows step by step. The next growth makes it
// the full range.
const maxGrowth = 8

// varRanges has the intervals of the integers in variables.
type varRanges struct {
	opaque map[*ir.Var]bool // variables accessed by more than loads and stores of integers
	of     map[leaves]Interval
	grown  map[leaves]int
}

// findVars finds the variables with unknown stores and makes them opaque.
func (a *Ranges) findVars() {
	a.vars.opaque = map[*ir.Var]bool{}
	for _, f := range rewrite.Bodies(a.Module) {
		for _, b := range f.Blocks {
			for _, v := range b.Insts {
				if c, ok := v.Aux.(*ir.Copy); ok {
					a.vars.opaque[c.Dst] = true
				}
				for _, x := range v.Matrices() {
					a.vars.opaque[x] = true
				}
				r := v.Ref()
				if r == nil || r.Var == nil {
					continue
				}
				known := v.Op == ir.OpLoad || v.Op == ir.OpZero || v.Op == ir.OpStore && v.Args[0].Type.IsScalar()
				if !known || f != a.f || r.Var.Storage == ir.Workgroup {
					a.vars.opaque[r.Var] = true
				}
			}
		}
	}
}

// loaded returns the interval of a load.
func (a *Ranges) loaded(v *ir.Value) Interval {
	r := v.Ref()
	if r == nil || r.Var == nil || a.vars.opaque[r.Var] {
		return FullRange(v.Type)
	}
	return a.held(leaves{r.Var, v.Type})
}

// held returns the interval of leaves according to the stores visited so far.
func (a *Ranges) held(l leaves) Interval {
	if p, ok := a.vars.of[l]; ok {
		return p
	}
	p := Interval{} // zero without a store
	if l.v.Init != nil {
		i := slices.IndexFunc(l.v.Init, func(c *ir.Value) bool { return c.Type == l.t })
		if i < 0 {
			return FullRange(l.t)
		}
		p = Interval{l.v.Init[i].Int(), l.v.Init[i].Int()}
		for _, c := range l.v.Init[i:] {
			if c.Type == l.t {
				p = p.Union(Interval{c.Int(), c.Int()})
			}
		}
	}
	a.vars.of[l] = p
	return p
}

// stored adds the value of store v to its variable, and reports whether an interval changes.
func (a *Ranges) stored(v *ir.Value) bool {
	r, x := v.Ref(), v.Args[0]
	if r.Var == nil || a.vars.opaque[r.Var] || !x.Type.IsInt() {
		return false
	}
	return a.grow(leaves{r.Var, x.Type}, a.At(x, v.Block))
}

// grow adds an interval to that of leaves.
func (a *Ranges) grow(l leaves, p Interval) bool {
	old := a.held(l)
	if p = p.Union(old); p == old {
		return false
	}
	if a.vars.grown[l]++; a.vars.grown[l] > maxGrowth {
		p = FullRange(l.t)
	}
	a.vars.of[l] = p
	return true
}
