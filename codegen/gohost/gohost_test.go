package gohost

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/internal/matrix"
)

// later are the ops that passes behind this stage make.
var later = map[ir.Op]string{
	ir.OpBarrierLocal: "lighten",
	ir.OpPair:         "words", ir.OpLow: "words", ir.OpHigh: "words",
	ir.OpAtomicLoadVolatile:    "polls",
	ir.OpAtomicCompareExchange: "atomics",
	ir.OpCall:                  "expand",
	ir.OpVecMake:               "coarsen",
	ir.OpVecExtract:            "coarsen",
}

// gone has the ops that passes replace before there are host forms.
var gone = map[ir.Op]string{
	ir.OpFRounded:     "fuse",
	ir.OpMatrixLength: "matrices",
}

// TestOps: there is Go for every op, but for those that come later or have gone.
func TestOps(t *testing.T) {
	for _, op := range ir.Ops() {
		t.Run(op.String(), func(t *testing.T) {
			m := kernelOf(op)
			if m == nil {
				return
			}
			if err := ir.Verify(m); err != nil {
				t.Fatal(err)
			}
			f, err := Write("opHost", m, varying{}, false)
			if by, ok := gone[op]; ok {
				if err == nil {
					t.Errorf("there is Go for an op that pass %s replaces", by)
				}
				return
			}
			if by, ok := later[op]; ok {
				if err == nil {
					t.Errorf("there is Go for an op that pass %s makes", by)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, err := File("// Test.", "p", []*Form{f}); err != nil {
				t.Errorf("%v\n%s", err, f.code)
			}
		})
	}
}

// TestWideIDs: an id that is used as an int alone has no variable, which Go would not compile.
func TestWideIDs(t *testing.T) {
	m := kernelOf(ir.OpIAdd)
	b := m.Kernel.Blocks[0]
	x := b.Insts[0]
	b.Insts = b.Insts[:1]
	id := b.Append(ir.OpBuiltIn, ir.TypeI32)
	id.Aux = ir.GlobalInvocationIDX
	for i := range 2 {
		wide := b.Append(ir.OpUConvert, ir.TypeI64, id)
		product := b.Append(ir.OpIMul, ir.TypeI64, wide, wide)
		b.Append(ir.OpStore, ir.TypeVoid, product, x, m.Int(ir.TypeI32, int64(i))).Aux = &ir.Ref{Elem: ir.TypeI64}
	}
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	f, err := Write("idHost", m, varying{}, false)
	if err != nil {
		t.Fatal(err)
	}
	code, err := File("// Test.", "p", []*Form{f})
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "p.go", code, 0)
	if err != nil {
		t.Fatal(err)
	}
	conf := types.Config{Error: func(err error) {
		if strings.Contains(err.Error(), "declared and not used") { // there are no imports, so there are other errors
			t.Errorf("%v\n%s", err, code)
		}
	}}
	_, _ = conf.Check("p", set, []*ast.File{file}, nil)
}

// varying says that work-items have nothing in common.
type varying struct{}

func (varying) Value(*ir.Value) bool { return false }
func (varying) Short(*ir.Block) bool { return false }

// kernelOf returns a kernel that computes op and stores its result, or nil for
// constants and phis, which stand in no list of instructions.
func kernelOf(op ir.Op) *ir.Module {
	info := op.Info()
	if op.Has(ir.FlagConst) || op == ir.OpPhi {
		return nil
	}
	m := ir.NewModule("Op")
	m.Form, m.Rank, m.UsesGroup = abi.NDRange, 1, true
	m.Params = []abi.Param{{Name: "X", Kind: abi.Slice, Offset: 0, Size: 16, ElemSize: 8, ElemAlign: 8}}
	m.ArgSize = 64
	f := m.NewFunc("main")
	m.Kernel = f
	b := f.Blocks[0]
	arg := func(t *ir.Type, off uint64) *ir.Value {
		v := b.Append(ir.OpArg, t)
		v.Bits = off
		return v
	}
	x := arg(ir.TypeAddr, abi.OffsetArgs)
	types := map[byte]*ir.Type{'b': ir.TypeBool, 'w': ir.TypeI32, 'k': ir.TypeI32, 'q': ir.TypeI64, 'a': ir.TypeAddr, 'i': ir.TypeI32, 'I': ir.TypeI32,
		'f': ir.TypeF32, 'F': ir.TypeF32, 's': ir.TypeI32, 'S': ir.TypeI32, 'm': ir.TypeI32, 'v': ir.TypeI32x4, '-': ir.TypeVoid}
	in, out, _ := strings.Cut(info.Sig, ":")
	v := f.NewValue(op, types[out[0]])
	v.Block = b
	for i := range len(in) {
		switch c := in[i]; {
		case c == '.' && op == ir.OpStore:
			v.Args = append(v.Args, x, m.Int(ir.TypeI32, 1))
		case c == '.':
			v.Args = append(v.Args, x, arg(ir.TypeI32, 48))
		case c == 'a':
			v.Args = append(v.Args, x)
		case c == 'v':
			n := m.Int(ir.TypeI32, 1)
			v.Args = append(v.Args, b.Append(ir.OpVecMake, types[c], n, n, n, n))
		case c == 'k' || info.Aux == ir.AuxCombine && i == 1:
			v.Args = append(v.Args, m.Const(types[c], 0))
		case c != '*':
			v.Args = append(v.Args, arg(types[c], 40))
		}
	}
	if op == ir.OpVecMake {
		for range 4 {
			v.Args = append(v.Args, m.Int(ir.TypeI32, 1))
		}
	}
	setAux(m, v)
	if op == ir.OpCall {
		return m2(m)
	}
	b.Insts = append(b.Insts, v)
	if v.Type == ir.TypeAddr {
		v = b.Append(ir.OpAddrIsNull, ir.TypeBool, v)
	}
	if v.Type != ir.TypeVoid {
		b.Append(ir.OpStore, ir.TypeVoid, v, x, m.Int(ir.TypeI32, 0)).Aux = &ir.Ref{Elem: v.Type}
	}
	b.SetTerm(ir.Term{Kind: ir.Return})
	return m
}

// m2 adds a helper that the kernel calls.
func m2(m *ir.Module) *ir.Module {
	h := m.NewFunc("helper")
	h.Blocks[0].SetTerm(ir.Term{Kind: ir.Return})
	m.Helpers = append(m.Helpers, h)
	b := m.Kernel.Blocks[0]
	b.Append(ir.OpCall, ir.TypeVoid).Aux = h
	b.SetTerm(ir.Term{Kind: ir.Return})
	return m
}

func matrixOf(m *ir.Module, use matrix.Use, elem matrix.Elem) *ir.Var {
	m.Target.Host = true
	return m.NewVar(nil, ir.Workgroup, "m", m.HostMatrixOf(matrix.Shape{Use: use, Rows: 2, Cols: 2, Elem: elem}))
}

func setAux(m *ir.Module, v *ir.Value) {
	own := func(s ir.Storage) *ir.Var {
		return m.NewVar(m.Kernel, s, "v", m.ArrayOf(ir.TypeI32, m.Int(ir.TypeI32, 4)))
	}
	switch info := v.Op.Info(); info.Aux {
	case ir.AuxRef:
		t := v.Type
		if v.Op == ir.OpStore || v.Op == ir.OpAtomicStore || v.Op == ir.OpAtomicStoreRelaxed || v.Op == ir.OpAtomicCompareAndSwap {
			t = v.Args[0].Type
		}
		r := &ir.Ref{Elem: t}
		switch v.Op {
		case ir.OpZero:
			r = &ir.Ref{Var: own(ir.Function)}
		case ir.OpZeroLocal:
			r = &ir.Ref{Var: own(ir.Workgroup)}
		case ir.OpAddrOf:
			r = &ir.Ref{Elem: ir.TypeI32}
		}
		v.Aux = r
	case ir.AuxCopy:
		v.Aux = &ir.Copy{Dst: own(ir.Function), Src: own(ir.Function)}
	case ir.AuxTile:
		t := &ir.Tile{Matrix: matrixOf(m, matrix.Accumulator, matrix.Int32)}
		if v.Op != ir.OpMatrixLength {
			t.Mem = &ir.Ref{Elem: ir.TypeI32}
		}
		v.Aux = t
	case ir.AuxProduct:
		sum := matrixOf(m, matrix.Accumulator, matrix.Int32)
		v.Aux = &ir.Product{To: sum, A: matrixOf(m, matrix.A, matrix.Int8), B: matrixOf(m, matrix.B, matrix.Int8), C: sum}
	case ir.AuxBuiltIn:
		v.Aux = ir.LocalInvocationIDX
	case ir.AuxSite:
		v.Aux = m.NewSite(abi.FaultIndex, ir.Pos{File: "k.go", Line: 1, Col: 2}, "", true)
	case ir.AuxScope:
		v.Aux = ir.ScopeSubGroup
	case ir.AuxCombine:
		v.Aux = ir.Combine{Scope: ir.ScopeSubGroup, By: ir.CombineIAdd}
	case ir.AuxBits:
		if v.Op == ir.OpArg {
			v.Bits = abi.OffsetArgs + 8
		}
	}
}
