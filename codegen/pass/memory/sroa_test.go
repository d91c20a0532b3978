package memory_test

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/internal/tests/passtest"
)

func TestSroa(t *testing.T) {
	// What the one store to out stores, and what stays in memory.
	for _, c := range []struct {
		name  string
		build func(t *passtest.MemFunc, dyn *ir.Value) *ir.Value
		want  *int64
		left  string
	}{
		{"struct", func(t *passtest.MemFunc, _ *ir.Value) *ir.Value {
			v := t.Local(t.Point())
			t.Zero(v)
			t.Store(v, t.N(5), t.N(1))
			return t.Load(v, ir.TypeI32, t.N(1))
		}, ptr(5), ""},
		{"zero", func(t *passtest.MemFunc, _ *ir.Value) *ir.Value {
			v := t.Local(t.Point())
			t.Store(v, t.N(5), t.N(0))
			t.Zero(v)
			return t.Load(v, ir.TypeI32, t.N(0))
		}, ptr(0), ""},
		{"copy", func(t *passtest.MemFunc, _ *ir.Value) *ir.Value {
			v, w := t.Local(t.Point()), t.Local(t.Point())
			t.Store(v, t.N(5), t.N(0))
			t.Copy(w, v)
			t.Store(v, t.N(6), t.N(0))
			return t.Load(w, ir.TypeI32, t.N(0))
		}, ptr(5), ""},
		{"array of structs", func(t *passtest.MemFunc, _ *ir.Value) *ir.Value {
			v := t.Local(t.M.ArrayOf(t.Point(), t.N(3)))
			t.Store(v, t.N(5), t.N(2), t.N(1))
			t.Store(v, t.N(6), t.N(1), t.N(1))
			return t.Load(v, ir.TypeI32, t.N(2), t.N(1))
		}, ptr(5), ""},
		{"varying index", func(t *passtest.MemFunc, dyn *ir.Value) *ir.Value {
			s := t.M.StructOf([]ir.Field{{Type: ir.TypeI32}, {Type: t.M.ArrayOf(ir.TypeI32, t.N(4)), Offset: 4}}, 20, 4)
			v := t.Local(s)
			t.Store(v, t.N(5), t.N(0))
			t.Store(v, t.N(7), t.N(1), t.N(2))
			t.Store(v, t.N(6), t.N(1), dyn)
			t.Load(v, ir.TypeI32, t.N(1), dyn)
			return t.Load(v, ir.TypeI32, t.N(0))
		}, ptr(5), "[4]i32"},
		{"varying index in a copy", func(t *passtest.MemFunc, dyn *ir.Value) *ir.Value {
			a := t.M.ArrayOf(ir.TypeI32, t.N(4))
			v, w := t.Local(a), t.Local(a)
			t.Store(v, t.N(5), t.N(0))
			t.Copy(w, v)
			return t.Load(w, ir.TypeI32, dyn)
		}, nil, "[4]i32 [4]i32"},
		{"inner index constant", func(t *passtest.MemFunc, dyn *ir.Value) *ir.Value {
			v := t.Local(t.M.ArrayOf(t.Point(), t.N(4)))
			t.Store(v, t.N(5), t.N(0), t.N(1))
			return t.Load(v, ir.TypeI32, dyn, t.N(1))
		}, nil, "[4]" + passtest.NewMemFunc().Point().String()},
		{"long array", func(t *passtest.MemFunc, _ *ir.Value) *ir.Value {
			v := t.Local(t.M.ArrayOf(ir.TypeI32, t.N(33)))
			t.Store(v, t.N(5), t.N(0))
			return t.Load(v, ir.TypeI32, t.N(0))
		}, nil, "[33]i32"},
		{"specialized array", func(t *passtest.MemFunc, _ *ir.Value) *ir.Value {
			n := t.M.SpecValue(&ir.Spec{Name: "N", Type: ir.TypeI32})
			v := t.Local(t.M.ArrayOf(ir.TypeI32, n))
			return t.Load(v, ir.TypeI32, t.N(0))
		}, nil, "[$N]i32"},
		{"never read", func(t *passtest.MemFunc, dyn *ir.Value) *ir.Value {
			a := t.M.ArrayOf(ir.TypeI32, t.N(40))
			v, w := t.Local(a), t.Local(a)
			t.Store(v, t.N(5), dyn)
			t.Copy(w, v)
			return t.N(3)
		}, ptr(3), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := passtest.NewMemFunc()
			out := f.M.NewVar(nil, ir.Workgroup, "out", ir.TypeI32)
			dyn := f.Load(out, ir.TypeI32)
			x := c.build(f, dyn)
			f.Store(out, x)
			f.B.SetTerm(ir.Term{Kind: ir.Return})
			if left := f.Left(t); left != c.left {
				t.Errorf("variables left: %q, want %q", left, c.left)
			}
			last := f.B.Insts[len(f.B.Insts)-1]
			if got := last.Args[0]; c.want != nil && (!got.IsConst() || got.Int() != *c.want) {
				t.Errorf("stores %v %v, want %d", got.Op, got.Bits, *c.want)
			}
			if err := passtest.CheckSSA(f.F); err != nil && !strings.Contains(c.left, "$") {
				t.Error(err)
			}
		})
	}
}

func ptr(n int64) *int64 { return &n }
