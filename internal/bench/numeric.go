package bench

import (
	"fmt"
	"math"

	"github.com/kgen-go/kgen/dsl/math32"
	"github.com/kgen-go/kgen/examples/nbody/gravity"
	gravitygen "github.com/kgen-go/kgen/generated/examples/nbody/gravity"
	saxpygen "github.com/kgen-go/kgen/generated/examples/quickstart/saxpy"
	"github.com/kgen-go/kgen/internal/bench/kernels"
	"github.com/kgen-go/kgen/runtime"
)

// This file defines the benchmark rows that are limited by arithmetic, not by memory.

var saxpy = Work{Group: "Numeric", Name: "saxpy (example)", OnHost: "≥ 0.9 Go", Sizes: streamSizes, Make: func(b *Bench, n int) (*Job, error) {
	hx, hy := unitFloats[float32](n, 1), unitFloats[float32](n, 2)
	x, err1 := memoryOf(b, hx)
	y, err2 := memoryOf(b, append([]float32(nil), hy...))
	if err := firstSet(err1, err2); err != nil {
		return nil, err
	}
	const a = 0.5
	reset := func() error { return y.writeElems(hy) }
	want := func(i int) float64 { return float64(hy[i]) + a*float64(hx[i]) }
	k := saxpygen.SAXPY{A: a, X: x.all(), Y: y.all()}
	j := &Job{Size: sizeText(n), Amount: 12 * float64(n), Unit: Bytes, Sum: y.checksums, Digits: 1e-6, CUDA: []CUDAPeer{{"CUDA", "saxpy"}}}
	j.Contestants = []Contestant{{kgen, b.repeatFunc(func() error { _, err := k.ParallelFor(b.q, runtime.Range1(n)); return err }), reset, y.checkNear(1e-6, want)}}
	err := b.addShader(j, saxpygen.Kernels()[0], "saxpy", runtime.Range1(n), []any{float32(a), k.X, k.Y}, reset, y.checkNear(1e-6, want))
	if b.cpu {
		ho := make([]float32, n)
		c := plainLoop(b, ho, n, func(lo, hi int) {
			x, y := hx[lo:hi], ho[lo:hi]
			y = y[:len(x)]
			for i, v := range x {
				y[i] += a * v
			}
		}, func() error { return near(ho, 1e-6, want) })
		for i := range c {
			c[i].Reset = func() error { copy(ho, hy); return nil }
		}
		j.Contestants = append(j.Contestants, c...)
	}
	return j, err
}}

const softening = 0.01

var nbodySizes = [4]int{512, 4096, 32768, 131072}

// randomBodies returns n pseudo-random points in a cube.
func randomBodies(n int) []kernels.Body {
	return makeSlice(n, func(i int) kernels.Body {
		return kernels.Body{X: unitFloat(uint32(i), 1), Y: unitFloat(uint32(i), 2), Z: unitFloat(uint32(i), 3), Mass: unitFloat(uint32(i), 4)}
	})
}

// pullForce returns the force that the bodies in list exert on the body in targetBody.
func pullForce(list []kernels.Body, targetBody kernels.Body) (f [3]float64) {
	for _, o := range list {
		d := [3]float64{float64(o.X) - float64(targetBody.X), float64(o.Y) - float64(targetBody.Y), float64(o.Z) - float64(targetBody.Z)}
		s := float64(o.Mass) * math.Pow(d[0]*d[0]+d[1]*d[1]+d[2]*d[2]+softening, -1.5)
		for i := range f {
			f[i] += d[i] * s
		}
	}
	return f
}

// someBodies is the number of bodies whose forces are checked.
const someBodies = 16

