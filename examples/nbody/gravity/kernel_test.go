package gravity_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/examples/internal/hostrun"
	"github.com/kgen-go/kgen/examples/nbody/gravity"
)

func cloud(n int) ([]gravity.Body, []gravity.Vec3) {
	r := rand.New(rand.NewPCG(1, 2))
	vec := func(s float32) gravity.Vec3 {
		return gravity.Vec3{X: s * (r.Float32() - 0.5), Y: s * (r.Float32() - 0.5), Z: s * (r.Float32() - 0.5)}
	}
	bodies, vel := make([]gravity.Body, n), make([]gravity.Vec3, n)
	for i := range bodies {
		bodies[i] = gravity.Body{Pos: vec(2), Mass: r.Float32() / float32(n)}
		vel[i] = vec(1)
	}
	return bodies, vel
}

// accelerate is Newton's law, summed pair by pair in float64.
func accelerate(bodies []gravity.Body, i int, soft float64) [3]float64 {
	var acc [3]float64
	p := coords(bodies[i].Pos)
	for _, b := range bodies {
		q := coords(b.Pos)
		r2 := soft * soft
		for d := range 3 {
			r2 += (q[d] - p[d]) * (q[d] - p[d])
		}
		for d := range 3 {
			acc[d] += float64(b.Mass) * (q[d] - p[d]) / math.Pow(r2, 1.5)
		}
	}
	return acc
}

func coords(v gravity.Vec3) [3]float64 {
	return [3]float64{float64(v.X), float64(v.Y), float64(v.Z)}
}

func TestStep(t *testing.T) {
	const dt, soft = 0.125, 0.05
	for _, n := range []int{1, 2, 255, 256, 700} {
		bodies, vel := cloud(n)
		next, v := make([]gravity.Body, n), append([]gravity.Vec3(nil), vel...)
		k := gravity.Step{Dt: dt, Softening: soft, Old: bodies, New: next, Velocity: v}
		hostrun.NDRange(t, k.Kernel, n, gravity.GroupSize)
		for i := range n {
			acc := accelerate(bodies, i, soft)
			p0, v0, p1, v1 := coords(bodies[i].Pos), coords(vel[i]), coords(next[i].Pos), coords(v[i])
			for d := range 3 {
				wantV := v0[d] + dt*acc[d]
				wantP := p0[d] + dt*wantV
				if math.Abs(v1[d]-wantV) > 1e-5 || math.Abs(p1[d]-wantP) > 1e-5 {
					t.Fatalf("n = %d, body %d: at %g, %g, want %g, %g", n, i, p1[d], v1[d], wantP, wantV)
				}
			}
			if next[i].Mass != bodies[i].Mass {
				t.Fatalf("body %d has another mass", i)
			}
		}
	}
}

// Steps keep the total momentum, and nearly the energy.
func TestConservation(t *testing.T) {
	const n, dt, soft = 200, 0.002, 0.1
	bodies, vel := cloud(n)
	next := make([]gravity.Body, n)
	p0, e0 := momentum(bodies, vel), energy(bodies, vel, soft)
	for range 50 {
		k := gravity.Step{Dt: dt, Softening: soft, Old: bodies, New: next, Velocity: vel}
		hostrun.NDRange(t, k.Kernel, n, gravity.GroupSize)
		bodies, next = next, bodies
	}
	p1, e1 := momentum(bodies, vel), energy(bodies, vel, soft)
	for d := range 3 {
		if math.Abs(p1[d]-p0[d]) > 1e-6 {
			t.Errorf("momentum went from %v to %v", p0, p1)
		}
	}
	if math.Abs(e1-e0) > 0.002*math.Abs(e0) {
		t.Errorf("energy went from %g to %g", e0, e1)
	}
}

func momentum(bodies []gravity.Body, vel []gravity.Vec3) (p [3]float64) {
	for i, b := range bodies {
		for d, v := range coords(vel[i]) {
			p[d] += float64(b.Mass) * v
		}
	}
	return p
}

