package half

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/x448/float16"

	"github.com/kgen-go/kgen/internal/tests/testflag"
)

var (
	seed     = flag.Uint64("seed", 1, "of the random operands: several runs may share them out")
	samples  = testflag.Int("samples", 50_000, 1, math.MaxInt, "random operands of each operation of 16 bits")
	everyone = testflag.Int("every", 1<<16+1, 1, 1<<31, "distance of the float32s that are converted; 1 for all of them")
)

// eachType runs a test for each type. A test of one type is a generic function, and Go has
// no values of those: fs are its instances, in the order of the types.
func eachType(t *testing.T, f16, bf16, f43, f52 func(t *testing.T, f format)) {
	for _, c := range []struct {
		f   format
		run func(t *testing.T, f format)
	}{{binary16, f16}, {bfloat16, bf16}, {e4m3, f43}, {e5m2, f52}} {
		t.Run(c.f.name, func(t *testing.T) { c.run(t, c.f) })
	}
}

func TestFloat32(t *testing.T) {
	eachType(t, testFloat32[Float16], testFloat32[BFloat16], testFloat32[Float8E4M3], testFloat32[Float8E5M2])
}

// testFloat32 converts each number to a float32 and back.
func testFloat32[T Float[T]](t *testing.T, f format) {
	for b := range 1 << f.size() {
		x, want := FromBits[T](uint16(b)), f.value(uint16(b))
		if x.Bits() != uint16(b) {
			t.Fatalf("FromBits(%#x).Bits() = %#x", b, x.Bits())
		}
		got, back := x.Float32(), uint16(b)
		if want != want {
			back = f.nan
			if math.Float32bits(got) != 0x7fc00000 {
				t.Errorf("Float32 of the NaN %#x is %#x", b, math.Float32bits(got))
			}
		} else if math.Float64bits(float64(got)) != math.Float64bits(want) {
			t.Errorf("Float32 of %#x is %g, want %g", b, got, want)
		}
		if n := FromFloat32[T](got).Bits(); n != back {
			t.Errorf("FromFloat32(%g) = %#x, want %#x", got, n, back)
		}
		if x.IsNaN() != (want != want) {
			t.Errorf("IsNaN of %#x is %v", b, x.IsNaN())
		}
		for _, sign := range []int{-1, 0, 1} {
			if x.IsInf(sign) != math.IsInf(want, sign) {
				t.Errorf("IsInf(%d) of %#x is %v", sign, b, x.IsInf(sign))
			}
		}
		if n := x.Neg().Bits(); n != uint16(b)^f.sign() {
			t.Errorf("Neg of %#x is %#x", b, n)
		}
		if n := x.Abs().Bits(); n != uint16(b)&^f.sign() {
			t.Errorf("Abs of %#x is %#x", b, n)
		}
		if n, want := x.Sqrt().Bits(), f.sqrt(want); n != want {
			t.Errorf("Sqrt of %#x is %#x, want %#x", b, n, want)
		}
	}
}

func TestFromFloat32(t *testing.T) {
	eachType(t, testFromFloat32[Float16], testFromFloat32[BFloat16], testFromFloat32[Float8E4M3], testFromFloat32[Float8E5M2])
}