var nbody = Work{Group: "Numeric", Name: "n-body f32, math32.Rsqrt", Target: "≥ 29 TFLOP/s", Sizes: nbodySizes, Make: func(b *Bench, n int) (*Job, error) {
	hb := randomBodies(n)
	in, err1 := runtime.BufferOf(b.dev, hb)
	out, err2 := runtime.NewBuffer[kernels.Body](b.dev, n)
	if err := firstSet(err1, err2); err != nil {
		return nil, err
	}
	b.closers = append(b.closers, func() { _, _ = in.Close(), out.Close() })
	host := make([]kernels.Body, n)
	nan := float32(math.NaN())
	var flat []float32
	checked := func(got []kernels.Body) error {
		for j := range someBodies {
			i := int(hashIndex(uint32(j), 79)) % n
			want := pullForce(hb, hb[i])
			scale := max(1, math.Abs(want[0])+math.Abs(want[1])+math.Abs(want[2]))
			for c, v := range []float32{got[i].X, got[i].Y, got[i].Z} {
				if !(math.Abs(float64(v)-want[c]) <= 1e-3*scale) {
					return fmt.Errorf("the force on body %d is %+v, want %v", i, got[i], want)
				}
			}
		}
		return nil
	}
	j := &Job{Size: sizeText(n), Amount: 20 * float64(n) * float64(n), Unit: Flop, Digits: 1e-4, CUDA: []CUDAPeer{{"CUDA", "nbody"}}}
	j.Sum = func() (float64, float64, error) {
		flat = flat[:0]
		for _, f := range host {
			flat = append(flat, f.X, f.Y, f.Z, f.Mass)
		}
		sum, size := weightedSum(flat, func(v float32) float64 { return float64(v) })
		return sum, size, nil
	}
	j.Contestants = []Contestant{{kgen, b.launchFunc("NBody", groupRange(n, kernels.Size), float32(softening), in.All(), out.All()), func() error {
		ev, err := b.q.Enqueue(runtime.Fill(out.All(), kernels.Body{X: nan, Y: nan, Z: nan, Mass: nan}))
		if err != nil {
			return err
		}
		return ev.Wait(b.ctx)
	}, func() error {
		if err := out.CopyTo(b.ctx, b.q, host); err != nil {
			return err
		}
		return checked(host)
	}}}
	if b.cpu {
		ho := make([]kernels.Body, n)
		c := plainLoop(b, []float32(nil), n, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				self := hb[i]
				var f kernels.Body
				for _, o := range hb {
					x, y, z := o.X-self.X, o.Y-self.Y, o.Z-self.Z
					r := 1 / float32(math.Sqrt(float64(x*x+y*y+z*z+softening)))
					s := o.Mass * r * r * r
					f.X += x * s
					f.Y += y * s
					f.Z += z * s
				}
				ho[i] = f
			}
		}, func() error { return checked(ho) })
		j.Contestants = append(j.Contestants, c...)
	}
	return j, nil
}}

