package main

import (
	"image"
	"image/color"
	"math"
	"math/rand/v2"

	"github.com/kgen-go/kgen/examples/nbody/gravity"
)

// collision() returns two galaxies that move towards each other. The first `split` bodies belong
// to the first galaxy.
func collision(n int) (bodies []gravity.Body, velocity []gravity.Vec3, split int) {
	split = n * 3 / 5
	r := rand.New(rand.NewPCG(2, 3))
	a := galaxy{mass: 1, radius: 1, tilt: 0.35, n: split}
	b := galaxy{mass: 0.6, radius: 0.7, tilt: 2.2, n: n - split}
	// The galaxies have a nearly parabolic orbit about the common centre of mass.
	const apart, side = 3.4, 1.3
	speed := 0.95 * math.Sqrt(2*(a.mass+b.mass)/math.Hypot(apart, side))
	wa, wb := b.mass/(a.mass+b.mass), a.mass/(a.mass+b.mass)
	a.center, a.drift = [3]float64{-apart * wa, -side * wa, 0}, [3]float64{speed * wa, 0, 0}
	b.center, b.drift = [3]float64{apart * wb, side * wb, 0}, [3]float64{-speed * wb, 0, 0}
	for _, g := range []galaxy{a, b} {
		for i := range g.n {
			p, v, m := g.body(r, i)
			bodies = append(bodies, gravity.Body{Pos: vec3(p), Mass: float32(m)})
			velocity = append(velocity, vec3(v))
		}
	}
	return bodies, velocity, split
}

// The type `galaxy` is a thin disc of bodies around a heavy core.
type galaxy struct {
	mass, radius, tilt float64
	center, drift      [3]float64
	n                  int
}

// coreMass is the core's share of a galaxy's mass.
const coreMass = 0.7

func (g *galaxy) body(r *rand.Rand, i int) (pos, vel [3]float64, mass float64) {
	if i == 0 {
		return g.center, g.drift, coreMass * g.mass
	}
	// The density of the disc decreases exponentially. A body moves on a circle, attracted by the
	// mass inside the circle.
	const scale = 0.33
	u := 0.0
	for u == 0 || u > 5 {
		u = -math.Log((1 - r.Float64()) * (1 - r.Float64()))
	}
	inside := g.mass * (coreMass + (1-coreMass)*(1-(1+u)*math.Exp(-u)))
	d := max(u*scale, 0.06) * g.radius
	phi := 2 * math.Pi * r.Float64()
	sin, cos := math.Sincos(phi)
	speed := math.Sqrt(inside*d*d/math.Pow(d*d+softening*softening, 1.5)) * (1 + 0.03*r.NormFloat64())
	pos = [3]float64{d * cos, d * sin, 0.02 * g.radius * r.NormFloat64()}
	vel = [3]float64{-speed * sin, speed * cos, 0}
	tsin, tcos := math.Sincos(g.tilt)
	for _, v := range []*[3]float64{&pos, &vel} {
		v[1], v[2] = v[1]*tcos-v[2]*tsin, v[1]*tsin+v[2]*tcos
	}
	for k := range 3 {
		pos[k] += g.center[k]
		vel[k] += g.drift[k]
	}
	return pos, vel, (1 - coreMass) * g.mass / float64(g.n-1)
}

func vec3(v [3]float64) gravity.Vec3 {
	return gravity.Vec3{X: float32(v[0]), Y: float32(v[1]), Z: float32(v[2])}
}

// The type `film` converts the light of the bodies to pictures.
type film struct {
	camera gravity.Camera
	split  int
	light  []uint32
}

func newFilm(height, split int) *film {
	const tilt = 0.5
	w := height * 16 / 9
	return &film{
		camera: gravity.Camera{
			Width: w, Height: height, Zoom: float32(height) / 5, Distance: 9,
			Sin: float32(math.Sin(tilt)), Cos: float32(math.Cos(tilt)),
		},
		split: split,
		light: make([]uint32, 2*w*height),
	}
}

// develop() returns the picture. Each galaxy has its own colour, and pixels with much light are
// white.
func (f *film) develop() image.Image {
	w, h := f.camera.Width, f.camera.Height
	colors := [2][3]float64{{1.0, 0.62, 0.30}, {0.33, 0.60, 1.0}}
	// Many bodies, or few pixels, need a shorter exposure.
	exposure := 0.7 * float64(w*h) / (1280 * 720) * math.Sqrt(16384/float64(*count)) / gravity.Unit
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	planes := [2][]float64{glow(f.light[:w*h], h, w), glow(f.light[w*h:], h, w)}
	for i := range w * h {
		var c [3]uint8
		for k := range c {
			v := exposure * (colors[0][k]*planes[0][i] + colors[1][k]*planes[1][i])
			c[k] = uint8(255 * math.Sqrt(1-math.Exp(-v)))
		}
		img.SetRGBA(i%w, i/w, color.RGBA{c[0], c[1], c[2], 255})
	}
	return img
}

// glow() adds to each pixel some light of the pixels around it, as a lens does.
func glow(light []uint32, h, w int) []float64 {
	out := make([]float64, h*w)
	for i, v := range light {
		out[i] = float64(v)
	}
	soft := append([]float64(nil), out...)
	radius := max(1, h/240)
	for range 2 {
		blur(soft, h, w, 1, w, radius)
		blur(soft, w, h, w, 1, radius)
	}
	for i := range out {
		out[i] = 0.6*out[i] + 1.4*soft[i]
	}
	return out
}

// blur() replaces each element by the mean of the elements whose distance is at most `radius`. Each line
// has `length` elements. The indices of neighbouring elements of a line differ by `stride`.
func blur(v []float64, lines, length, stride, lineStride, radius int) {
	line := make([]float64, length+2*radius+1)
	for l := range lines {
		// The array contains prefix sums of the line, with zeros before and after the line.
		at := l * lineStride
		sum := 0.0
		for i := range line {
			line[i] = sum
			if j := i - radius; j >= 0 && j < length {
				sum += v[at+j*stride]
			}
		}
		for j := range length {
			v[at+j*stride] = (line[min(j+2*radius+1, len(line)-1)] - line[j]) / float64(2*radius+1)
		}
	}
}
