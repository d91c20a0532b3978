package passtest

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/memory"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// MemFunc builds functions that consist of memory ops.
type MemFunc struct {
	M *ir.Module
	F *ir.Func
	B *ir.Block
}

// NewMemFunc returns an empty function.
func NewMemFunc() *MemFunc {
	m := ir.NewModule("t")
	f := m.NewFunc("k")
	m.Kernel = f
	return &MemFunc{m, f, f.Blocks[0]}
}

// N returns a constant.
func (t *MemFunc) N(i int64) *ir.Value { return t.M.Int(ir.TypeI32, i) }

// Local declares a private variable of type typ.
func (t *MemFunc) Local(typ *ir.Type) *ir.Var { return t.M.NewVar(t.F, ir.Function, "v", typ) }

// Load appends a load of the element of v that path selects.
func (t *MemFunc) Load(v *ir.Var, typ *ir.Type, path ...*ir.Value) *ir.Value {
	l := t.B.Append(ir.OpLoad, typ, path...)
	l.Aux = &ir.Ref{Var: v}
	return l
}

// Store appends a store of x to the element of v that path selects.
func (t *MemFunc) Store(v *ir.Var, x *ir.Value, path ...*ir.Value) {
	t.B.Append(ir.OpStore, ir.TypeVoid, append([]*ir.Value{x}, path...)...).Aux = &ir.Ref{Var: v}
}

// Zero zeroes a variable.
func (t *MemFunc) Zero(v *ir.Var) { t.B.Append(ir.OpZero, ir.TypeVoid).Aux = &ir.Ref{Var: v} }

// Copy copies a variable to another.
func (t *MemFunc) Copy(dst, src *ir.Var) {
	t.B.Append(ir.OpCopyVar, ir.TypeVoid).Aux = &ir.Copy{Dst: dst, Src: src}
}

// Left runs the passes sroa and mem2reg, and returns the types of the remaining variables.
func (t *MemFunc) Left(tt *testing.T) string {
	tt.Helper()
	memory.SRoA(t.M)
	for _, b := range t.F.Blocks {
		for _, v := range b.Insts {
			if r := v.Ref(); r != nil && v.Op != ir.OpZero {
				leaf := r.Leaf(v.Path())
				if want := v.Type; leaf == nil || v.Op == ir.OpLoad && leaf != want || v.Op == ir.OpStore && leaf != v.Args[0].Type {
					tt.Fatalf("%v of %v in a variable of type %v", v.Op, leaf, r.Var.Type)
				}
			}
		}
	}
	rewrite.Mem2Reg(t.M)
	var s []string
	for _, v := range t.F.Vars {
		s = append(s, v.Type.String())
	}
	return strings.Join(s, " ")
}

// Point returns a struct type with two i32 fields.
func (t *MemFunc) Point() *ir.Type {
	return t.M.StructOf([]ir.Field{{Name: "x", Type: ir.TypeI32}, {Name: "y", Type: ir.TypeI32, Offset: 4}}, 8, 4)
}
