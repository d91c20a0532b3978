package lanes

// This file keeps the arrays of dead lanes up to date: where a barrier depends on an element, dead
// lanes make the stores, too.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// ownSource returns the variable of a work-item's own that v loads from, or nil.
func ownSource(v *ir.Value) *ir.Var {
	if c, ok := v.Aux.(*ir.Copy); ok {
		return c.Src
	}
	if r := v.Ref(); v.Op == ir.OpLoad && r.Var != nil && r.Var.Storage == ir.Function {
		return r.Var
	}
	return nil
}

// ownTarget returns the variable of a work-item's own that v changes, or nil.
func ownTarget(v *ir.Value) *ir.Var {
	if c, ok := v.Aux.(*ir.Copy); ok {
		return c.Dst
	}
	if r := v.Ref(); (v.Op == ir.OpStore || v.Op == ir.OpZero) && r.Var != nil && r.Var.Storage == ir.Function {
		return r.Var
	}
	return nil
}

// storesTo returns those of the values that all work-items of a group change variables by
// alike, by variable.
func (d *deadLanes) storesTo(all []*ir.Value) map[*ir.Var][]*ir.Value {
	stores := map[*ir.Var][]*ir.Value{}
	for _, v := range all {
		if d.u.Fills(v) {
			stores[ownTarget(v)] = append(stores[ownTarget(v)], v)
		}
	}
	return stores
}

// keepWanted leaves of the accesses of variables only those in the skeleton whose variables are
// wanted there. A variable belongs to the skeleton as a whole: dead lanes load what
// they have stored.
func (d *deadLanes) keepWanted(all []*ir.Value) {
	for _, v := range all {
		source, target := ownSource(v), ownTarget(v)
		if source != nil && !d.wanted[source] || target != nil && !d.wanted[target] {
			delete(d.skeleton, v)
		}
	}
	d.drop(all)
	for _, v := range all {
		if x := ownTarget(v); x != nil && d.wanted[x] && !d.skeleton[v] {
			panic("BUG: a variable that dead lanes lack a store to: " + v.LongString())
		}
	}
}

// clampWanted makes the indices of wanted variables stay in range, in the blocks that lanes may come
// to as dead ones: if all of a group are dead, nobody has checked them.
func (d *deadLanes) clampWanted(after map[*ir.Block]bool) {
	m := d.f.Module
	for _, b := range d.u.Order {
		if !after[b] {
			continue
		}
		for i := 0; i < len(b.Insts); i++ {
			v := b.Insts[i]
			source, target := ownSource(v), ownTarget(v)
			if v.Ref() == nil || !d.skeleton[v] || source == nil && target == nil {
				continue
			}
			t, first := v.Ref().Var.Type, len(v.Args)-len(v.Path())
			for k, a := range v.Path() {
				if t.Kind == ir.Struct {
					t = t.Fields[a.Bits].Type
					continue
				}
				n := t.Len
				if t = t.Elem; a.IsConst() {
					continue
				}
				add := func(op ir.Op, t *ir.Type, args ...*ir.Value) *ir.Value {
					x := d.f.NewValue(op, t, args...)
					x.Block, d.skeleton[x] = b, true
					b.Insts = slices.Insert(b.Insts, i, x)
					i++
					return x
				}
				switch {
				case n.Type == a.Type:
				case n.IsConst():
					n = m.Const(a.Type, n.Bits)
				default:
					n = add(ir.OpUConvert, a.Type, n)
				}
				v.Args[first+k] = add(ir.OpSelect, a.Type, add(ir.OpULt, ir.TypeBool, a, n), a, m.Const(a.Type, 0))
			}
		}
	}
}
