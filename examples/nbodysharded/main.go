// Nbodysharded simulates bodies that attract each other, like example nbody, on all GPUs of a
// machine. Each device stores all bodies, but moves only some of them, which are its own bodies. After
// each step, each device copies its own bodies to all other devices. During these copies, the device
// computes how its own bodies attract each other in the next step.
package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/kgen-go/kgen/examples/internal/demo"
	"github.com/kgen-go/kgen/examples/nbody/gravity"
	"github.com/kgen-go/kgen/examples/nbodysharded/swarm"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/shard"
)

var (
	count = demo.Int("n", 8192, 2, 1<<20, "bodies")
	steps = demo.Int("steps", 4, 1, 1<<20, "steps")
)

func main() { demo.MainGroup(run) }

func run(ctx context.Context, g *shard.Group) error {
	bodies := cloud(*count)
	demo.Line("bodies", "%d, %d steps", len(bodies), *steps)
	got, err := simulate(ctx, g, bodies)
	if err != nil {
		return err
	}
	alone, err := shard.Of(g.Devices()[0])
	if err != nil {
		return err
	}
	want, err := simulate(ctx, alone, bodies)
	if err != nil {
		return err
	}
	if !sameKind(g) {
		demo.Line("check", "none: devices of different kinds approximate inverse square roots differently")
		return nil
	}
	if !slices.Equal(got, want) {
		return errors.New("the bodies are not where one device moves them")
	}
	demo.Line("check", "ok: the bodies are where one device moves them")
	return nil
}

// sameKind reports whether all devices have the same name.
func sameKind(g *shard.Group) bool {
	first := g.Devices()[0].Name()
	return !slices.ContainsFunc(g.Devices(), func(d *runtime.Device) bool { return d.Name() != first })
}

// simulate() returns the bodies after all steps.
func simulate(ctx context.Context, g *shard.Group, bodies []gravity.Body) ([]gravity.Body, error) {
	s, err := swarm.New(ctx, g, bodies, 0.01, 0.05)
	defer s.Close()
	if err != nil {
		return nil, err
	}
	d, err := demo.Time(func() error {
		return shard.Each(ctx, g, func(p shard.Part) (err error) {
			for i := 0; i < *steps && err == nil; i++ {
				err = s.Step(p)
			}
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	pairs := float64(*steps) * float64(len(bodies)) * float64(len(bodies))
	demo.Rate(fmt.Sprintf("%d devices", g.Len()), d, pairs, "interactions")
	out := make([]gravity.Body, len(bodies))
	return out, s.Own.Gather(ctx, out)
}

// cloud() returns bodies at rest, at random places of a cube.
func cloud(n int) []gravity.Body {
	r := rand.New(rand.NewPCG(1, 2))
	bodies := make([]gravity.Body, n)
	for i := range bodies {
		bodies[i] = gravity.Body{Pos: gravity.Vec3{X: r.Float32(), Y: r.Float32(), Z: r.Float32()}, Mass: 1 / float32(n)}
	}
	return bodies
}
