package emit

import (
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// builder makes modules for tests: a kernel, and the block that is being
// filled.
type builder struct {
	*ir.Module
	at   *ir.Block
	outs int // results stored so far
}

func newBuilder() *builder {
	m := ir.NewModule("test")
	m.ArgSize = 96
	m.Level = ir.Legal
	m.Form, m.Rank = abi.Range, 1
	m.Kernel = m.NewFunc("main")
	for i, name := range []string{"LocalSizeX", "LocalSizeY", "LocalSizeZ"} {
		m.Specs = append(m.Specs, &ir.Spec{ID: abi.SpecLocalSizeX + uint32(i), Name: name, Type: ir.TypeI32, Default: 1})
	}
	return &builder{Module: m, at: m.Kernel.Blocks[0]}
}

// kernel returns a finished module whose body is straight-line.
func kernel(body func(b *builder)) *ir.Module {
	b := newBuilder()
	body(b)
	if b.at.Term.Kind == ir.Invalid {
		b.ret()
	}
	return b.Module
}

func (b *builder) ret() { b.at.SetTerm(ir.Term{Kind: ir.Return}) }

// block adds a block.
func (b *builder) block() *ir.Block { return b.at.Func.NewBlock() }

func (b *builder) op(op ir.Op, t *ir.Type, args ...*ir.Value) *ir.Value {
	return b.at.Append(op, t, args...)
}

func (b *builder) arg(offset int, t *ir.Type) *ir.Value {
	v := b.op(ir.OpArg, t)
	v.Bits = uint64(offset)
	return v
}

func (b *builder) builtIn(x ir.BuiltIn) *ir.Value {
	v := b.op(ir.OpBuiltIn, ir.TypeI32)
	v.Aux = x
	return v
}

func (b *builder) i32(n int64) *ir.Value { return b.Int(ir.TypeI32, n) }

// mem is an op on device memory at addr.
func (b *builder) mem(op ir.Op, t, elem *ir.Type, args ...*ir.Value) *ir.Value {
	v := b.op(op, t, args...)
	v.Aux = &ir.Ref{Elem: elem}
	return v
}

// vmem is an op on a variable.
func (b *builder) vmem(op ir.Op, t *ir.Type, x *ir.Var, args ...*ir.Value) *ir.Value {
	v := b.op(op, t, args...)
	v.Aux = &ir.Ref{Var: x}
	return v
}

// out stores x in the next eight bytes of what the first argument points to.
func (b *builder) out(x *ir.Value) {
	switch x.Type.Kind {
	case ir.Bool:
		x = b.op(ir.OpSelect, ir.TypeI32, x, b.i32(1), b.i32(0))
	case ir.Void:
		return
	}
	index := b.i32(int64(8 * b.outs / x.Type.Size))
	b.outs++
	b.mem(ir.OpStore, ir.TypeVoid, x.Type, x, b.arg(abi.OffsetArgs, ir.TypeAddr), index)
}

func (b *builder) local(t *ir.Type) *ir.Var { return b.NewVar(b.at.Func, ir.Function, "v", t) }

func (b *builder) barrier(s ir.Scope) {
	b.UsesGroup = true
	b.op(ir.OpBarrier, ir.TypeVoid).Aux = s
}

func mustEmit(t *testing.T, m *ir.Module) []uint32 {
	t.Helper()
	words, err := Emit(m)
	if err != nil {
		t.Fatal(err)
	}
	return words
}
