package ir_test

import (
	"os"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/internal/matrix"
)

// matrixModule returns a module that loads, multiplies and stores matrices.
func matrixModule() *ir.Module {
	m := ir.NewModule("Mul")
	m.Form, m.Rank, m.UsesGroup = abi.NDRange, 2, true
	m.Params = []abi.Param{{Name: "X", Kind: abi.Slice, Offset: 0, Size: 16, ElemSize: 4, ElemAlign: 4}}
	m.ArgSize = 64
	m.Kernel = m.NewFunc("main")
	b := m.Kernel.Blocks[0]
	shape := func(use matrix.Use, rows, cols int, e matrix.Elem) *ir.Var {
		return m.NewVar(m.Kernel, ir.Function, "m", m.MatrixOf(matrix.Shape{Use: use, Rows: rows, Cols: cols, Elem: e}))
	}
	x := b.Append(ir.OpArg, ir.TypeAddr)
	x.Bits = abi.OffsetArgs
	stride := m.Int(ir.TypeI64, 8)
	sum, next := shape(matrix.Accumulator, 4, 2, matrix.Float32), shape(matrix.Accumulator, 4, 2, matrix.Float32)
	p := &ir.Product{To: next, A: shape(matrix.A, 4, 8, matrix.Float16), B: shape(matrix.B, 8, 2, matrix.Float16), C: sum}
	b.Append(ir.OpZero, ir.TypeVoid).Aux = &ir.Ref{Var: sum}
	b.Append(ir.OpMatrixLoad, ir.TypeVoid, stride, x, m.Int(ir.TypeI64, 3)).Aux = &ir.Tile{Matrix: p.A, Mem: &ir.Ref{Elem: ir.TypeI16}}
	b.Append(ir.OpMatrixLoad, ir.TypeVoid, stride, x, m.Int(ir.TypeI64, 0)).Aux = &ir.Tile{Matrix: p.B, Mem: &ir.Ref{Elem: ir.TypeI16}, Columns: true}
	b.Append(ir.OpMatrixMulAdd, ir.TypeVoid).Aux = p
	n := b.Append(ir.OpMatrixLength, ir.TypeI32)
	n.Aux = &ir.Tile{Matrix: next}
	b.Append(ir.OpCopyVar, ir.TypeVoid).Aux = &ir.Copy{Dst: sum, Src: next}
	b.Append(ir.OpMatrixStore, ir.TypeVoid, stride, x, n).Aux = &ir.Tile{Matrix: sum, Mem: &ir.Ref{Elem: ir.TypeF32}}
	b.SetTerm(ir.Term{Kind: ir.Return})
	return m
}

// TestMatrixText: the text of a module with matrices is read back, and its clone has the same.
func TestMatrixText(t *testing.T) {
	m := matrixModule()
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	text := m.String()
	file, err := os.ReadFile("testdata/matrix.ir")
	if err != nil {
		t.Fatal(err)
	}
	if text != string(file) {
		t.Errorf("testdata/matrix.ir, which other tests read, is not the text:\n%s", text)
	}
	for _, want := range []string{"<A 4 8 half.Float16>[", "<Accumulator 4 2 float32>[", "MatrixLoad [var m#", ", columns, i64 8", "MatrixMulAdd [var m#2], [var m#3], [var m#4], [var m]"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	back, err := ir.Parse(text)
	if err == nil {
		err = ir.Verify(back)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	clone := m.Clone()
	m.Kernel.Blocks[0].Insts = nil
	if err := ir.Verify(clone); err != nil {
		t.Error(err)
	}
	for name, s := range map[string]string{"read back": back.String(), "the clone": clone.String()} {
		if s != text {
			t.Errorf("%s:\n%s\nwant\n%s", name, s, text)
		}
	}
}

// TestMatrixVerify: a module whose matrices do not go together is refused.
func TestMatrixVerify(t *testing.T) {
	insts := func(m *ir.Module) []*ir.Value { return m.Kernel.Blocks[0].Insts }
	product := func(m *ir.Module) *ir.Product { return insts(m)[4].Aux.(*ir.Product) }
	for name, test := range map[string]struct {
		change func(m *ir.Module)
		want   string
	}{
		"swapped":            {func(m *ir.Module) { p := product(m); p.A, p.B = p.B, p.A }, "columns"},
		"no product":         {func(m *ir.Module) { insts(m)[4].Aux = nil }, "auxiliary"},
		"no memory":          {func(m *ir.Module) { insts(m)[2].Aux.(*ir.Tile).Mem = nil }, "no memory"},
		"a length of memory": {func(m *ir.Module) { insts(m)[5].Aux.(*ir.Tile).Mem = &ir.Ref{Elem: ir.TypeF32} }, "no memory"},
		"the element's type": {func(m *ir.Module) { insts(m)[2].Aux.(*ir.Tile).Mem.Elem = ir.TypeF32 }, "the path leads to f32"},
		"no matrix": {func(m *ir.Module) {
			product(m).To = m.NewVar(m.Kernel, ir.Function, "v", m.ArrayOf(ir.TypeF32, m.Int(ir.TypeI32, 8)))
		}, "not a matrix"},
		"another's": {func(m *ir.Module) { product(m).To = matrixModule().Kernel.Vars[0] }, "not a matrix"},
		"a stored A": {func(m *ir.Module) {
			v := insts(m)[7]
			v.Aux = &ir.Tile{Matrix: product(m).A, Mem: &ir.Ref{Elem: ir.TypeI16}}
		}, "no accumulator is stored"},
		"own memory": {func(m *ir.Module) {
			v := m.NewVar(m.Kernel, ir.Function, "v", m.ArrayOf(ir.TypeI32, m.Int(ir.TypeI32, 64)))
			insts(m)[2].Aux.(*ir.Tile).Mem = &ir.Ref{Var: v}
			insts(m)[2].Args = insts(m)[2].Args[:2]
			insts(m)[2].Args[1] = m.Int(ir.TypeI32, 0)
		}, "not for a variable"},
	} {
		t.Run(name, func(t *testing.T) {
			m := matrixModule()
			test.change(m)
			if err := ir.Verify(m); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}
