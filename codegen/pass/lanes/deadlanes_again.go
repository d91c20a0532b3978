package lanes

// This file adds computations to the skeleton (the code that dead lanes execute). With the added
// computations, dead lanes also compute some values that so far only live lanes have computed.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// computeAgain provides dead lanes with the values that the skeleton's branches need. A uniform
// value may be computed in divergent code, which dead lanes skip. For dead lanes, computeAgain adds
// another computation of the value to the code that they execute. If computing the value is unsafe
// for dead lanes, a GroupUniform op passes the value from a live lane to the dead lanes.
func (d *deadLanes) computeAgain() {
	var all []*ir.Value
	for _, b := range d.u.Order {
		all = append(all, b.Insts...)
	}
	a := &recomputer{d: d, storesOf: d.storesTo(all), seen: map[*ir.Value]bool{}, copies: map[*ir.Block]map[*ir.Value]*ir.Value{}, newValues: map[*ir.Block][]*ir.Value{}}
	for _, b := range d.u.Order {
		if !d.inSkeleton(b) {
			continue
		}
		for _, v := range b.Insts {
			if v.Op == ir.OpGroupSelect && d.u.Value(v) {
				v.Args[1] = a.ensureValue(v.Args[1], b)
			}
		}
		if c := b.Term.Cond; c != nil && d.u.Value(c) {
			b.Term.Cond = a.ensureValue(c, b)
		}
	}
	for b, vs := range a.newValues {
		b.Insts = slices.Concat(vs, b.Insts)
	}
}

// recomputer adds the computations for computeAgain to the skeleton.
type recomputer struct {
	d         *deadLanes
	storesOf  map[*ir.Var][]*ir.Value // maps a uniform variable to the stores that write it
	seen      map[*ir.Value]bool
	copies    map[*ir.Block]map[*ir.Value]*ir.Value
	newValues map[*ir.Block][]*ir.Value // maps a block to the values to insert at its beginning
}

// ensureValue ensures that dead lanes can compute the uniform value v for a use in block b of the skeleton.
// ensureValue returns v or a copy of v.
func (a *recomputer) ensureValue(v *ir.Value, b *ir.Block) *ir.Value {
	switch {
	case v.Block == nil:
		return v
	case !a.d.u.Block(v.Block):
		return a.copyValue(v, b)
	case a.seen[v] || v.IsGroupOp():
		return v
	}
	a.seen[v] = true
	for i, x := range v.Args {
		if at := v.Block; v.Op != ir.OpPhi {
			v.Args[i] = a.ensureValue(x, at)
		} else if p := at.Preds[i]; a.d.u.Block(p) {
			v.Args[i] = a.ensureValue(x, p)
		}
	}
	if x := ownSource(v); x != nil {
		for _, s := range a.storesOf[x] {
			a.ensureValue(s, s.Block)
		}
	}
	return v
}

// copyValue repeats the computation of v at the beginning of block b. The value v itself is in
// divergent code. The operands of v dominate b, because v dominates b.
func (a *recomputer) copyValue(v *ir.Value, b *ir.Block) *ir.Value {
	if w := a.copies[b][v]; w != nil {
		return w
	}
	if v.Op == ir.OpPhi {
		panic("BUG: a phi in divergent flow is uniform")
	}
	w := a.d.f.NewValue(v.Op, v.Type)
	w.Bits, w.Aux, w.Pos, w.Block = v.Bits, v.Aux, v.Pos, b
	if isHazardous(v) || ownSource(v) != nil {
		w.Op, w.Bits, w.Aux, w.Args = ir.OpGroupUniform, 0, ir.ScopeWorkGroup, []*ir.Value{v}
	} else {
		for _, x := range v.Args {
			w.Args = append(w.Args, a.ensureValue(x, b))
		}
	}
	if a.copies[b] == nil {
		a.copies[b] = map[*ir.Value]*ir.Value{}
	}
	a.copies[b][v] = w
	a.newValues[b] = append(a.newValues[b], w)
	return w
}
