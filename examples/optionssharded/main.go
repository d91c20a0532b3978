// Optionssharded prices a call by simulating paths of the share's price, as example options does,
// on every GPU of a machine. The paths are divided into blocks with different random numbers. The number
// of blocks of a device depends on the device's weight, which the program measures. The sums of the blocks
// are added up in the order of the blocks, so the price has the same bits on any number of devices.
package main

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/kgen-go/kgen/examples/internal/demo"
	"github.com/kgen-go/kgen/examples/options/montecarlo"
	montecarlogen "github.com/kgen-go/kgen/generated/examples/options/montecarlo"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/shard"
)

var (
	blocks = demo.Int("blocks", 64, 1, 1<<16, "blocks of paths")
	paths  = demo.Int("paths", 1<<18, 4, 1<<28, "paths of a block")
)

// The constant `groups` is the number of work-groups of a launch. Each work-group stores its sums.
const groups = 64

var call = montecarlo.Call{Spot: 100, Strike: 105, Rate: 0.03, Volatility: 0.2, Years: 1}

func main() { demo.MainGroup(run) }

func run(ctx context.Context, g *shard.Group) error {
	demo.Line("paths", "%d blocks of %d", *blocks, *paths)
	if err := g.Supports(montecarlogen.Kernels()...); err != nil {
		return err
	}
	even, err := simulate(ctx, g)
	if err != nil {
		return err
	}
	if err := measure(ctx, g); err != nil {
		return err
	}
	demo.Line("weights", "%.2f", g.Weights())
	sums, err := simulate(ctx, g)
	if err != nil {
		return err
	}
	if sums != even {
		return fmt.Errorf("the sums are %v with other weights, and were %v", sums, even)
	}
	n := float64(*blocks) * float64(*paths)
	mean, discount := sums[0]/n, math.Exp(-float64(call.Rate*call.Years))
	deviation := discount * math.Sqrt(max(sums[1]/n-mean*mean, 0)/n)
	closed := blackScholes()
	demo.Line("price", "%.5f ± %.5f; in closed form %.5f", discount*mean, deviation, closed)
	if !(math.Abs(discount*mean-closed) <= 5*deviation+1e-4) {
		return errors.New("the price is more than five standard errors off")
	}
	demo.Line("check", "ok: the sums are the same with all weights")
	return nil
}

// simulate() returns two sums over all paths: the call's values, and the squares of these values.
func simulate(ctx context.Context, g *shard.Group) (sums [2]float64, err error) {
	out, err := shard.New[montecarlo.Sums](g, *blocks*groups, shard.Shape(*blocks, groups))
	if err != nil {
		return sums, err
	}
	defer out.Close()
	parts := make([]montecarlo.Sums, *blocks*groups)
	d, err := demo.Time(func() error {
		err := shard.Each(ctx, g, func(p shard.Part) error {
			for i := range out.RowsOn(p) {
				if err := price(p.Queue, out.FirstOn(p)+i, out.On(p).Slice(i*groups, (i+1)*groups)); err != nil {
					return err
				}
			}
			return nil
		})
		return errors.Join(err, out.Gather(ctx, parts))
	})
	if err != nil {
		return sums, err
	}
	demo.Rate(fmt.Sprintf("%d devices", g.Len()), d, float64(*blocks)*float64(*paths), "paths")
	for _, s := range parts { // a float32 has too few digits for the sum of all parts
		sums[0] += float64(s.Worth)
		sums[1] += float64(s.Squares)
	}
	return sums, nil
}

// price() launches the simulation of a block of paths.
func price(q *runtime.Queue, block int, out runtime.View[montecarlo.Sums]) error {
	k := montecarlogen.Price{Call: call, Key: [2]uint32{uint32(block), 1}, Paths: *paths, Out: out}
	_, err := k.ParallelFor(q, runtime.NDRange1{Global: groups * montecarlo.Size, Local: montecarlo.Size})
	return err
}

// measure() times one block on each device, and sets the weights of the devices.
func measure(ctx context.Context, g *shard.Group) error {
	out, err := shard.NewCopies[montecarlo.Sums](g, groups)
	if err != nil {
		return err
	}
	defer out.Close()
	weights, err := g.Measure(ctx, func(p shard.Part) error { return price(p.Queue, 0, out.On(p)) })
	if err != nil {
		return err
	}
	return g.SetWeights(weights...)
}

// blackScholes returns the price by the formula of Black and Scholes.
func blackScholes() float64 {
	normal := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	spot, strike, rate, years := float64(call.Spot), float64(call.Strike), float64(call.Rate), float64(call.Years)
	s := float64(call.Volatility) * math.Sqrt(years)
	d := (math.Log(spot/strike)+rate*years)/s + s/2
	return spot*normal(d) - strike*math.Exp(-rate*years)*normal(d-s)
}
