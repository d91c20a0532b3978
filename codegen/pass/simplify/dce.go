package simplify

// This file contains the pass dce, which removes values, stores and variables that are not needed.
// Package memory uses the type Liveness to find the arguments that a kernel reads.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// DCE removes values without uses, stores to Function variables that are never loaded, and
// variables without uses.
func DCE(m *ir.Module) diag.List {
	d := NewLiveness()
	for _, f := range rewrite.Bodies(m) {
		d.Roots(f)
	}
	d.Spread()
	for _, f := range rewrite.Bodies(m) {
		d.Sweep(f)
	}
	m.Vars = slices.DeleteFunc(m.Vars, func(v *ir.Var) bool {
		return !d.Used[v] && v.Accessor < 0
	})
	return nil
}

// Liveness finds the live values, which are the values with effects and all values on which they
// depend. The caller calls Roots for each function, then Spread, and then Sweep, which removes the
// values that are not live.
type Liveness struct {
	Live   map[*ir.Value]bool
	Loaded map[*ir.Var]bool // Function variables that are read
	Used   map[*ir.Var]bool
	// Stores maps each Function variable to the instructions that write the variable. An
	// instruction that writes a variable is live if the variable is loaded.
	Stores map[*ir.Var][]*ir.Value
	work   []*ir.Value
}

// NewLiveness returns a Liveness without live values.
func NewLiveness() *Liveness {
	return &Liveness{Live: map[*ir.Value]bool{}, Loaded: map[*ir.Var]bool{}, Used: map[*ir.Var]bool{}, Stores: map[*ir.Var][]*ir.Value{}}
}

// functionVar returns the Function variable that v writes, if v has no other effect. Otherwise
// functionVar returns nil.
func functionVar(v *ir.Value) *ir.Var {
	switch v.Op {
	case ir.OpStore, ir.OpZero:
		if x := v.Ref().Var; x != nil && x.Storage == ir.Function {
			return x
		}
	case ir.OpCopyVar:
		return v.Aux.(*ir.Copy).Dst
	}
	return nil
}

// Mark records that v is live.
func (d *Liveness) Mark(v *ir.Value) {
	if v != nil && !d.Live[v] {
		d.Live[v] = true
		d.work = append(d.work, v)
	}
}

// Roots marks as live each value of f that has an effect.
func (d *Liveness) Roots(f *ir.Func) {
	for _, b := range f.Blocks {
		for _, v := range b.Insts {
			if x := functionVar(v); x != nil {
				d.Stores[x] = append(d.Stores[x], v)
				if d.Loaded[x] {
					d.Mark(v)
				}
			} else if (v.Op.Has(ir.FlagWrites) || v.Op.Has(ir.FlagSync) || v.Op.Has(ir.FlagAtomic)) && !furtherWord(v) {
				d.Mark(v)
			}
		}
		d.Mark(b.Term.Cond)
	}
}

// furtherWord reports whether v is a 32-bit word of a ballot, but not the first word. Work-items
// synchronize at the first 32-bit word of a ballot, so a later word that is not used has no effect.
// In sub-groups of at most 32 work-items, only the first 32-bit word contains lanes.
func furtherWord(v *ir.Value) bool {
	word, _ := v.Word()
	return word > 0
}

// Spread marks as live all values on which the marked values depend.
func (d *Liveness) Spread() {
	load := func(x *ir.Var) {
		if !d.Loaded[x] {
			d.Loaded[x] = true
			for _, st := range d.Stores[x] {
				d.Mark(st)
			}
		}
	}
	for len(d.work) > 0 {
		v := d.work[len(d.work)-1]
		d.work = d.work[:len(d.work)-1]
		for _, a := range v.Args {
			d.Mark(a)
		}
		if r := v.Ref(); r != nil && r.Var != nil {
			d.Used[r.Var] = true
			if functionVar(v) == nil {
				load(r.Var)
			}
		}
		for _, x := range v.Matrices() {
			d.Used[x] = true
			load(x)
		}
		if c, ok := v.Aux.(*ir.Copy); ok {
			d.Used[c.Dst], d.Used[c.Src] = true, true
			load(c.Src)
		}
	}
}

// Sweep removes unmarked values and unused variables from f.
func (d *Liveness) Sweep(f *ir.Func) {
	dead := func(v *ir.Value) bool { return !d.Live[v] }
	for _, b := range f.Blocks {
		b.Phis = slices.DeleteFunc(b.Phis, dead)
		b.Insts = slices.DeleteFunc(b.Insts, dead)
	}
	f.Vars = slices.DeleteFunc(f.Vars, func(v *ir.Var) bool { return !d.Used[v] })
}

// CompactSites removes each fault site of m for which no Fault op remains, and numbers the other
// sites consecutively, in their old order.
func CompactSites(m *ir.Module) {
	m.Sites = nil
	seen := map[*ir.Site]bool{}
	for _, f := range rewrite.Bodies(m) {
		for _, b := range f.Blocks {
			for _, v := range b.Insts {
				if v.Op != ir.OpFault {
					continue
				}
				if s := v.Aux.(*ir.Site); !seen[s] {
					seen[s] = true
					m.Sites = append(m.Sites, s)
				}
			}
		}
	}
	// The order of the sites must not change. The host device assumes that Go reaches the sites of
	// one line in the order of their indices.
	slices.SortStableFunc(m.Sites, func(x, y *ir.Site) int { return x.Index - y.Index })
	for i, s := range m.Sites {
		s.Index = i
	}
}
