package memory

// This file contains the pass superwords, for devices with matrix hardware.

import (
	"slices"
	"strconv"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// superBytes is the size in bytes of a vector and the required alignment of its address.
const superBytes = 16

// Superwords combines stores of 8-bit or 16-bit elements to work-group memory into stores of 16
// bytes. The values to store are kept in four 32-bit words, instead of eight or sixteen separate
// values:
//
//	x0, …, x7 := a[i][0], …, a[i][7]           becomes w := a[i]
//	y0, …, y7 := phi(0, x0), …, phi(0, x7)     becomes v0, …, v3 := phi(0, w[0]), …, phi(0, w[3])
//	m[8*j], …, m[8*j+7] = y0, …, y7            becomes m[j] = {v0, v1, v2, v3}.
//
// The variable in work-group memory becomes an array of vectors. Superwords changes a variable only
// if all accesses to it are of two kinds. The first kind of access is a group of stores to adjacent
// elements that starts at a multiple of 16 bytes. The second kind of access is a load or store of a
// matrix whose position and stride are multiples of 16 bytes. Matrix hardware can load a matrix
// from memory of any element type if the matrix begins at a multiple of 16 bytes. Superwords runs
// after tiles, which determines how matrices are loaded.
func Superwords(m *ir.Module) diag.List {
	if m.Target.Tuples == nil {
		return nil
	}
	x := &storeCombiner{m: m, f: m.Kernel, edits: rewrite.NewEdits(m.Kernel), wordsOf: map[string][]*ir.Value{}}
	for _, v := range m.Vars {
		if groups, ok := x.storeGroups(v); ok && len(groups) > 0 {
			x.rewriteVar(v, groups)
		}
	}
	x.edits.Apply()
	for _, b := range x.f.Blocks {
		b.Insts = slices.DeleteFunc(b.Insts, func(v *ir.Value) bool { return x.gone[v] })
	}
	return nil
}

type storeCombiner struct {
	m     *ir.Module
	f     *ir.Func
	edits *rewrite.Edits
	gone  map[*ir.Value]bool
	// wordsOf maps a list of values, represented as a string of their IDs, to the 32-bit
	// words that contain the values.
	wordsOf map[string][]*ir.Value
}

// superGroup is a group of stores to adjacent elements that can become one store. The stores of the
// group are in the order of the elements.
type superGroup []*ir.Value

// elemsPerVector returns the number of elements of type t in a vector.
func elemsPerVector(t *ir.Type) int { return superBytes / t.Size }

// storeGroups returns the groups of stores to the variable v. If v has other accesses, storeGroups
// returns false.
func (x *storeCombiner) storeGroups(v *ir.Var) (list []superGroup, ok bool) {
	if v.Storage != ir.Workgroup || v.Type.Kind != ir.Array || v.Type.Elem != ir.TypeI8 && v.Type.Elem != ir.TypeI16 {
		return nil, false
	}
	n := elemsPerVector(v.Type.Elem)
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
			case in.Op == ir.OpStore && x.isNext(open, in) && (len(open) > 0 || whole(in.Path()[0])):
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

// refersTo reports whether the given instruction accesses the variable v.
func refersTo(in *ir.Value, v *ir.Var) bool {
	if t, ok := in.Aux.(*ir.Tile); ok {
		return t.Mem != nil && t.Mem.Var == v
	}
	r := in.Ref()
	return r != nil && r.Var == v
}

// isNext reports whether the given store writes the element that follows the elements of group g.
func (x *storeCombiner) isNext(g superGroup, store *ir.Value) bool {
	if len(g) == 0 {
		return true
	}
	base, add := splitIndex(g[0].Path()[0])
	other, more := splitIndex(store.Path()[0])
	return base == other && more == add+int64(len(g))
}

// splitIndex splits the index v into the value "base" plus the constant "add". If base is nil, v
// equals the constant.
func splitIndex(v *ir.Value) (base *ir.Value, add int64) {
	switch {
	case v.IsConst():
		return nil, v.Int()
	case v.Op == ir.OpIAdd && v.Block != nil && v.Args[1].IsConst():
		return v.Args[0], v.Args[1].Int()
	}
	return v, 0
}

// rewriteVar turns the variable v into an array of vectors, and replaces each group of
// stores by one store.
func (x *storeCombiner) rewriteVar(v *ir.Var, groups []superGroup) {
	n := elemsPerVector(v.Type.Elem)
	for _, g := range groups {
		values := make([]*ir.Value, n)
		for i, in := range g {
			values[i] = in.Args[0]
		}
		last := g[n-1]
		emit := func(op ir.Op, t *ir.Type, args ...*ir.Value) *ir.Value { return x.insertBefore(last, op, t, args...) }
		vector := emit(ir.OpVecMake, ir.TypeI32x4, x.packWords(values, v.Type.Elem, emit)...)
		emit(ir.OpStore, ir.TypeVoid, vector, emit(ir.OpShrL, g[0].Path()[0].Type, g[0].Path()[0], x.shiftCount(n))).Aux = g[0].Aux
		x.dropInsts(g...)
	}
	for _, b := range x.f.Blocks {
		for _, in := range b.Insts {
			if _, ok := in.Aux.(*ir.Tile); ok && refersTo(in, v) {
				at := len(in.Args) - 1
				in.Args[0] = x.m.Int(in.Args[0].Type, in.Args[0].Int()/int64(n))
				in.Args[at] = x.insertBefore(in, ir.OpShrL, in.Args[at].Type, in.Args[at], x.shiftCount(n))
			}
		}
	}
	size, _ := v.Type.ArrayLen()
	v.Type = x.m.ArrayOf(ir.TypeI32x4, x.m.Int(ir.TypeI32, int64(size/n)))
}

// shiftCount returns the shift count that divides a number by n, a power of two.
func (x *storeCombiner) shiftCount(n int) *ir.Value {
	return x.m.Int(ir.TypeI32, int64(facts.LowZeros(x.m.Int(ir.TypeI32, int64(n)))))
}

func (x *storeCombiner) dropInsts(list ...*ir.Value) {
	if x.gone == nil {
		x.gone = map[*ir.Value]bool{}
	}
	for _, v := range list {
		x.gone[v] = true
	}
}

// insertBefore inserts an instruction before the given instruction.
func (x *storeCombiner) insertBefore(at *ir.Value, op ir.Op, t *ir.Type, args ...*ir.Value) *ir.Value {
	v := x.f.NewValue(op, t, args...)
	v.Block, v.Pos = at.Block, at.Pos
	x.edits.Before[at] = append(x.edits.Before[at], v)
	return v
}

// atEnd adds an instruction at the end of block b.
func (x *storeCombiner) atEnd(b *ir.Block, op ir.Op, t *ir.Type, args ...*ir.Value) *ir.Value {
	v := x.f.NewValue(op, t, args...)
	v.Block = b
	x.edits.End[b] = append(x.edits.End[b], v)
	return v
}

type emitFunc func(op ir.Op, t *ir.Type, args ...*ir.Value) *ir.Value

// packWords returns four 32-bit words that contain the given values, packed as elements of type
// elem. The function emitOp must add instructions at a point in the code that all values dominate.
func (x *storeCombiner) packWords(values []*ir.Value, elem *ir.Type, emitOp emitFunc) []*ir.Value {
	values = slices.Clone(values)
	key := []byte(elem.String())
	for i, v := range values {
		for w := v; w != nil; w = sameBits(w, elem) {
			v = w
		}
		values[i] = v
		key = strconv.AppendInt(append(key, ' '), int64(v.ID), 10)
	}
	if words, ok := x.wordsOf[string(key)]; ok {
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
		x.wordsOf[string(key)] = words // recorded before the arguments are processed, because an argument may be a phi that depends on these words
		for i, p := range first.Block.Preds {
			from := x.packWords(args(i), elem, func(op ir.Op, t *ir.Type, args ...*ir.Value) *ir.Value { return x.atEnd(p, op, t, args...) })
			for k, w := range words {
				w.Args = append(w.Args, from[k])
			}
		}
		return words
	case first.Op == ir.OpLoad && all(func(v *ir.Value) bool { return v.Op == ir.OpLoad && v.Block == first.Block }) && x.areAdjacent(values):
		words := x.loadVector(values)
		x.wordsOf[string(key)] = words
		return words
	}
	words := x.joinWords(values, elem, emitOp)
	if elem != ir.TypeI32 && !slices.ContainsFunc(words, func(w *ir.Value) bool { return !slices.Contains(values, w) }) {
		return x.packWords(words, ir.TypeI32, emitOp) // the elements were extracted from 32-bit words, which are packed instead
	}
	return words
}

// sameBits returns the operand of the conversion v if the lower bits of the operand and of the
// result are equal. The number of lower bits that must be equal is the size of elem in bits. If v
// has no operand with the same lower bits, sameBits returns nil.
func sameBits(v *ir.Value, elem *ir.Type) *ir.Value {
	switch {
	case v.Op == ir.OpUConvert && v.Block != nil && min(v.Type.Size, v.Args[0].Type.Size) >= elem.Size:
		return v.Args[0]
	case v.Op == ir.OpShrA && v.Args[0].Op == ir.OpShl && v.Args[1].IsConst() && v.Args[1] == v.Args[0].Args[1] &&
		v.Type.Bits()-int(v.Args[1].Int()) >= 8*elem.Size: // a sign extension by two shifts
		return v.Args[0].Args[0]
	}
	return nil
}

// joinWords packs values into 32-bit words by shifts and "or".
func (x *storeCombiner) joinWords(values []*ir.Value, elem *ir.Type, emitOp emitFunc) []*ir.Value {
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
				v = emitOp(ir.OpUConvert, ir.TypeI32, v)
			} else {
				if v.Type.Size > 4 {
					v = emitOp(ir.OpUConvert, ir.TypeI32, v)
				}
				v = emitOp(ir.OpAnd, ir.TypeI32, v, x.m.Const(ir.TypeI32, facts.Mask(elem)))
			}
			if by > 0 {
				v = emitOp(ir.OpShl, ir.TypeI32, v, x.m.Int(ir.TypeI32, int64(by)))
			}
			if words[i] != nil {
				v = emitOp(ir.OpOr, ir.TypeI32, words[i], v)
			}
			words[i] = v
		}
		switch c := x.m.Const(ir.TypeI32, constant); {
		case words[i] == nil:
			words[i] = c
		case constant != 0:
			words[i] = emitOp(ir.OpOr, ir.TypeI32, words[i], c)
		}
	}
	return words
}