// nbodyStep measures the example nbody, which uses FastRsqrt. The peer is a shader.
var nbodyStep = Work{Group: "Numeric", Name: "n-body f32 (example)", Sizes: nbodySizes, Make: func(b *Bench, n int) (*Job, error) {
	hb := randomBodies(n)
	start := makeSlice(n, func(i int) gravity.Body {
		return gravity.Body{Pos: gravity.Vec3{X: hb[i].X, Y: hb[i].Y, Z: hb[i].Z}, Mass: hb[i].Mass}
	})
	before, err1 := runtime.BufferOf(b.dev, start)
	after, err2 := runtime.NewBuffer[gravity.Body](b.dev, n)
	speed, err3 := runtime.NewBuffer[gravity.Vec3](b.dev, n)
	if err := firstSet(err1, err2, err3); err != nil {
		return nil, err
	}
	b.closers = append(b.closers, func() { _, _, _ = before.Close(), after.Close(), speed.Close() })
	nan := float32(math.NaN())
	reset := func() error {
		_, err1 := b.q.Enqueue(runtime.Fill(speed.All(), gravity.Vec3{}))
		_, err2 := b.q.Enqueue(runtime.Fill(after.All(), gravity.Body{Mass: nan}))
		return firstSet(err1, err2, b.q.Wait(b.ctx))
	}
	const dt = 0.01
	check := func() error {
		v, moved := make([]gravity.Vec3, n), make([]gravity.Body, n)
		if err := firstSet(speed.CopyTo(b.ctx, b.q, v), after.CopyTo(b.ctx, b.q, moved)); err != nil {
			return err
		}
		for j := range someBodies {
			i := int(hashIndex(uint32(j), 79)) % n
			want := pullForce(hb, hb[i])
			scale := dt * max(1, math.Abs(want[0])+math.Abs(want[1])+math.Abs(want[2]))
			if d := float64(v[i].X) - dt*want[0]; !(math.Abs(d) <= 1e-3*scale) || moved[i].Mass != start[i].Mass {
				return fmt.Errorf("the velocity of body %d is %v, want %v", i, v[i].X, dt*want[0])
			}
		}
		return nil
	}
	nd := groupRange(n, gravity.GroupSize)
	soft := float32(math.Sqrt(softening))
	k := gravitygen.Step{Dt: dt, Softening: soft, Old: before.All(), New: after.All(), Velocity: speed.All()}
	j := &Job{Size: sizeText(n), Amount: 20 * float64(n) * float64(n), Unit: Flop}
	j.Contestants = []Contestant{{kgen, b.repeatFunc(func() error { _, err := k.ParallelFor(b.q, nd); return err }), reset, check}}
	for _, g := range gravitygen.Kernels() {
		if g.ABI().Name == "Step" {
			return j, b.addShader(j, g, "nbody", nd, []any{float32(dt), soft, k.Old, k.New, k.Velocity, 0}, reset, check)
		}
	}
	return j, nil
}}

var mandelbrot = Work{Group: "Numeric", Name: "Mandelbrot, 1000 rounds", OnHost: "≥ 0.9 Go", Target: "≤ 4.3 ms", Sizes: [4]int{64, 512, 2048, 8192}, Make: func(b *Bench, n int) (*Job, error) {
	const limit, left, top = 1000, -2, -1.5
	pixel := float32(3) / float32(n)
	out, err := memoryFor[uint32](b, n*n)
	if err != nil {
		return nil, err
	}
	count := func(y, x int) uint32 {
		re, im := left+float32(x)*pixel, top+float32(y)*pixel
		var a, b float32
		i := uint32(0)
		for ; i < limit; i++ {
			a2, b2 := a*a, b*b
			if a2+b2 > 4 {
				break
			}
			b = 2*a*b + im
			a = a2 - b2 + re
		}
		return i
	}
	// Because devices may fuse products and sums, the orbits of a few points near the border of the
	// Mandelbrot set differ between devices.
	checked := func(s []uint32) error {
		other, most := 0, min(len(s), 20000)
		for j := range most {
			i := int(uint64(hashIndex(uint32(j), 80)) * uint64(len(s)) >> 32)
			if s[i] != count(i/n, i%n) {
				other++
			}
		}
		if other > most/100 {
			return fmt.Errorf("%d of %d pixels have other counts than in Go", other, most)
		}
		return nil
	}
	j := &Job{Size: squared(n), Amount: float64(n * n), Unit: Pixels, Sum: out.checksums, Digits: 1e-2, CUDA: []CUDAPeer{{"CUDA", "mandelbrot"}}}
	j.Contestants = []Contestant{{kgen, b.launchFunc("Mandelbrot", runtime.Range2{n, n}, float32(left), float32(top), pixel, limit, n, out.all()), out.fillPoison, func() error {
		s, err := out.readBack()
		return firstSet(err, checked(s))
	}}}
	if b.cpu {
		ho := make([]uint32, n*n)
		j.Contestants = append(j.Contestants, plainLoop(b, ho, n, func(lo, hi int) {
			for i := lo * n; i < hi*n; i++ {
				ho[i] = count(i/n, i%n)
			}
		}, func() error { return checked(ho) })...)
	}
	return j, nil
}}

