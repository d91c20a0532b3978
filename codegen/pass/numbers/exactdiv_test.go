package numbers_test

import (
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/numbers"
	"github.com/kgen-go/kgen/properties"
)

var everyRoot = flag.Bool("every-root", false, "try roots and inverses of all significands")

// correction is a corrected operation, made ready to run many times: the code of its branch
// too, which chooses its result and has no effect.
type correction struct {
	steps  []step
	consts []uint32 // the values before the first run
	result int
	op     ir.Op
	fused  int // where the constant is that says so; -1 if there is none
}

type step struct {
	op   ir.Op
	out  int
	args [3]int
}

// newCorrection runs the pass on one operation, whose operands are the values 0 and 1, or
// only 1 where the first is a constant.
func newCorrection(t testing.TB, op ir.Op, first *float32) *correction {
	m := ir.NewModule("k")
	f := m.NewFunc("main")
	m.Kernel = f
	b := f.Blocks[0]
	params := []*ir.Value{b.Append(ir.OpArg, ir.TypeF32), b.Append(ir.OpArg, ir.TypeF32)}
	args := slices.Clone(params)
	if op != ir.OpFDiv {
		args = params[:1]
	}
	if first != nil {
		args[0] = m.Const(ir.TypeF32, uint64(math.Float32bits(*first)))
	}
	v := b.Append(op, ir.TypeF32, args...)
	b.SetTerm(ir.Term{Kind: ir.Return})
	m.Level = ir.Structured
	numbers.ExactDivide(m)
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	if v.Op != ir.OpPhi || len(f.Blocks) != 3 || f.Blocks[0].Term.Succs[0] != f.Blocks[1] || f.Blocks[1].Term.Succs[0] != v.Block {
		t.Fatalf("the pass left %v in %d blocks", v.LongString(), len(f.Blocks))
	}
	c := &correction{op: op, fused: -1}
	at := map[*ir.Value]int{}
	index := func(v *ir.Value) int {
		i, ok := at[v]
		if !ok {
			i = len(at)
			at[v] = i
			c.consts = append(c.consts, uint32(v.Bits))
			if s, ok := v.Aux.(*ir.Spec); ok && v.Op == ir.OpSpecConst {
				switch s.ID {
				case abi.SpecExactDivide:
					c.consts[i] = 1
				case abi.SpecFused:
					c.fused = i
				default:
					t.Fatalf("%v is an unexpected constant", s.Name)
				}
			}
		}
		return i
	}
	for _, p := range params {
		index(p)
	}
	add := func(op ir.Op, out *ir.Value, args ...*ir.Value) {
		s := step{op: op}
		for i, a := range args {
			if _, ok := at[a]; !ok && !a.IsConst() && a.Op != ir.OpSpecConst {
				t.Fatalf("%v is not computed", a.LongString())
			}
			s.args[i] = index(a)
		}
		s.out = index(out)
		c.steps = append(c.steps, s)
	}
	for _, b := range f.Blocks[:2] {
		for _, w := range b.Insts {
			if w.Op != ir.OpArg {
				add(w.Op, w, w.Args...)
			}
		}
	}
	// The phi has its values in the order of its block's predecessors.
	if v.Block.Preds[0] != f.Blocks[0] {
		t.Fatal("the branch does not come first")
	}
	add(ir.OpSelect, v, f.Blocks[0].Term.Cond, v.Args[1], v.Args[0])
	c.result = index(v)
	return c
}

// values returns what run starts with, where the device fuses products and sums or does not.
func (c *correction) values(fused bool) []uint32 {
	vals := slices.Clone(c.consts)
	vals[c.fused] = uint32(facts.BoolBits(fused))
	return vals
}

