package split64

// This file rewrites loads and stores of integers that have more or less than 32 bits.

import (
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
)

// lowerMemory rewrites the memory op v.
func (w *wordLowerer) lowerMemory(v *ir.Value) {
	r, path := v.Ref(), v.Path()
	head := v.Args[:len(v.Args)-len(path)]
	if r.Var != nil {
		w.lowerAccess(v, r, head, w.lowIndices(path))
		return
	}
	index := path[1]
	direct := index.Type == ir.TypeI32 || w.small[v] || isExtended(w.toPair(index))
	if direct && !facts.HasSmall(r.Elem) {
		full := append([]*ir.Value{w.valueOf(path[0]), w.index(index)}, w.lowIndices(path[2:])...)
		w.lowerAccess(v, &ir.Ref{Elem: w.memoryType(r.Elem)}, head, full)
		return
	}
	at, leaf := w.addressOf(r.Elem, path)
	switch {
	case v.Op == ir.OpAddrOf:
		w.repl[v] = w.joinAddress(at)
	case leaf != ir.TypeI8 && leaf != ir.TypeI16:
		w.lowerAccess(v, &ir.Ref{Elem: w.memoryType(leaf)}, head, []*ir.Value{w.joinAddress(at), w.wordConst(0)})
	case v.Op == ir.OpLoad:
		w.repl[v] = w.loadSmall(leaf, at)
	default:
		w.storeSmall(leaf, at, w.valueOf(v.Args[0]))
	}
}

// lowerAccess rewrites the memory op v so that it uses reference r and the given path.
func (w *wordLowerer) lowerAccess(v *ir.Value, r *ir.Ref, head, path []*ir.Value) {
	v.Aux = r
	var args []*ir.Value
	for _, a := range head {
		if a.Type == ir.TypeI64 {
			args = append(args, w.joinAddress(w.toPair(a)))
		} else {
			args = append(args, w.valueOf(a))
		}
	}
	v.Args = append(args, path...)
	if v.Type != ir.TypeI64 {
		w.out = append(w.out, v)
		return
	}
	// The memory access becomes the new value x, because v already stands for the 64-bit integer in
	// the map w.pairs.
	x := w.f.NewValue(v.Op, ir.TypeAddr, v.Args...)
	x.Aux, x.Block, x.Pos = r, w.b, v.Pos
	w.out = append(w.out, x)
	w.pairs[v] = w.splitAddress(x)
}

// lowIndices returns the low words of the indices in path. Indices are within the bounds of
// their arrays, so their high words are zero.
func (w *wordLowerer) lowIndices(path []*ir.Value) []*ir.Value {
	out := make([]*ir.Value, len(path))
	for i, p := range path {
		out[i] = w.index(p)
	}
	return out
}

func (w *wordLowerer) index(i *ir.Value) *ir.Value {
	if i.Type == ir.TypeI64 {
		return w.toPair(i).lo
	}
	return w.valueOf(i)
}

// addressOf computes the address of the element of device memory that path selects. addressOf also
// returns the type of the element.
func (w *wordLowerer) addressOf(elem *ir.Type, path []*ir.Value) (pair, *ir.Type) {
	at := w.splitAddress(w.valueOf(path[0]))
	var index pair
	if path[1].Type == ir.TypeI64 {
		index = w.toPair(path[1])
	} else {
		index = w.signExtend(w.valueOf(path[1]))
	}
	at = w.sum(at, w.product(index, pair{w.wordConst(int64(elem.Size)), w.wordConst(0)}))
	t, offset := elem, int64(0)
	for _, p := range path[2:] {
		if t.Kind == ir.Struct {
			f := &t.Fields[p.Bits]
			t, offset = f.Type, offset+int64(f.Offset)
			continue
		}
		t = t.Elem
		i := w.index(p)
		if i.IsConst() {
			offset += int64(i.Bits) * int64(t.Size)
			continue
		}
		at = w.sum(at, pair{w.addWord(ir.OpIMul, i, w.wordConst(int64(t.Size))), w.wordConst(0)})
	}
	return w.sum(at, pair{w.wordConst(offset), w.wordConst(0)}), t
}

// wordAround takes the address of a byte. wordAround returns the address of the 32-bit word that
// contains the byte, and the byte's bit offset in that word.
func (w *wordLowerer) wordAround(at pair) (word, shift *ir.Value) {
	word = w.joinAddress(pair{w.addWord(ir.OpAnd, at.lo, w.wordConst(^3)), at.hi})
	return word, w.addWord(ir.OpShl, w.addWord(ir.OpAnd, at.lo, w.wordConst(3)), w.wordConst(3))
}

// loadSmall loads an integer of type t, which is I8 or I16. loadSmall loads the 32-bit word that
// contains the integer. Memory is allocated in multiples of 32 bits, so the word can always be
// loaded.
func (w *wordLowerer) loadSmall(t *ir.Type, at pair) *ir.Value {
	addr, shift := w.wordAround(at)
	x := w.f.NewValue(ir.OpLoad, ir.TypeI32, addr, w.wordConst(0))
	x.Aux, x.Block, x.Pos = &ir.Ref{Elem: ir.TypeI32}, w.b, w.pos
	w.out = append(w.out, x)
	return w.addOp(ir.OpUConvert, t, w.addWord(ir.OpShrL, x, shift))
}

// storeSmall stores the integer x of type t, which is I8 or I16. Other work-items may store to the
// same 32-bit word, so a helper function replaces the word by compare-and-exchange.
func (w *wordLowerer) storeSmall(t *ir.Type, at pair, x *ir.Value) {
	addr, shift := w.wordAround(at)
	bits := w.addWord(ir.OpShl, w.addWord(ir.OpUConvert, x), shift)
	keep := w.addWord(ir.OpNot, w.addWord(ir.OpShl, w.wordConst(int64(facts.Mask(t))), shift))
	if w.storeFunc == nil {
		w.storeFunc = storeHelper(w.m)
		w.m.Helpers = append(w.m.Helpers, w.storeFunc)
	}
	v := w.f.NewValue(ir.OpCall, ir.TypeVoid, addr, keep, bits)
	v.Aux, v.Block, v.Pos = w.storeFunc, w.b, w.pos
	w.out = append(w.out, v)
}

// storeHelper creates the helper function that replaces some bits of a 32-bit word in memory. The
// helper function's parameter "keep" is a mask of the bits that do not change.
func storeHelper(m *ir.Module) *ir.Func {
	f := m.NewFunc("store")
	addr, keep, bits := f.NewParam(ir.TypeAddr), f.NewParam(ir.TypeI32), f.NewParam(ir.TypeI32)
	ref, zero := &ir.Ref{Elem: ir.TypeI32}, m.Int(ir.TypeI32, 0)
	entry, head, again, done := f.Blocks[0], f.NewBlock(), f.NewBlock(), f.NewBlock()
	first := entry.Append(ir.OpLoad, ir.TypeI32, addr, zero)
	first.Aux = ref
	entry.Jump(head)
	old := head.NewPhi(ir.TypeI32, first)
	word := head.Append(ir.OpOr, ir.TypeI32, head.Append(ir.OpAnd, ir.TypeI32, old, keep), bits)
	seen := head.Append(ir.OpAtomicCompareExchange, ir.TypeI32, word, old, addr, zero)
	seen.Aux = ref
	head.Merge, head.Continue = done, again
	head.Branch(head.Append(ir.OpIEq, ir.TypeBool, seen, old), done, again)
	again.Jump(head)
	old.Args = append(old.Args, seen)
	done.SetTerm(ir.Term{Kind: ir.Return})
	return f
}
