package lower

// This file handles arrays that are parts of other values, such as interface values.

import (
	"go/types"

	"github.com/kgen-go/kgen/codegen/ir"
)

// The type held is an array of Go type typ that is part of another value. The array's memory
// belongs to the variable that holds the value. Stores copy the array into this memory, and loads
// copy the array out of it. So later stores do not change a loaded value.
type held struct {
	at  mem
	typ types.Type
}

// The type where is the condition under which an array of type held exists. Each oneOf in the list
// contains the array. The array exists only if every oneOf in the list has its alternative i.
type where []struct {
	u oneOf
	i int
}

// mapHeld returns a copy of v in which function f has replaced each array of type held.
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

// eachHeld calls f for each array of type held in the value v. The order depends only on the shape
// of v.
func eachHeld(v val, f func(h held, in where)) {
	mapHeld(v, func(h held, in where) val {
		f(h, in)
		return h
	})
}

// holdAnew returns a copy of v in which the arrays of type held have new memory. The new memory is
// zeroed when the kernel starts, since a load of a oneOf reads the arrays of all alternatives.
func (l *lowerer) holdAnew(v val) val {
	return mapHeld(v, func(h held, _ where) val {
		h.at = l.newCell(h.typ, "held").mem
		l.early(ir.OpZero, ir.TypeVoid).Aux = &ir.Ref{Var: h.at.v}
		return h
	})
}

// The method hold copies the arrays inside value src to the arrays inside value dst, which has the
// same shape. Function present returns the condition that the value has alternative src. Unless
// parameter must is set, the arrays may also be copied when the condition is false.
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

// unheld returns the alternative v with each array of type held replaced by a copy, which is an
// array value. Function present returns the condition that the value has this alternative. No copy
// is needed if the condition is false.
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

// copyWhere copies an array of type held to other memory. Two conditions must be true for the copy.
// The first condition is the result of the function in parameter present. The second condition is
// parameter in.
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
