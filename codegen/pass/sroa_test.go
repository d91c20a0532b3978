package pass

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/memory"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// memFunc builds functions of memory ops.
type memFunc struct {
	m *ir.Module
	f *ir.Func
	b *ir.Block
}

func newMemFunc() *memFunc {
	m := ir.NewModule("t")
	f := m.NewFunc("k")
	m.Kernel = f
	return &memFunc{m, f, f.Blocks[0]}
}

func (t *memFunc) n(i int64) *ir.Value { return t.m.Int(ir.TypeI32, i) }

func (t *memFunc) local(typ *ir.Type) *ir.Var { return t.m.NewVar(t.f, ir.Function, "v", typ) }

func (t *memFunc) load(v *ir.Var, typ *ir.Type, path ...*ir.Value) *ir.Value {
	l := t.b.Append(ir.OpLoad, typ, path...)
	l.Aux = &ir.Ref{Var: v}
	return l
}

func (t *memFunc) store(v *ir.Var, x *ir.Value, path ...*ir.Value) {
	t.b.Append(ir.OpStore, ir.TypeVoid, append([]*ir.Value{x}, path...)...).Aux = &ir.Ref{Var: v}
}

func (t *memFunc) zero(v *ir.Var) { t.b.Append(ir.OpZero, ir.TypeVoid).Aux = &ir.Ref{Var: v} }

func (t *memFunc) copy(dst, src *ir.Var) {
	t.b.Append(ir.OpCopyVar, ir.TypeVoid).Aux = &ir.Copy{Dst: dst, Src: src}
}

// left runs sroa and mem2reg and returns the types of the variables that are left.
func (t *memFunc) left(tt *testing.T) string {
	tt.Helper()
	memory.SRoA(t.m)
	for _, b := range t.f.Blocks {
		for _, v := range b.Insts {
			if r := v.Ref(); r != nil && v.Op != ir.OpZero {
				leaf := r.Leaf(v.Path())
				if want := v.Type; leaf == nil || v.Op == ir.OpLoad && leaf != want || v.Op == ir.OpStore && leaf != v.Args[0].Type {
					tt.Fatalf("%v of %v in a variable of type %v", v.Op, leaf, r.Var.Type)
				}
			}
		}
	}
	rewrite.Mem2Reg(t.m)
	var s []string
	for _, v := range t.f.Vars {
		s = append(s, v.Type.String())
	}
	return strings.Join(s, " ")
}

func (t *memFunc) point() *ir.Type {
	return t.m.StructOf([]ir.Field{{Name: "x", Type: ir.TypeI32}, {Name: "y", Type: ir.TypeI32, Offset: 4}}, 8, 4)
}

