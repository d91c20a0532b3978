package light_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kgen-go/kgen/examples/internal/hostrun"
	"github.com/kgen-go/kgen/examples/pathtracer/light"
)

// TestFurnace: where the same light comes from everywhere, a matte ball that keeps half of it
// shows half of it, from all sides, and things that keep all of it cannot be seen.
func TestFurnace(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	even := func(light.Vec) light.Vec { return light.Vec{X: 1, Y: 2, Z: 4} }
	ball := light.Thing{Shape: light.Sphere{Radius: 1}, Material: light.Matte{Color: light.Vec{X: 0.5, Y: 0.5, Z: 0.5}}}
	white := light.Matte{Color: light.Vec{X: 1, Y: 1, Z: 1}}
	things := []light.Thing{{Shape: light.Floor{Height: -1}, Material: white}, {Shape: light.Sphere{Radius: 1}, Material: white}}
	for range 1000 {
		from := light.Vec{X: r.Float32() - 0.5, Y: r.Float32() - 0.5, Z: r.Float32() - 0.5}.Unit().Scale(3)
		got := light.Trace([]light.Thing{ball}, even, from, from.Unit().Scale(-1), 2, r.Float32)
		if want := (light.Vec{X: 0.5, Y: 1, Z: 2}); got != want {
			t.Fatalf("from %v: %v, want %v", from, got, want)
		}
		from.Y = max(from.Y, 0)
		got = light.Trace(things, even, from, from.Unit().Scale(-1), 1000, r.Float32)
		if want := even(light.Vec{}); got != want {
			t.Fatalf("white things from %v: %v, want %v", from, got, want)
		}
	}
}

func TestHit(t *testing.T) {
	ball, floor := light.Sphere{Centre: light.Vec{Z: -5}, Radius: 2}, light.Floor{Height: -3}
	for _, c := range []struct {
		shape    light.Shape
		to       light.Vec
		distance float32
		normal   light.Vec
	}{
		{ball, light.Vec{Z: -1}, 3, light.Vec{Z: 1}},
		{ball, light.Vec{Z: 1}, 0, light.Vec{}}, // it is behind
		{ball, light.Vec{Y: 0.6, Z: -0.8}, 0, light.Vec{}},
		{floor, light.Vec{Y: -1}, 3, light.Vec{Y: 1}},
		{floor, light.Vec{Y: -0.6, Z: -0.8}, 5, light.Vec{Y: 1}},
		{floor, light.Vec{Y: 0.6, Z: -0.8}, 0, light.Vec{}},
		{floor, light.Vec{Z: -1}, float32(math.Inf(1)), light.Vec{Y: 1}}, // never nearer than nothing
	} {
		d, n := c.shape.Hit(light.Vec{}, c.to)
		if c.distance != 0 && math.Abs(float64(d-c.distance)) < 1e-5 {
			d = c.distance
		}
		if d != c.distance && !(math.IsInf(float64(c.distance), 1) && d <= 0) || d > 0 && n != c.normal {
			t.Errorf("%v to %v: %g, %v; want %g, %v", c.shape, c.to, d, n, c.distance, c.normal)
		}
	}
}

// TestStart: a ray that leaves a surface does not hit it where it starts, though rounding may
// have put that place behind the surface.
func TestStart(t *testing.T) {
	to := light.Vec{X: 0.6, Y: 0.8}
	for _, shape := range []light.Shape{light.Floor{}, light.Sphere{Centre: light.Vec{Y: -1}, Radius: 1}} {
		for _, y := range []float32{-1e-5, 0, 1e-5} {
			if d, _ := shape.Hit(light.Vec{Y: y}, to); d > 0 {
				t.Errorf("%v from %g: hit in %g", shape, y, d)
			}
		}
	}
}

// TestMetal: what is smooth mirrors.
func TestMetal(t *testing.T) {
	m := light.Metal{Color: light.Vec{X: 1}}
	out, kept := m.Scatter(light.Vec{X: 0.6, Y: -0.8}, light.Vec{Y: 1}, func() float32 { return 0.25 })
	if out.Add(light.Vec{X: -0.6, Y: -0.8}).Dot(light.Vec{X: 1, Y: 1, Z: 1}) > 1e-6 || kept != m.Color {
		t.Errorf("to %v, with %v", out, kept)
	}
}

// TestRender: the sky is above, and the same picture comes twice.
func TestRender(t *testing.T) {
	const h, w = 18, 32
	var pictures [2][]light.Vec
	for i := range pictures {
		pictures[i] = make([]light.Vec, h*w)
		hostrun.Range(t, light.Render{Samples: 4, Bounces: 4, Image: pictures[i]}.Kernel, h, w)
	}
	for i, p := range pictures[0] {
		if p != pictures[1][i] || !(p.X >= 0 && p.X < 9) {
			t.Errorf("pixel %d is %v and %v", i, p, pictures[1][i])
		}
	}
	if p := pictures[0][0]; p.Z < 0.7 || p.X >= p.Z {
		t.Errorf("the sky is %v", p)
	}
}
