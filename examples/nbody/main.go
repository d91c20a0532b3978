// Nbody simulates the collision of two galaxies. All bodies of the galaxies attract each other. The
// program writes the view of a camera as PNG frames.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/kgen-go/kgen/examples/internal/demo"
	"github.com/kgen-go/kgen/examples/nbody/gravity"
	gravitygen "github.com/kgen-go/kgen/generated/examples/nbody/gravity"
	"github.com/kgen-go/kgen/runtime"
)

var (
	count  = demo.Int("n", 16384, 2, 1<<20, "bodies")
	frames = demo.Int("frames", 120, 0, 1<<20, "frames to write")
	steps  = demo.Int("steps", 4, 1, 1<<20, "steps from frame to frame")
	dt     = flag.Float64("dt", 0.02, "time of a step")
	out    = flag.String("o", "nbody-frames", "directory for the frames, which is made if it is not there; none are written if empty")
	height = demo.Int("height", 720, 1, 1<<13, "rows of pixels in a frame; there are 16 columns for 9 rows")
)

const softening = 0.08

func main() { demo.Main(run) }

func run(ctx context.Context, dev *runtime.Device) error {
	bodies, velocity, split := collision(*count)
	demo.Line("bodies", "%d", len(bodies))
	s, err := newSimulation(dev, bodies, velocity)
	if err != nil {
		return err
	}
	defer s.close()

	// The program checks the first step.
	if err := s.step(); err != nil {
		return err
	}
	next := make([]gravity.Body, len(bodies))
	if err := s.old.CopyTo(ctx, s.queue, next); err != nil {
		return err
	}
	if err := check(bodies, next, velocity); err != nil {
		return err
	}
	demo.Line("check", "ok")

	if *out != "" && *frames > 0 {
		if err := os.Mkdir(*out, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	film := newFilm(*height, split)
	start := time.Now()
	bar := demo.NewProgress(*frames * *steps)
	var painting time.Duration
	for f := range *frames {
		for range *steps {
			if err := s.step(); err != nil {
				return err
			}
		}
		if err := s.queue.Wait(ctx); err != nil {
			return err
		}
		bar.Done((f + 1) * *steps)
		if *out != "" {
			d, err := demo.Time(func() error {
				return s.paint(ctx, film, filepath.Join(*out, fmt.Sprintf("frame-%04d.png", f)))
			})
			if err != nil {
				return err
			}
			painting += d
		}
	}
	if n := *frames * *steps; n > 0 {
		d := time.Since(start) - painting
		pairs := float64(n) * float64(len(bodies)) * float64(len(bodies))
		demo.Rate("kernel", d, pairs, "interactions")
		demo.Line("", "%s", demo.PerSecond(float64(n), d, "steps"))
		if *out != "" {
			demo.Line("pictures", "%s (%d frames in %v)", *out, *frames, painting.Round(time.Millisecond))
		}
	}
	plain(bodies)
	return nil
}

// The type `simulation` is the state of the simulation on the device.
type simulation struct {
	queue    *runtime.Queue
	old, new *runtime.Buffer[gravity.Body]
	velocity *runtime.Buffer[gravity.Vec3]
}

func newSimulation(dev *runtime.Device, bodies []gravity.Body, velocity []gravity.Vec3) (*simulation, error) {
	s := &simulation{queue: dev.DefaultQueue()}
	var err error
	if s.old, err = runtime.BufferOf(dev, bodies); err != nil {
		return nil, err
	}
	if s.new, err = runtime.NewBuffer[gravity.Body](dev, len(bodies)); err != nil {
		return nil, err
	}
	s.velocity, err = runtime.BufferOf(dev, velocity)
	return s, err
}

func (s *simulation) close() {
	s.old.Close()
	s.new.Close()
	s.velocity.Close()
}

// step() launches a step. step() does not wait, because launches that share memory keep
// their order.
func (s *simulation) step() error {
	const wg = gravity.GroupSize
	_, err := gravitygen.Step{
		Dt: float32(*dt), Softening: softening,
		Old: s.old.All(), New: s.new.All(), Velocity: s.velocity.All(),
	}.ParallelFor(s.queue, runtime.NDRange1{Global: runtime.Range1(s.old.Len()), Local: wg}.RoundUp())
	s.old, s.new = s.new, s.old
	return err
}

// paint() writes a frame.
func (s *simulation) paint(ctx context.Context, f *film, name string) error {
	dev := s.queue.Device()
	clear(f.light)
	light, err := runtime.BufferOf(dev, f.light)
	if err != nil {
		return err
	}
	defer light.Close()
	_, err = gravitygen.Paint{
		Camera: f.camera, Split: f.split, Bodies: s.old.All(), Light: light.All(),
	}.ParallelFor(s.queue, runtime.Range1(s.old.Len()))
	if err != nil {
		return err
	}
	if err := light.CopyTo(ctx, s.queue, f.light); err != nil {
		return err
	}
	return demo.WritePNG(name, f.develop())
}

// check() compares a step with Newton's law in float64, for some of the bodies.
func check(before, after []gravity.Body, velocity []gravity.Vec3) error {
	coords := func(v gravity.Vec3) [3]float64 { return [3]float64{float64(v.X), float64(v.Y), float64(v.Z)} }
	for i := 0; i < len(before); i += max(1, len(before)/97) {
		p, v, got := coords(before[i].Pos), coords(velocity[i]), coords(after[i].Pos)
		var acc [3]float64
		for _, b := range before {
			q := coords(b.Pos)
			r2 := softening * softening
			for d := range 3 {
				r2 += (q[d] - p[d]) * (q[d] - p[d])
			}
			for d := range 3 {
				acc[d] += float64(b.Mass) * (q[d] - p[d]) / math.Pow(r2, 1.5)
			}
		}
		for d := range 3 {
			move := *dt * (v[d] + *dt*acc[d])
			if math.Abs(got[d]-p[d]-move) > 1e-5+1e-4*math.Abs(move) {
				return fmt.Errorf("body %d moved by %g along axis %d, want %g", i, got[d]-p[d], d, move)
			}
		}
	}
	return nil
}

// plain() measures a plain loop over some of the bodies.
func plain(bodies []gravity.Body) {
	n := min(len(bodies), max(1, 100_000_000/len(bodies)))
	var sum gravity.Vec3
	d, _ := demo.Time(func() error {
		for _, a := range bodies[:n] {
			for _, b := range bodies {
				dx, dy, dz := b.Pos.X-a.Pos.X, b.Pos.Y-a.Pos.Y, b.Pos.Z-a.Pos.Z
				r2 := dx*dx + dy*dy + dz*dz + softening*softening
				f := b.Mass / (r2 * float32(math.Sqrt(float64(r2))))
				sum.X += dx * f
				sum.Y += dy * f
				sum.Z += dz * f
			}
		}
		return nil
	})
	if slices.Contains([]float32{sum.X, sum.Y, sum.Z}, float32(math.Inf(1))) {
		demo.Line("plain Go", "diverged") // uses the result, so that the compiler keeps the loop
		return
	}
	demo.Rate("plain Go", d, float64(n)*float64(len(bodies)), "interactions")
}
