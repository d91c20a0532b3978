package simplify

// This file is the pass dce: values, stores and variables that nothing depends on are removed.
// Package memory asks its Liveness which arguments are read.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// DCE removes values without use, stores to Function variables that are
// never loaded, and variables without use.
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

// Liveness finds the values that something depends on, beginning with those that have
// effects: Roots for each function, Spread, and then Sweep removes the others.
type Liveness struct {
	Live   map[*ir.Value]bool
	Loaded map[*ir.Var]bool // Function variables that are read
	Used   map[*ir.Var]bool
	// Stores holds what writes a Function variable: it is live when the
	// variable is loaded.
	Stores map[*ir.Var][]*ir.Value
	work   []*ir.Value
}

// NewLiveness returns a Liveness that knows of nothing live.
func NewLiveness() *Liveness {
	return &Liveness{Live: map[*ir.Value]bool{}, Loaded: map[*ir.Var]bool{}, Used: map[*ir.Var]bool{}, Stores: map[*ir.Var][]*ir.Value{}}
}

// functionVar returns the Function variable that v writes, where v does nothing
// else.
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

// Mark says that something depends on v.
func (d *Liveness) Mark(v *ir.Value) {
	if v != nil && !d.Live[v] {
		d.Live[v] = true
		d.work = append(d.work, v)
	}
}

// Roots marks what has effects in f.
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

// furtherWord reports whether v is a word of a ballot behind the first, which has lanes that
// sub-groups of 32 or less do not have. The work-items meet at the first word, so that the
// others do nothing if they are not used.
func furtherWord(v *ir.Value) bool {
	word, _ := v.Word()
	return word > 0
}

// Spread marks what the marked values depend on.
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

// Sweep removes what is not marked from f.
func (d *Liveness) Sweep(f *ir.Func) {
	dead := func(v *ir.Value) bool { return !d.Live[v] }
	for _, b := range f.Blocks {
		b.Phis = slices.DeleteFunc(b.Phis, dead)
		b.Insts = slices.DeleteFunc(b.Insts, dead)
	}
	f.Vars = slices.DeleteFunc(f.Vars, func(v *ir.Var) bool { return !d.Used[v] })
}

// CompactSites numbers the sites of the Fault ops that remain densely, in the order
// in which they were, and drops the others.
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
	// Of two on a line, the host device takes the first for the one that gc meets first.
	slices.SortStableFunc(m.Sites, func(x, y *ir.Site) int { return x.Index - y.Index })
	for i, s := range m.Sites {
		s.Index = i
	}
}