// testFromFloat32 converts float32s next to each number and next to the middle between it and the
// one that follows, and others.
func testFromFloat32[T Float[T]](t *testing.T, f format) {
	check := func(x float32) {
		t.Helper()
		want := f.fromFloat64(float64(x))
		if got := FromFloat32[T](x).Bits(); got != want {
			t.Fatalf("FromFloat32(%g) = %#x, want %#x", x, got, want)
		}
		if x == x && want&^f.sign() == f.inf() {
			want = want&f.sign() | f.largest()
			if f.finite && x < 0 {
				want |= f.sign()
			}
		}
		if got := FromFloat32Saturating[T](x).Bits(); got != want {
			t.Fatalf("FromFloat32Saturating(%g) = %#x, want %#x", x, got, want)
		}
	}
	around := func(x float32) {
		b := math.Float32bits(x)
		for d := range uint32(3) {
			check(math.Float32frombits(b + d - 1))
			check(math.Float32frombits(b + d - 1 ^ 1<<31))
		}
	}
	for b := uint16(0); b < f.largest(); b++ {
		x, next := f.value(b), f.value(b+1)
		around(float32(x))
		around(float32((x + next) / 2))
	}
	last := f.value(f.largest())
	around(float32(last))
	around(float32(last + (last-f.value(f.largest()-1))/2)) // the middle to the end of the range
	around(math.MaxFloat32)
	check(float32(math.Inf(1)))
	check(float32(math.Inf(-1)))
	for _, b := range []uint32{0x7f800001, 0x7fbfffff, 0x7fc00000, 0x7fffffff, 0xff800001, 0xffffffff} {
		check(math.Float32frombits(b))
	}
	for b := uint64(0); b < 1<<32; b += uint64(*everyone) {
		check(math.Float32frombits(uint32(b)))
	}
}

// operations checks all the operations of a pair of numbers.
func operations[T Float[T]](t *testing.T, f format, bx, by uint16) {
	x, y := FromBits[T](bx), FromBits[T](by)
	v, w := f.value(bx), f.value(by)
	check := func(name string, got T, want uint16) {
		if got.Bits() != want {
			t.Errorf("%s(%#04x, %#04x) = %#04x, want %#04x: of %g and %g", name, bx, by, got.Bits(), want, v, w)
		}
	}
	check("Add", x.Add(y), f.add(v, w))
	check("Sub", x.Sub(y), f.add(v, -w))
	check("Mul", x.Mul(y), f.mul(v, w))
	check("Div", x.Div(y), f.div(v, w))
	lesser, greater := bx, bx
	if m := min(v, w); m != m {
		lesser, greater = f.nan, f.nan
	} else {
		if math.Float64bits(m) != math.Float64bits(v) {
			lesser = by
		}
		if math.Float64bits(max(v, w)) != math.Float64bits(v) {
			greater = by
		}
	}
	check("Min", x.Min(y), lesser)
	check("Max", x.Max(y), greater)
	if x.Less(y) != (v < w) || x.Equal(y) != (v == w) || x.Compare(y) != cmp.Compare(v, w) {
		t.Errorf("%g and %g: Less %v, Equal %v, Compare %d", v, w, x.Less(y), x.Equal(y), x.Compare(y))
	}
}

// TestPairs8 has all pairs of 8 bits.
func TestPairs8(t *testing.T) {
	none := func(*testing.T, format) {}
	eachType(t, none, none, testPairs8[Float8E4M3], testPairs8[Float8E5M2])
}

func testPairs8[T Float[T]](t *testing.T, f format) {
	for b := range uint16(1 << 8) {
		for c := range uint16(1 << 8) {
			operations[T](t, f, b, c)
		}
	}
}

// special returns numbers about which operations may be wrong: those around the ends of ranges,
// and NaNs.
func (f format) special() []uint16 {
	var out []uint16
	one := uint16(f.bias) << f.frac
	for _, b := range []uint16{0, 1 << (f.frac - 1), 1 << f.frac, 2 << f.frac, one, one + 1<<(f.frac-1), one - uint16(f.frac)<<f.frac,
		one + uint16(f.frac)<<f.frac, one >> 1, f.largest()} {
		for d := range uint16(5) {
			if c := b + d - 2; c < f.sign() {
				out = append(out, c, c|f.sign())
			}
		}
	}
	return append(out, f.nan, f.nan|f.sign(), f.sign()-1, 2*f.sign()-1)
}

// number returns any number, or a subnormal one, or one whose products and quotients are.
func (f format) number(r *rand.Rand) uint16 {
	b := uint16(r.Uint32())
	m := b & (1<<f.frac - 1)
	if f.size() == 8 {
		return b & 0xff
	}
	switch r.IntN(6) {
	case 0:
		return b&f.sign() | m>>r.IntN(f.frac+1)
	case 1:
		return b&f.sign() | m | uint16(1+r.IntN(3))<<f.frac // little above
	case 2:
		return b&f.sign() | m | uint16(f.bias/2+r.IntN(5)-2)<<f.frac
	case 3:
		return b&f.sign() | m | uint16(f.bias+r.IntN(9)-4)<<f.frac
	}
	return b
}

