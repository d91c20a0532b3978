package lower

// This file handles arrays that are parts of other values, such as interface values.

import (
	"go/types"

	"github.com/kgen-go/kgen/codegen/ir"
)

// held is an array of Go type typ that is part of another value. The array's memory belongs to the
// variable that holds the value. Stores copy the array into this memory, and loads copy the array
// out of it. So later stores do not change a loaded value.
type held struct {
	at  mem
	typ types.Type
}

// where is the condition under which a held array exists. Each oneOf in the list contains the
// array, and must have alternative i for the array to exist.
type where []struct {
	u oneOf
	i int
}

// mapHeld returns v with each held array replaced by f's result for it.
func mapHeld(v val, f func(h held, in where) val) val { return where(nil).mapHeld(v, f) }

func (in where) mapHeld(v val, f func(h held, in where) val) val {
	all := func(vs []val) []val {
		out := make([]val, len(vs))
		for i := range vs {
			out[i] = in.mapHeld(vs[i], f)
		}
		return out
	}
	switch v := v.(type) {
	case held:
		return f(v, in)
	case tuple:
		return tuple{all(v.elems)}
	case oneOf:
		alts := make([]val, len(v.alts))
		for i := range v.alts {
			alts[i] = append(in[:len(in):len(in)], where{{v, i}}...).mapHeld(v.alts[i], f)
		}
		return oneOf{v.tag, alts}
	case iface:
		v.v = in.mapHeld(v.v, f)
		return v
	case function:
		v.bindings = all(v.bindings)
		return v
	}
	return v
}

// eachHeld calls f for each array held in a value, in an order that depends only on the value's
// shape.
func eachHeld(v val, f func(h held, in where)) {
	mapHeld(v, func(h held, in where) val {
		f(h, in)
		return h
	})
}

// holdAnew returns a copy of v whose held arrays are in new memory. The new memory is zeroed when
// the kernel starts, since a load of a oneOf reads the arrays of all alternatives.
func (l *lowerer) holdAnew(v val) val {
	return mapHeld(v, func(h held, _ where) val {
		h.at = l.newCell(h.typ, "held").mem
		l.early(ir.OpZero, ir.TypeVoid).Aux = &ir.Ref{Var: h.at.v}
		return h
	})
}

// hold copies the held arrays of src to those of dst, which has the same shape. Function present
// returns the condition that the value has alternative src. If the condition is false, the arrays
// may still be copied, unless must is set.
func (l *lowerer) hold(dst, src val, present func() *ir.Value, must bool) {
	var to []held
	eachHeld(dst, func(h held, _ where) { to = append(to, h) })
	i := -1
	eachHeld(src, func(from held, in where) {
		if i++; !must && straightCopy(from.typ) {
			l.copyMem(to[i].at, from.at, from.typ)
			return
		}
		l.copyWhere(present, in, to[i].at, from)
	})
}

// unheld returns an alternative v with copies of its held arrays, as array values. Function present
// returns the condition that the value has this alternative. Arrays need to be copied only if the
// condition is true.
func (l *lowerer) unheld(v val, present func() *ir.Value) val {
	return mapHeld(v, func(h held, in where) val {
		if straightCopy(h.typ) {
			return l.snapshot(h.at, h.typ)
		}
		c := l.newCell(h.typ, "copy")
		l.copyWhere(present, in, c.mem, h)
		return array{c.mem}
	})
}

// copyWhere copies a held array to other memory if the conditions present and in are true.
func (l *lowerer) copyWhere(present func() *ir.Value, in where, to mem, from held) {
	cond := present()
	for _, one := range in {
		if is := l.isAlt(one.u, one.i); cond.IsConst() && cond.Bits == 1 {
			cond = is
		} else {
			cond = l.op(ir.OpLAnd, ir.TypeBool, cond, is)
		}
	}
	if cond.IsConst() && cond.Bits == 1 {
		l.copyMem(to, from.at, from.typ)
		return
	}
	copies, out := l.newBlock(), l.newBlock()
	l.b.Branch(cond, copies, out)
	l.b.Term.Pos = l.irPos(l.pos)
	l.b = copies
	l.copyMem(to, from.at, from.typ)
	l.b.Jump(out)
	l.b = out
}