func TestSroa(t *testing.T) {
	// What the one store to out stores, and what stays in memory.
	for _, c := range []struct {
		name  string
		build func(t *memFunc, dyn *ir.Value) *ir.Value
		want  *int64
		left  string
	}{
		{"struct", func(t *memFunc, _ *ir.Value) *ir.Value {
			v := t.local(t.point())
			t.zero(v)
			t.store(v, t.n(5), t.n(1))
			return t.load(v, ir.TypeI32, t.n(1))
		}, ptr(5), ""},
		{"zero", func(t *memFunc, _ *ir.Value) *ir.Value {
			v := t.local(t.point())
			t.store(v, t.n(5), t.n(0))
			t.zero(v)
			return t.load(v, ir.TypeI32, t.n(0))
		}, ptr(0), ""},
		{"copy", func(t *memFunc, _ *ir.Value) *ir.Value {
			v, w := t.local(t.point()), t.local(t.point())
			t.store(v, t.n(5), t.n(0))
			t.copy(w, v)
			t.store(v, t.n(6), t.n(0))
			return t.load(w, ir.TypeI32, t.n(0))
		}, ptr(5), ""},
		{"array of structs", func(t *memFunc, _ *ir.Value) *ir.Value {
			v := t.local(t.m.ArrayOf(t.point(), t.n(3)))
			t.store(v, t.n(5), t.n(2), t.n(1))
			t.store(v, t.n(6), t.n(1), t.n(1))
			return t.load(v, ir.TypeI32, t.n(2), t.n(1))
		}, ptr(5), ""},
		{"varying index", func(t *memFunc, dyn *ir.Value) *ir.Value {
			s := t.m.StructOf([]ir.Field{{Type: ir.TypeI32}, {Type: t.m.ArrayOf(ir.TypeI32, t.n(4)), Offset: 4}}, 20, 4)
			v := t.local(s)
			t.store(v, t.n(5), t.n(0))
			t.store(v, t.n(7), t.n(1), t.n(2))
			t.store(v, t.n(6), t.n(1), dyn)
			t.load(v, ir.TypeI32, t.n(1), dyn)
			return t.load(v, ir.TypeI32, t.n(0))
		}, ptr(5), "[4]i32"},
		{"varying index in a copy", func(t *memFunc, dyn *ir.Value) *ir.Value {
			a := t.m.ArrayOf(ir.TypeI32, t.n(4))
			v, w := t.local(a), t.local(a)
			t.store(v, t.n(5), t.n(0))
			t.copy(w, v)
			return t.load(w, ir.TypeI32, dyn)
		}, nil, "[4]i32 [4]i32"},
		{"inner index constant", func(t *memFunc, dyn *ir.Value) *ir.Value {
			v := t.local(t.m.ArrayOf(t.point(), t.n(4)))
			t.store(v, t.n(5), t.n(0), t.n(1))
			return t.load(v, ir.TypeI32, dyn, t.n(1))
		}, nil, "[4]" + newMemFunc().point().String()},
		{"long array", func(t *memFunc, _ *ir.Value) *ir.Value {
			v := t.local(t.m.ArrayOf(ir.TypeI32, t.n(33)))
			t.store(v, t.n(5), t.n(0))
			return t.load(v, ir.TypeI32, t.n(0))
		}, nil, "[33]i32"},
		{"specialized array", func(t *memFunc, _ *ir.Value) *ir.Value {
			n := t.m.SpecValue(&ir.Spec{Name: "N", Type: ir.TypeI32})
			v := t.local(t.m.ArrayOf(ir.TypeI32, n))
			return t.load(v, ir.TypeI32, t.n(0))
		}, nil, "[$N]i32"},
		{"never read", func(t *memFunc, dyn *ir.Value) *ir.Value {
			a := t.m.ArrayOf(ir.TypeI32, t.n(40))
			v, w := t.local(a), t.local(a)
			t.store(v, t.n(5), dyn)
			t.copy(w, v)
			return t.n(3)
		}, ptr(3), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newMemFunc()
			out := f.m.NewVar(nil, ir.Workgroup, "out", ir.TypeI32)
			dyn := f.load(out, ir.TypeI32)
			x := c.build(f, dyn)
			f.store(out, x)
			f.b.SetTerm(ir.Term{Kind: ir.Return})
			if left := f.left(t); left != c.left {
				t.Errorf("variables left: %q, want %q", left, c.left)
			}
			last := f.b.Insts[len(f.b.Insts)-1]
			if got := last.Args[0]; c.want != nil && (!got.IsConst() || got.Int() != *c.want) {
				t.Errorf("stores %v %v, want %d", got.Op, got.Bits, *c.want)
			}
			if err := checkSSA(f.f); err != nil && !strings.Contains(c.left, "$") {
				t.Error(err)
			}
		})
	}
}

// A loop that stores back what it loaded needs no phi; one that loads nothing
// gets none.
func TestMem2regNoPhis(t *testing.T) {
	for _, again := range []bool{false, true} {
		f := newMemFunc()
		v := f.local(ir.TypeI32)
		out := f.m.NewVar(nil, ir.Workgroup, "out", ir.TypeI32)
		f.store(v, f.n(5))
		if again {
			f.store(out, f.load(v, ir.TypeI32))
		}
		loop, end := f.f.NewBlock(), f.f.NewBlock()
		f.b.Jump(loop)
		f.b = loop
		if again {
			f.store(v, f.load(v, ir.TypeI32))
		} else {
			f.store(v, f.n(6))
			f.store(out, f.load(v, ir.TypeI32))
		}
		c := f.b.Append(ir.OpINe, ir.TypeBool, f.load(out, ir.TypeI32), f.n(0))
		f.b.Branch(c, loop, end)
		f.b = end
		f.store(out, f.load(v, ir.TypeI32))
		end.SetTerm(ir.Term{Kind: ir.Return})
		if left := f.left(t); left != "" || len(loop.Phis) > 0 {
			t.Errorf("again %v: %q left\n%s", again, left, show(f.f))
		}
	}
}

func ptr(n int64) *int64 { return &n }
