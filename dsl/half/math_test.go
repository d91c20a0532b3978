package half

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kgen-go/kgen/dsl/math32"
)

func TestFunctions(t *testing.T) {
	eachType(t, testFunctions[Float16], testFunctions[BFloat16], testFunctions[Float8E4M3], testFunctions[Float8E5M2])
}

// testFunctions compares the functions of all numbers with package math's in float64, rounded once.
func testFunctions[T Float[T]](t *testing.T, f format) {
	for _, c := range []struct {
		name  string
		got   func(x T) T
		want  func(x float64) float64
		wrong int // how many Float16s have the second nearest result
	}{
		{"Exp", Exp[T], math.Exp, 2},
		{"Log", Log[T], math.Log, 1},
		{"Tanh", Tanh[T], math.Tanh, 0},
		{"Rsqrt", Rsqrt[T], func(x float64) float64 { return 1 / math.Sqrt(x) }, 0},
	} {
		wrong, most := 0, 0.0
		for b := range 1 << f.size() {
			x := f.value(uint16(b))
			exact := c.want(x)
			got, want := c.got(FromBits[T](uint16(b))).Bits(), f.fromFloat64(exact)
			if got == want {
				continue
			}
			wrong++
			most = max(most, math.Abs(f.value(got)-exact)/math.Abs(f.value(want)-exact))
			if !(most <= 1.0002) {
				t.Fatalf("%s(%g) = %#x, want %#x (%g)", c.name, x, got, want, exact)
			}
		}
		if f.name != binary16.name {
			c.wrong = 0
		}
		if wrong != c.wrong {
			t.Errorf("%s: %d of %d numbers are not the nearest, want %d", c.name, wrong, 1<<f.size(), c.wrong)
		}
	}
}

func TestDot(t *testing.T) {
	eachType(t, testDot[Float16], testDot[BFloat16], testDot[Float8E4M3], testDot[Float8E5M2])
}

// testDot adds products in float64, rounded to float32 one by one.
func testDot[T Float[T]](t *testing.T, f format) {
	r := rand.New(rand.NewPCG(9, 9))
	var a, b []T
	want := float32(0)
	for range 1000 {
		x, y := FromFloat32[T](float32(r.NormFloat64())), FromFloat32[T](float32(r.NormFloat64()))
		a, b = append(a, x), append(b, y)
		want = float32(float64(want) + f.value(x.Bits())*f.value(y.Bits()))
	}
	if got := Dot(a, b); got != want {
		t.Errorf("Dot = %g, want %g", got, want)
	}
	if got := Dot(a[:0], b); math32.Float32bits(got) != 0 {
		t.Errorf("Dot of nothing = %g", got)
	}
	defer func() {
		if recover() == nil {
			t.Error("Dot took a shorter slice")
		}
	}()
	Dot(a, b[1:])
}