var blackScholes = Work{Group: "Numeric", Name: "Black-Scholes f32", OnHost: "≥ 0.9 Go", Sizes: [4]int{1 << 10, 1 << 20, 1 << 24, 1 << 26}, Make: func(b *Bench, n int) (*Job, error) {
	const rate, volatility = 0.02, 0.3
	price := makeSlice(n, func(i int) float32 { return 5 + 25*unitFloat(uint32(i), 1) })
	strike := makeSlice(n, func(i int) float32 { return 1 + 99*unitFloat(uint32(i), 2) })
	years := makeSlice(n, func(i int) float32 { return 0.25 + 9.75*unitFloat(uint32(i), 3) })
	s, err1 := memoryOf(b, price)
	x, err2 := memoryOf(b, strike)
	t, err3 := memoryOf(b, years)
	call, err4 := memoryFor[float32](b, n)
	put, err5 := memoryFor[float32](b, n)
	if err := firstSet(err1, err2, err3, err4, err5); err != nil {
		return nil, err
	}
	want := func(i int) (call, put float64) {
		s, x, t := float64(price[i]), float64(strike[i]), float64(years[i])
		root := volatility * math.Sqrt(t)
		d1 := (math.Log(s/x) + (rate+volatility*volatility/2)*t) / root
		n1, n2 := math.Erfc(-d1/math.Sqrt2)/2, math.Erfc(-(d1-root)/math.Sqrt2)/2
		later := x * math.Exp(-rate*t)
		return s*n1 - later*n2, later*(1-n2) - s*(1-n1)
	}
	calls := func(i int) float64 { c, _ := want(i); return c }
	puts := func(i int) float64 { _, p := want(i); return p }
	const epsilon = 1e-4 // normalCDF has an error of 7.5e-8 times the price
	j := &Job{Size: sizeText(n), Amount: 20 * float64(n), Unit: Bytes, Sum: call.checksums, Digits: 1e-5, CUDA: []CUDAPeer{{"CUDA", "blackscholes"}}}
	j.Contestants = []Contestant{{kgen, b.launchFunc("BlackScholes", runtime.Range1(n), float32(rate), float32(volatility), s.all(), x.all(), t.all(), call.all(), put.all()),
		func() error { return firstSet(call.fillPoison(), put.fillPoison()) },
		func() error { return firstSet(call.checkNear(epsilon, calls)(), put.checkNear(epsilon, puts)()) }}}
	if b.cpu {
		hc, hp := make([]float32, n), make([]float32, n)
		j.Contestants = append(j.Contestants, plainLoop(b, hc, n, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				s, x, t := price[i], strike[i], years[i]
				root := volatility * float32(math.Sqrt(float64(t)))
				d1 := (math32.Log(s/x) + (rate+volatility*volatility/2)*t) / root
				n1, n2 := normalCDF(d1), normalCDF(d1-root)
				later := x * math32.Exp(-rate*t)
				hc[i], hp[i] = s*n1-later*n2, later*(1-n2)-s*(1-n1)
			}
		}, func() error { return firstSet(near(hc, epsilon, calls), near(hp, epsilon, puts)) })...)
	}
	return j, nil
}}

// normalCDF computes the same as the function normal of package kernels, for the loop in Go.
func normalCDF(d float32) float32 {
	k := 1 / (1 + 0.2316419*math32.Abs(d))
	n := 0.39894228 * math32.Exp(-0.5*d*d) * k *
		(0.31938153 + k*(-0.356563782+k*(1.781477937+k*(-1.821255978+k*1.330274429))))
	if d > 0 {
		n = 1 - n
	}
	return n
}

func softmaxRow(out, in []float32) {
	most, sum := in[0], float32(0)
	for _, v := range in {
		most = max(most, v)
	}
	for i, v := range in {
		e := math32.Exp(v - most)
		out[i] = e
		sum += e
	}
	for i := range out {
		out[i] /= sum
	}
}
