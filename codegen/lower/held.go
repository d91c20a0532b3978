package lower

import (
	"go/types"

	"github.com/kgen-go/kgen/codegen/ir"
)

// held is an array of Go type typ that is kept beside other values, in memory of the variable
// that keeps it. Storing copies the array in, and loading copies it out: later stores do not
// change a value.
type held struct {
	at  mem
	typ types.Type
}

// where is the condition under which an array exists that is held in a value: each choice that the
// array is a part of has the given alternative.
type where []struct {
	u oneOf
	i int
}

// mapHeld returns a value with something else for each array that is held in it.
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

// eachHeld calls f for each array that is held in a value, in an order that depends only on its
// shape.
func eachHeld(v val, f func(h held, in where)) {
	mapHeld(v, func(h held, in where) val {
		f(h, in)
		return h
	})
}

// holdAnew returns a value that holds its arrays in new memory. The memory is zero when the kernel
// starts: a load reads all alternatives, also those that the value does not have.
func (l *lowerer) holdAnew(v val) val {
	return mapHeld(v, func(h held, _ where) val {
		h.at = l.newCell(h.typ, "held").mem
		l.early(ir.OpZero, ir.TypeVoid).Aux = &ir.Ref{Var: h.at.v}
		return h
	})
}

// hold copies the arrays of src to the arrays of dst, a value of the same shape. Where the condition
// is does not hold, the value is not src. Its arrays may be copied nevertheless, unless must is set:
// then dst keeps the arrays that it has.
func (l *lowerer) hold(dst, src val, is func() *ir.Value, must bool) {
	var to []held
	eachHeld(dst, func(h held, _ where) { to = append(to, h) })
	i := -1
	eachHeld(src, func(from held, in where) {
		if i++; !must && straightCopy(from.typ) {
			l.copyMem(to[i].at, from.at, from.typ)
			return
		}
		l.copyWhere(is, in, to[i].at, from)
	})
}

// unheld returns an alternative with its arrays as values. They are copied out of memory where the
// condition is holds, which says that the value has this alternative.
func (l *lowerer) unheld(v val, is func() *ir.Value) val {
	return mapHeld(v, func(h held, in where) val {
		if straightCopy(h.typ) {
			return l.snapshot(h.at, h.typ)
		}
		c := l.newCell(h.typ, "copy")
		l.copyWhere(is, in, c.mem, h)
		return array{c.mem}
	})
}

// copyWhere copies an array to other memory where conditions hold.
func (l *lowerer) copyWhere(is func() *ir.Value, in where, to mem, from held) {
	cond := is()
	for _, one := range in {
		if is := l.is(one.u, one.i); cond.IsConst() && cond.Bits == 1 {
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
