package memory

// This file contains the pass adjacent, which combines accesses to adjacent numbers in device memory.

import (
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// maxAlign is the alignment in bytes of the first byte of each buffer.
const maxAlign = 16

// Adjacent combines loads of adjacent numbers into the load of a vector, if the numbers belong to
// the same element of a slice. Adjacent also combines stores of adjacent numbers into the store of
// a vector. For example, for a slice of struct{ Re, Im float32 }:
//
//	%re = Load f32 [%v, %i, 0]          %w = Load f32x2 [%v, %i]
//	%im = Load f32 [%v, %i, 1]   ──▶    %re = VecExtract %w 0
//	                                    %im = VecExtract %w 1
//
// A vector has 8 or 16 bytes, and its address must be a multiple of its size. Buffers begin at
// multiples of 16 bytes. The address of a vector is a multiple of the vector's size if this size
// divides the size of the slice's elements. Numbers of different types become a vector of integers.
// Numbers of 8 and 16 bits remain as they are.
//
// The accesses must be in the same block. Loads move up to the first load of a vector, and stores
// move down to the last store. Between the combined accesses, no instruction may synchronize, or
// access device memory in a conflicting way.
func Adjacent(m *ir.Module) diag.List {
	for _, f := range rewrite.Bodies(m) {
		x := &adjacent{m: m, f: f, before: map[*ir.Value][]*ir.Value{}, gone: map[*ir.Value]bool{}}
		for _, b := range f.Blocks {
			x.block(b)
		}
	}
	return nil
}

type adjacent struct {
	m      *ir.Module
	f      *ir.Func
	before map[*ir.Value][]*ir.Value // maps an instruction to the new instructions to insert before it
	gone   map[*ir.Value]bool        // stores that became part of a later store
}

// elementKey identifies an element of a slice.
type elementKey struct {
	elem        *ir.Type
	base, index *ir.Value
}

// An elementRun contains loads or stores of different parts of the same element, in the order of the block.
type elementRun struct {
	key     elementKey
	insts   []*ir.Value
	offsets []int // offset in bytes of the number that each instruction accesses
}

// `block` combines the accesses in block b.
func (x *adjacent) block(b *ir.Block) {
	var loads []*elementRun
	var stores *elementRun
	end := func(runs ...*elementRun) {
		for _, r := range runs {
			if r != nil {
				x.combine(r)
			}
		}
	}
	for _, v := range b.Insts {
		switch {
		case v.Op.Has(ir.FlagPure):
		case (v.Op == ir.OpLoad || v.Op == ir.OpStore) && v.Ref().Var != nil: // not device memory
		case v.Op == ir.OpLoad:
			end(stores)
			stores = nil
			key, at, ok := x.part(v)
			if !ok {
				continue
			}
			i := slices.IndexFunc(loads, func(r *elementRun) bool { return r.key == key && !slices.Contains(r.offsets, at) })
			if i < 0 {
				i, loads = len(loads), append(loads, &elementRun{key: key})
			}
			loads[i].add(v, at)
		case v.Op == ir.OpStore:
			end(loads...)
			loads = nil
			key, at, ok := x.part(v)
			if stores != nil && (!ok || stores.key != key || slices.Contains(stores.offsets, at)) {
				end(stores)
				stores = nil
			}
			if !ok {
				continue
			}
			if stores == nil {
				stores = &elementRun{key: key}
			}
			stores.add(v, at)
		default:
			end(append(loads, stores)...)
			loads, stores = nil, nil
		}
	}
	end(append(loads, stores)...)
	if len(x.before) == 0 {
		return
	}
	var insts []*ir.Value
	for _, v := range b.Insts {
		if insts = append(insts, x.before[v]...); !x.gone[v] {
			insts = append(insts, v)
		}
	}
	b.Insts = insts
	clear(x.before)
}

func (r *elementRun) add(v *ir.Value, at int) {
	r.insts, r.offsets = append(r.insts, v), append(r.offsets, at)
}

// `part` returns the element that v accesses, and the offset of the accessed number in the element.
// The result ok is false if no vector can contain the number.
func (x *adjacent) part(v *ir.Value) (key elementKey, at int, ok bool) {
	path, elem := v.Path(), v.Ref().Elem
	if t := accessed(v); t != ir.TypeF32 && t != ir.TypeI32 && t != ir.TypeF64 || len(path) < 3 || elem.Size%8 != 0 {
		return key, 0, false
	}
	at, ok = pathOffset(elem, path[2:])
	return elementKey{elem, path[0], path[1]}, at, ok
}

// `accessed` returns the type of the number that v loads or stores.
func accessed(v *ir.Value) *ir.Type {
	if v.Op == ir.OpStore {
		return v.Args[0].Type
	}
	return v.Type
}

// `combine` replaces accesses of a run by accesses to vectors, wherever the run contains all
// numbers of a vector.
func (x *adjacent) combine(r *elementRun) {
	align := alignment(x.m, r.key.base)
	if r.key.elem.Size%16 != 0 {
		align = min(align, 8)
	}
	for size := align; size >= 8; size /= 2 {
		for at := 0; at+size <= r.key.elem.Size; at += size {
			if list := r.within(at, size); list != nil {
				x.access(r.key, at, list)
			}
		}
	}
}

// `within` finds the run's accesses to a range of the element's bytes. If the accesses cover the
// whole range, `within` removes them from the run and returns them in the order of the numbers.
func (r *elementRun) within(at, size int) (list []*ir.Value) {
	var found []int
	for next := at; next < at+size; {
		i := slices.Index(r.offsets, next)
		if i < 0 {
			return nil
		}
		found = append(found, i)
		next += accessed(r.insts[i]).Size
	}
	if len(found) < 2 {
		return nil
	}
	for _, i := range found {
		list = append(list, r.insts[i])
		r.offsets[i] = -1
	}
	return list
}

// `access` replaces accesses to adjacent numbers of an element by a single access to a vector. The
// numbers begin at the given offset in the element.
func (x *adjacent) access(key elementKey, at int, list []*ir.Value) {
	size, scalar := 0, accessed(list[0])
	for _, v := range list {
		t := accessed(v)
		size += t.Size
		if t != scalar {
			scalar = ir.TypeI32
		}
	}
	t := ir.VectorOf(scalar, size)
	if t == nil || slices.ContainsFunc(list, func(v *ir.Value) bool { return accessed(v).Size != scalar.Size }) {
		return
	}
	insts := list[0].Block.Insts
	place := func(v *ir.Value) int { return slices.Index(insts, v) }
	byPlace := func(v, w *ir.Value) int { return place(v) - place(w) }
	ref := &ir.Ref{Elem: t}
	if list[0].Op == ir.OpLoad {
		first := slices.MinFunc(list, byPlace)
		path := x.path(first, key, at, t)
		vector := x.add(first, ir.OpLoad, t, path...)
		vector.Aux = ref
		for i, v := range list {
			if v.Type != scalar {
				// The instruction v itself becomes a bitcast, so the uses of v remain valid.
				e := x.add(v, ir.OpVecExtract, scalar, vector)
				e.Bits = uint64(i)
				v.Op, v.Args, v.Aux = ir.OpBitcast, []*ir.Value{e}, nil
				continue
			}
			v.Op, v.Args, v.Aux, v.Bits = ir.OpVecExtract, []*ir.Value{vector}, nil, uint64(i)
		}
		return
	}
	last := slices.MaxFunc(list, byPlace)
	values := make([]*ir.Value, len(list))
	for i, v := range list {
		if values[i] = v.Args[0]; values[i].Type != scalar {
			values[i] = x.add(last, ir.OpBitcast, scalar, values[i])
		}
		x.gone[v] = v != last
	}
	path := x.path(last, key, at, t)
	last.Args = append([]*ir.Value{x.add(last, ir.OpVecMake, t, values...)}, path...)
	last.Aux = ref
}

// `path` returns the address and the index of a vector of type t at an offset of an element. The
// instructions that compute the address are inserted before v.
func (x *adjacent) path(v *ir.Value, key elementKey, at int, t *ir.Type) []*ir.Value {
	if key.elem.Size == t.Size {
		return []*ir.Value{key.base, key.index}
	}
	address := x.add(v, ir.OpAddrOf, ir.TypeAddr, key.base, key.index)
	address.Aux = &ir.Ref{Elem: key.elem}
	return []*ir.Value{address, x.m.Int(ir.TypeI32, int64(at/t.Size))}
}

// `add` creates an instruction to insert before v, and returns it.
func (x *adjacent) add(v *ir.Value, op ir.Op, t *ir.Type, args ...*ir.Value) *ir.Value {
	w := x.f.NewValue(op, t, args...)
	w.Block, w.Pos = v.Block, v.Pos
	x.before[v] = append(x.before[v], w)
	return w
}

// `alignment` returns a power of two that divides the address v and is at most maxAlign. If nothing
// is known about v, the result is 1. Slices begin at elements of a buffer, and parts of slices
// begin at elements of the slice.
func alignment(m *ir.Module, v *ir.Value) int {
	seen := map[*ir.Value]bool{}
	var of func(v *ir.Value) int
	of = func(v *ir.Value) int {
		if seen[v] {
			return maxAlign // for an address that depends on itself, only the other operands matter
		}
		seen[v] = true
		least := 1
		switch v.Op {
		case ir.OpConst:
			return factorOf(int(v.Bits))
		case ir.OpArg:
			for i := range m.Params {
				p := &m.Params[i]
				if p.Kind == abi.Slice && p.Offset >= 0 && uint64(abi.OffsetArgs+p.Offset) == v.Bits {
					return factorOf(max(p.ElemSize, 1))
				}
			}
		case ir.OpAddrOf:
			if v.Ref().Var == nil && len(v.Path()) == 2 {
				return min(factorOf(v.Ref().Elem.Size), of(v.Path()[0]))
			}
		case ir.OpPhi, ir.OpSelect:
			least = maxAlign
			for _, a := range v.Args {
				if a.Type == ir.TypeAddr {
					least = min(least, of(a))
				}
			}
		}
		return least
	}
	return of(v)
}

// factorOf returns the largest power of two, at most maxAlign, that divides n.
func factorOf(n int) int { return min((n|maxAlign)&-(n|maxAlign), maxAlign) }
