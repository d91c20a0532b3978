package facts

import (
	"math"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// TestSmallBounds asks for the bounds of sums and products whose arguments are
// bounded, but which wrap around, or need products that no launch has.
func TestSmallBounds(t *testing.T) {
	m := ir.NewModule("t")
	m.Form, m.Rank, m.ArgSize = abi.NDRange, 1, 32
	m.Params = []abi.Param{{Name: "N", Kind: abi.Value, Type: "int", Offset: 0, Size: 8}}
	f := m.NewFunc("main")
	m.Kernel = f
	b := f.Blocks[0]
	op := func(op ir.Op, args ...*ir.Value) *ir.Value {
		ty := ir.TypeI64
		if op == ir.OpSLt {
			ty = ir.TypeBool
		}
		return b.Append(op, ty, args...)
	}
	arg := func(at int) *ir.Value {
		v := op(ir.OpArg)
		v.Bits = uint64(abi.OffsetArgs + at)
		return v
	}
	num := func(n int64) *ir.Value { return m.Int(ir.TypeI64, n) }
	// Whatever is known of them is an upper end: 5 at most.
	least := func(x *ir.Value, n int64) *ir.Value {
		return op(ir.OpSelect, op(ir.OpSLt, x, num(n)), x, num(n))
	}
	x, y := least(arg(8), 5), least(arg(16), 5)
	low := arg(24)
	bits := op(ir.OpAnd, low, num(7))
	n := arg(0)
	big := op(ir.OpAnd, low, num(1<<20-1))
	wide := least(op(ir.OpAnd, arg(8), num(1<<21-1)), 1<<20)
	half := least(op(ir.OpAnd, arg(16), num(1<<16-1)), 1<<15)
	once := op(ir.OpIMul, op(ir.OpIMul, n, wide), half)
	twice := op(ir.OpIMul, op(ir.OpIMul, once, wide), half)
	rows := []struct {
		name string
		v    *ir.Value
		ok   bool
	}{
		{"sum", op(ir.OpIAdd, x, y), false},
		{"difference", op(ir.OpISub, x, bits), false},
		{"difference of bits", op(ir.OpISub, op(ir.OpIMul, n, big), bits), true},
		{"product", op(ir.OpIMul, x, big), false},
		{"shift", op(ir.OpShl, x, num(4)), false},
		{"coefficient that wraps around", twice, false},
		{"coefficient that is too large", once, false},
		{"coefficient", op(ir.OpIMul, n, big), true},
		{"sum of what is not negative", op(ir.OpIAdd, op(ir.OpIMul, n, big), bits), true},
	}
	b.SetTerm(ir.Term{Kind: ir.Return})
	m.Target.Small = true
	a := NewRanges(m)
	a.Solve()
	d := &boundFinder{a: a, p: NewProver(a)}
	for _, r := range rows {
		s, ok := d.boundOf(r.v, b, maxBoundDepth)
		if ok != r.ok {
			t.Errorf("%s: %v %v", r.name, s, ok)
		}
		if ok && s.maxValue() > math.MaxInt32 {
			t.Errorf("%s: %d is no use", r.name, s.maxValue())
		}
	}
}

// TestSmallGroups: a work-group's id is bounded by the number of work-groups, and a work-item's
// by the range.
func TestSmallGroups(t *testing.T) {
	m := ir.NewModule("t")
	m.Form, m.Rank, m.ArgSize, m.Target.Small = abi.NDRange, 2, 8, true
	m.Params = []abi.Param{{Name: "N", Kind: abi.Value, Type: "int", Offset: 0, Size: 8}}
	f := m.NewFunc("main")
	m.Kernel = f
	b := f.Blocks[0]
	id := func(x ir.BuiltIn) *ir.Value {
		v := b.Append(ir.OpBuiltIn, ir.TypeI32)
		v.Aux = x
		return b.Append(ir.OpUConvert, ir.TypeI64, v)
	}
	n := b.Append(ir.OpArg, ir.TypeI64)
	n.Bits = abi.OffsetArgs
	up := b.Append(ir.OpSelect, ir.TypeI64, b.Append(ir.OpSLt, ir.TypeBool, n, m.Int(ir.TypeI64, 0)), m.Int(ir.TypeI64, 0), n)
	b.Append(ir.OpIMul, ir.TypeI64, id(ir.WorkgroupIDY), up)
	b.Append(ir.OpIMul, ir.TypeI64, id(ir.GlobalInvocationIDX), up)
	b.SetTerm(ir.Term{Kind: ir.Return})
	var r Result
	Solved(m, nil, &r)
	for _, want := range [][]int{{abi.FactorGroups + 1}, {abi.FactorGroups + 1, abi.OffsetArgs}, {abi.OffsetRange}, {abi.OffsetRange, abi.OffsetArgs}} {
		if !slices.ContainsFunc(r.Products, func(p []int) bool { return slices.Equal(p, want) }) {
			t.Errorf("%v is missing among %v", want, r.Products)
		}
	}
	if len(r.Products) != 5 { // and N
		t.Errorf("products %v", r.Products)
	}
}
