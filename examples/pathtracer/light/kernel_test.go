package light_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kgen-go/kgen/dsl/math32"
	"github.com/kgen-go/kgen/examples/internal/hostrun"
	"github.com/kgen-go/kgen/examples/pathtracer/light"
)

// TestFurnace: where the same light comes from everywhere, a matte ball that keeps half of it
// shows half of it, from all sides, and things that keep all of it cannot be seen.
func TestFurnace(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	even := func(light.Vec) light.Vec { return light.Vec{X: 1, Y: 2, Z: 4} }
	grey, white := light.Vec{X: 0.5, Y: 0.5, Z: 0.5}, light.Vec{X: 1, Y: 1, Z: 1}
	ball := light.Thing{Shape: light.Sphere{Radius: 1}, Color: grey, Material: light.Matte{}}
	things := []light.Thing{
		{Shape: light.Floor{Height: -1}, Color: white, Material: light.Matte{}},
		{Shape: light.Sphere{Radius: 1}, Color: white, Material: light.Metal{Roughness: 0.5}},
	}
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
		distance float32 // 0 where the ray misses
		normal   light.Vec
	}{
		{ball, light.Vec{Z: -1}, 3, light.Vec{Z: 1}},
		{ball, light.Vec{Z: 1}, 0, light.Vec{}}, // it is behind
		{ball, light.Vec{Y: 0.6, Z: -0.8}, 0, light.Vec{}},
		{floor, light.Vec{Y: -1}, 3, light.Vec{Y: 1}},
		{floor, light.Vec{Y: -0.6, Z: -0.8}, 5, light.Vec{Y: 1}},
		{floor, light.Vec{Y: 0.6, Z: -0.8}, 0, light.Vec{}},
		{floor, light.Vec{Z: -1}, 0, light.Vec{}},
	} {
		d, n := c.shape.Hit(light.Vec{}, c.to)
		if hit := d > 0 && d < math32.Inf(1); hit != (c.distance > 0) ||
			hit && (math.Abs(float64(d-c.distance)) > 1e-5 || n != c.normal) {
			t.Errorf("%v to %v: %g, %v; want %g, %v", c.shape, c.to, d, n, c.distance, c.normal)
		}
	}
}

// TestStart: a ray that leaves a surface goes to the sky. It does not hit the surface where it
// starts, though rounding may have put that place behind the surface.
func TestStart(t *testing.T) {
	to, sky := light.Vec{X: 0.6, Y: 0.8}, func(light.Vec) light.Vec { return light.Vec{X: 1} }
	for _, shape := range []light.Shape{light.Floor{}, light.Sphere{Centre: light.Vec{Y: -1}, Radius: 1}} {
		things := []light.Thing{{Shape: shape, Material: light.Matte{}}}
		for _, y := range []float32{-1e-5, 0, 1e-5} {
			if got := light.Trace(things, sky, light.Vec{Y: y}, to, 2, nil); got.X != 1 {
				t.Errorf("%v from %g: %v", shape, y, got)
			}
		}
	}
}

// TestMetal: what is smooth mirrors, and nothing goes into what is rough.
func TestMetal(t *testing.T) {
	in, up := light.Vec{X: 0.6, Y: -0.8}, light.Vec{Y: 1}
	out := light.Metal{}.Scatter(in, up, func() float32 { return 0.25 })
	if diff := out.Add(light.Vec{X: -0.6, Y: -0.8}); diff.Dot(diff) > 1e-12 {
		t.Errorf("to %v", out)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		if out := (light.Metal{Roughness: 3}).Scatter(in, up, r.Float32); out.Y < 0 {
			t.Fatalf("into the metal: %v", out)
		}
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
