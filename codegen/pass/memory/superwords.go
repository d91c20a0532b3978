package memory

// This file is the pass superwords, for devices with matrices of their own.

import (
	"slices"
	"strconv"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// superBytes is the size of a vector and the required alignment of its address.
const superBytes = 16

// Superwords makes kernels store 16 bytes at once to work-group memory with elements of 8 or 16
// bits. Until they are stored, the elements stay packed as in memory: in four words instead of
// eight or sixteen values.
//
//	x0 := a[i][0]; …; x7 := a[i][7]                w := a[i]
//	y0 := phi(0, x0); …; y7 := phi(0, x7)   ──▶    v0 := phi(0, w[0]); …; v3 := phi(0, w[3])
//	m[8*j] = y0; …; m[8*j+7] = y7                  m[j] = {v0, v1, v2, v3}
//
// The memory becomes an array of vectors. Therefore all its uses must have one of two forms: stores
// of such groups of elements at multiples of 16 bytes, and loads and stores of matrices whose
// positions and strides are such multiples. For these matrices the device does not require a
// particular element type of the memory. Superwords runs after tiles, which determines how matrices
// are loaded.
func Superwords(m *ir.Module) diag.List {
	if m.Target.Tuples == nil {
		return nil
	}
	x := &superwords{m: m, f: m.Kernel, edits: rewrite.NewEdits(m.Kernel), words: map[string][]*ir.Value{}}
	for _, v := range m.Vars {
		if groups, ok := x.groups(v); ok && len(groups) > 0 {
			x.rewrite(v, groups)
		}
	}
	x.edits.Apply()
	for _, b := range x.f.Blocks {
		b.Insts = slices.DeleteFunc(b.Insts, func(v *ir.Value) bool { return x.gone[v] })
	}
	return nil
}

type superwords struct {
	m     *ir.Module
	f     *ir.Func
	edits *rewrite.Edits
	gone  map[*ir.Value]bool
	// words maps lists of values, by the values' numbers, to the words that contain them.
	words map[string][]*ir.Value
}

// superGroup is a group of stores that can become one store, in the order of their elements.
type superGroup []*ir.Value

// per returns the number of elements of type t in a vector.
func per(t *ir.Type) int { return superBytes / t.Size }

// groups returns the groups of stores to a variable. ok is false if there are accesses of other
// forms.
func (x *superwords) groups(v *ir.Var) (list []superGroup, ok bool) {
	if v.Storage != ir.Workgroup || v.Type.Kind != ir.Array || v.Type.Elem != ir.TypeI8 && v.Type.Elem != ir.TypeI16 {
		return nil, false
	}
	n := per(v.Type.Elem)
	if size, fixed := v.Type.ArrayLen(); !fixed || size%n != 0 || v.Accessor >= 0 {
		return nil, false
	}
	whole := func(at *ir.Value) bool { return facts.LowZeros(at) >= facts.LowZeros(x.m.Int(ir.TypeI32, int64(n))) }
	for _, f := range rewrite.Bodies(x.m) {
		if f != x.f && slices.ContainsFunc(f.Blocks, func(b *ir.Block) bool {
			return slices.ContainsFunc(b.Insts, func(in *ir.Value) bool { return refersTo(in, v) })
		}) {
			return nil, false
		}
	}
	for _, b := range x.f.Blocks {
		var open superGroup
		for _, in := range b.Insts {
			switch t, isTile := in.Aux.(*ir.Tile); {
			case !refersTo(in, v):
				if len(open) > 0 && !in.Op.Has(ir.FlagPure) {
					return nil, false
				}
			case in.Op == ir.OpZeroLocal:
			case isTile && t.Part > 0 && len(open) == 0 && whole(in.Path()[0]) && in.Args[0].IsConst() && whole(in.Args[0]):
			case in.Op == ir.OpStore && x.follows(open, in) && (len(open) > 0 || whole(in.Path()[0])):
				if open = append(open, in); len(open) == n {
					list, open = append(list, open), nil
				}
			default:
				return nil, false
			}
		}
		if len(open) > 0 {
			return nil, false
		}
	}
	return list, true
}

// refersTo reports whether an instruction accesses the variable.
func refersTo(in *ir.Value, v *ir.Var) bool {
	if t, ok := in.Aux.(*ir.Tile); ok {
		return t.Mem != nil && t.Mem.Var == v
	}
	r := in.Ref()
	return r != nil && r.Var == v
}

// follows reports whether a store is to the element after those of group g.
func (x *superwords) follows(g superGroup, in *ir.Value) bool {
	if len(g) == 0 {
		return true
	}
	base, add := plus(g[0].Path()[0])
	other, more := plus(in.Path()[0])
	return base == other && more == add+int64(len(g))
}

// plus returns an index as base + add. A nil base means zero.
func plus(v *ir.Value) (base *ir.Value, add int64) {
	switch {
	case v.IsConst():
		return nil, v.Int()
	case v.Op == ir.OpIAdd && v.Block != nil && v.Args[1].IsConst():
		return v.Args[0], v.Args[1].Int()
	}
	return v, 0
}

// rewrite turns a variable into an array of vectors.
func (x *superwords) rewrite(v *ir.Var, groups []superGroup) {
	n := per(v.Type.Elem)
	for _, g := range groups {
		values := make([]*ir.Value, n)
		for i, in := range g {
			values[i] = in.Args[0]
		}
		last := g[n-1]
		emit := func(op ir.Op, t *ir.Type, args ...*ir.Value) *ir.Value { return x.before(last, op, t, args...) }
		vector := emit(ir.OpVecMake, ir.TypeI32x4, x.pack(values, v.Type.Elem, emit)...)
		emit(ir.OpStore, ir.TypeVoid, vector, emit(ir.OpShrL, g[0].Path()[0].Type, g[0].Path()[0], x.shift(n))).Aux = g[0].Aux
		x.drop(g...)
	}
	for _, b := range x.f.Blocks {
		for _, in := range b.Insts {
			if _, ok := in.Aux.(*ir.Tile); ok && refersTo(in, v) {
				at := len(in.Args) - 1
				in.Args[0] = x.m.Int(in.Args[0].Type, in.Args[0].Int()/int64(n))
				in.Args[at] = x.before(in, ir.OpShrL, in.Args[at].Type, in.Args[at], x.shift(n))
			}
		}
	}
	size, _ := v.Type.ArrayLen()
	v.Type = x.m.ArrayOf(ir.TypeI32x4, x.m.Int(ir.TypeI32, int64(size/n)))
}

// shift returns the shift count that divides a number by n, a power of two.
func (x *superwords) shift(n int) *ir.Value {
	return x.m.Int(ir.TypeI32, int64(facts.LowZeros(x.m.Int(ir.TypeI32, int64(n)))))
}

func (x *superwords) drop(list ...*ir.Value) {
	if x.gone == nil {
		x.gone = map[*ir.Value]bool{}
	}
	for _, v := range list {
		x.gone[v] = true
	}
}

// before inserts an instruction before at.
func (x *superwords) before(at *ir.Value, op ir.Op, t *ir.Type, args ...*ir.Value) *ir.Value {
	v := x.f.NewValue(op, t, args...)
	v.Block, v.Pos = at.Block, at.Pos
	x.edits.Before[at] = append(x.edits.Before[at], v)
	return v
}

// atEnd adds an instruction at the end of block b.
func (x *superwords) atEnd(b *ir.Block, op ir.Op, t *ir.Type, args ...*ir.Value) *ir.Value {
	v := x.f.NewValue(op, t, args...)
	v.Block = b
	x.edits.End[b] = append(x.edits.End[b], v)
	return v
}

type emitFunc func(op ir.Op, t *ir.Type, args ...*ir.Value) *ir.Value

// pack returns four words that contain the lower bits of values, which are elements of type elem.
// emit adds instructions at a place that all values dominate.
func (x *superwords) pack(values []*ir.Value, elem *ir.Type, emit emitFunc) []*ir.Value {
	values = slices.Clone(values)
	key := []byte(elem.String())
	for i, v := range values {
		for w := v; w != nil; w = sameBits(w, elem) {
			v = w
		}
		values[i] = v
		key = strconv.AppendInt(append(key, ' '), int64(v.ID), 10)
	}
	if words, ok := x.words[string(key)]; ok {
		return words
	}
	first := values[0]
	all := func(is func(v *ir.Value) bool) bool {
		return !slices.ContainsFunc(values, func(v *ir.Value) bool { return !is(v) })
	}
	args := func(i int) []*ir.Value {
		list := make([]*ir.Value, len(values))
		for k, v := range values {
			list[k] = v.Args[i]
		}
		return list
	}
	switch {
	case first.Op == ir.OpPhi && all(func(v *ir.Value) bool { return v.Op == ir.OpPhi && v.Block == first.Block }):
		words := make([]*ir.Value, 4)
		for i := range words {
			words[i] = first.Block.NewPhi(ir.TypeI32)
		}
		x.words[string(key)] = words // a back edge may need them
		for i, p := range first.Block.Preds {
			from := x.pack(args(i), elem, func(op ir.Op, t *ir.Type, args ...*ir.Value) *ir.Value { return x.atEnd(p, op, t, args...) })
			for k, w := range words {
				w.Args = append(w.Args, from[k])
			}
		}
		return words
	case first.Op == ir.OpLoad && all(func(v *ir.Value) bool { return v.Op == ir.OpLoad && v.Block == first.Block }) && x.adjacent(values):
		words := x.load(values)
		x.words[string(key)] = words
		return words
	}
	words := x.join(values, elem, emit)
	if elem != ir.TypeI32 && !slices.ContainsFunc(words, func(w *ir.Value) bool { return !slices.Contains(values, w) }) {
		return x.pack(words, ir.TypeI32, emit) // the values are words of the kernel that it has split
	}
	return words
}

// sameBits returns a value from which v was converted with the same lower bits, as many as elem
// has, or nil.
func sameBits(v *ir.Value, elem *ir.Type) *ir.Value {
	switch {
	case v.Op == ir.OpUConvert && v.Block != nil && min(v.Type.Size, v.Args[0].Type.Size) >= elem.Size:
		return v.Args[0]
	case v.Op == ir.OpShrA && v.Args[0].Op == ir.OpShl && v.Args[1].IsConst() && v.Args[1] == v.Args[0].Args[1] &&
		v.Type.Bits()-int(v.Args[1].Int()) >= 8*elem.Size: // a sign extension
		return v.Args[0].Args[0]
	}
	return nil
}

// join packs values into words with shifts.
func (x *superwords) join(values []*ir.Value, elem *ir.Type, emit emitFunc) []*ir.Value {
	words := make([]*ir.Value, 4)
	n := 4 / elem.Size
	for i := range words {
		if words[i] = wordOf(values[i*n:i*n+n], elem); words[i] != nil {
			continue
		}
		constant := uint64(0)
		for k, v := range values[i*n : i*n+n] {
			by := 8 * k * elem.Size
			if v.IsConst() {
				constant |= v.Bits & facts.Mask(elem) << by
				continue
			}
			if v.Type == elem {
				v = emit(ir.OpUConvert, ir.TypeI32, v)
			} else {
				if v.Type.Size > 4 {
					v = emit(ir.OpUConvert, ir.TypeI32, v)
				}
				v = emit(ir.OpAnd, ir.TypeI32, v, x.m.Const(ir.TypeI32, facts.Mask(elem)))
			}
			if by > 0 {
				v = emit(ir.OpShl, ir.TypeI32, v, x.m.Int(ir.TypeI32, int64(by)))
			}
			if words[i] != nil {
				v = emit(ir.OpOr, ir.TypeI32, words[i], v)
			}
			words[i] = v
		}
		switch c := x.m.Const(ir.TypeI32, constant); {
		case words[i] == nil:
			words[i] = c
		case constant != 0:
			words[i] = emit(ir.OpOr, ir.TypeI32, words[i], c)
		}
	}
	return words
}

// wordOf returns the word whose consecutive parts the values are, beginning with the lowest, or
// nil.
func wordOf(values []*ir.Value, elem *ir.Type) *ir.Value {
	w := values[0]
	for k, v := range values {
		if k > 0 && (v.Op != ir.OpShrL || v.Args[0] != w || !v.Args[1].IsConst() || v.Args[1].Int() != int64(8*k*elem.Size)) {
			return nil
		}
	}
	if w.Type != ir.TypeI32 {
		return nil
	}
	return w
}

// adjacent reports whether the loads are of adjacent elements of device memory that begin at a
// multiple of 16 bytes, with no store between them. For example, a[i][0] to a[i][7] are adjacent if
// a is a slice of arrays of 16 bytes.
func (x *superwords) adjacent(loads []*ir.Value) bool {
	first := loads[0]
	r, path := first.Ref(), first.Path()
	if r.Var != nil || r.Elem.Size%superBytes != 0 || !x.aligned(path[0], 0) {
		return false
	}
	begin, ok := offset(r.Elem, path[2:])
	if !ok || begin%superBytes != 0 {
		return false
	}
	for i, v := range loads {
		p := v.Path()
		if v.Ref().Elem != r.Elem || v.Ref().Var != nil || v.Type != first.Type || p[0] != path[0] || p[1] != path[1] {
			return false
		}
		if at, ok := offset(r.Elem, p[2:]); !ok || at != begin+i*v.Type.Size {
			return false
		}
	}
	from, to := len(first.Block.Insts), 0
	for i, v := range first.Block.Insts {
		if slices.Contains(loads, v) {
			from, to = min(from, i), max(to, i)
		}
	}
	return first.Block.Insts[from] == first && !slices.ContainsFunc(first.Block.Insts[from:to+1], func(v *ir.Value) bool {
		return v.Op != ir.OpLoad && !v.Op.Has(ir.FlagPure)
	})
}

// offset returns the offset in bytes of a part of an element. ok is false if the offset is not
// constant.
func offset(t *ir.Type, path []*ir.Value) (bytes int, ok bool) {
	for _, p := range path {
		switch {
		case !p.IsConst():
			return 0, false
		case t.Kind == ir.Struct:
			f := t.Fields[p.Bits]
			bytes, t = bytes+f.Offset, f.Type
		default:
			t = t.Elem
			bytes += int(p.Int()) * t.Size
		}
	}
	return bytes, true
}

// aligned reports whether address v is known to be a multiple of 16. All buffers begin at such
// multiples, so that is known for slices whose element size is one, and for their elements.
func (x *superwords) aligned(v *ir.Value, depth int) bool {
	const most = 8
	if depth == most {
		return false
	}
	switch v.Op {
	case ir.OpArg:
		for i := range x.m.Params {
			p := &x.m.Params[i]
			if p.Kind == abi.Slice && p.Offset >= 0 && uint64(abi.OffsetArgs+p.Offset) == v.Bits {
				return p.ElemSize > 0 && p.ElemSize%superBytes == 0
			}
		}
	case ir.OpAddrOf:
		return v.Ref().Var == nil && len(v.Path()) == 2 && v.Ref().Elem.Size%superBytes == 0 && x.aligned(v.Path()[0], depth+1)
	}
	return false
}

// load loads a vector in place of adjacent elements, and returns its four words.
func (x *superwords) load(loads []*ir.Value) []*ir.Value {
	first := loads[0]
	path, each := first.Path(), int64(first.Ref().Elem.Size/superBytes)
	at := path[1]
	if each > 1 {
		at = x.before(first, ir.OpIMul, at.Type, at, x.m.Int(at.Type, each))
		if by, _ := offset(first.Ref().Elem, path[2:]); by > 0 {
			at = x.before(first, ir.OpIAdd, at.Type, at, x.m.Int(at.Type, int64(by/superBytes)))
		}
	}
	vector := x.before(first, ir.OpLoad, ir.TypeI32x4, path[0], at)
	vector.Aux = &ir.Ref{Elem: ir.TypeI32x4}
	words := make([]*ir.Value, 4)
	for i := range words {
		words[i] = x.before(first, ir.OpVecExtract, ir.TypeI32, vector)
		words[i].Bits = uint64(i)
	}
	return words
}
