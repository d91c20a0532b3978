package lanes

// This file contains the pass atomics, which replaces the atomic ops that SPIR-V lacks. Atomics
// adds loops, so it must run before structurize, the pass that creates SPIR-V's structured control
// flow.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// Atomics replaces the atomic ops that SPIR-V lacks by loops around a compare-and-exchange. SPIR-V
// has no atomic ops on floats. It also has no compare-and-swap that orders memory when the
// comparison fails. Atomic ops on 8-bit and 16-bit integers, which are in device memory, become ops
// on the 32-bit word that contains the integer.
func Atomics(m *ir.Module) diag.List {
	a := &atomicOps{groupOps: groupOps{m: m}, floatVars: map[*ir.Var]bool{}}
	f := m.Kernel
	for _, b := range f.Blocks {
		for _, v := range b.Insts {
			if isFloatAtomic(v.Op) && v.Ref().Var != nil {
				a.floatVars[v.Ref().Var] = true
			}
		}
	}
	if len(a.floatVars) > 0 {
		a.wordVars()
	}
	rewrite.WriteOut(f, func(v *ir.Value) bool {
		return isFloatAtomic(v.Op) || v.Op == ir.OpAtomicCompareAndSwap || v.Op == ir.OpAtomicLoad && v.Type.Size < 4 || isLocalExchange(v) && facts.Avoids(m, "local-exchange")
	}, func(b *ir.Block, v *ir.Value) *ir.Block {
		a.zeroer = zeroer{m: m, f: f, b: b, pos: v.Pos}
		switch v.Op {
		case ir.OpAtomicLoad:
			ref, path, shift := a.wordAround(v, v.Type)
			w := a.appendAtomic(ir.OpAtomicLoad, ir.TypeI32, ref, path)
			a.replaceOp(v, ir.OpUConvert, nil, a.word(ir.OpShrL, w, shift))
		case ir.OpAtomicCompareAndSwap:
			if t := v.Args[0].Type; t.Size < 4 {
				a.swapPart(v, t)
			} else {
				a.compareAndSwap(v)
			}
		case ir.OpAtomicExchange, ir.OpAtomicStore:
			a.exchangeLoop(v)
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

// isLocalExchange reports whether v is an atomic exchange or store in work-group memory. NVIDIA's
// driver compiles atomic exchanges in work-group memory wrongly (see the quirk local-exchange).
func isLocalExchange(v *ir.Value) bool {
	return (v.Op == ir.OpAtomicExchange || v.Op == ir.OpAtomicStore) && v.Ref().Var != nil
}

// atomicOps generates the code that replaces atomic ops.
type atomicOps struct {
	groupOps
	floatVars map[*ir.Var]bool // variables that contain atomic floats
}

// IntOf returns the integer type with as many bits as the float type t. IntOf returns any other
// type t unchanged.
func IntOf(t *ir.Type) *ir.Type {
	switch t {
	case ir.TypeF32:
		return ir.TypeI32
	case ir.TypeF64:
		return ir.TypeI64
	}
	return t
}

// wordVars replaces floats by integers of the same size in the variables that contain atomic
// floats.
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
	for v := range a.floatVars {
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
			ok := r != nil && r.Var != nil && a.floatVars[r.Var]
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

// appendAtomic appends an atomic op on the integer that ref and path select.
func (a *atomicOps) appendAtomic(op ir.Op, t *ir.Type, ref *ir.Ref, path []*ir.Value, xs ...*ir.Value) *ir.Value {
	v := a.op(op, t, append(slices.Clone(xs), path...)...)
	v.Aux = ref
	return v
}

// floatOp replaces the atomic float op v by a loop. The loop repeats until no other work-item has
// changed the memory between the loop's load and its exchange.
func (a *atomicOps) floatOp(v *ir.Value) {
	x, ref, path := v.Args[0], v.Ref(), slices.Clone(v.Path())
	t, word := v.Type, IntOf(v.Type)
	if ref.Var == nil {
		addr := a.op(ir.OpAddrOf, ir.TypeAddr, path...)
		addr.Aux = ref
		ref, path = &ir.Ref{Elem: word}, []*ir.Value{addr, a.i32(0)}
	}
	by := map[ir.Op]ir.Combiner{ir.OpAtomicFAdd: ir.CombineFAdd, ir.OpAtomicFMin: ir.CombineFMin, ir.OpAtomicFMax: ir.CombineFMax}[v.Op]
	bits := a.updateLoop(word, ref, path, func(bits *ir.Value) *ir.Value {
		return a.op(ir.OpBitcast, word, a.appendCombine(by, a.op(ir.OpBitcast, t, bits), x))
	})
	a.replaceOp(v, ir.OpBitcast, nil, bits)
}

// exchangeLoop replaces the atomic exchange or store v of an integer by a loop of
// compare-and-exchange.
func (a *atomicOps) exchangeLoop(v *ir.Value) {
	x := v.Args[0]
	old := a.updateLoop(x.Type, v.Ref(), slices.Clone(v.Path()), func(*ir.Value) *ir.Value { return x })
	if v.Op == ir.OpAtomicExchange {
		a.replaceOp(v, ir.OpBitcast, nil, old)
	}
}

// updateLoop appends a loop that atomically replaces an integer in memory by f(old), where old is
// the previous integer. updateLoop returns old.
func (a *atomicOps) updateLoop(word *ir.Type, ref *ir.Ref, path []*ir.Value, f func(bits *ir.Value) *ir.Value) *ir.Value {
	first := a.appendAtomic(ir.OpAtomicLoadRelaxed, word, ref, path)
	loop, done := a.f.NewBlock(), a.f.NewBlock()
	a.b.Jump(loop)
	a.b = loop
	bits := loop.NewPhi(word, first)
	got := a.appendAtomic(ir.OpAtomicCompareExchange, word, ref, path, f(bits), bits)
	loop.Branch(a.op(ir.OpIEq, ir.TypeBool, got, bits), done, loop)
	bits.Args = append(bits.Args, got)
	a.b = done
	return bits
}

// compareAndSwap replaces v by a loop. The loop ends when the exchange succeeds, or when an atomic
// load finds another value in memory. The atomic load orders other memory accesses, but a failed
// exchange would not order them.
func (a *atomicOps) compareAndSwap(v *ir.Value) {
	next, old, ref, path := v.Args[0], v.Args[1], v.Ref(), slices.Clone(v.Path())
	loop, retry, done := a.f.NewBlock(), a.f.NewBlock(), a.f.NewBlock()
	a.b.Jump(loop)
	a.b = loop
	got := a.appendAtomic(ir.OpAtomicCompareExchange, old.Type, ref, path, next, old)
	loop.Branch(a.op(ir.OpIEq, ir.TypeBool, got, old), done, retry)
	a.b = retry
	now := a.appendAtomic(ir.OpAtomicLoad, old.Type, ref, path)
	retry.Branch(a.op(ir.OpIEq, ir.TypeBool, now, old), loop, done)
	a.b = done
	swapped := done.NewPhi(ir.TypeBool, a.m.Bool(true), a.m.Bool(false))
	a.replaceOp(v, ir.OpLAnd, nil, swapped, a.m.Bool(true))
}

// wordAround returns the 32-bit word of device memory that contains the operand of v, an atomic op
// on the small integer type t. wordAround also returns the bit offset of the integer within that
// word. Device memory is allocated in multiples of 32 bits, so the word is always accessible.
func (a *atomicOps) wordAround(v *ir.Value, t *ir.Type) (ref *ir.Ref, path []*ir.Value, shift *ir.Value) {
	addr := a.op(ir.OpAddrOf, ir.TypeAddr, v.Path()...)
	addr.Aux = v.Ref()
	bits := a.op(ir.OpBitcast, ir.TypeI64, addr)
	shift = a.word(ir.OpShl, a.word(ir.OpAnd, a.word(ir.OpUConvert, bits), a.i32(3)), a.i32(3))
	// wordAround rounds the address of the integer, as a 64-bit integer, down to a multiple of 4. A
	// negative 32-bit index would not work, because NVIDIA's driver treats it as a large positive
	// index.
	base := a.op(ir.OpBitcast, ir.TypeAddr, a.op(ir.OpAnd, ir.TypeI64, bits, a.m.Int(ir.TypeI64, -4)))
	return &ir.Ref{Elem: ir.TypeI32}, []*ir.Value{base, a.i32(0)}, shift
}

// swapPart is like compareAndSwap, for an integer of the small type t within a 32-bit word.
// swapPart repeats the exchange if other bits of the 32-bit word have changed.
func (a *atomicOps) swapPart(v *ir.Value, t *ir.Type) {
	next, old := a.word(ir.OpUConvert, v.Args[0]), a.word(ir.OpUConvert, v.Args[1])
	ref, path, shift := a.wordAround(v, t)
	mask := a.word(ir.OpShl, a.i32(1<<t.Bits()-1), shift)
	next, old = a.word(ir.OpShl, next, shift), a.word(ir.OpShl, old, shift)
	first := a.appendAtomic(ir.OpAtomicLoad, ir.TypeI32, ref, path)
	loop, try, done := a.f.NewBlock(), a.f.NewBlock(), a.f.NewBlock()
	a.b.Jump(loop)
	a.b = loop
	now := loop.NewPhi(ir.TypeI32, first)
	loop.Branch(a.op(ir.OpIEq, ir.TypeBool, a.word(ir.OpAnd, now, mask), old), try, done)
	a.b = try
	whole := a.word(ir.OpOr, a.word(ir.OpAnd, now, a.word(ir.OpNot, mask)), next)
	got := a.appendAtomic(ir.OpAtomicCompareExchange, ir.TypeI32, ref, path, whole, now)
	try.Branch(a.op(ir.OpIEq, ir.TypeBool, got, now), done, loop)
	now.Args = append(now.Args, got)
	a.b = done
	swapped := done.NewPhi(ir.TypeBool)
	for _, p := range done.Preds {
		swapped.Args = append(swapped.Args, a.m.Bool(p == try))
	}
	a.replaceOp(v, ir.OpLAnd, nil, swapped, a.m.Bool(true))
}
