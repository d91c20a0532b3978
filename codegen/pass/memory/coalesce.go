package memory

// This file is the part of the pass arrays that needs the liveness of array elements: it drops
// stores of dead elements, and makes one array of two.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// The most elements of an array, and of all arrays of a function, whose reads are followed.
const (
	maxElements    = 256
	maxAllElements = 1 << 12
)

// reads is the liveness of array elements: which may still be read, before they are written again,
// at the end of each block.
type reads struct {
	f     *ir.Func
	first map[*ir.Var]int // an array's first bit
	count map[*ir.Var]int // and how many it has
	bits  int
	out   map[*ir.Block]bitset // at the ends of blocks
}

type bitset []bool

// readsOf finds what is read in f of those arrays of own whose elements are scalars, which are
// not too many.
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

// scalars returns how many scalars an array of scalars, or of such arrays, has, or 0 if t is
// something else.
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

// at returns the bits of what v accesses: one, or all of an array where an index varies. The
// array is nil if v accesses none that is followed.
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

// all reports whether v writes all of the bits that at returns for it, and not one of them.
func (r *reads) all(v *ir.Value, from, to int) bool { return v.Op == ir.OpZero || to == from+1 }

// back goes through b from its end to its beginning; now is what is read behind, and access
// is called for each access to an array before now follows it.
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

// dropUnread removes the writes to arrays of own that nothing reads, and reports whether there
// were any.
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

// pair is two arrays, in the order of their bits.
type pair struct{ a, b *ir.Var }

// coalesce makes one array of two, if it finds such ones, and reports that: elements of one
// are copied to the same elements of the other, and nothing else is written to an element of
// either that may be read of the other then.
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
		if r.apart(p, copies[p]) {
			merge(f, p, copies[p])
			delete(own, p.b)
			return true
		}
	}
	return false
}

// copied returns the array from whose same element the instruction i of b copies, where it
// stores a value that was loaded there in this block, and neither element has been written
// since.
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

// apart reports whether no write to one array of a pair, other than the copies, changes an
// element that is read of the other behind it.
func (r *reads) apart(p pair, copies map[*ir.Value]bool) bool {
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

// merge has all that accesses p.b access p.a, and removes the copies.
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
