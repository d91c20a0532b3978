// Options prices a call and a put by simulating what the share may do, and compares with the
// closed form of Black and Scholes.
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
	paths  = demo.Int("n", 1<<24, 1000, 1<<30, "paths to simulate")
	seed   = flag.Uint64("seed", 1, "the key of the random numbers")
	spot   = flag.Float64("spot", 100, "the share's price now")
	strike = flag.Float64("strike", 105, "the price that the options are about")
	rate   = flag.Float64("rate", 0.03, "interest per year")
	swing  = flag.Float64("volatility", 0.2, "the share's volatility, per year")
	years  = flag.Float64("years", 1, "years until the options end")
)

func main() { demo.Main(run) }

// groups is the number of work-groups: enough to fill a large device.
const groups = 512

// estimate is a price and its standard error.
type estimate struct{ price, err float64 }

func run(ctx context.Context, dev *runtime.Device) error {
	for name, v := range map[string]float64{"spot": *spot, "strike": *strike, "volatility": *swing, "years": *years} {
		if !(v > 0 && v < 1e6) {
			return fmt.Errorf("-%s is %g; it is to be above 0 and below a million", name, v)
		}
	}
	out, err := runtime.NewBuffer[montecarlo.Sums](dev, groups)
	if err != nil {
		return err
	}
	defer out.Close()
	var call, put estimate
	d, err := demo.Best(3, func() (err error) {
		call, put, err = simulate(ctx, dev.DefaultQueue(), out, *paths)
		return err
	})
	if err != nil {
		return err
	}
	demo.Rate("kernel", d, float64(*paths), "paths")

	// The same random numbers in float64, in a plain loop, for some of the paths.
	some := min(*paths, 1<<20)
	var plainCall, plainPut float64
	d, _ = demo.Time(func() error { plainCall, plainPut = plain(some); return nil })
	demo.Rate("plain Go", d, float64(some), "paths")
	someCall, somePut, err := simulate(ctx, dev.DefaultQueue(), out, some)
	if err != nil {
		return err
	}
	if e := max(math.Abs(someCall.price-plainCall), math.Abs(somePut.price-plainPut)); !(e <= 1e-5**spot) {
		return fmt.Errorf("for %d paths the prices are %g and %g, the plain loop's %g and %g",
			some, someCall.price, somePut.price, plainCall, plainPut)
	}

	closedCall, closedPut := blackScholes()
	for _, o := range []struct {
		name   string
		got    estimate
		closed float64
	}{{"call", call, closedCall}, {"put", put, closedPut}} {
		e := o.got.price - o.closed
		demo.Line(o.name, "%.5f ± %.5f; closed form %.5f, error %+.5f", o.got.price, o.got.err, o.closed, e)
		if !(math.Abs(e) <= 5*o.got.err+1e-6**spot) {
			return fmt.Errorf("the %s is further off than five standard errors", o.name)
		}
	}
	demo.Line("check", "ok: within five standard errors, and the plain loop's for the same numbers")
	return nil
}

// key is the seed as Philox's key.
func key() [2]uint32 { return [2]uint32{uint32(*seed), uint32(*seed >> 32)} }

// simulate prices the options by n paths: what they pay on average, less the interest until
// then.
func simulate(ctx context.Context, q *runtime.Queue, out *runtime.Buffer[montecarlo.Sums], n int) (call, put estimate, err error) {
	k := montecarlogen.Price{
		Option: montecarlo.Option{Spot: float32(*spot), Strike: float32(*strike), Rate: float32(*rate),
			Volatility: float32(*swing), Years: float32(*years)},
		Key: key(), Paths: n, Out: out.All(),
	}
	if _, err := k.ParallelFor(q, runtime.NDRange1{Global: groups * montecarlo.Size, Local: montecarlo.Size}); err != nil {
		return call, put, err
	}
	parts := make([]montecarlo.Sums, groups)
	if err := out.CopyTo(ctx, q, parts); err != nil {
		return call, put, err
	}
	var c, c2, p, p2 float64 // float32 would lose what is behind the third digit
	for _, s := range parts {
		c, c2 = c+float64(s.Call), c2+float64(s.CallSquared)
		p, p2 = p+float64(s.Put), p2+float64(s.PutSquared)
	}
	return mean(c, c2, n), mean(p, p2, n), nil
}

// mean returns the mean of n payments, discounted, given their sum and that of their squares.
func mean(sum, squares float64, n int) estimate {
	m, discount := sum/float64(n), math.Exp(-*rate**years)
	variance := max(squares/float64(n)-m*m, 0)
	return estimate{discount * m, discount * math.Sqrt(variance/float64(n))}
}

// plain simulates n paths by a plain loop.
func plain(n int) (call, put float64) {
	for i := 0; i < n; i += 4 {
		words := montecarlo.Philox([4]uint32{uint32(i / 4)}, key())
		for j := range min(4, n-i) {
			u := (float64(words[j&^1]>>8) + 1) / (1 << 24)
			angle := 2 * math.Pi * float64(words[j|1]>>8) / (1 << 24)
			z := math.Sqrt(-2 * math.Log(u))
			if j%2 == 0 {
				z *= math.Cos(angle)
			} else {
				z *= math.Sin(angle)
			}
			end := *spot * math.Exp((*rate-*swing**swing/2)**years+*swing*math.Sqrt(*years)*z)
			call, put = call+max(end-*strike, 0), put+max(*strike-end, 0)
		}
	}
	return mean(call, 0, n).price, mean(put, 0, n).price
}

// blackScholes returns the prices in closed form.
func blackScholes() (call, put float64) {
	normal := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	deviation := *swing * math.Sqrt(*years)
	d1 := (math.Log(*spot / *strike)+*rate**years)/deviation + deviation/2
	later := *strike * math.Exp(-*rate**years)
	call = *spot*normal(d1) - later*normal(d1-deviation)
	return call, call - *spot + later
}
