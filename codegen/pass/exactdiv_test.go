package pass

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/numbers"
	"github.com/kgen-go/kgen/properties"
)

// correction is a corrected operation, made ready to run many times.
type correction struct {
	steps  []step
	consts []uint32 // the values before the first run
	result int
}

type step struct {
	op   ir.Op
	out  int
	args [3]int
}

// newCorrection runs the pass on one operation and returns the corrected arm,
// whose operands are the values 0 and 1.
func newCorrection(t testing.TB, op ir.Op) *correction {
	m := ir.NewModule("k")
	f := m.NewFunc("main")
	m.Kernel = f
	params := []*ir.Value{f.NewParam(ir.TypeF32), f.NewParam(ir.TypeF32)}
	b := f.Blocks[0]
	args := params
	if op == ir.OpFSqrt {
		args = params[:1]
	}
	v := b.Append(op, ir.TypeF32, args...)
	b.SetTerm(ir.Term{Kind: ir.Return})
	numbers.ExactDivide(m)
	if v.Op != ir.OpSelect || v.Args[2].Op != op {
		t.Fatalf("the pass left %v", v.LongString())
	}
	c := &correction{}
	at := map[*ir.Value]int{}
	index := func(v *ir.Value) int {
		i, ok := at[v]
		if !ok {
			i = len(at)
			at[v] = i
			c.consts = append(c.consts, uint32(v.Bits))
		}
		return i
	}
	for _, p := range params {
		index(p)
	}
	for _, w := range b.Insts {
		if w == v || w == v.Args[2] {
			continue
		}
		s := step{op: w.Op}
		for i, a := range w.Args {
			if !a.IsConst() && a.Block == nil && a != params[0] && a != params[1] {
				t.Fatalf("%v is neither", a.LongString())
			}
			s.args[i] = index(a)
		}
		s.out = index(w)
		c.steps = append(c.steps, s)
	}
	c.result = index(v.Args[1])
	return c
}

// run computes the operation where the device's own result for significands is
// wrong by off units in the last place.
func (c *correction) run(t testing.TB, vals []uint32, off int32) uint32 {
	for i := range c.steps {
		s := &c.steps[i]
		a, b := vals[s.args[0]], vals[s.args[1]]
		var r uint32
		switch s.op {
		case ir.OpFDiv:
			x, y := math.Float32frombits(a), math.Float32frombits(b)
			r = perturb(t, x/y, off, 1 <= x && x < 4 && 1 <= y && y < 2)
		case ir.OpFSqrt:
			x := math.Float32frombits(a)
			r = perturb(t, float32(math.Sqrt(float64(x))), off, 1 <= x && x < 4)
		case ir.OpUToF:
			r = math.Float32bits(float32(a))
		case ir.OpBitcast:
			r = a
		case ir.OpAnd:
			r = a & b
		case ir.OpOr:
			r = a | b
		case ir.OpXor:
			r = a ^ b
		case ir.OpLOr:
			r = a | b
		case ir.OpIAdd:
			r = a + b
		case ir.OpISub:
			r = a - b
		case ir.OpIMul:
			r = a * b
		case ir.OpShl, ir.OpShrL, ir.OpShrA:
			switch {
			case b >= 32:
				t.Fatalf("a shift by %d", b)
			case s.op == ir.OpShl:
				r = a << b
			case s.op == ir.OpShrL:
				r = a >> b
			default:
				r = uint32(int32(a) >> b)
			}
		case ir.OpIEq:
			r = uint32(facts.BoolBits(a == b))
		case ir.OpULt:
			r = uint32(facts.BoolBits(a < b))
		case ir.OpULe:
			r = uint32(facts.BoolBits(a <= b))
		case ir.OpSLt:
			r = uint32(facts.BoolBits(int32(a) < int32(b)))
		case ir.OpSLe:
			r = uint32(facts.BoolBits(int32(a) <= int32(b)))
		case ir.OpSelect:
			r = vals[s.args[2]]
			if a != 0 {
				r = b
			}
		default:
			t.Fatalf("%v is unexpected", s.op)
		}
		vals[s.out] = r
	}
	return vals[c.result]
}

// perturb moves a result by off units in the last place of [1, 2), if it is one
// of significands; devices are asked for no others but special ones.
func perturb(t testing.TB, r float32, off int32, significands bool) uint32 {
	if !significands {
		if r == r && r != 0 && !math.IsInf(float64(r), 0) {
			t.Fatalf("the device is asked for %g", r)
		}
		return math.Float32bits(r)
	}
	return math.Float32bits(float32(float64(r) + float64(off)*0x1p-23))
}