// run computes the operation where the device's own results are wrong by off units in the
// last place.
func (c *correction) run(t testing.TB, vals []uint32, off int32) uint32 {
	for i := range c.steps {
		s := &c.steps[i]
		a, b := vals[s.args[0]], vals[s.args[1]]
		var r uint32
		switch s.op {
		case ir.OpFDiv:
			r = perturb(float64(math.Float32frombits(a))/float64(math.Float32frombits(b)), off)
		case ir.OpFSqrt:
			r = perturb(math.Sqrt(float64(math.Float32frombits(a))), off)
		case ir.OpFRsqrt:
			r = perturb(1/math.Sqrt(float64(math.Float32frombits(a))), off)
		case ir.OpFMul:
			r = math.Float32bits(math.Float32frombits(a) * math.Float32frombits(b))
		case ir.OpFNegate:
			r = a ^ numbers.SignBit
		case ir.OpFma:
			r = math.Float32bits(fma(math.Float32frombits(a), math.Float32frombits(b), math.Float32frombits(vals[s.args[2]])))
		case ir.OpUToF:
			r = math.Float32bits(float32(a))
		case ir.OpBitcast:
			r = a
		case ir.OpAnd, ir.OpLAnd:
			r = a & b
		case ir.OpOr:
			r = a | b
		case ir.OpXor:
			r = a ^ b
		case ir.OpLOr:
			r = a | b
		case ir.OpLNot:
			r = a ^ 1
		case ir.OpIAdd:
			r = a + b
		case ir.OpISub:
			r = a - b
		case ir.OpIMul:
			r = a * b
		case ir.OpUMulHi:
			r = uint32(uint64(a) * uint64(b) >> 32)
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

// fma returns x*y + z, rounded once: the product is exact in float64, the sum is rounded to
// odd there (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums", 2008).
func fma(x, y, z float32) float32 {
	p, q := float64(x)*float64(y), float64(z)
	s := p + q
	b := s - p
	if e := (p - (s - b)) + (q - b); e != 0 && e-e == 0 {
		if n := math.Float64bits(s); n&1 == 0 {
			n++
			if (e > 0) != (s > 0) {
				n -= 2
			}
			s = math.Float64frombits(n)
		}
	}
	return float32(s)
}

// perturb returns the float32 that is off units in the last place from the one nearest to x,
// where Vulkan bounds the errors of results; elsewhere, and where x is special, the float32
// nearest to it. Units are those of the float32, but downwards from a power of two those of
// what is above it.
func perturb(x float64, off int32) uint32 {
	r := float32(x)
	if a := math.Abs(float64(r)); a < 0x1p-120 || a > 0x1p120 || r != r {
		return math.Float32bits(r)
	}
	exp := int(math.Float32bits(r)>>23&0xff) - 127
	return math.Float32bits(float32(float64(r) + math.Ldexp(float64(off), exp-23)))
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
		return 5_000
	}
	return 50_000
}

func TestExactQuotient(t *testing.T) {
	one := float32(1)
	for _, first := range []*float32{nil, &one} {
		c := newCorrection(t, ir.OpFDiv, first)
		t.Logf("%d operations", len(c.steps))
		for _, fused := range []bool{false, true} {
			vals := c.values(fused)
			try := func(a, b uint32, off int32) {
				if first != nil {
					a = math.Float32bits(*first)
				}
				vals[0], vals[1] = a, b
				x, y := math.Float32frombits(a), math.Float32frombits(b)
				if got, want := c.run(t, vals, off), math.Float32bits(x/y); !sameFloat(got, want) {
					t.Fatalf("%#08x / %#08x, fused %v, off by %d: %#08x, want %#08x", a, b, fused, off, got, want)
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
				for range rounds() / 8 {
					nearMiddle(r.Uint32(), func(a, b uint32) { try(a, b, off) })
				}
				for b := range uint32(2 * (numbers.Fraction - numbers.DivisorFraction)) {
					nearMiddle(numbers.Fraction-b, func(a, b uint32) { try(a, b, off) })
				}
			}
		}
	}
}

// nearMiddle calls try with pairs, from [1, 2), whose quotient is as near as can be to the
// middle between two floats. The divisor, an odd one, has the lower bits of n.
//
// Let dividend*2^j = divisor*middle + rest, with integers of 24 and, for the middle, 25 bits.
// That has a solution for each small odd rest: modulo 2^j the middle is rest/-divisor.
func nearMiddle(n uint32, try func(a, b uint32)) {
	divisor := uint64(n&numbers.Fraction | numbers.HiddenBit | 1)
	inverse := divisor
	for range 5 {
		inverse *= 2 - divisor*inverse
	}
	for rest := int64(-3); rest <= 3; rest += 2 {
		for j := 24; j <= 25; j++ {
			for middle := uint64(-rest) * inverse & (1<<j - 1); middle < 1<<25; middle += 1 << j {
				dividend := (divisor*middle + uint64(rest)) >> j
				if middle>>24 == 1 && dividend>>23 == 1 {
					try(uint32(dividend)-numbers.HiddenBit+numbers.OneBits, uint32(divisor)-numbers.HiddenBit+numbers.OneBits)
				}
			}
		}
	}
}

// TestInverses holds what the quick division needs of inverses against all divisors, with a
// little to spare; see fusedQuotient.
func TestInverses(t *testing.T) {
	step := uint32(61)
	if *everyRoot {
		step = 1
	}
	for f := uint32(0); f < numbers.DivisorFraction; f++ {
		if f%step != 0 && f < numbers.DivisorFraction-10_000 {
			continue
		}
		b := math.Float32frombits(numbers.OneBits + f)
		for off := int32(1 - numbers.QuotientSlack); off < numbers.QuotientSlack; off++ {
			y := math.Float32frombits(perturb(1/float64(b), off))
			y = fma(y, fma(-b, y, 1), y)
			if miss := math.Abs(float64(b)*float64(y)-1) * (1 + 0x1p-20); !(miss < 0x1p-24 && miss*float64(b) < 0x1p-23) {
				t.Fatalf("1/%g, off by %d: %g, which misses by %g * 2^-24", b, off, y, miss*0x1p24)
			}
		}
	}
}

func TestExactRoot(t *testing.T) {
	testRoots(t, ir.OpFSqrt, numbers.RootSlack, func(x float64) float64 { return math.Sqrt(x) })
}

func TestExactInverseRoot(t *testing.T) {
	// Units of what is just below 1 are half of 1's.
	testRoots(t, ir.OpFInvSqrt, numbers.InverseRootSlack/2, func(x float64) float64 { return 1 / math.Sqrt(x) })
}

// testRoots compares an operation with want, which rounded to float32 is exact; see
// math32.Rsqrt. Without fused products and sums the device's results may be off by less than
// slack.
func testRoots(t *testing.T, op ir.Op, slack int32, want func(float64) float64) {
	c := newCorrection(t, op, nil)
	t.Logf("%d operations", len(c.steps))
	for _, fused := range []bool{false, true} {
		vals := c.values(fused)
		try := func(a uint32, off int32) {
			if fused && !inBound(op, a, off) {
				return
			}
			vals[0] = a
			want := math.Float32bits(float32(want(float64(math.Float32frombits(a)))))
			if got := c.run(t, vals, off); !sameFloat(got, want) {
				t.Fatalf("%v of %#08x, fused %v, off by %d: %#08x, want %#08x", op, a, fused, off, got, want)
			}
		}
		r := rand.New(rand.NewPCG(3, 4))
		for off := 1 - slack; off < slack; off++ {
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
		// All significands with even and odd exponents: the others have the same roots.
		for a := uint32(numbers.OneBits); a < numbers.OneBits+2*numbers.HiddenBit; a++ {
			if !*everyRoot && a%257 != 0 && !isHard(want(float64(math.Float32frombits(a)))) {
				continue
			}
			for off := int32(-4); off <= 4; off++ {
				if off > -slack && off < slack {
					try(a, off)
				}
			}
		}
	}
}

// isHard reports whether x is near the middle between two float32s, or near a power of two.
func isHard(x float64) bool {
	fraction := int64(math.Float64bits(x) & (1<<52 - 1))
	return max(fraction&(1<<29-1)-1<<28, 1<<28-fraction&(1<<29-1)) < 1<<12 || fraction < 1<<35 || 1<<52-fraction < 1<<35
}

// inBound reports whether the device's inverse root of a, off units in the last place from
// the nearest float32, is one that the quick parts are for: three units from the root for
// roots, and for inverse roots those two that Vulkan allows.
func inBound(op ir.Op, a uint32, off int32) bool {
	if op == ir.OpFSqrt {
		return off >= -3 && off <= 3
	}
	x := 1 / math.Sqrt(float64(math.Float32frombits(a)))
	got := float64(math.Float32frombits(perturb(x, off)))
	_, exp := math.Frexp(x)
	return !(math.Abs(got-x) > math.Ldexp(2, exp-24)) || x != x || x == 0 || math.IsInf(x, 0)
}

func TestExactDivideMode(t *testing.T) {
	for _, mode := range []properties.FloatMode{properties.FloatGo, properties.FloatExact, properties.FloatFast} {
		m := ir.NewModule("k")
		m.Float, m.Kernel = mode, m.NewFunc("main")
		f := m.Kernel
		b := f.Blocks[0]
		v := b.Append(ir.OpFDiv, ir.TypeF32, f.NewParam(ir.TypeF32), f.NewParam(ir.TypeF32))
		w := b.Append(ir.OpFDiv, ir.TypeF64, f.NewParam(ir.TypeF64), f.NewParam(ir.TypeF64))
		root := b.Append(ir.OpFInvSqrt, ir.TypeF32, v.Args[0])
		b.SetTerm(ir.Term{Kind: ir.Return})
		numbers.ExactDivide(m)
		if root.Op == ir.OpFInvSqrt || (root.Op == ir.OpFDiv) != (mode == properties.FloatFast) {
			t.Errorf("%v: inverse root: %v", mode, root.Op)
		}
		if raw := v.Op == ir.OpFDiv; raw != (mode == properties.FloatFast) {
			t.Errorf("%v: float32: %v", mode, v.Op)
		}
		if w.Op != ir.OpFDiv {
			t.Errorf("%v: float64: %v", mode, w.Op)
		}
	}
}
