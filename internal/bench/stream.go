package bench

import (
	"math"

	"github.com/kgen-go/kgen/internal/bench/kernels"
	"github.com/kgen-go/kgen/runtime"
)

// This file defines the benchmark rows that mainly read and write memory sequentially.

const scalar = 0.4

var streamSizes = [4]int{1 << 12, 1 << 24, 1 << 26, 1 << 28}

// halveSizes divides all sizes except the first by two, for elements with twice as many bytes.
func halveSizes(sizes [4]int) [4]int {
	for i := range sizes[1:] {
		sizes[i+1] /= 2
	}
	return sizes
}

// A stream is one of BabelStream's kernels, with the function that the kernel computes for each element.
type stream[T float32 | float64] struct {
	kernel string // kernel's name without its last digits, such as 32
	cuda   string
	args   func(in1, in2, out runtime.View[T]) []any
	inputs int
	plain  func(out, x, y []T)
	want   func(x, y float64) float64
}

func copies[T float32 | float64]() stream[T] {
	return stream[T]{"Copy", "copy", func(x, _, out runtime.View[T]) []any { return []any{x, out} }, 1,
		func(out, x, _ []T) { copy(out, x) }, func(x, _ float64) float64 { return x }}
}

func muls[T float32 | float64]() stream[T] {
	return stream[T]{"Mul", "mul", func(x, _, out runtime.View[T]) []any { return []any{out, x} }, 1,
		func(out, x, _ []T) {
			for i, v := range x {
				out[i] = scalar * v
			}
		}, func(x, _ float64) float64 { return scalar * x }}
}

func adds[T float32 | float64]() stream[T] {
	return stream[T]{"Add", "add", func(x, y, out runtime.View[T]) []any { return []any{x, y, out} }, 2,
		func(out, x, y []T) {
			y = y[:len(x)]
			out = out[:len(x)]
			for i, v := range x {
				out[i] = v + y[i]
			}
		}, func(x, y float64) float64 { return x + y }}
}

func triads[T float32 | float64]() stream[T] {
	return stream[T]{"Triad", "triad", func(x, y, out runtime.View[T]) []any { return []any{out, x, y} }, 2,
		func(out, x, y []T) {
			y = y[:len(x)]
			out = out[:len(x)]
			for i, v := range x {
				out[i] = v + scalar*y[i]
			}
		}, func(x, y float64) float64 { return x + scalar*y }}
}

// floatKind describes float type T. floatKind returns the size in bytes, the number of bits as used in names, and the
// precision.
func floatKind[T float32 | float64]() (bytes float64, bits string, epsilon float64) {
	if T(1)/3 == T(float32(1)/3) {
		return 4, "32", 1e-6
	}
	return 8, "64", 1e-14
}

func (s stream[T]) work(target string) Work {
	bytes, bits, epsilon := floatKind[T]()
	sizes := streamSizes
	if bits == "64" {
		sizes = halveSizes(sizes)
	}
	return Work{Group: "BabelStream", Name: s.cuda + " f" + bits, Target: target, OnHost: "≥ 0.9 Go", Sizes: sizes, Make: func(b *Bench, n int) (*Job, error) {
		hx, hy := unitFloats[T](n, 1), unitFloats[T](n, 2)
		x, err := memoryOf(b, hx)
		if err != nil {
			return nil, err
		}
		y := x
		if s.inputs > 1 {
			if y, err = memoryOf(b, hy); err != nil {
				return nil, err
			}
		}
		out, err := memoryFor[T](b, n)
		if err != nil {
			return nil, err
		}
		want := func(i int) float64 { return s.want(float64(hx[i]), float64(hy[i])) }
		j := &Job{Size: sizeText(n), Amount: bytes * float64(n*(s.inputs+1)), Unit: Bytes, Ceiling: true, Sum: out.checksums, Digits: 1e-6,
			CUDA: []CUDAPeer{{"CUDA", s.cuda + bits}}}
		j.Contestants = []Contestant{{kgen, b.launchFunc(s.kernel+bits, runtime.Range1(n), s.args(x.all(), y.all(), out.all())...), out.fillPoison, out.checkNear(epsilon, want)}}
		if b.cpu {
			ho := make([]T, n)
			j.Contestants = append(j.Contestants, plainLoop(b, ho, n, func(lo, hi int) { s.plain(ho[lo:hi], hx[lo:hi], hy[lo:hi]) },
				func() error { return near(ho, epsilon, want) })...)
		}
		return j, nil
	}}
}