// partner returns a number that has a sum, product or quotient near the end of the
// range with the number b, or that is like it.
func (f format) partner(r *rand.Rand, b uint16) uint16 {
	c := f.number(r)
	e, m := int(b&^f.sign()>>f.frac), c&(f.sign()|1<<f.frac-1)
	switch r.IntN(5) {
	case 0: // a product with a small exponent
		e = f.bias - e - r.IntN(f.frac+3) + 1
	case 1: // a quotient
		e = e + f.bias - 2 + r.IntN(f.frac+3)
	case 2: // of like size
		e += r.IntN(5) - 2
	case 3: // nearly as large
		return b ^ c&f.sign() + uint16(r.IntN(5)) - 2
	default:
		return c
	}
	return m | uint16(min(max(e, 0), 1<<f.exp-1))<<f.frac
}

func TestPairs16(t *testing.T) {
	none := func(*testing.T, format) {}
	eachType(t, testPairs16[Float16], testPairs16[BFloat16], none, none)
}

func testPairs16[T Float[T]](t *testing.T, f format) {
	for _, b := range f.special() {
		for _, c := range f.special() {
			operations[T](t, f, b, c)
		}
	}
	r := rand.New(rand.NewPCG(*seed, 2))
	tiny := 0
	for range *samples {
		b := f.number(r)
		c := f.partner(r, b)
		operations[T](t, f, b, c)
		if t.Failed() {
			t.FailNow()
		}
		for _, n := range []uint16{b, c, f.mul(f.value(b), f.value(c)), f.div(f.value(b), f.value(c))} {
			if n&^f.sign() < 1<<f.frac {
				tiny++
				break
			}
		}
	}
	t.Logf("%d of %d pairs have subnormal numbers or results", tiny, *samples)
}

func TestFMA(t *testing.T) {
	eachType(t, testFMA[Float16], testFMA[BFloat16], testFMA[Float8E4M3], testFMA[Float8E5M2])
	// Through float64, this one is a tie.
	x, y, z := FromFloat32[BFloat16](1.8125), FromFloat32[BFloat16](1.0625), FromFloat32[BFloat16](0x1p-100)
	if got := x.FMA(y, z).Bits(); got != 0x3ff7 {
		t.Errorf("FMA(1.8125, 1.0625, 0x1p-100) = %#x", got)
	}
}

func testFMA[T Float[T]](t *testing.T, f format) {
	check := func(bx, by, bz uint16) {
		t.Helper()
		x, y, z := f.value(bx), f.value(by), f.value(bz)
		if got, want := FromBits[T](bx).FMA(FromBits[T](by), FromBits[T](bz)).Bits(), f.fma(x, y, z); got != want {
			t.Fatalf("FMA(%#04x, %#04x, %#04x) = %#04x, want %#04x: of %g, %g and %g", bx, by, bz, got, want, x, y, z)
		}
	}
	r := rand.New(rand.NewPCG(*seed+2, 4))
	special := f.special()
	for _, b := range special {
		for _, c := range special {
			for range 4 {
				check(b, c, special[r.IntN(len(special))])
			}
		}
	}
	for range *samples {
		b := f.number(r)
		c := f.partner(r, b)
		d := f.number(r)
		switch r.IntN(4) {
		case 0: // a sum that nearly cancels, or an addend that is lost
			d = f.mul(f.value(b), f.value(c)) ^ f.sign()
			if s := uint16(r.IntN(3*f.frac)) << f.frac; d&^f.sign() > s {
				d -= s
			}
			d += uint16(r.IntN(5)) - 2
		case 1: // a product on the middle between two numbers, or near one, and a tiny addend
			b, c = f.midpoint(r)
			d = f.number(r)&(f.sign()|1<<f.frac-1) | uint16(r.IntN(1+f.bias/2))<<f.frac
		case 2:
			b, c = f.midpoint(r)
			d = f.sign()*uint16(r.IntN(2)) | uint16(r.IntN(3))
		}
		mask := 2*f.sign() - 1
		check(b&mask, c&mask, d&mask)
	}
}