func energy(bodies []gravity.Body, vel []gravity.Vec3, soft float64) (e float64) {
	for i, b := range bodies {
		v := coords(vel[i])
		e += 0.5 * float64(b.Mass) * (v[0]*v[0] + v[1]*v[1] + v[2]*v[2])
		p := coords(b.Pos)
		for _, c := range bodies[:i] {
			q := coords(c.Pos)
			r2 := soft * soft
			for d := range 3 {
				r2 += (q[d] - p[d]) * (q[d] - p[d])
			}
			e -= float64(b.Mass) * float64(c.Mass) / math.Sqrt(r2)
		}
	}
	return e
}

func TestPaint(t *testing.T) {
	const w, h = 40, 30
	camera := gravity.Camera{Width: w, Height: h, Zoom: 10, Distance: 100, Cos: 1}
	light := make([]uint32, 2*w*h)
	bodies := []gravity.Body{
		{Pos: gravity.Vec3{}},                // between the four pixels of the middle
		{Pos: gravity.Vec3{X: 1.05, Y: 0.5}}, // right of it and above
		{Pos: gravity.Vec3{X: 1000}},         // outside
		{Pos: gravity.Vec3{Z: 200}},          // behind the camera
	}
	hostrun.Range(t, gravity.Paint{Camera: camera, Split: 1, Bodies: bodies, Light: light}.Kernel, len(bodies))
	first, second := light[:w*h], light[w*h:]
	for _, p := range []int{14*w + 19, 14*w + 20, 15*w + 19, 15*w + 20} {
		if first[p] != gravity.Unit/4 {
			t.Errorf("light of the first body at %d: %d", p, first[p])
		}
	}
	sums := [2]uint32{}
	for p := range w * h {
		sums[0] += first[p]
		sums[1] += second[p]
	}
	if sums != [2]uint32{gravity.Unit, gravity.Unit} {
		t.Errorf("light on the planes: %v", sums)
	}
	if second[9*w+30] != gravity.Unit/2 || second[10*w+30] != gravity.Unit/2 {
		t.Errorf("light of the second body: %d, %d", second[9*w+30], second[10*w+30])
	}
}

// TestBlocks moves bodies by Pull and Move, block by block, as on two devices: first the blocks from `half` on, then the
// others.
func TestBlocks(t *testing.T) {
	const dt, soft = 0.125, 0.05
	for _, n := range []int{1, 700, 2500} {
		bodies, vel := cloud(n)
		moved, v := slices.Clone(bodies), slices.Clone(vel)
		block := gravity.BlockSize(n)
		blocks := (n + block - 1) / block
		sums := make([]gravity.Vec3, blocks*n)
		half := blocks / 2
		for _, part := range [][2]int{{half, blocks}, {0, half}} {
			lo, hi := part[0], part[1]
			k := gravity.Pull{Softening: soft, Block: block, Bodies: moved, Sources: bodies[min(lo*block, n):min(hi*block, n)], Sums: sums[lo*n : hi*n]}
			if hi > lo {
				hostrun.NDRange(t, k.Kernel, hi-lo, n, 1, gravity.GroupSize)
			}
		}
		hostrun.Range(t, gravity.Move{Dt: dt, Bodies: moved, Velocity: v, Sums: sums}.Kernel, n)
		for i := range n {
			acc := accelerate(bodies, i, soft)
			p0, v0, p1, v1 := coords(bodies[i].Pos), coords(vel[i]), coords(moved[i].Pos), coords(v[i])
			for d := range 3 {
				wantV := v0[d] + dt*acc[d]
				if wantP := p0[d] + dt*wantV; math.Abs(v1[d]-wantV) > 1e-5 || math.Abs(p1[d]-wantP) > 1e-5 {
					t.Fatalf("n = %d, body %d: at %g, %g, want %g, %g", n, i, p1[d], v1[d], wantP, wantV)
				}
			}
		}
	}
}
