package pass

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// runDCE removes values without use, stores to Function variables that are
// never loaded, and variables without use.
func runDCE(m *ir.Module) diag.List {
	d := &dce{live: map[*ir.Value]bool{}, loaded: map[*ir.Var]bool{}, used: map[*ir.Var]bool{}, stores: map[*ir.Var][]*ir.Value{}}
	for _, f := range rewrite.Bodies(m) {
		d.roots(f)
	}
	d.spread()
	for _, f := range rewrite.Bodies(m) {
		d.sweep(f)
	}
	m.Vars = slices.DeleteFunc(m.Vars, func(v *ir.Var) bool {
		return !d.used[v] && v.Accessor < 0
	})
	return nil
}

type dce struct {
	live   map[*ir.Value]bool
	loaded map[*ir.Var]bool // Function variables that are read
	used   map[*ir.Var]bool
	// stores holds what writes a Function variable: it is live when the
	// variable is loaded.
	stores map[*ir.Var][]*ir.Value
	work   []*ir.Value
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

func (d *dce) mark(v *ir.Value) {
	if v != nil && !d.live[v] {
		d.live[v] = true
		d.work = append(d.work, v)
	}
}

func (d *dce) roots(f *ir.Func) {
	for _, b := range f.Blocks {
		for _, v := range b.Insts {
			if x := functionVar(v); x != nil {
				d.stores[x] = append(d.stores[x], v)
				if d.loaded[x] {
					d.mark(v)
				}
			} else if v.Op.Has(ir.FlagWrites) || v.Op.Has(ir.FlagSync) || v.Op.Has(ir.FlagAtomic) {
				d.mark(v)
			}
		}
		d.mark(b.Term.Cond)
	}
}

func (d *dce) spread() {
	load := func(x *ir.Var) {
		if !d.loaded[x] {
			d.loaded[x] = true
			for _, st := range d.stores[x] {
				d.mark(st)
			}
		}
	}
	for len(d.work) > 0 {
		v := d.work[len(d.work)-1]
		d.work = d.work[:len(d.work)-1]
		for _, a := range v.Args {
			d.mark(a)
		}
		if r := v.Ref(); r != nil && r.Var != nil {
			d.used[r.Var] = true
			if functionVar(v) == nil {
				load(r.Var)
			}
		}
		if c, ok := v.Aux.(*ir.Copy); ok {
			d.used[c.Dst], d.used[c.Src] = true, true
			load(c.Src)
		}
	}
}

func (d *dce) sweep(f *ir.Func) {
	dead := func(v *ir.Value) bool { return !d.live[v] }
	for _, b := range f.Blocks {
		b.Phis = slices.DeleteFunc(b.Phis, dead)
		b.Insts = slices.DeleteFunc(b.Insts, dead)
	}
	f.Vars = slices.DeleteFunc(f.Vars, func(v *ir.Var) bool { return !d.used[v] })
}

// compactSites numbers the sites of the Fault ops that remain densely, in the order
// in which they were, and drops the others.
func compactSites(m *ir.Module) {
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
