// Options computes the price of a call option by simulating the share's price. The program compares
// the result with the formula of Black and Scholes.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"

	"github.com/kgen-go/kgen/examples/internal/demo"
	"github.com/kgen-go/kgen/examples/options/montecarlo"
	montecarlogen "github.com/kgen-go/kgen/generated/examples/options/montecarlo"
	"github.com/kgen-go/kgen/runtime"
)

var (
	paths      = demo.Int("n", 1<<24, 1000, 1<<30, "paths to simulate")
	seed       = flag.Uint64("seed", 1, "the key of the random numbers")
	spot       = flag.Float64("spot", 100, "the share's price now")
	strike     = flag.Float64("strike", 105, "what the call pays for the share")
	rate       = flag.Float64("rate", 0.03, "interest per year")
	volatility = flag.Float64("volatility", 0.2, "the share's volatility per year")
	years      = flag.Float64("years", 1, "years until the call may be used")
)

const groups = 512 // number of work-groups, enough for a large device

func main() { demo.Main(run) }

func run(ctx context.Context, dev *runtime.Device) error {
	if !(*spot > 0 && *strike > 0 && *volatility > 0 && *years > 0) {
		return fmt.Errorf("-spot, -strike, -volatility and -years are to be above 0")
	}
	out, err := runtime.NewBuffer[montecarlo.Sums](dev, groups)
	if err != nil {
		return err
	}
	defer out.Close()
	var price, deviation float64
	d, err := demo.Best(3, func() error {
		price, deviation, err = simulate(ctx, dev.DefaultQueue(), out, *paths)
		return err
	})
	if err != nil {
		return err
	}
	demo.Rate("kernel", d, float64(*paths), "paths")
	// A plain loop computes some of the paths in float64, with the same random numbers.
	some := min(*paths, 1<<20)
	var want float64
	d, _ = demo.Time(func() error { want = plain(some); return nil })
	demo.Rate("plain Go", d, float64(some), "paths")
	got, _, err := simulate(ctx, dev.DefaultQueue(), out, some)
	if err != nil {
		return err
	}
	if !(math.Abs(got-want) <= 1e-6**spot) {
		return fmt.Errorf("%d paths give %g, and %g in a plain loop", some, got, want)
	}
	closed := blackScholes()
	demo.Line("price", "%.5f ± %.5f; in closed form %.5f; error %+.5f", price, deviation, closed, price-closed)
	if !(math.Abs(price-closed) <= 5*deviation+1e-6**spot) {
		return fmt.Errorf("the price is more than five standard errors off")
	}
	demo.Line("check", "ok: %d paths give what they give in a plain loop, but for %.1g", some, math.Abs(got-want))
	return nil
}

// simulate() computes the price from n paths, and the price's standard error. The price is the
// average value of the call at the end, less the interest.
func simulate(ctx context.Context, q *runtime.Queue, out *runtime.Buffer[montecarlo.Sums], n int) (price, deviation float64, err error) {
	k := montecarlogen.Price{Call: montecarlo.Call{Spot: float32(*spot), Strike: float32(*strike),
		Rate: float32(*rate), Volatility: float32(*volatility), Years: float32(*years)},
		Key: [2]uint32{uint32(*seed), uint32(*seed >> 32)}, Paths: n, Out: out.All()}
	if _, err := k.ParallelFor(q, runtime.NDRange1{Global: groups * montecarlo.Size, Local: montecarlo.Size}); err != nil {
		return 0, 0, err
	}
	parts := make([]montecarlo.Sums, groups)
	if err := out.CopyTo(ctx, q, parts); err != nil {
		return 0, 0, err
	}
	var mean, squares float64 // a float32 has too few digits for the sum of all paths
	for _, s := range parts {
		mean += float64(s.Worth) / float64(n)
		squares += float64(s.Squares) / float64(n)
	}
	discount := math.Exp(-*rate * *years)
	return discount * mean, discount * math.Sqrt(max(squares-mean*mean, 0)/float64(n)), nil
}

// plain() computes the price from n paths in a plain loop.
func plain(n int) float64 {
	sum := 0.0
	for i := range n {
		words := montecarlo.Philox([4]uint32{uint32(i / 4)}, [2]uint32{uint32(*seed), uint32(*seed >> 32)})
		u, v := (float64(words[i&2]>>8)+1)/(1<<24), float64(words[i&2+1]>>8)/(1<<24)
		angle := 2*math.Pi*v - math.Pi/2*float64(i%2) // for odd i, the cosine of angle is the sine of 2*math.Pi*v
		z := math.Sqrt(-2*math.Log(u)) * math.Cos(angle)
		end := *spot * math.Exp((*rate-*volatility**volatility/2)**years+*volatility*math.Sqrt(*years)*z)
		sum += max(end-*strike, 0)
	}
	return math.Exp(-*rate**years) * sum / float64(n)
}

// blackScholes returns the price by the formula of Black and Scholes.
func blackScholes() float64 {
	normal := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	s := *volatility * math.Sqrt(*years)
	d := (math.Log(*spot / *strike)+*rate**years)/s + s/2
	return *spot*normal(d) - *strike*math.Exp(-*rate**years)*normal(d-s)
}