// wordOf returns the 32-bit word from which the values were extracted by shifts. Together the
// values must contain all bits of the 32-bit word, in order from the lowest bits. If the values do
// not have this form, wordOf returns nil.
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

// areAdjacent reports whether the loads access adjacent elements of device memory, starting at a
// multiple of 16 bytes. If there is a store between the loads, areAdjacent returns false. For
// example, a[i][0] to a[i][7] are adjacent if a is a slice of arrays of 16 bytes.
func (x *storeCombiner) areAdjacent(loads []*ir.Value) bool {
	first := loads[0]
	r, path := first.Ref(), first.Path()
	if r.Var != nil || r.Elem.Size%superBytes != 0 || alignment(x.m, path[0]) < superBytes {
		return false
	}
	begin, ok := pathOffset(r.Elem, path[2:])
	if !ok || begin%superBytes != 0 {
		return false
	}
	for i, v := range loads {
		p := v.Path()
		if v.Ref().Elem != r.Elem || v.Ref().Var != nil || v.Type != first.Type || p[0] != path[0] || p[1] != path[1] {
			return false
		}
		if at, ok := pathOffset(r.Elem, p[2:]); !ok || at != begin+i*v.Type.Size {
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

// pathOffset returns the offset in bytes of the part that path selects within an element of type t.
// If the offset is not constant, pathOffset returns false.
func pathOffset(t *ir.Type, path []*ir.Value) (bytes int, ok bool) {
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

// loadVector appends a load of a vector, which replaces the given loads of adjacent elements.
// loadVector returns the vector's four 32-bit words.
func (x *storeCombiner) loadVector(loads []*ir.Value) []*ir.Value {
	first := loads[0]
	path, each := first.Path(), int64(first.Ref().Elem.Size/superBytes)
	at := path[1]
	if each > 1 {
		at = x.insertBefore(first, ir.OpIMul, at.Type, at, x.m.Int(at.Type, each))
		if by, _ := pathOffset(first.Ref().Elem, path[2:]); by > 0 {
			at = x.insertBefore(first, ir.OpIAdd, at.Type, at, x.m.Int(at.Type, int64(by/superBytes)))
		}
	}
	vector := x.insertBefore(first, ir.OpLoad, ir.TypeI32x4, path[0], at)
	vector.Aux = &ir.Ref{Elem: ir.TypeI32x4}
	words := make([]*ir.Value, 4)
	for i := range words {
		words[i] = x.insertBefore(first, ir.OpVecExtract, ir.TypeI32, vector)
		words[i].Bits = uint64(i)
	}
	return words
}
