package memory

// This file is the part of the pass arrays that needs the liveness of array elements: it drops
// stores of dead elements, and merges two arrays into one.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// These are the largest number of elements of an array, and of all arrays of a function, whose
// reads are tracked.
const (
	maxElements    = 256
	maxAllElements = 1 << 12
)

// reads is the liveness of array elements: it tells for the end of each block which elements may be
// read before they are written again.
type reads struct {
	f     *ir.Func
	first map[*ir.Var]int // index of an array's first bit
	count map[*ir.Var]int // number of an array's bits
	bits  int
	out   map[*ir.Block]bitset // live elements at the ends of blocks
}

type bitset []bool

// readsOf computes the liveness of those arrays of own that have scalar elements and are not too
// large.
func readsOf(f *ir.Func, own map[*ir.Var]bool) *reads {
	r := &reads{f: f, first: map[*ir.Var]int{}, count: map[*ir.Var]int{}, out: map[*ir.Block]bitset{}}
	for _, x := range f.Vars {
		if n := scalars(x.Type); own[x] && 0 < n && n <= maxElements && r.bits+n <= maxAllElements {
			r.first[x], r.count[x] = r.bits, n
			r.bits += n
		}
	}
	if r.bits == 0 {
		return r
	}
	order := f.Dominators().Order
	in := map[*ir.Block]bitset{}
	for changed := true; changed; {
		changed = false
		for _, b := range slices.Backward(order) {
			out := make(bitset, r.bits)
			for _, s := range b.Term.Succs {
				for k, is := range in[s] {
					out[k] = out[k] || is
				}
			}
			r.out[b] = out
			now := slices.Clone(out)
			r.back(b, now, func(*ir.Value) {})
			if !slices.Equal(now, in[b]) {
				in[b], changed = now, true
			}
		}
	}
	return r
}

// scalars returns the number of scalars in an array of scalars, or in nested arrays of scalars. It
// returns 0 for any other type.
func scalars(t *ir.Type) int {
	all := 1
	for ; t.Kind == ir.Array; t = t.Elem {
		n, ok := t.ArrayLen()
		if !ok || n > maxElements {
			return 0
		}
		all *= n
	}
	if !t.IsScalar() {
		return 0
	}
	return all
}

// at returns the bits of the elements that v accesses: one bit, or all bits of the array if an
// index varies. x is nil if v accesses no tracked array.
func (r *reads) at(v *ir.Value) (x *ir.Var, from, to int) {
	ref := v.Ref()
	if ref == nil || r.count[ref.Var] == 0 {
		return nil, 0, 0
	}
	x = ref.Var
	from, to = r.first[x], r.first[x]+r.count[x]
	if v.Op == ir.OpZero {
		return x, from, to
	}
	k, t := 0, x.Type
	for _, p := range v.Path() {
		n, _ := t.ArrayLen()
		if !p.IsConst() || p.Bits >= uint64(n) {
			return x, from, to
		}
		k, t = k*n+int(p.Bits), t.Elem
	}
	return x, from + k, from + k + 1
}

// all reports whether v writes all elements of the bits that at returned, and not only one of
// several.
func (r *reads) all(v *ir.Value, from, to int) bool { return v.Op == ir.OpZero || to == from+1 }

// back processes b from its end to its beginning. now has the elements that are read after the
// current instruction. back calls access for each access to an array, before it updates now.
func (r *reads) back(b *ir.Block, now bitset, access func(v *ir.Value)) {
	for _, v := range slices.Backward(b.Insts) {
		x, from, to := r.at(v)
		if x == nil {
			continue
		}
		access(v)
		switch {
		case v.Op == ir.OpLoad:
			for k := from; k < to; k++ {
				now[k] = true
			}
		case r.all(v, from, to):
			clear(now[from:to])
		}
	}
}

