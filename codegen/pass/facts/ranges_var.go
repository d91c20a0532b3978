package facts

// This file computes intervals of the elements of a work-item's own variables. Each element is 0 or
// a value that some store of the kernel writes to the variable. For example, an element of a
// [256]uint8 is at most 255, even if it is kept in 32 bits.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// varInts represents all integers of type t within the variable v.
type varInts struct {
	v *ir.Var
	t *ir.Type
}

// maxGrowth is the number of times that the interval of a variable's integers may be extended.
// After maxGrowth extensions, the interval becomes the full range of the integers' type.
const maxGrowth = 8

// varRanges contains the intervals of the integers within variables.
type varRanges struct {
	opaqueVars map[*ir.Var]bool // variables that may be written by ops other than stores of scalars
	intervalOf map[varInts]Interval
	growCount  map[varInts]int
}

// findVars marks a variable as opaque, unless only stores of scalars in the kernel write the
// variable.
func (a *Ranges) findVars() {
	a.vars.opaqueVars = map[*ir.Var]bool{}
	for _, f := range rewrite.Bodies(a.Module) {
		for _, b := range f.Blocks {
			for _, v := range b.Insts {
				if c, ok := v.Aux.(*ir.Copy); ok {
					a.vars.opaqueVars[c.Dst] = true
				}
				for _, x := range v.Matrices() {
					a.vars.opaqueVars[x] = true
				}
				r := v.Ref()
				if r == nil || r.Var == nil {
					continue
				}
				known := v.Op == ir.OpLoad || v.Op == ir.OpZero || v.Op == ir.OpStore && v.Args[0].Type.IsScalar()
				if !known || f != a.f || r.Var.Storage == ir.Workgroup {
					a.vars.opaqueVars[r.Var] = true
				}
			}
		}
	}
}

// loadedInterval returns the interval of the integer that the load v loads.
func (a *Ranges) loadedInterval(v *ir.Value) Interval {
	r := v.Ref()
	if r == nil || r.Var == nil || a.vars.opaqueVars[r.Var] {
		return FullRange(v.Type)
	}
	return a.varInterval(varInts{r.Var, v.Type})
}

// varInterval returns the interval of the integers that l represents. The interval contains the initial values
// of the integers and the values stored so far.
func (a *Ranges) varInterval(l varInts) Interval {
	if p, ok := a.vars.intervalOf[l]; ok {
		return p
	}
	p := Interval{} // an integer that was never stored is zero
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
	a.vars.intervalOf[l] = p
	return p
}

// addStored adds the stored value of the store v to the interval of its variable. If the interval
// has changed, addStored returns true.
func (a *Ranges) addStored(v *ir.Value) bool {
	r, x := v.Ref(), v.Args[0]
	if r.Var == nil || a.vars.opaqueVars[r.Var] || !x.Type.IsInt() {
		return false
	}
	return a.growInterval(varInts{r.Var, x.Type}, a.At(x, v.Block))
}

// growInterval extends the interval of the integers l so that it contains p, and reports whether
// the interval has changed.
func (a *Ranges) growInterval(l varInts, p Interval) bool {
	old := a.varInterval(l)
	if p = p.Union(old); p == old {
		return false
	}
	if a.vars.growCount[l]++; a.vars.growCount[l] > maxGrowth {
		p = FullRange(l.t)
	}
	a.vars.intervalOf[l] = p
	return true
}