var edges = []uint32{
	0, 1, 2, 3, 0x00000fff, 0x00400000, 0x007fffff, 0x00800000, 0x00800001, 0x00ffffff, 0x01000000,
	0x0b800000, 0x33800000, 0x3effffff, 0x3f000000, 0x3f7fffff, numbers.OneBits, numbers.OneBits + 1, 0x3fffffff, numbers.TwoBits,
	numbers.TwoBits + 1, 0x40400000, 0x4b7fffff, 0x4b800000, 0x5e800000, 0x7e7fffff, 0x7e800000, 0x7effffff,
	0x7f000000, 0x7f000001, 0x7f7ffffe, 0x7f7fffff, numbers.InfBits, numbers.InfBits + 1, 0x7fc00000, 0x7fffffff,
}

// operand returns a random float32's bits, often an extreme one.
func operand(r *rand.Rand) uint32 {
	n := r.Uint32()
	switch r.Uint32() % 8 {
	case 0:
		return n & (numbers.SignBit | numbers.Fraction) // subnormal
	case 1:
		return edges[n%uint32(len(edges))] | n&numbers.SignBit
	case 2:
		return n&numbers.SignBit | (n&numbers.Fraction|^uint32(numbers.Fraction))>>(n>>23&31) | 1 // few bits
	case 3, 4:
		return numbers.OneBits ^ n&(numbers.SignBit|0x00ffffff) // near 1
	}
	return n
}

func sameFloat(a, b uint32) bool {
	x, y := math.Float32frombits(a), math.Float32frombits(b)
	return a == b || x != x && y != y
}

// rounds is how many random operands each error is tried with.
func rounds() int {
	if testing.Short() {
		return 20_000
	}
	return 400_000
}

func TestExactQuotient(t *testing.T) {
	c := newCorrection(t, ir.OpFDiv)
	t.Logf("%d operations", len(c.steps))
	vals := append([]uint32(nil), c.consts...)
	try := func(a, b uint32, off int32) {
		vals[0], vals[1] = a, b
		x, y := math.Float32frombits(a), math.Float32frombits(b)
		if got, want := c.run(t, vals, off), math.Float32bits(x/y); !sameFloat(got, want) {
			t.Fatalf("%#08x / %#08x, off by %d: %#08x, want %#08x", a, b, off, got, want)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for off := int32(1 - numbers.QuotientSlack); off < numbers.QuotientSlack; off++ {
		for _, a := range edges {
			for _, b := range edges {
				for s := range uint32(4) {
					try(a|s<<31, b|s>>1<<31, off)
				}
			}
		}
		for range rounds() {
			try(operand(r), operand(r), off)
		}
		for range rounds() {
			// Quotients near those half-way between subnormal floats.
			y := math.Float32frombits(operand(r))
			q := math.Float32frombits(r.Uint32() >> (9 + r.Uint32()%23))
			x := float32((float64(q) + 0x1p-150) * float64(y))
			try(math.Float32bits(x)+r.Uint32()%3-1, math.Float32bits(y), off)
		}
	}
}

func TestExactRoot(t *testing.T) {
	c := newCorrection(t, ir.OpFSqrt)
	t.Logf("%d operations", len(c.steps))
	vals := append([]uint32(nil), c.consts...)
	try := func(a uint32, off int32) {
		vals[0] = a
		want := math.Float32bits(float32(math.Sqrt(float64(math.Float32frombits(a)))))
		if got := c.run(t, vals, off); !sameFloat(got, want) {
			t.Fatalf("sqrt of %#08x, off by %d: %#08x, want %#08x", a, off, got, want)
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	for off := int32(1 - numbers.RootSlack); off < numbers.RootSlack; off++ {
		for _, a := range edges {
			try(a, off)
			try(a|numbers.SignBit, off)
		}
		for range rounds() / 2 {
			try(operand(r), off)
			// Squares, and their neighbours.
			x := math.Float32frombits(operand(r))
			try(math.Float32bits(x*x)+r.Uint32()%3-1, off)
		}
	}
}

func TestExactDivideMode(t *testing.T) {
	for _, mode := range []properties.FloatMode{properties.FloatGo, properties.FloatExact, properties.FloatFast} {
		m := ir.NewModule("k")
		m.Float, m.Kernel = mode, m.NewFunc("main")
		f := m.Kernel
		b := f.Blocks[0]
		v := b.Append(ir.OpFDiv, ir.TypeF32, f.NewParam(ir.TypeF32), f.NewParam(ir.TypeF32))
		w := b.Append(ir.OpFDiv, ir.TypeF64, f.NewParam(ir.TypeF64), f.NewParam(ir.TypeF64))
		b.SetTerm(ir.Term{Kind: ir.Return})
		numbers.ExactDivide(m)
		if raw := v.Op == ir.OpFDiv; raw != (mode == properties.FloatFast) {
			t.Errorf("%v: float32: %v", mode, v.Op)
		}
		if w.Op != ir.OpFDiv {
			t.Errorf("%v: float64: %v", mode, w.Op)
		}
	}
}
