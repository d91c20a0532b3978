package lanes

// This file recomputes values that the skeleton needs and that dead lanes have not computed.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// computeAgain makes the values that the skeleton's branches need available to dead lanes. Such a
// value may be computed in divergent code, which dead lanes skip. A uniform value is recomputed in
// the skeleton. If its computation needs a check there, a live lane passes the value to the dead
// lanes instead.
func (d *deadLanes) computeAgain() {
	var all []*ir.Value
	for _, b := range d.u.Order {
		all = append(all, b.Insts...)
	}
	a := &recomputer{d: d, stores: d.storesTo(all), seen: map[*ir.Value]bool{}, copies: map[*ir.Block]map[*ir.Value]*ir.Value{}, first: map[*ir.Block][]*ir.Value{}}
	for _, b := range d.u.Order {
		if !d.uniform(b) {
			continue
		}
		for _, v := range b.Insts {
			if v.Op == ir.OpGroupSelect && d.u.Value(v) {
				v.Args[1] = a.have(v.Args[1], b)
			}
		}
		if c := b.Term.Cond; c != nil && d.u.Value(c) {
			b.Term.Cond = a.have(c, b)
		}
	}
	for b, vs := range a.first {
		b.Insts = slices.Concat(vs, b.Insts)
	}
}

// recomputer recomputes values.
type recomputer struct {
	d      *deadLanes
	stores map[*ir.Var][]*ir.Value // stores that all work-items make alike
	seen   map[*ir.Value]bool
	copies map[*ir.Block]map[*ir.Value]*ir.Value
	first  map[*ir.Block][]*ir.Value // values to be inserted at the beginning of each block
}

// have makes the uniform value v computable for dead lanes in block b of the skeleton, and returns
// v or its copy.
func (a *recomputer) have(v *ir.Value, b *ir.Block) *ir.Value {
	switch {
	case v.Block == nil:
		return v
	case !a.d.u.Block(v.Block):
		return a.copy(v, b)
	case a.seen[v] || v.IsGroupOp():
		return v
	}
	a.seen[v] = true
	for i, x := range v.Args {
		if at := v.Block; v.Op != ir.OpPhi {
			v.Args[i] = a.have(x, at)
		} else if p := at.Preds[i]; a.d.u.Block(p) {
			v.Args[i] = a.have(x, p)
		}
	}
	if x := ownSource(v); x != nil {
		for _, s := range a.stores[x] {
			a.have(s, s.Block)
		}
	}
	return v
}

// copy computes v, which is in divergent code, at the beginning of block b. Its operands are
// available there, since a use of v in b is legal.
func (a *recomputer) copy(v *ir.Value, b *ir.Block) *ir.Value {
	if w := a.copies[b][v]; w != nil {
		return w
	}
	if v.Op == ir.OpPhi {
		panic("BUG: a phi in divergent flow is uniform")
	}
	w := a.d.f.NewValue(v.Op, v.Type)
	w.Bits, w.Aux, w.Pos, w.Block = v.Bits, v.Aux, v.Pos, b
	if hazardous(v) || ownSource(v) != nil {
		w.Op, w.Bits, w.Aux, w.Args = ir.OpGroupUniform, 0, ir.ScopeWorkGroup, []*ir.Value{v}
	} else {
		for _, x := range v.Args {
			w.Args = append(w.Args, a.have(x, b))
		}
	}
	if a.copies[b] == nil {
		a.copies[b] = map[*ir.Value]*ir.Value{}
	}
	a.copies[b][v] = w
	a.first[b] = append(a.first[b], w)
	return w
}
