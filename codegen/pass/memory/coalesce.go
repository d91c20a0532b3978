package memory

// This file is part of the pass arrays, and uses the liveness of array elements. The code in this
// file removes stores to dead elements, and merges two arrays into one.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// These constants limit the number of elements whose liveness is computed, for one array and for
// all arrays of a function.
const (
	maxElements    = 256
	maxAllElements = 1 << 12
)

// elemLiveness records the liveness of array elements. An element is live at the end of a block if,
// after the block, the element may be read before it is written. The liveness of each element is
// one bit.
type elemLiveness struct {
	f         *ir.Func
	firstBit  map[*ir.Var]int // maps an array to the index of its first bit
	bitCount  map[*ir.Var]int // maps an array to its number of bits
	bits      int
	liveAtEnd map[*ir.Block]bitset // maps each block to the elements that are live at its end
}

type bitset []bool

// readsOf computes the liveness of the elements of the arrays in the list "own". readsOf ignores
// arrays that are too large or whose elements are not scalars.
func readsOf(f *ir.Func, own map[*ir.Var]bool) *elemLiveness {
	r := &elemLiveness{f: f, firstBit: map[*ir.Var]int{}, bitCount: map[*ir.Var]int{}, liveAtEnd: map[*ir.Block]bitset{}}
	for _, x := range f.Vars {
		if n := countScalars(x.Type); own[x] && 0 < n && n <= maxElements && r.bits+n <= maxAllElements {
			r.firstBit[x], r.bitCount[x] = r.bits, n
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
			r.liveAtEnd[b] = out
			now := slices.Clone(out)
			r.eachBackward(b, now, func(*ir.Value) {})
			if !slices.Equal(now, in[b]) {
				in[b], changed = now, true
			}
		}
	}
	return r
}

// countScalars returns the number of scalars in t if t is an array of scalars or nested arrays of
// scalars. For any other type, and for arrays that are too large, countScalars returns 0.
func countScalars(t *ir.Type) int {
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

// accessedBits returns the array x that v accesses, and the range of the bits of the accessed
// elements. If an index of the access varies, the range contains all bits of the array. If r does
// not contain the array that v accesses, x is nil.
func (r *elemLiveness) accessedBits(v *ir.Value) (x *ir.Var, from, to int) {
	ref := v.Ref()
	if ref == nil || r.bitCount[ref.Var] == 0 {
		return nil, 0, 0
	}
	x = ref.Var
	from, to = r.firstBit[x], r.firstBit[x]+r.bitCount[x]
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

// writesAll reports whether v writes every element whose bit is in the range that accessedBits
// returned. If v writes only one unknown element of the range, writesAll returns false.
func (r *elemLiveness) writesAll(v *ir.Value, from, to int) bool {
	return v.Op == ir.OpZero || to == from+1
}

// eachBackward visits the instructions of b from its end to its beginning. liveAfter is the set of
// elements that are live after the current instruction. For each access to an array, eachBackward
// first calls visitAccess and then updates liveAfter.
func (r *elemLiveness) eachBackward(b *ir.Block, liveAfter bitset, visitAccess func(v *ir.Value)) {
	for _, v := range slices.Backward(b.Insts) {
		x, from, to := r.accessedBits(v)
		if x == nil {
			continue
		}
		visitAccess(v)
		switch {
		case v.Op == ir.OpLoad:
			for k := from; k < to; k++ {
				liveAfter[k] = true
			}
		case r.writesAll(v, from, to):
			clear(liveAfter[from:to])
		}
	}
}

// dropUnread removes writes to dead elements of the arrays in the list "own". If dropUnread has
// removed any write, it returns true.
func dropUnread(f *ir.Func, own map[*ir.Var]bool) bool {
	dropped := false
	r := readsOf(f, own)
	for b, out := range r.liveAtEnd {
		dead := map[*ir.Value]bool{}
		now := slices.Clone(out)
		r.eachBackward(b, now, func(v *ir.Value) {
			if _, from, to := r.accessedBits(v); v.Op != ir.OpLoad && !slices.Contains(now[from:to], true) {
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

// arrayPair is a pair of arrays, ordered by the indices of their bits.
type arrayPair struct{ a, b *ir.Var }

// coalesceArrays merges two arrays into one, if it finds a suitable pair. coalesceArrays reports
// whether it has merged a pair. In a suitable pair, elements of one array are copied to elements of
// the other array with the same index. No other write may change an element of one array while the
// same element of the other array is live.
func coalesceArrays(f *ir.Func, own map[*ir.Var]bool) bool {
	r := readsOf(f, own)
	copies := map[arrayPair]map[*ir.Value]bool{}
	var order []arrayPair
	for _, b := range f.Blocks {
		for i, v := range b.Insts {
			from := r.copySource(b, i)
			if from == nil {
				continue
			}
			p := arrayPair{from, v.Ref().Var}
			if r.firstBit[p.a] > r.firstBit[p.b] {
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
		if r.canMerge(p, copies[p]) {
			mergeArrays(f, p, copies[p])
			delete(own, p.b)
			return true
		}
	}
	return false
}

// copySource returns the source array if instruction i of b copies an element of one array to the
// same index of another array. The copied value must have been loaded in b, and neither element may
// have been written since the load. For any other instruction, copySource returns nil.
func (r *elemLiveness) copySource(b *ir.Block, i int) *ir.Var {
	v := b.Insts[i]
	to, bit, end := r.accessedBits(v)
	if v.Op != ir.OpStore || to == nil || end > bit+1 {
		return nil
	}
	load := v.Args[0]
	if load.Op != ir.OpLoad || load.Block != b {
		return nil
	}
	from, fromBit, fromEnd := r.accessedBits(load)
	if from == nil || from == to || from.Type != to.Type || fromEnd > fromBit+1 || fromBit-r.firstBit[from] != bit-r.firstBit[to] {
		return nil
	}
	for _, w := range slices.Backward(b.Insts[:i]) {
		if w == load {
			return from
		}
		if x, k, e := r.accessedBits(w); w.Op != ir.OpLoad && (x == from && k <= fromBit && fromBit < e || x == to && k <= bit && bit < e) {
			return nil
		}
	}
	return nil
}

// canMerge reports whether the arrays of the pair p can be merged. Apart from the copies, no write
// may change an element of one array while the same element of the other array is live.
func (r *elemLiveness) canMerge(p arrayPair, copies map[*ir.Value]bool) bool {
	ok := true
	for b, out := range r.liveAtEnd {
		now := slices.Clone(out)
		r.eachBackward(b, now, func(v *ir.Value) {
			x, from, to := r.accessedBits(v)
			if v.Op == ir.OpLoad || copies[v] || x != p.a && x != p.b {
				return
			}
			shift := r.firstBit[p.b] - r.firstBit[p.a]
			if x == p.b {
				shift = -shift
			}
			ok = ok && !slices.Contains(now[from+shift:to+shift], true)
		})
	}
	return ok
}

// mergeArrays replaces the array p.b by p.a in all accesses, and removes the copies between the two
// arrays.
func mergeArrays(f *ir.Func, p arrayPair, copies map[*ir.Value]bool) {
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