// midpoint returns two numbers with a product of one significant bit more than numbers have.
func (f format) midpoint(r *rand.Rand) (b, c uint16) {
	for {
		n := 1 + r.IntN(f.frac)
		// Significands of n and frac+2-n bits that are odd.
		x := 1<<(n-1) | r.IntN(1<<(n-1)) | 1
		y := 1<<(f.frac+1-n) | r.IntN(1<<(f.frac+1-n)) | 1
		if x*y>>(f.frac+1) != 1 {
			continue
		}
		e := r.IntN(2*f.bias) - f.bias
		b = f.fromFloat64(math.Ldexp(float64(x), e/2-n))
		c = f.fromFloat64(math.Ldexp(float64(y), e-e/2-(f.frac+2-n)))
		return b | f.sign()*uint16(r.IntN(2)), c
	}
}

// TestInexact has quotients and roots of devices that are not exact.
func TestInexact(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 100_000 {
		x := float32(1<<10|r.IntN(1<<10)) * float32(math.Ldexp(1, r.IntN(60)-30))
		y := float32(1<<10 | r.IntN(1<<10))
		off := uint32(r.IntN(1001) - 500)
		q := new(big.Float).SetPrec(100).Quo(big.NewFloat(float64(x)), big.NewFloat(float64(y)))
		s := new(big.Float).SetPrec(100).Sqrt(big.NewFloat(float64(x)))
		for _, f := range []format{binary16, bfloat16, e5m2} {
			rounded := func(x float32) uint16 { return f.fromFloat64(float64(x)) }
			if got, want := rounded(correctQuotient(math.Float32frombits(math.Float32bits(x/y)+off), x, y)), f.round(q); got != want {
				t.Fatalf("%g / %g is %#x, want %#x", x, y, got, want)
			}
			near := math.Float32bits(float32(math.Sqrt(float64(x)))) + off
			if got, want := rounded(correctRoot(math.Float32frombits(near), x)), f.round(s); got != want {
				t.Fatalf("root of %g is %#x, want %#x", x, got, want)
			}
		}
	}
}

// TestBeside compares conversions of Float16 with those of another package, which keeps the
// bits of NaNs.
func TestBeside(t *testing.T) {
	for b := range 1 << 16 {
		if x := Float16(b); !x.IsNaN() && math.Float32bits(x.Float32()) != math.Float32bits(float16.Frombits(uint16(b)).Float32()) {
			t.Errorf("Float32 of %#x is %g", b, x.Float32())
		}
	}
	for b := uint64(0); b < 1<<32; b += uint64(*everyone) {
		x := math.Float32frombits(uint32(b))
		if got, want := FromFloat32[Float16](x).Bits(), float16.Fromfloat32(x).Bits(); x == x && got != want {
			t.Fatalf("FromFloat32(%g) = %#x, want %#x", x, got, want)
		}
	}
}

