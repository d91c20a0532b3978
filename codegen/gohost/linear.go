package gohost

import (
	"fmt"
	"math"

	"github.com/kgen-go/kgen/codegen/ir"
)

// linear is a value of the form scale*id + offset that does not overflow, where id is an id of the
// work-item. A linear index needs no variable in Go, since gc makes the index part of the address.
// If the scale is 0, the value is a constant and the field `id` is not set.
type linear struct {
	id            ir.BuiltIn
	global        bool // whether id is a global id, not an id within the work-group
	scale, offset int64
	lo, hi        int64
}

// linearOf decomposes v into scale, id and offset. Result `ok` is false if v is not linear or does not depend on an id.
func (w *formWriter) linearOf(v *ir.Value) (l linear, ok bool) {
	l, ok = w.shape(v)
	return l, ok && l.scale != 0
}

func (w *formWriter) shape(v *ir.Value) (l linear, ok bool) {
	switch {
	case v.IsConst() && v.Type.IsInt():
		n := v.Int()
		return linear{offset: n, lo: n, hi: n}, n > math.MinInt32 && n < math.MaxInt32
	case v.Block == nil:
		return l, false
	}
	switch v.Op {
	case ir.OpBuiltIn:
		return w.idShape(v.Aux.(ir.BuiltIn))
	case ir.OpUConvert, ir.OpSConvert:
		x := v.Args[0]
		if x.Op == ir.OpBuiltIn && x.Aux.(ir.BuiltIn) <= ir.GlobalInvocationIDZ && v.Op == ir.OpUConvert && v.Type == ir.TypeI64 {
			return linear{id: x.Aux.(ir.BuiltIn), global: true, scale: 1, hi: math.MaxUint32}, true
		}
		l, ok = w.shape(x)
		return l, ok && l.lo >= 0 && v.Type.Bits() >= x.Type.Bits()
	case ir.OpIAdd, ir.OpIMul:
		x, y := v.Args[0], v.Args[1]
		if x.IsConst() {
			x, y = y, x
		}
		if l, ok = w.shape(x); !ok || !y.IsConst() {
			return l, false
		}
		n := y.Int()
		if n <= math.MinInt32 || n >= math.MaxInt32 {
			return l, false
		}
		if v.Op == ir.OpIAdd {
			l.offset, l.lo, l.hi = l.offset+n, l.lo+n, l.hi+n
		} else if n > 0 {
			l.scale, l.offset, l.lo, l.hi = l.scale*n, l.offset*n, l.lo*n, l.hi*n
		} else {
			return l, false
		}
		most := int64(math.MaxInt32)
		if v.Type == ir.TypeI64 {
			most = 1 << 40
		}
		return l, l.lo >= -most && l.hi <= most
	}
	return l, false
}

// maxItems is the largest number of work-items in a work-group.
const maxItems = 1024

// idShape returns the id that built-in b reads, as a linear value.
func (w *formWriter) idShape(b ir.BuiltIn) (l linear, ok bool) {
	size := [3]int{maxItems, maxItems, maxItems}
	all := maxItems
	if s := w.m.WorkGroup; s[0] > 0 {
		size = [3]int{s[0], max(s[1], 1), max(s[2], 1)}
		all = size[0] * size[1] * size[2]
	}
	switch {
	case b <= ir.GlobalInvocationIDZ:
		// The global id is assumed to be non-negative, because it is used as an index.
		return linear{id: b, global: true, scale: 1, hi: math.MaxInt32}, true
	case w.isRanged():
		return l, false
	case b == ir.LocalInvocationIndex:
		return linear{id: b, scale: 1, hi: int64(all - 1)}, true
	case b < ir.LocalInvocationIDX || b > ir.LocalInvocationIDZ:
		return l, false
	}
	d := int(b - ir.LocalInvocationIDX)
	if d >= w.m.Rank {
		return linear{}, true
	}
	return linear{id: b, scale: 1, hi: int64(size[d] - 1)}, true
}

// scaledLinear returns a list of Go terms. The sum of the terms is the product of l and size.
func (w *regionBody) scaledLinear(l linear, size int) []string {
	id := w.counter(l)
	if n := l.scale * int64(size); n != 1 {
		id = fmt.Sprintf("%s*%d", id, n)
	}
	terms := []string{id}
	if n := l.offset * int64(size); n != 0 {
		terms = append(terms, fmt.Sprint(n))
	}
	return terms
}

// counter returns a Go expression of type int for l's id.
func (w *regionBody) counter(l linear) string {
	expr := w.builtIn(l.id) // the call also marks the counters as used
	if l.id == ir.LocalInvocationIndex {
		return "li"
	}
	expr = expr[len("int32(") : len(expr)-1]
	if !l.global || w.isRanged() || expr == "0" {
		return expr
	}
	return "(" + expr + ")"
}
