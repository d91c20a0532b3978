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
	gravitygen "github.com/kgen-go/kgen/generated/examples/nbody/gravity"
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

// The type `swarm` contains the bodies of a group.
type swarm struct {
	n, block int
	others   *shard.Copies[gravity.Body] // all bodies, on each device
	own      *shard.Array[gravity.Body]  // bodies that a device moves
	velocity *shard.Array[gravity.Vec3]
	sums     *shard.Array[gravity.Vec3] // pull of each block on a device's bodies
}

// newSwarm() divides bodies at rest among the devices of a group.
func newSwarm(ctx context.Context, g *shard.Group, bodies []gravity.Body) (s *swarm, err error) {
	s = &swarm{n: len(bodies), block: gravity.BlockSize(len(bodies))}
	blocks := (s.n + s.block - 1) / s.block
	var errs [4]error
	s.others, errs[0] = shard.Broadcast(ctx, g, bodies)
	s.own, errs[1] = shard.Scatter(ctx, g, bodies, shard.Blocks(s.block))
	s.velocity, errs[2] = shard.New[gravity.Vec3](g, s.n, shard.Blocks(s.block))
	s.sums, errs[3] = shard.New[gravity.Vec3](g, s.n*blocks, shard.Shape(s.n, blocks), shard.Blocks(s.block))
	return s, errors.Join(errs[:]...)
}

func (s *swarm) close() {
	s.others.Close()
	s.own.Close()
	s.velocity.Close()
	s.sums.Close()
}

// step() enqueues a time step of one device. The launch for the device's own bodies does not need the copies of the
// last step, so the copies overlap with it.
func (s *swarm) step(p shard.Part) error {
	first, own := s.own.FirstOn(p), s.own.On(p)
	err := s.pull(p, first, own)
	err = errors.Join(err, s.pull(p, 0, s.others.On(p).Slice(0, first)))
	last := first + own.Len()
	err = errors.Join(err, s.pull(p, last, s.others.On(p).Slice(last, s.n)))
	if own.Len() > 0 {
		k := gravitygen.Move{Dt: 0.01, Bodies: own, Velocity: s.velocity.On(p), Sums: s.sums.On(p)}
		_, failed := k.ParallelFor(p.Queue, runtime.Range1(own.Len()))
		err = errors.Join(err, failed)
	}
	return errors.Join(err, s.others.Collect(p, s.own))
}

// pull() computes how `sources` attract the bodies of a device. The argument `first` is the index of the first source.
func (s *swarm) pull(p shard.Part, first int, sources runtime.View[gravity.Body]) error {
	own := s.own.On(p)
	if own.Len() == 0 || sources.Len() == 0 {
		return nil
	}
	begin, end := first/s.block, (first+sources.Len()+s.block-1)/s.block
	k := gravitygen.Pull{Softening: 0.05, Block: s.block, Bodies: own, Sources: sources, Sums: s.sums.On(p).Slice(begin*own.Len(), end*own.Len())}
	nd := runtime.NDRange2{Global: runtime.Range2{end - begin, own.Len()}, Local: runtime.Range2{1, gravity.GroupSize}}
	_, err := k.ParallelFor(p.Queue, nd.RoundUp())
	return err
}

// simulate() returns the bodies after all steps.
func simulate(ctx context.Context, g *shard.Group, bodies []gravity.Body) ([]gravity.Body, error) {
	s, err := newSwarm(ctx, g, bodies)
	defer s.close()
	if err != nil {
		return nil, err
	}
	d, err := demo.Time(func() error {
		return shard.Each(ctx, g, func(p shard.Part) (err error) {
			for i := 0; i < *steps && err == nil; i++ {
				err = s.step(p)
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
	return out, s.own.Gather(ctx, out)
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
