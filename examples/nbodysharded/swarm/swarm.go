// Package swarm moves bodies that attract each other on several devices. Each device stores all bodies, but moves only
// some of them. The copies between devices overlap with kernels.
package swarm

import (
	"context"
	"errors"

	"github.com/kgen-go/kgen/examples/nbody/gravity"
	gravitygen "github.com/kgen-go/kgen/generated/examples/nbody/gravity"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/shard"
)

// Swarm contains the bodies of a group of devices.
type Swarm struct {
	Dt, Softening float32                     // time step, and a length (see gravity.Pull)
	All           *shard.Copies[gravity.Body] // all bodies, on each device
	Own           *shard.Array[gravity.Body]  // bodies that a device moves
	Velocity      *shard.Array[gravity.Vec3]
	sums          *shard.Array[gravity.Vec3] // pull of each block on a device's bodies
	n, block      int
}

// New divides bodies at rest among the devices of a group. If New returns an error, the Swarm must be closed, too.
func New(ctx context.Context, g *shard.Group, bodies []gravity.Body, dt, softening float32) (*Swarm, error) {
	s := &Swarm{Dt: dt, Softening: softening, n: len(bodies), block: gravity.BlockSize(len(bodies))}
	blocks := (s.n + s.block - 1) / s.block
	var errs [4]error
	s.All, errs[0] = shard.Broadcast(ctx, g, bodies)
	s.Own, errs[1] = shard.Scatter(ctx, g, bodies, shard.Blocks(s.block))
	s.Velocity, errs[2] = shard.New[gravity.Vec3](g, s.n, shard.Blocks(s.block))
	s.sums, errs[3] = shard.New[gravity.Vec3](g, s.n*blocks, shard.Shape(s.n, blocks), shard.Blocks(s.block))
	return s, errors.Join(errs[:]...)
}

// Set replaces the bodies by others, which are at rest. There must be as many as before.
func (s *Swarm) Set(ctx context.Context, bodies []gravity.Body) error {
	return errors.Join(s.All.Set(ctx, bodies), s.Own.Set(ctx, bodies), s.Velocity.Set(ctx, make([]gravity.Vec3, s.n)))
}

// Close frees the memory of the devices.
func (s *Swarm) Close() {
	s.All.Close()
	s.Own.Close()
	s.Velocity.Close()
	s.sums.Close()
}

// Step enqueues a time step of one device. The launch for the device's own bodies does not need the copies of the
// last step, so the copies overlap with it. The sums of each block of bodies are separate, so the results do not depend
// on the number of devices.
func (s *Swarm) Step(p shard.Part) error {
	first, own := s.Own.FirstOn(p), s.Own.On(p)
	last := first + own.Len()
	err := s.pull(p, first, own)
	err = errors.Join(err, s.pull(p, 0, s.All.On(p).Slice(0, first)), s.pull(p, last, s.All.On(p).Slice(last, s.n)))
	if own.Len() > 0 {
		k := gravitygen.Move{Dt: s.Dt, Bodies: own, Velocity: s.Velocity.On(p), Sums: s.sums.On(p)}
		_, failed := k.ParallelFor(p.Queue, runtime.Range1(own.Len()))
		err = errors.Join(err, failed)
	}
	return errors.Join(err, s.All.Collect(p, s.Own))
}

// pull computes how sources attract the bodies of a device. The first body of sources has the given index.
func (s *Swarm) pull(p shard.Part, first int, sources runtime.View[gravity.Body]) error {
	own := s.Own.On(p)
	if own.Len() == 0 || sources.Len() == 0 {
		return nil
	}
	begin, end := first/s.block, (first+sources.Len()+s.block-1)/s.block
	k := gravitygen.Pull{Softening: s.Softening, Block: s.block, Bodies: own, Sources: sources, Sums: s.sums.On(p).Slice(begin*own.Len(), end*own.Len())}
	nd := runtime.NDRange2{Global: runtime.Range2{end - begin, own.Len()}, Local: runtime.Range2{1, gravity.GroupSize}}
	_, err := k.ParallelFor(p.Queue, nd.RoundUp())
	return err
}
