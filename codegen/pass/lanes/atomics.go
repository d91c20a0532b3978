package lanes

// This file is the pass atomics. It adds loops, and so must run before structurize.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// Atomics replaces the atomic ops that SPIR-V lacks by loops around a compare-and-exchange. These
// are the ops on floats, and the compare-and-swap that is ordered like all other atomic ops even if
// it fails. Ops on 8 and 16 bits, which are in device memory, become ops on the word that contains
// them.
func Atomics(m *ir.Module) diag.List {
	a := &atomicOps{groupOps: groupOps{m: m}, words: map[*ir.Var]bool{}}
	f := m.Kernel
	for _, b := range f.Blocks {
		for _, v := range b.Insts {
			if isFloatAtomic(v.Op) && v.Ref().Var != nil {
				a.words[v.Ref().Var] = true
			}
		}
	}
	if len(a.words) > 0 {
		a.wordVars()
	}
	rewrite.WriteOut(f, func(v *ir.Value) bool {
		return isFloatAtomic(v.Op) || v.Op == ir.OpAtomicCompareAndSwap || v.Op == ir.OpAtomicLoad && v.Type.Size < 4 || isLocalExchange(v) && facts.Avoids(m, "local-exchange")
	}, func(b *ir.Block, v *ir.Value) *ir.Block {
		a.zeroer = zeroer{m: m, f: f, b: b, pos: v.Pos}
		switch v.Op {
		case ir.OpAtomicLoad:
			ref, path, shift := a.wordAround(v, v.Type)
			w := a.at(ir.OpAtomicLoad, ir.TypeI32, ref, path)
			a.result(v, ir.OpUConvert, nil, a.word(ir.OpShrL, w, shift))
		case ir.OpAtomicCompareAndSwap:
			if t := v.Args[0].Type; t.Size < 4 {
				a.swapPart(v, t)
			} else {
				a.compareAndSwap(v)
			}
		case ir.OpAtomicExchange, ir.OpAtomicStore:
			a.exchange(v)
		default:
			a.floatOp(v)
		}
		return a.b
	})
	return nil
}

func isFloatAtomic(op ir.Op) bool {
	return op == ir.OpAtomicFAdd || op == ir.OpAtomicFMin || op == ir.OpAtomicFMax
}

// isLocalExchange reports whether v is an atomic exchange or store in work-group memory; see
// NVIDIA's quirk local-exchange.
func isLocalExchange(v *ir.Value) bool {
	return (v.Op == ir.OpAtomicExchange || v.Op == ir.OpAtomicStore) && v.Ref().Var != nil
}

// atomicOps writes the code for one op after the other.
type atomicOps struct {
	groupOps
	words map[*ir.Var]bool // variables with atomic floats
}

// IntOf returns the integer type with as many bits as the float type t. Any other t is returned
// unchanged.
func IntOf(t *ir.Type) *ir.Type {
	switch t {
	case ir.TypeF32:
		return ir.TypeI32
	case ir.TypeF64:
		return ir.TypeI64
	}
	return t
}

// wordVars replaces floats by integers in the variables with atomic floats.
func (a *atomicOps) wordVars() {
	var words func(t *ir.Type) *ir.Type
	words = func(t *ir.Type) *ir.Type {
		switch t.Kind {
		case ir.Array:
			return a.m.ArrayOf(words(t.Elem), t.Len)
		case ir.Struct:
			fields := slices.Clone(t.Fields)
			for i := range fields {
				fields[i].Type = words(fields[i].Type)
			}
			return a.m.StructOf(fields, t.Size, t.Align)
		}
		return IntOf(t)
	}
	for v := range a.words {
		v.Type = words(v.Type)
	}
	for _, b := range a.m.Kernel.Blocks {
		var out []*ir.Value
		add := func(op ir.Op, t *ir.Type, x *ir.Value) *ir.Value {
			v := a.m.Kernel.NewValue(op, t, x)
			v.Block = b
			out = append(out, v)
			return v
		}
		for _, v := range b.Insts {
			r := v.Ref()
			ok := r != nil && r.Var != nil && a.words[r.Var]
			switch {
			case ok && v.Op == ir.OpStore && v.Args[0].Type.IsFloat():
				x := add(ir.OpBitcast, IntOf(v.Args[0].Type), v.Args[0])
				v.Args[0], x.Pos = x, v.Pos
				out = append(out, v)
			case ok && v.Op == ir.OpLoad && v.Type.IsFloat():
				load := a.m.Kernel.NewValue(ir.OpLoad, IntOf(v.Type), v.Args...)
				load.Aux, load.Block, load.Pos = v.Aux, b, v.Pos
				out = append(out, load, v)
				v.Op, v.Aux, v.Args = ir.OpBitcast, nil, []*ir.Value{load}
			default:
				out = append(out, v)
			}
		}
		b.Insts = out
	}
}

// at adds an atomic op on integers in the memory that ref and path select.
func (a *atomicOps) at(op ir.Op, t *ir.Type, ref *ir.Ref, path []*ir.Value, xs ...*ir.Value) *ir.Value {
	v := a.op(op, t, append(slices.Clone(xs), path...)...)
	v.Aux = ref
	return v
}