// streamDot measures the fifth kernel of BabelStream. A second launch adds the sums of the work-groups.
func streamDot[T float32 | float64]() Work {
	bytes, bits, _ := floatKind[T]()
	sizes := streamSizes
	if bits == "64" {
		sizes = halveSizes(sizes)
	}
	return Work{Group: "BabelStream", Name: "dot f" + bits, Sizes: sizes, Make: func(b *Bench, n int) (*Job, error) {
		hx, hy := unitFloats[T](n, 1), unitFloats[T](n, 2)
		parts := b.reductionGroups(n, kernels.Size)
		x, err1 := memoryOf(b, hx)
		y, err2 := memoryOf(b, hy)
		sums, err3 := memoryFor[T](b, parts)
		ones, err4 := memoryOf(b, makeSlice(parts, func(int) T { return 1 }))
		out, err5 := memoryFor[T](b, 1)
		if err := firstSet(err1, err2, err3, err4, err5); err != nil {
			return nil, err
		}
		var want float64
		for i, v := range hx {
			want += float64(v) * float64(hy[i])
		}
		epsilon := 1e-12
		if bits == "32" {
			epsilon = 1e-5
		}
		check := func(int) float64 { return want }
		k, q := suiteKernel("Dot"+bits), b.q
		run := b.repeatFunc(func() error {
			_, err := runtime.LaunchKernel(q, k, groupRange(parts*kernels.Size, kernels.Size), []any{x.all(), y.all(), sums.all()})
			if err == nil {
				_, err = runtime.LaunchKernel(q, k, groupRange(kernels.Size, kernels.Size), []any{sums.all(), ones.all(), out.all()})
			}
			return err
		})
		j := &Job{Size: sizeText(n), Amount: 2 * bytes * float64(n), Unit: Bytes, Sum: out.checksums, Digits: epsilon, CUDA: []CUDAPeer{{"CUDA", "dot" + bits}}}
		j.Contestants = []Contestant{{kgen, run, func() error { return firstSet(sums.fillPoison(), out.fillPoison()) }, out.checkNear(epsilon, check)}}
		if b.cpu {
			ho := make([]T, 1)
			total := newTotal[T]()
			c := plainLoop(b, ho, n, func(lo, hi int) {
				var sum [4]T // four sums, so that the processor adds in parallel
				x, y := hx[lo:hi], hy[lo:hi]
				y = y[:len(x)]
				for ; len(x) >= 4; x, y = x[4:], y[4:] {
					sum[0] += x[0] * y[0]
					sum[1] += x[1] * y[1]
					sum[2] += x[2] * y[2]
					sum[3] += x[3] * y[3]
				}
				for i, v := range x {
					sum[0] += v * y[i]
				}
				total.add(sum[0] + sum[1] + (sum[2] + sum[3]))
			}, func() error { return near(ho, 100*epsilon, check) })
			j.Contestants = append(j.Contestants, total.sumInto(c, ho)...)
		}
		return j, nil
	}}
}

// copy4 measures copies of vectors of four elements.
var copy4 = Work{Group: "Ceilings", Name: "copy by 4 f32", Sizes: streamSizes, Make: func(b *Bench, n int) (*Job, error) {
	hx := unitFloats[float32](n, 1)
	x, err1 := memoryOf(b, hx)
	out, err2 := memoryFor[float32](b, n)
	if err := firstSet(err1, err2); err != nil {
		return nil, err
	}
	return &Job{Size: sizeText(n), Amount: 8 * float64(n), Unit: Bytes, Ceiling: true, Sum: out.checksums, Digits: 1e-9, CUDA: []CUDAPeer{{"CUDA", "copy4"}},
		Contestants: []Contestant{{kgen, b.launchFunc("Copy4", groupRange(n/4, kernels.Size), x.all(), out.all()), out.fillPoison,
			out.checkNear(0, func(i int) float64 { return float64(hx[i]) })}}}, nil
}}

// fma measures arithmetic without memory accesses.
var fma = Work{Group: "Ceilings", Name: "multiply and add f32", OnHost: "≥ 0.9 Go", Sizes: [4]int{1 << 10, 1 << 15, 1 << 22, 1 << 24}, Make: func(b *Bench, n int) (*Job, error) {
	const x, y = 0.75, 0.5
	out, err := memoryFor[float32](b, n)
	if err != nil {
		return nil, err
	}
	want := func(i int) float64 { // every chain converges to y/(1-x)
		var sum float64
		for c := range kernels.Chains {
			v := float64(i&7)/8 + float64(c)
			sum += y/(1-x) + (v-y/(1-x))*math.Pow(x, kernels.Rounds)
		}
		return sum
	}
	j := &Job{Size: sizeText(n), Amount: 2 * kernels.Rounds * kernels.Chains * float64(n), Unit: Flop, Ceiling: true, Sum: out.checksums, Digits: 1e-5,
		CUDA:        []CUDAPeer{{"CUDA", "fma"}},
		Contestants: []Contestant{{kgen, b.launchFunc("FMA", runtime.Range1(n), float32(x), float32(y), out.all()), out.fillPoison, out.checkNear(1e-5, want)}}}
	if b.cpu {
		ho := make([]float32, n)
		j.Contestants = append(j.Contestants, plainLoop(b, ho, n, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				f := float32(i&7) / 8
				v := [8]float32{f, f + 1, f + 2, f + 3, f + 4, f + 5, f + 6, f + 7}
				a, b, c, d, e, g, h, l := v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]
				for range kernels.Rounds {
					a, b, c, d = a*x+y, b*x+y, c*x+y, d*x+y
					e, g, h, l = e*x+y, g*x+y, h*x+y, l*x+y
				}
				ho[i] = a + b + c + d + e + g + h + l
			}
		}, func() error { return near(ho, 1e-5, want) })...)
	}
	return j, nil
}}
