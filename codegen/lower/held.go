package lower

// This file handles arrays that are parts of other values, such as interface values.

import (
	"go/types"

	"github.com/kgen-go/kgen/codegen/ir"
)

// A heldArray is an array of Go type typ that is part of another value. The array's memory belongs
// to the variable that holds the value. A store of the value copies the array into the variable's
// memory, and a load copies the array out of the memory. So a later store does not change a value
// that was loaded before.
type heldArray struct {
	at  mem
	typ types.Type
}

// An altCondition is the condition under which a heldArray exists. The heldArray is inside
// alternative i of each oneOf u in the list. The array exists only if alternative i is the current
// alternative of every oneOf u in the list.
type altCondition []struct {
	u oneOf
	i int
}

// mapHeld returns a copy of v in which the result of function f replaces each heldArray.
func mapHeld(v val, f func(h heldArray, in altCondition) val) val {
	return altCondition(nil).mapHeld(v, f)
}

func (in altCondition) mapHeld(v val, f func(h heldArray, in altCondition) val) val {
	all := func(vs []val) []val {
		out := make([]val, len(vs))
		for i := range vs {
			out[i] = in.mapHeld(vs[i], f)
		}
		return out
	}
	switch v := v.(type) {
	case heldArray:
		return f(v, in)
	case tuple:
		return tuple{all(v.elems)}
	case oneOf:
		alts := make([]val, len(v.alts))
		for i := range v.alts {
			alts[i] = append(in[:len(in):len(in)], altCondition{{v, i}}...).mapHeld(v.alts[i], f)
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

// eachHeld calls f for each heldArray in the value v. The order of the calls depends only on the
// shape of v.
func eachHeld(v val, f func(h heldArray, in altCondition)) {
	mapHeld(v, func(h heldArray, in altCondition) val {
		f(h, in)
		return h
	})
}

// holdAnew returns a copy of v in which each heldArray has new memory. The new memory is zeroed
// when the kernel starts, since a load of a oneOf reads the arrays of all alternatives.
func (l *lowerer) holdAnew(v val) val {
	return mapHeld(v, func(h heldArray, _ altCondition) val {
		h.at = l.newCell(h.typ, "held").mem
		l.opInPrologue(ir.OpZero, ir.TypeVoid).Aux = &ir.Ref{Var: h.at.v}
		return h
	})
}

// copyHeld copies the arrays inside value src to the arrays inside value dst. Both values have the
// same shape. isPresent emits the condition that the current alternative is src. If `always` is
// false, an array that needs no loop is copied even if the condition is false.
func (l *lowerer) copyHeld(dst, src val, isPresent func() *ir.Value, always bool) {
	var to []heldArray
	eachHeld(dst, func(h heldArray, _ altCondition) { to = append(to, h) })
	i := -1
	eachHeld(src, func(from heldArray, in altCondition) {
		if i++; !always && straightCopy(from.typ) {
			l.copyMem(to[i].at, from.at, from.typ)
			return
		}
		l.copyWhere(isPresent, in, to[i].at, from)
	})
}

// unheld copies each heldArray inside the alternative v, and returns v with array values in place
// of the heldArrays. isPresent emits the condition that v is the current alternative. Arrays whose
// copy needs a loop are copied only if the condition is true.
func (l *lowerer) unheld(v val, isPresent func() *ir.Value) val {
	return mapHeld(v, func(h heldArray, in altCondition) val {
		if straightCopy(h.typ) {
			return l.copyArray(h.at, h.typ)
		}
		c := l.newCell(h.typ, "copy")
		l.copyWhere(isPresent, in, c.mem, h)
		return array{c.mem}
	})
}

// copyWhere copies an array (from) to other memory (to), if the array exists. The array exists if
// the result of isPresent is true and the altCondition holds.
func (l *lowerer) copyWhere(isPresent func() *ir.Value, exists altCondition, to mem, from heldArray) {
	cond := isPresent()
	for _, one := range exists {
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
