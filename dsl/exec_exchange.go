package dsl

import (
	"math"
	"reflect"
)

// The type `members` identifies a work-item and the work-items of its group or sub-group, by linear ids in the
// work-group.
type members struct {
	w      *workItem
	at     itemState // state of a work-item that waits for the others
	lo, hi int
}

func (m members) id() int { return m.w.lin - m.lo }

func (g Group) members() members { return members{g.w, atGroupBarrier, 0, len(g.w.g.items)} }

func (s SubGroup) members() members {
	lo := s.GroupID() * s.w.g.subSize
	return members{s.w, atSubGroupBarrier, lo, lo + s.LocalRange()}
}

// The type `exchanger` passes the values of one type between work-items, by their linear ids.
// Disjoint groups of work-items may use an exchanger at the same time.
type exchanger[T any] struct {
	in, out []T
	here    []bool // whether the work-item has stored a value in x.in that is not yet in x.out
}

func (x *exchanger[T]) reset() { clear(x.here) }

type resetter interface{ reset() }

// exchangerOf returns the group's exchanger for T.
//
//go:norace
func exchangerOf[T any](g *group) *exchanger[T] {
	n := len(g.items)
	for i, e := range g.exchangers {
		if x, ok := e.(*exchanger[T]); ok {
			if len(x.in) == n {
				return x
			}
			x = &exchanger[T]{make([]T, n), make([]T, n), make([]bool, n)}
			g.exchangers[i] = x
			return x
		}
	}
	x := &exchanger[T]{make([]T, n), make([]T, n), make([]bool, n)}
	g.exchangers = append(g.exchangers, x)
	return x
}

// exchange() waits until all work-items of the group have passed their values, and returns the
// results of f. The value vs[i] is zero if here[i] is false. The first work-item that runs after the
// wait calls f for all work-items. The results are valid until the same work-items exchange again.
//
//go:norace
func exchange[T any](m members, v T, f func(vs []T, here []bool)) []T {
	x := exchangerOf[T](m.w.g)
	x.in[m.w.lin], x.here[m.w.lin] = v, true
	m.w.wait(m.at)
	out, here := x.out[m.lo:m.hi], x.here[m.lo:m.hi]
	if here[m.id()] {
		var zero T
		for i := range out {
			switch {
			case here[i]:
				out[i] = x.in[m.lo+i]
			case m.w.g.items[m.lo+i].left():
				out[i] = zero
			default:
				panic("dsl: divergent barriers: the work-items of one group wait at different barriers")
			}
		}
		f(out, here)
		clear(here)
	}
	return out
}

// left() reports whether the work-item had already finished when barriers opened for the last time.
// left() returns false for a work-item that waited at a barrier and finished later.
//
//go:norace
func (w *workItem) left() bool { return w.state == finished && w.ended < w.g.opened }

// reduce() stores the combination of all values of vs in vs[0].
//
//go:norace
func reduce[T any](vs []T, here []bool, op func(x, y T) T) {
	for d := 1; d < len(vs); d *= 2 {
		for i := 0; i+d < len(vs); i += 2 * d {
			combine(vs, here, i, i, i+d, op)
		}
	}
}

// scan() replaces each vs[i] by the combination of the values from vs[0] to vs[i].
//
//go:norace
func scan[T any](vs []T, here []bool, op func(x, y T) T) {
	for d := 1; d < len(vs); d *= 2 {
		for i := len(vs) - 1; i >= d; i-- {
			combine(vs, here, i, i-d, i, op)
		}
	}
}

// scanBefore replaces each vs[i] by the combination of the identity e and the values from vs[0] to vs[i-1].
//
//go:norace
func scanBefore[T any](vs []T, here []bool, e T, op func(x, y T) T) {
	scan(vs, here, op)
	for i := len(vs) - 1; i >= 0; i-- {
		if i > 0 && here[i-1] {
			vs[i] = op(e, vs[i-1])
		} else {
			vs[i] = e
		}
	}
}

// combine() stores op(vs[i], vs[j]) in vs[to]. If only one of the two values exists, it stores that value.
//
//go:norace
func combine[T any](vs []T, here []bool, to, i, j int, op func(x, y T) T) {
	switch {
	case here[i] && here[j]:
		vs[to] = op(vs[i], vs[j])
	case here[j]:
		vs[to] = vs[j]
	default:
		vs[to] = vs[i]
	}
	here[to] = here[i] || here[j]
}

// identity() returns the value e for which op(e, x) == x for all x. The argument op must be a
// function with a documented identity.
func identity[T Scalar](op func(x, y T) T) T {
	values := edges[T]()
	for _, e := range values {
		ok := true
		for _, x := range values {
			ok = ok && op(e, x) == x
		}
		if ok {
			return e
		}
	}
	panic("dsl: a scan by a function that has no identity")
}

// edges() returns candidates for the identity of an operation. identity() tests each candidate with
// all candidates as operands.
func edges[T Scalar]() []T {
	if list := halfEdges[T](); list != nil {
		return list
	}
	var list []T
	add := func(set func(v reflect.Value)) {
		var x T
		set(reflect.ValueOf(&x).Elem())
		list = append(list, x)
	}
	t := reflect.TypeFor[T]()
	switch {
	case t.Kind() == reflect.Bool:
		for _, b := range []bool{false, true} {
			add(func(v reflect.Value) { v.SetBool(b) })
		}
	case t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64:
		for _, f := range []float64{0, 1, 2, -1, math.Inf(1), math.Inf(-1)} {
			// The list includes Inf, whose product with 0 is NaN.
			add(func(v reflect.Value) { v.SetFloat(f) })
		}
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Int64:
		least := int64(-1) << (t.Bits() - 1)
		for _, n := range []int64{0, 1, 2, -1, least, ^least} {
			add(func(v reflect.Value) { v.SetInt(n) })
		}
	default:
		for _, n := range []uint64{0, 1, 2, ^uint64(0) >> (64 - t.Bits())} {
			add(func(v reflect.Value) { v.SetUint(n) })
		}
	}
	return list
}
