package montecarlo_test

import (
	"math"
	"testing"

	"github.com/kgen-go/kgen/examples/internal/hostrun"
	"github.com/kgen-go/kgen/examples/options/montecarlo"
)

// TestPhilox has the known answers that the authors publish with Random123.
func TestPhilox(t *testing.T) {
	const ones = math.MaxUint32
	for _, c := range []struct {
		counter [4]uint32
		key     [2]uint32
		want    [4]uint32
	}{
		{want: [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{[4]uint32{ones, ones, ones, ones}, [2]uint32{ones, ones},
			[4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{[4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, [2]uint32{0xa4093822, 0x299f31d0},
			[4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	} {
		if got := montecarlo.Philox(c.counter, c.key); got != c.want {
			t.Errorf("counter %x, key %x: %x, want %x", c.counter, c.key, got, c.want)
		}
	}
}

// TestNormals: the moments are those of the normal distribution, and neighbours independent.
func TestNormals(t *testing.T) {
	const n = 1 << 18
	var sum, square, cube, fourth, product float64
	for i := range uint32(n / 4) {
		z := montecarlo.Normals(montecarlo.Philox([4]uint32{i}, [2]uint32{7}))
		for j, v := range z {
			x := float64(v)
			sum, square, cube, fourth = sum+x, square+x*x, cube+x*x*x, fourth+x*x*x*x
			product += x * float64(z[(j+1)%4])
		}
	}
	for _, c := range []struct {
		name                 string
		sum, want, deviation float64 // of one number
	}{
		{"mean", sum, 0, 1}, {"variance", square, 1, math.Sqrt2}, {"third moment", cube, 0, math.Sqrt(15)},
		{"fourth moment", fourth, 3, math.Sqrt(96)}, {"covariance", product, 0, 1},
	} {
		if got := c.sum / n; math.Abs(got-c.want) > 4*c.deviation/math.Sqrt(n) {
			t.Errorf("the %s is %g, want %g", c.name, got, c.want)
		}
	}
	for _, word := range []uint32{0, math.MaxUint32} {
		for _, z := range montecarlo.Normals([4]uint32{word, word, word, word}) {
			if !(math.Abs(float64(z)) < 6) {
				t.Errorf("words of %#x give %g", word, z)
			}
		}
	}
}

// TestPrice: without volatility the share keeps its price, and each path is counted once.
func TestPrice(t *testing.T) {
	for _, paths := range []int{1, 5, 1023, 5000} {
		out := make([]montecarlo.Sums, 3)
		k := montecarlo.Price{Call: montecarlo.Call{Spot: 128, Strike: 96, Years: 2}, Paths: paths, Out: out}
		hostrun.NDRange(t, k.Kernel, 3*montecarlo.Size, montecarlo.Size)
		var got montecarlo.Sums
		for _, s := range out {
			got = montecarlo.Sums{Worth: got.Worth + s.Worth, Squares: got.Squares + s.Squares}
		}
		if want := (montecarlo.Sums{Worth: 32 * float32(paths), Squares: 1024 * float32(paths)}); got != want {
			t.Errorf("%d paths: %+v, want %+v", paths, got, want)
		}
	}
}
