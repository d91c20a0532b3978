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

// mapHeld returns a value with something else for each array that is held in it.
func mapHeld(v val, f func(h held) val) val {
	all := func(vs []val) []val {
		out := make([]val, len(vs))
		for i := range vs {
			out[i] = mapHeld(vs[i], f)
		}
		return out
	}
	switch v := v.(type) {
	case held:
		return f(v)
	case tuple:
		return tuple{all(v.elems)}
	case oneOf:
		return oneOf{v.tag, all(v.alts)}
	case iface:
		v.v = mapHeld(v.v, f)
		return v
	case function:
		v.bindings = all(v.bindings)
		return v
	}
	return v
}

// heldIn returns the arrays that are held in a value, in an order that depends only on its
// shape.
func heldIn(v val) []held {
	var out []held
	mapHeld(v, func(h held) val {
		out = append(out, h)
		return h
	})
	return out
}

// holdAnew returns a value that holds its arrays in new memory. It is zero when the kernel
// starts: what an alternative is made of is read where another one is there.
func (l *lowerer) holdAnew(v val) val {
	return mapHeld(v, func(h held) val {
		h.at = l.newCell(h.typ, "held").mem
		l.early(ir.OpZero, ir.TypeVoid).Aux = &ir.Ref{Var: h.at.v}
		return h
	})
}

// hold copies the arrays of src to those of dst, a value of the same shape. Where is does not
// hold, src is not there: its arrays may be copied all the same, unless must says that those
// of another value stay in their place.
func (l *lowerer) hold(dst, src val, is func() *ir.Value, must bool) {
	to := heldIn(dst)
	for i, from := range heldIn(src) {
		if !must && straightCopy(from.typ) {
			l.copyMem(to[i].at, from.at, from.typ)
			continue
		}
		l.where(is(), func() { l.copyMem(to[i].at, from.at, from.typ) })
	}
}

// unheld returns an alternative with its arrays as values, copied out where it is there.
func (l *lowerer) unheld(v val, is func() *ir.Value) val {
	return mapHeld(v, func(h held) val {
		if straightCopy(h.typ) {
			return l.snapshot(h.at, h.typ)
		}
		c := l.newCell(h.typ, "copy")
		l.where(is(), func() { l.copyMem(c.mem, h.at, h.typ) })
		return array{c.mem}
	})
}

// where lowers something for where a condition holds.
func (l *lowerer) where(cond *ir.Value, body func()) {
	if cond.IsConst() {
		if cond.Bits == 1 {
			body()
		}
		return
	}
	in, out := l.newBlock(), l.newBlock()
	l.b.Branch(cond, in, out)
	l.b.Term.Pos = l.irPos(l.pos)
	l.b = in
	body()
	l.b.Jump(out)
	l.b = out
}