// floatOp writes a loop that repeats until the memory did not change between the load and the
// exchange.
func (a *atomicOps) floatOp(v *ir.Value) {
	x, ref, path := v.Args[0], v.Ref(), slices.Clone(v.Path())
	t, word := v.Type, IntOf(v.Type)
	if ref.Var == nil {
		addr := a.op(ir.OpAddrOf, ir.TypeAddr, path...)
		addr.Aux = ref
		ref, path = &ir.Ref{Elem: word}, []*ir.Value{addr, a.i32(0)}
	}
	by := map[ir.Op]ir.Combiner{ir.OpAtomicFAdd: ir.CombineFAdd, ir.OpAtomicFMin: ir.CombineFMin, ir.OpAtomicFMax: ir.CombineFMax}[v.Op]
	bits := a.update(word, ref, path, func(bits *ir.Value) *ir.Value {
		return a.op(ir.OpBitcast, word, a.combine(by, a.op(ir.OpBitcast, t, bits), x))
	})
	a.result(v, ir.OpBitcast, nil, bits)
}

// exchange writes the same kind of loop for an integer.
func (a *atomicOps) exchange(v *ir.Value) {
	x := v.Args[0]
	old := a.update(x.Type, v.Ref(), slices.Clone(v.Path()), func(*ir.Value) *ir.Value { return x })
	if v.Op == ir.OpAtomicExchange {
		a.result(v, ir.OpBitcast, nil, old)
	}
}

// update writes a loop that replaces a word of memory by f of the old word, and returns the old
// word.
func (a *atomicOps) update(word *ir.Type, ref *ir.Ref, path []*ir.Value, f func(bits *ir.Value) *ir.Value) *ir.Value {
	first := a.at(ir.OpAtomicLoadRelaxed, word, ref, path)
	loop, done := a.f.NewBlock(), a.f.NewBlock()
	a.b.Jump(loop)
	a.b = loop
	bits := loop.NewPhi(word, first)
	got := a.at(ir.OpAtomicCompareExchange, word, ref, path, f(bits), bits)
	loop.Branch(a.op(ir.OpIEq, ir.TypeBool, got, bits), done, loop)
	bits.Args = append(bits.Args, got)
	a.b = done
	return bits
}

// compareAndSwap writes a loop that ends when the exchange succeeds, or when an atomic load finds
// another value in memory. The load is ordered like an exchange.
func (a *atomicOps) compareAndSwap(v *ir.Value) {
	next, old, ref, path := v.Args[0], v.Args[1], v.Ref(), slices.Clone(v.Path())
	loop, retry, done := a.f.NewBlock(), a.f.NewBlock(), a.f.NewBlock()
	a.b.Jump(loop)
	a.b = loop
	got := a.at(ir.OpAtomicCompareExchange, old.Type, ref, path, next, old)
	loop.Branch(a.op(ir.OpIEq, ir.TypeBool, got, old), done, retry)
	a.b = retry
	now := a.at(ir.OpAtomicLoad, old.Type, ref, path)
	retry.Branch(a.op(ir.OpIEq, ir.TypeBool, now, old), loop, done)
	a.b = done
	swapped := done.NewPhi(ir.TypeBool, a.m.Bool(true), a.m.Bool(false))
	a.result(v, ir.OpLAnd, nil, swapped, a.m.Bool(true))
}

// wordAround returns the word of device memory that contains the memory of v, an atomic op on type
// t. shift is the bit offset in the word. Memory is allocated in whole words.
func (a *atomicOps) wordAround(v *ir.Value, t *ir.Type) (ref *ir.Ref, path []*ir.Value, shift *ir.Value) {
	addr := a.op(ir.OpAddrOf, ir.TypeAddr, v.Path()...)
	addr.Aux = v.Ref()
	bits := a.op(ir.OpBitcast, ir.TypeI64, addr)
	shift = a.word(ir.OpShl, a.word(ir.OpAnd, a.word(ir.OpUConvert, bits), a.i32(3)), a.i32(3))
	// A negative index relative to addr would be wrong: NVIDIA's driver treats negative indices of
	// 32 bits as large ones.
	base := a.op(ir.OpBitcast, ir.TypeAddr, a.op(ir.OpAnd, ir.TypeI64, bits, a.m.Int(ir.TypeI64, -4)))
	return &ir.Ref{Elem: ir.TypeI32}, []*ir.Value{base, a.i32(0)}, shift
}

// swapPart is compareAndSwap for a value of type t within a word. It repeats the exchange if
// another part of the word has changed.
func (a *atomicOps) swapPart(v *ir.Value, t *ir.Type) {
	next, old := a.word(ir.OpUConvert, v.Args[0]), a.word(ir.OpUConvert, v.Args[1])
	ref, path, shift := a.wordAround(v, t)
	mask := a.word(ir.OpShl, a.i32(1<<t.Bits()-1), shift)
	next, old = a.word(ir.OpShl, next, shift), a.word(ir.OpShl, old, shift)
	first := a.at(ir.OpAtomicLoad, ir.TypeI32, ref, path)
	loop, try, done := a.f.NewBlock(), a.f.NewBlock(), a.f.NewBlock()
	a.b.Jump(loop)
	a.b = loop
	now := loop.NewPhi(ir.TypeI32, first)
	loop.Branch(a.op(ir.OpIEq, ir.TypeBool, a.word(ir.OpAnd, now, mask), old), try, done)
	a.b = try
	whole := a.word(ir.OpOr, a.word(ir.OpAnd, now, a.word(ir.OpNot, mask)), next)
	got := a.at(ir.OpAtomicCompareExchange, ir.TypeI32, ref, path, whole, now)
	try.Branch(a.op(ir.OpIEq, ir.TypeBool, got, now), done, loop)
	now.Args = append(now.Args, got)
	a.b = done
	swapped := done.NewPhi(ir.TypeBool)
	for _, p := range done.Preds {
		swapped.Args = append(swapped.Args, a.m.Bool(p == try))
	}
	a.result(v, ir.OpLAnd, nil, swapped, a.m.Bool(true))
}
