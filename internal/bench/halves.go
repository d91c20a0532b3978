package bench

import (
	"fmt"
	"math"
	"slices"

	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/internal/bench/kernels"
	"github.com/kgen-go/kgen/internal/bench/kernels/kernelsgen"
	"github.com/kgen-go/kgen/prim"
	primreduce "github.com/kgen-go/kgen/prim/reduce"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// This file defines the benchmark rows that read and write half-precision numbers sequentially.

// float32Peer is the name of the peer. The peer is also a kgen kernel, and does the same computation with
// float32s. The peer processes half as many elements, so both kernels process the same number of bytes.
const float32Peer = "f32"

type f16 = half.Float16

// halfSizes are twice the streamSizes, because a half-precision number has half the bytes of a float32.
var halfSizes = doubled(streamSizes)

func doubled(sizes [4]int) [4]int {
	for i := range sizes {
		sizes[i] *= 2
	}
	return sizes
}

// halfPeriod is the number of elements after which inputs and expected results repeat. Only one
// period of expected results is computed, because package half is slow on the host. halfPeriod is
// odd, so that a vector loaded from a wrong index has wrong values.
const halfPeriod = 1<<20 - 3

// halfWork returns a benchmark row in half precision. The function `run` prepares the kernel that computes `out`
// from x and y. The function `beside` prepares the same kernel for the peer float32Peer. The function wantFunc
// computes the expected result.
func halfWork(group, name string, inputs int, wantFunc func(x, y f16) f16,
	run func(b *Bench, x, y, out runtime.View[f16]) (func(int) error, error),
	beside func(b *Bench, x, y, out runtime.View[float32]) (func(int) error, error),
) Work {
	return Work{Group: group, Name: name, Target: "≥ 0.95 " + float32Peer, Sizes: halfSizes, Make: func(b *Bench, n int) (*Job, error) {
		number := func(seed uint32) []f16 {
			return makeSlice(n, func(i int) f16 { return half.FromFloat32[f16](unitFloat(uint32(i%halfPeriod), seed)) })
		}
		hx, hy := number(1), number(2)
		x, err1 := memoryOf(b, hx)
		y, err2 := memoryOf(b, hy)
		out, err3 := memoryFor[f16](b, n)
		sx, err4 := memoryOf(b, unitFloats[float32](n/2, 1))
		sy, err5 := memoryOf(b, unitFloats[float32](n/2, 2))
		singles, err6 := memoryFor[float32](b, n/2)
		if err := firstSet(err1, err2, err3, err4, err5, err6); err != nil {
			return nil, err
		}
		halves, err1 := run(b, x.all(), y.all(), out.all())
		floats, err2 := beside(b, sx.all(), sy.all(), singles.all())
		if err := firstSet(err1, err2); err != nil {
			return nil, err
		}
		wanted := makeSlice(min(n, halfPeriod), func(i int) f16 { return wantFunc(hx[i], hy[i]) })
		check := func() error {
			got, err := out.readBack()
			if err != nil {
				return err
			}
			for i, v := range got {
				if w := wanted[i%halfPeriod]; v != w {
					return fmt.Errorf("element %d of %d is %v, want %v", i, n, v, w)
				}
			}
			return nil
		}
		// This check only requires that the kernel wrote every float32, because other rows of the suite check the
		// values.
		written := singles.checkNear(10, func(int) float64 { return 0 })
		return &Job{Size: sizeText(n), Amount: 2 * float64(n*(inputs+1)), Unit: Bytes,
			Contestants: []Contestant{{kgen, halves, out.fillPoison, check}, {float32Peer, floats, singles.fillPoison, written}}}, nil
	}}
}

// halfStream returns a benchmark row in half precision for stream s, one of BabelStream's kernels.
func halfStream(s stream[float32], args func(x, y, out runtime.View[f16]) []any, want func(x, y f16) f16) Work {
	return halfWork("BabelStream", s.cuda+" f16", s.inputs, want,
		func(b *Bench, x, y, out runtime.View[f16]) (func(int) error, error) {
			return b.launchFunc(s.kernel+"16", runtime.Range1(out.Len()), args(x, y, out)...), nil
		},
		func(b *Bench, x, y, out runtime.View[float32]) (func(int) error, error) {
			return b.launchFunc(s.kernel+"32", runtime.Range1(out.Len()), s.args(x, y, out)...), nil
		})
}

var (
	halfCopy = halfStream(copies[float32](), func(x, _, out runtime.View[f16]) []any { return []any{x, out} },
		func(x, _ f16) f16 { return x })

	halfTriad = halfStream(triads[float32](), func(x, y, out runtime.View[f16]) []any { return []any{halfScalar, out, x, y} },
		func(x, y f16) f16 { return x.Add(halfScalar.Mul(y)) })

	halfChain = halfWork("Graphs", "chain of 2 kernels f16, fused", 1,
		func(x, _ f16) f16 { return halfA.Mul(halfA.Mul(x).Add(halfB)).Add(halfB) },
		func(b *Bench, x, _, out runtime.View[f16]) (func(int) error, error) {
			return fusedPair(b, x, out, func(x, out runtime.View[f16]) runtime.Command {
				return kernelsgen.Step16{A: halfA, B: halfB, In: x, Out: out}.Node(runtime.Range1(out.Len()))
			})
		},
		func(b *Bench, x, _, out runtime.View[float32]) (func(int) error, error) {
			return fusedPair(b, x, out, func(x, out runtime.View[float32]) runtime.Command {
				return kernelsgen.Step{A: 0.75, B: 0.5, In: x, Out: out}.Node(runtime.Range1(out.Len()))
			})
		})
)

var (
	halfScalar = half.FromFloat32[f16](scalar)
	halfA      = half.FromFloat32[f16](0.75)
	halfB      = half.FromFloat32[f16](0.5)
)

// fusedPair returns a function that submits two kernels fused into one. Values between the two kernels stay
// in registers.
func fusedPair[T number](b *Bench, x, out runtime.View[T], step func(x, out runtime.View[T]) runtime.Command) (func(int) error, error) {
	between, err := memoryFor[T](b, out.Len())
	if err != nil {
		return nil, err
	}
	mid := between.all().With(properties.AccessScope(properties.ScopeWorkItem), properties.FusionInternalMemory(), properties.NoInit())
	g := runtime.NewGraph(b.dev)
	for _, c := range []runtime.Command{step(x, mid), step(mid, out)} {
		if _, err := g.Add(c); err != nil {
			return nil, err
		}
	}
	ex, err := g.Finalize(properties.RequireFusion())
	return b.repeatFunc(func() error { _, err := b.q.Submit(ex); return err }), err
}

// halfMax measures a reduction by prim, whose kernels compare float16s and float32s as integers.
var halfMax = Work{Group: "Algorithms", Name: "max f16", Sizes: halfSizes, Make: func(b *Bench, n int) (*Job, error) {
	hx := makeSlice(n, func(i int) f16 { return half.FromFloat32[f16](unitFloat(uint32(i%halfPeriod), 1)) })
	singles := unitFloats[float32](n/2, 1)
	x, err1 := memoryOf(b, hx)
	out, err2 := memoryFor[f16](b, 1)
	sx, err3 := memoryOf(b, singles)
	sout, err4 := memoryFor[float32](b, 1)
	if err := firstSet(err1, err2, err3, err4); err != nil {
		return nil, err
	}
	want := hx[0]
	for _, v := range hx[:min(n, halfPeriod)] {
		want = want.Max(v)
	}
	check := func() error {
		got, err := out.readBack()
		if err == nil && got[0] != want {
			err = fmt.Errorf("the greatest of %d is %v, want %v", n, got[0], want)
		}
		return err
	}
	most := float64(slices.Max(singles))
	return &Job{Size: sizeText(n), Amount: 2 * float64(n), Unit: Bytes, Contestants: []Contestant{
		{kgen, maxLaunch(b, x, out), out.fillPoison, check},
		{float32Peer, maxLaunch(b, sx, sout), sout.fillPoison, sout.checkNear(0, func(int) float64 { return most })},
	}}, nil
}}

// maxLaunch returns a function that stores the greatest element of x in out.
func maxLaunch[T interface {
	number
	prim.Number
}](b *Bench, x, out *devMemory[T]) func(int) error {
	return b.repeatFunc(func() error { _, err := primreduce.MaxOn(b.q, x.all(), out.all()); return err })
}

// halfFMA measures arithmetic on float16s, without memory accesses. The peer of halfFMA does the same number of
// operations in float32.
var halfFMA = Work{Group: "Ceilings", Name: "multiply and add f16", Sizes: fma.Sizes, Make: func(b *Bench, n int) (*Job, error) {
	x, y := half.FromFloat32[f16](0.75), half.FromFloat32[f16](0.5)
	out, err1 := memoryFor[f16](b, n)
	singles, err2 := memoryFor[float32](b, n)
	if err := firstSet(err1, err2); err != nil {
		return nil, err
	}
	want := y.Div(half.FromFloat32[f16](1).Sub(x)).Float32() * kernels.Chains // the limit of every chain
	return &Job{Size: sizeText(n), Amount: 2 * kernels.Rounds * kernels.Chains * float64(n), Unit: Flop, Contestants: []Contestant{
		{kgen, b.launchFunc("FMA16", runtime.Range1(n), x, y, out.all()), out.fillPoison, func() error {
			got, err := out.readBack()
			for i, v := range got {
				if err == nil && !(math.Abs(float64(v.Float32()-want)) <= 0.1) {
					err = fmt.Errorf("element %d is %v, want %v", i, v, want)
				}
			}
			return err
		}},
		{float32Peer, b.launchFunc("FMA", runtime.Range1(n), float32(0.75), float32(0.5), singles.all()), singles.fillPoison, singles.checkNear(1e-3, func(int) float64 { return float64(want) })},
	}}, nil
}}
