package math32

import (
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// number returns a finite float32 with an exponent near zero half of the time.
func number(r *rand.Rand) float32 {
	b := r.Uint32()
	if b&1 == 0 {
		b = b&^uint32(expMask) | (0x3f800000 + (r.Uint32()%64)<<23 - 32<<23)
	}
	if x := math.Float32frombits(b); x-x == 0 {
		return x
	}
	return 0
}

func TestFMAIsRoundedOnce(t *testing.T) {
	ways := map[string]func(x, y, z float32) float32{"FMA": FMA, "FastFMA": FastFMA, "fmaOfBits": fmaOfBits}
	r := rand.New(rand.NewPCG(3, 4))
	check := func(x, y, z float32) {
		t.Helper()
		p := new(big.Float).SetPrec(2000).Mul(big.NewFloat(float64(x)), big.NewFloat(float64(y)))
		p.SetPrec(2000).Add(p, big.NewFloat(float64(z)))
		want, _ := p.Float32()
		for name, f := range ways {
			if got := f(x, y, z); got != want || x*y != 0 && Signbit(got) != Signbit(want) {
				t.Fatalf("%s(%g, %g, %g) = %g, want %g", name, x, y, z, got, want)
			}
		}
	}
	// Twice rounded, this one is wrong: the float64 sum is a tie.
	check(1+0x1p-12, 1+0x1p-12, 0x1p-80)
	check(0x1.000002p0, 0x1p-24, 1)
	check(-0x1.fffffep0, 0x1p-25, 0x1p0)
	for _, e := range edges() { // overflow and underflow
		for _, f := range []float32{1, 1.5, 0x1.fffffep-1, 0x1p-24, 0x1.8p-30, -0x1p-120, 0x1p60} {
			for _, z := range []float32{0, 0x1p-149, -0x1p-149, 0x1p-126, 0x1.fffffep-127, 0x1p103, -MaxFloat32} {
				if e-e == 0 {
					check(e, f, z)
				}
			}
		}
	}
	for range 300_000 {
		x, y, z := number(r), number(r), number(r)
		if r.Uint32()&1 == 0 { // close to cancelling or to a tie
			z = float32(-float64(x) * float64(y) * math.Ldexp(1, int(r.Uint32()%60)-30))
			if z-z != 0 {
				z = 0
			}
		}
		check(x, y, z)
	}
	inf := Inf(1)
	for _, c := range [][3]float32{{inf, 1, 1}, {1, -inf, 1}, {1, 1, -inf}, {MaxFloat32, 2, 1}, {MaxFloat32, 2, -inf}, {-MaxFloat32, 2, inf}} {
		want := float32(math.FMA(float64(c[0]), float64(c[1]), float64(c[2])))
		for name, f := range ways {
			if got := f(c[0], c[1], c[2]); got != want {
				t.Errorf("%s%v = %g, want %g", name, c, got, want)
			}
		}
	}
	for _, c := range [][3]float32{{inf, 0, 1}, {inf, 1, -inf}, {NaN(), 1, 1}, {1, 1, NaN()}} {
		for name, f := range ways {
			if got := f(c[0], c[1], c[2]); got == got {
				t.Errorf("%s%v = %g, want NaN", name, c, got)
			}
		}
	}
}

// TestRsqrtIsExact compares Rsqrt with integers for all significands, with even and odd
// exponents; the others have the same results, but for their exponents.
func TestRsqrtIsExact(t *testing.T) {
	// above reports whether 1/sqrt(x) is above the middle between y/2^24 and the next float32,
	// (2*y+1)/2^25, where y has 24 bits: whether x*middle*middle is below one. x is an
	// integer in units of 2^-23.
	above := func(x, y uint64) bool {
		hi, _ := bits.Mul64((2*y+1)*(2*y+1), x)
		return hi < 1<<(23+50-64)
	}
	for b := uint32(0x3f800000); b < 0x40800000; b++ {
		f := math.Float32frombits(b)
		x, y := uint64(f*0x1p23), uint64(Rsqrt(f)*0x1p24)
		if above(x, y) || !above(x, y-1) {
			t.Fatalf("Rsqrt(%g) = %g", f, Rsqrt(f))
		}
	}
	for e := range 254 {
		for b := uint32(1 << 23); b < 1<<24; b += 4099 {
			f := math.Float32frombits(b + uint32(e)<<23)
			even := math.Ldexp(1, (e-126)&^1)
			if got, want := Rsqrt(f), float32(float64(Rsqrt(float32(float64(f)/even)))/math.Sqrt(even)); got != want {
				t.Fatalf("Rsqrt(%g) = %g, want %g", f, got, want)
			}
		}
	}
}

func TestClassification(t *testing.T) {
	for _, x := range edges() {
		w := float64(x)
		if IsNaN(x) != math.IsNaN(w) || Signbit(x) != math.Signbit(w) {
			t.Errorf("IsNaN or Signbit of %g", x)
		}
		for _, sign := range []int{-1, 0, 1} {
			if IsInf(x, sign) != math.IsInf(w, sign) {
				t.Errorf("IsInf(%g, %d) = %v", x, sign, IsInf(x, sign))
			}
		}
	}
	if !IsInf(Inf(0), 1) || !IsInf(Inf(-1), -1) || !IsNaN(NaN()) {
		t.Error("Inf or NaN")
	}
}

func TestMinMaxOfZeros(t *testing.T) {
	n := Copysign(0, -1)
	if !Signbit(Min(0, n)) || !Signbit(Min(n, 0)) || Signbit(Max(0, n)) || Signbit(Max(n, 0)) {
		t.Error("Min or Max ignores the sign of zero")
	}
}