func TestLimits(t *testing.T) {
	eachType(t, testLimits[Float16], testLimits[BFloat16], testLimits[Float8E4M3], testLimits[Float8E5M2])
	for _, c := range []struct {
		got  float32
		want float64
	}{
		{Largest[Float16]().Float32(), MaxFloat16}, {SmallestNormal[Float16]().Float32(), SmallestNormalFloat16},
		{SmallestNonzero[Float16]().Float32(), SmallestNonzeroFloat16}, {Epsilon[Float16]().Float32(), EpsilonFloat16},
		{Largest[BFloat16]().Float32(), MaxBFloat16}, {SmallestNormal[BFloat16]().Float32(), SmallestNormalBFloat16},
		{SmallestNonzero[BFloat16]().Float32(), SmallestNonzeroBFloat16}, {Epsilon[BFloat16]().Float32(), EpsilonBFloat16},
		{Largest[Float8E4M3]().Float32(), MaxFloat8E4M3}, {SmallestNormal[Float8E4M3]().Float32(), SmallestNormalFloat8E4M3},
		{SmallestNonzero[Float8E4M3]().Float32(), SmallestNonzeroFloat8E4M3}, {Epsilon[Float8E4M3]().Float32(), EpsilonFloat8E4M3},
		{Largest[Float8E5M2]().Float32(), MaxFloat8E5M2}, {SmallestNormal[Float8E5M2]().Float32(), SmallestNormalFloat8E5M2},
		{SmallestNonzero[Float8E5M2]().Float32(), SmallestNonzeroFloat8E5M2}, {Epsilon[Float8E5M2]().Float32(), EpsilonFloat8E5M2},
	} {
		if float64(c.got) != c.want {
			t.Errorf("got %g, want %g", c.got, c.want)
		}
	}
}

func testLimits[T Float[T]](t *testing.T, f format) {
	one := uint16(f.bias) << f.frac
	for _, c := range []struct {
		name      string
		got, want uint16
	}{
		{"NaN", NaN[T]().Bits(), f.nan},
		{"Inf(1)", Inf[T](1).Bits(), f.inf()},
		{"Inf(-1)", Inf[T](-1).Bits(), f.fromFloat64(math.Inf(-1))},
		{"Largest", Largest[T]().Bits(), f.largest()},
		{"SmallestNormal", SmallestNormal[T]().Bits(), 1 << f.frac},
		{"SmallestNonzero", SmallestNonzero[T]().Bits(), 1},
		{"Epsilon", Epsilon[T]().Bits(), f.fromFloat64(f.value(one+1) - f.value(one))},
	} {
		if c.got != c.want {
			t.Errorf("%s is %#x, want %#x", c.name, c.got, c.want)
		}
	}
}

func TestString(t *testing.T) {
	eachType(t, testString[Float16], testString[BFloat16], testString[Float8E4M3], testString[Float8E5M2])
	x := FromFloat32[Float16](0.1)
	for _, c := range []struct{ format, want string }{
		{"%v", "0.1"}, {"%g", "0.1"}, {"%.3g", "0.1"}, {"%.6g", "0.0999756"}, {"%6.2f|", "  0.10|"}, {"%+g", "+0.1"}, {"%8v|", "     0.1|"}, {"%e", "9.997559e-02"},
		{"%s", "0.1"}, {"%-5s|", "0.1  |"}, {"%d", "%!d(half.Float16=0.1)"}, {"%T", "half.Float16"}, {"%x", "0x1.998p-04"},
	} {
		if got := fmt.Sprintf(c.format, x); got != c.want {
			t.Errorf("%s prints %q, want %q", c.format, got, c.want)
		}
	}
	if got := fmt.Sprint([]BFloat16{1, 0x3f80, nanB, infB | signB}); got != "[9e-41 1 NaN -Inf]" {
		t.Error(got)
	}
}

// testString rounds the text of each number exactly.
func testString[T Float[T]](t *testing.T, f format) {
	for b := range 1 << f.size() {
		x := FromBits[T](uint16(b))
		s := x.String()
		if fmt.Sprint(x) != s {
			t.Fatalf("%#x: %s and %v", b, s, x)
		}
		if v := f.value(uint16(b)); !finite(v) {
			if s != fmt.Sprint(v) {
				t.Errorf("String of %#x is %s", b, s)
			}
			continue
		}
		n, _, err := big.ParseFloat(s, 10, 1000, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.round(n); got != uint16(b) {
			t.Errorf("String of %#x is %s, which is %#x", b, s, got)
		}
		if digits := strconv.FormatFloat(shortest(x), 'e', -1, 64); len(digits) > len("-1.2345e-05") {
			t.Errorf("String of %#x is %s", b, s)
		}
	}
}