// dropUnread removes the writes to elements of own's arrays that nothing reads, and reports whether
// there were any.
func dropUnread(f *ir.Func, own map[*ir.Var]bool) bool {
	dropped := false
	r := readsOf(f, own)
	for b, out := range r.out {
		dead := map[*ir.Value]bool{}
		now := slices.Clone(out)
		r.back(b, now, func(v *ir.Value) {
			if _, from, to := r.at(v); v.Op != ir.OpLoad && !slices.Contains(now[from:to], true) {
				dead[v] = true
			}
		})
		if len(dead) > 0 {
			b.Insts = slices.DeleteFunc(b.Insts, func(v *ir.Value) bool { return dead[v] })
			dropped = true
		}
	}
	return dropped
}

// pair is a pair of arrays, in the order of their bits.
type pair struct{ a, b *ir.Var }

// coalesce merges two arrays into one, if it finds a suitable pair, and reports whether it did. In
// such a pair, elements of one array are copied to the same elements of the other. No other write
// may change an element of one array while the same element of the other is live.
func coalesce(f *ir.Func, own map[*ir.Var]bool) bool {
	r := readsOf(f, own)
	copies := map[pair]map[*ir.Value]bool{}
	var order []pair
	for _, b := range f.Blocks {
		for i, v := range b.Insts {
			from := r.copied(b, i)
			if from == nil {
				continue
			}
			p := pair{from, v.Ref().Var}
			if r.first[p.a] > r.first[p.b] {
				p.a, p.b = p.b, p.a
			}
			if copies[p] == nil {
				copies[p] = map[*ir.Value]bool{}
				order = append(order, p)
			}
			copies[p][v] = true
		}
	}
	for _, p := range order {
		if r.mergeable(p, copies[p]) {
			merge(f, p, copies[p])
			delete(own, p.b)
			return true
		}
	}
	return false
}

// copied returns the source array if instruction i of b copies an element between equal indices of
// two arrays. The value must have been loaded in this block, and neither element may have been
// written since.
func (r *reads) copied(b *ir.Block, i int) *ir.Var {
	v := b.Insts[i]
	to, bit, end := r.at(v)
	if v.Op != ir.OpStore || to == nil || end > bit+1 {
		return nil
	}
	load := v.Args[0]
	if load.Op != ir.OpLoad || load.Block != b {
		return nil
	}
	from, fromBit, fromEnd := r.at(load)
	if from == nil || from == to || from.Type != to.Type || fromEnd > fromBit+1 || fromBit-r.first[from] != bit-r.first[to] {
		return nil
	}
	for _, w := range slices.Backward(b.Insts[:i]) {
		if w == load {
			return from
		}
		if x, k, e := r.at(w); w.Op != ir.OpLoad && (x == from && k <= fromBit && fromBit < e || x == to && k <= bit && bit < e) {
			return nil
		}
	}
	return nil
}

// mergeable reports whether the pair can be merged: no write, other than the copies, changes an
// element of one array while the same element of the other is live.
func (r *reads) mergeable(p pair, copies map[*ir.Value]bool) bool {
	ok := true
	for b, out := range r.out {
		now := slices.Clone(out)
		r.back(b, now, func(v *ir.Value) {
			x, from, to := r.at(v)
			if v.Op == ir.OpLoad || copies[v] || x != p.a && x != p.b {
				return
			}
			shift := r.first[p.b] - r.first[p.a]
			if x == p.b {
				shift = -shift
			}
			ok = ok && !slices.Contains(now[from+shift:to+shift], true)
		})
	}
	return ok
}

// merge redirects all accesses of p.b to p.a, and removes the copies.
func merge(f *ir.Func, p pair, copies map[*ir.Value]bool) {
	for _, b := range f.Blocks {
		b.Insts = slices.DeleteFunc(b.Insts, func(v *ir.Value) bool { return copies[v] })
		for _, v := range b.Insts {
			if r := v.Ref(); r != nil && r.Var == p.b {
				v.Aux = &ir.Ref{Var: p.a, Elem: r.Elem}
			}
		}
	}
	f.Vars = slices.DeleteFunc(f.Vars, func(x *ir.Var) bool { return x == p.b })
}
