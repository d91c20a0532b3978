package split64

// This file rewrites loads and stores of integers that have more or less than 32 bits.

import (
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
)

// The method memory rewrites the memory op v.
func (w *words) memory(v *ir.Value) {
	r, path := v.Ref(), v.Path()
	head := v.Args[:len(v.Args)-len(path)]
	if r.Var != nil {
		w.access(v, r, head, w.indices(path))
		return
	}
	index := path[1]
	direct := index.Type == ir.TypeI32 || w.small[v] || isExtended(w.pair(index))
	if direct && !facts.HasSmall(r.Elem) {
		full := append([]*ir.Value{w.value(path[0]), w.index(index)}, w.indices(path[2:])...)
		w.access(v, &ir.Ref{Elem: w.typ(r.Elem)}, head, full)
		return
	}
	at, leaf := w.address(r.Elem, path)
	switch {
	case v.Op == ir.OpAddrOf:
		w.repl[v] = w.join(at)
	case leaf != ir.TypeI8 && leaf != ir.TypeI16:
		w.access(v, &ir.Ref{Elem: w.typ(leaf)}, head, []*ir.Value{w.join(at), w.n(0)})
	case v.Op == ir.OpLoad:
		w.repl[v] = w.loadSmall(leaf, at)
	default:
		w.storeSmall(leaf, at, w.value(v.Args[0]))
	}
}

// The method access rewrites the memory op v so that it uses reference r and the given path.
func (w *words) access(v *ir.Value, r *ir.Ref, head, path []*ir.Value) {
	v.Aux = r
	var args []*ir.Value
	for _, a := range head {
		if a.Type == ir.TypeI64 {
			args = append(args, w.join(w.pair(a)))
		} else {
			args = append(args, w.value(a))
		}
	}
	v.Args = append(args, path...)
	if v.Type != ir.TypeI64 {
		w.out = append(w.out, v)
		return
	}
	// The value v represents the pair, so the access must be a new value.
	x := w.f.NewValue(v.Op, ir.TypeAddr, v.Args...)
	x.Aux, x.Block, x.Pos = r, w.b, v.Pos
	w.out = append(w.out, x)
	w.pairs[v] = w.split(x)
}

// The method indices returns the low words of the indices in path. Indices are within the bounds of
// their arrays, so their high words are zero.
func (w *words) indices(path []*ir.Value) []*ir.Value {
	out := make([]*ir.Value, len(path))
	for i, p := range path {
		out[i] = w.index(p)
	}
	return out
}

func (w *words) index(i *ir.Value) *ir.Value {
	if i.Type == ir.TypeI64 {
		return w.pair(i).lo
	}
	return w.value(i)
}

// The method address computes the address of the element of device memory that path selects. It
// also returns the element's type.
func (w *words) address(elem *ir.Type, path []*ir.Value) (pair, *ir.Type) {
	at := w.split(w.value(path[0]))
	var index pair
	if path[1].Type == ir.TypeI64 {
		index = w.pair(path[1])
	} else {
		index = w.signed(w.value(path[1]))
	}
	at = w.sum(at, w.product(index, pair{w.n(int64(elem.Size)), w.n(0)}))
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
		at = w.sum(at, pair{w.word(ir.OpIMul, i, w.n(int64(t.Size))), w.n(0)})
	}
	return w.sum(at, pair{w.n(offset), w.n(0)}), t
}

// The method around returns the address of the 32-bit word that contains the byte at the address
// at, and the bit offset of the byte within that word.
func (w *words) around(at pair) (word, shift *ir.Value) {
	word = w.join(pair{w.word(ir.OpAnd, at.lo, w.n(^3)), at.hi})
	return word, w.word(ir.OpShl, w.word(ir.OpAnd, at.lo, w.n(3)), w.n(3))
}

// loadSmall loads an integer of type t, which is I8 or I16. It loads the 32-bit word that contains
// the integer. Memory is allocated in multiples of 32 bits, so the word can always be loaded.
func (w *words) loadSmall(t *ir.Type, at pair) *ir.Value {
	addr, shift := w.around(at)
	x := w.f.NewValue(ir.OpLoad, ir.TypeI32, addr, w.n(0))
	x.Aux, x.Block, x.Pos = &ir.Ref{Elem: ir.TypeI32}, w.b, w.pos
	w.out = append(w.out, x)
	return w.add(ir.OpUConvert, t, w.word(ir.OpShrL, x, shift))
}

// storeSmall stores the integer x of type t, which is I8 or I16. Other work-items may store to the
// same 32-bit word, so a helper function replaces the word by compare-and-exchange.
func (w *words) storeSmall(t *ir.Type, at pair, x *ir.Value) {
	addr, shift := w.around(at)
	bits := w.word(ir.OpShl, w.word(ir.OpUConvert, x), shift)
	keep := w.word(ir.OpNot, w.word(ir.OpShl, w.n(int64(facts.Mask(t))), shift))
	if w.storer == nil {
		w.storer = storeHelper(w.m)
		w.m.Helpers = append(w.m.Helpers, w.storer)
	}
	v := w.f.NewValue(ir.OpCall, ir.TypeVoid, addr, keep, bits)
	v.Aux, v.Block, v.Pos = w.storer, w.b, w.pos
	w.out = append(w.out, v)
}

// storeHelper creates the helper function that replaces some bits of a 32-bit word in memory. Its
// parameter keep is a mask of the bits that do not change.
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
