package difftest

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/difftest/corpus"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/corpus/corpusgen"
	"github.com/kgen-go/kgen/runtime"
)

// A testCase runs a kernel on inputs that are the same each time, and returns
// all memory that it may have written.
type testCase struct {
	name string
	run  func(ctx context.Context, dev *runtime.Device) (any, error)
	more bool // for devices with -every-case alone; see inTurns
	each bool // for each device and each module: drivers get it wrong, each in its own way
}

var cases []testCase

func add(name string, run func(ctx context.Context, dev *runtime.Device) (any, error)) {
	cases = append(cases, testCase{name: name, run: run})
}

// addEverywhere is add for a case that no device leaves to another one.
func addEverywhere(name string, run func(ctx context.Context, dev *runtime.Device) (any, error)) {
	cases = append(cases, testCase{name: name, run: run, each: true})
}

// inTurns adds the cases of a kernel's instances with work-groups of each size. Drivers compile
// a pipeline for each, which takes lavapipe and SwiftShader seconds, so devices run the first
// instance with all sizes and the others with two of them, and all with -every-case alone.
// What costs no driver's time runs them all.
func inTurns(sizes []int, instances ...func(local int)) {
	for i, local := range sizes {
		for j, instance := range instances {
			n := len(cases)
			instance(local)
			for k := range cases[n:] {
				cases[n+k].more = j > 0 && (i+j)%len(sizes) > 1
			}
		}
	}
}

// of gives the adder of an instance's cases its name and what runs it.
func of[R any](add func(name string, run R, local int), name string, run R) func(local int) {
	return func(local int) { add(name, run, local) }
}

func rng() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// intPairs returns pairs of operands: all pairs of edge values, then random
// ones. The second is never zero.
func intPairs[T corpus.Integer](n int) (a, b []T) {
	edges := []T{0, 1, 2, 3, 7, 100}
	var zero T
	for _, e := range edges[:len(edges):len(edges)] {
		edges = append(edges, ^e, zero-e)
	}
	top := T(1)
	for top<<1 != 0 {
		top <<= 1
	}
	edges = append(edges, top, top-1, top+1, top>>1, top|1)
	for _, x := range edges {
		for _, y := range edges {
			if y != 0 {
				a, b = append(a, x), append(b, y)
			}
		}
	}
	r := rng()
	for len(a) < n {
		x, y := T(r.Uint64()), T(r.Uint64())>>(r.Uint32()%8)
		if y != 0 {
			a, b = append(a, x), append(b, y)
		}
	}
	return a, b
}

// runner is RunK of an instance of a generic kernel.
type runner[K any] func(context.Context, *runtime.Device, K, runtime.Range1, ...runtime.LaunchOption) error

func intOps[T corpus.Integer](name string, run runner[corpus.IntOps[T]]) {
	add(name, func(ctx context.Context, dev *runtime.Device) (any, error) {
		a, b := intPairs[T](1000)
		k := corpus.IntOps[T]{A: a, B: b, Shift: make([]uint32, len(a)),
			Out: make([]T, len(a)*corpus.IntResults), Orders: make([]bool, len(a)*6)}
		counts := []uint32{0, 1, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 1 << 31, math.MaxUint32}
		for i := range k.Shift {
			k.Shift[i] = counts[i%len(counts)]
		}
		err := launch(ctx, dev, run, k, runtime.Range1(len(a)))
		return k, err
	})
}

func floatOps[T ~float32 | ~float64](name string, run runner[corpus.FloatOps[T]]) {
	add(name, func(ctx context.Context, dev *runtime.Device) (any, error) {
		var a, b []T
		for _, x := range floatEdges {
			for _, y := range floatEdges {
				a, b = append(a, T(x)), append(b, T(y))
			}
		}
		r := rng()
		for range 2000 {
			a = append(a, T(math.Ldexp(r.Float64()*2-1, r.IntN(60)-30)))
			b = append(b, T(math.Ldexp(r.Float64()*2-1, r.IntN(60)-30)))
		}
		k := corpus.FloatOps[T]{A: a, B: b, Out: make([]T, len(a)*corpus.FloatResults), Orders: make([]bool, len(a)*6)}
		err := launch(ctx, dev, run, k, runtime.Range1(len(a)))
		return k, err
	})
}

var floatEdges = []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 1.5, 2.5, -2.5, 3, 1e10, -1e10, 1e30, 0.1, 1.0 / 3,
	math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat32, 1 + 1.0/4096, math.Pi,
	5e-324, -5e-324, 0x1p-1022, 1e-300, math.MaxFloat64, -math.MaxFloat64}

func converts[T corpus.Integer | ~float32 | ~float64](name string, run runner[corpus.Convert[T]], in []T) {
	add(name, func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := corpus.Convert[T]{In: in, Out: make([]corpus.Converted, len(in))}
		err := launch(ctx, dev, run, k, runtime.Range1(len(in)))
		return k, err
	})
}

func convertInts[T corpus.Integer](name string, run runner[corpus.Convert[T]]) {
	in, _ := intPairs[T](1000)
	converts(name, run, in)
}

func convertFloats[T ~float32 | ~float64](name string, run runner[corpus.Convert[T]]) {
	var in []T
	for _, x := range floatEdges {
		in = append(in, T(x))
	}
	for s := range 66 {
		p := math.Ldexp(1, s)
		for _, x := range []float64{p, -p, p - 0.5, -p - 0.5, p + 1, -p - 1, p * 1.5, -p * 1.25, p * (1 + 0x3p-52), -p * (1 + 0x5p-52)} {
			in = append(in, T(x))
		}
	}
	converts(name, run, in)
}

func ints32(n int, f func(i int) int32) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = f(i)
	}
	return s
}

func init() {
	intOps("IntOpsInt8", gen.RunIntOpsInt8)
	intOps("IntOpsInt16", gen.RunIntOpsInt16)
	intOps("IntOpsInt32", gen.RunIntOpsInt32)
	intOps("IntOpsInt64", gen.RunIntOpsInt64)
	intOps("IntOpsInt", gen.RunIntOpsInt)
	intOps("IntOpsUint8", gen.RunIntOpsUint8)
	intOps("IntOpsUint16", gen.RunIntOpsUint16)
	intOps("IntOpsUint32", gen.RunIntOpsUint32)
	intOps("IntOpsUint64", gen.RunIntOpsUint64)
	intOps("IntOpsUint", gen.RunIntOpsUint)
	floatOps("FloatOpsFloat32", gen.RunFloatOpsFloat32)
	floatOps("FloatOpsFloat64", gen.RunFloatOpsFloat64)
	convertInts("ConvertInt8", gen.RunConvertInt8)
	convertInts("ConvertInt16", gen.RunConvertInt16)
	convertInts("ConvertInt32", gen.RunConvertInt32)
	convertInts("ConvertInt64", gen.RunConvertInt64)
	convertInts("ConvertInt", gen.RunConvertInt)
	convertInts("ConvertUint", gen.RunConvertUint)
	convertInts("ConvertUint8", gen.RunConvertUint8)
	convertInts("ConvertUint16", gen.RunConvertUint16)
	convertInts("ConvertUint32", gen.RunConvertUint32)
	convertInts("ConvertUint64", gen.RunConvertUint64)
	convertFloats("ConvertFloat32", gen.RunConvertFloat32)
	convertFloats("ConvertFloat64", gen.RunConvertFloat64)
	flowCases()
	memoryCases()
	groupCases()
}

func flowCases() {
	mixed := ints32(500, func(i int) int32 { return int32(i*37%211 - 60) })
	add("NestedLoops", func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := corpus.NestedLoops{N: ints32(40, func(i int) int32 { return int32(i % 23) }), Out: make([]int32, 40)}
		return k, launch(ctx, dev, gen.RunNestedLoops, k, 40)
	})
	add("Switches", func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := corpus.Switches{In: mixed, Out: make([]int32, len(mixed))}
		return k, launch(ctx, dev, gen.RunSwitches, k, runtime.Range1(len(mixed)))
	})
	add("EarlyReturn", func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := corpus.EarlyReturn{In: mixed, Out: make([]int32, 200)}
		return k, launch(ctx, dev, gen.RunEarlyReturn, k, 200)
	})
	add("Collatz", func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := corpus.Collatz{Out: make([]uint32, 3000)}
		return k, launch(ctx, dev, gen.RunCollatz, k, 3000)
	})
	add("Goto", func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := corpus.Goto{Out: make([]int32, 300)}
		return k, launch(ctx, dev, gen.RunGoto, k, 300)
	})
	add("Chains", func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := corpus.Chains{In: mixed, Out: make([]int32, len(mixed))}
		return k, launch(ctx, dev, gen.RunChains, k, runtime.Range1(len(mixed)))
	})
	add("Primes", func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := corpus.Primes{Out: make([]bool, 2000)}
		return k, launch(ctx, dev, gen.RunPrimes, k, 2000)
	})
	add("Bits", func(ctx context.Context, dev *runtime.Device) (any, error) {
		in, _ := intPairs[uint64](600)
		k := corpus.Bits{In: in, Out: make([]uint64, 20*len(in))}
		return k, launch(ctx, dev, gen.RunBits, k, runtime.Range1(len(in)))
	})
	add("MathFuncs", func(ctx context.Context, dev *runtime.Device) (any, error) {
		var x, y []float64
		for _, a := range append([]float64{-0.25, 1<<24 + 1.5, -(1<<51 + 0.5)}, floatEdges...) {
			for _, b := range floatEdges {
				x, y = append(x, a), append(y, b)
			}
		}
		k := corpus.MathFuncs{X: x, Y: y, Out: make([]float64, 10*len(x))}
		return k, launch(ctx, dev, gen.RunMathFuncs, k, runtime.Range1(len(x)))
	})
}

func memoryCases() {
	add("Bodies", func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := corpus.Bodies{In: make([]corpus.Body, 100), Out: make([]corpus.Body, 100), By: corpus.Vec{X: 1, Y: -2, Z: 0.5}}
		for i := range k.In {
			k.In[i] = corpus.Body{Alive: i%3 != 0, Pos: corpus.Vec{X: float32(i)}, Tag: uint8(i * 7), Mass: float64(i) / 3,
				Hist: [3]int16{int16(i), -2, 3}, Vel: corpus.Vec{Y: 1, Z: float32(-i)}}
		}
		return k, launch(ctx, dev, gen.RunBodies, k, 100)
	})
	add("Tables", func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := corpus.Tables{Out: make([]int32, 100)}
		return k, launch(ctx, dev, gen.RunTables, k, 100)
	})
	add("Arrays", func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := corpus.Arrays{Seed: 12345, Out: make([]int32, 100)}
		return k, launch(ctx, dev, gen.RunArrays, k, 100)
	})
	add("SubSlices", func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := corpus.SubSlices{A: ints32(30, func(i int) int32 { return int32(i * i) }),
			B: ints32(41, func(i int) int32 { return int32(-i * 3) }), Out: make([]int32, 64)}
		return k, launch(ctx, dev, gen.RunSubSlices, k, 64)
	})
	add("Swap", func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := corpus.Swap{Out: make([]uint64, 90)}
		return k, launch(ctx, dev, gen.RunSwap, k, 90)
	})
	add("Args", func(ctx context.Context, dev *runtime.Device) (any, error) {
		f := func(n int) []float32 {
			s := make([]float32, n)
			for i := range s {
				s[i] = float32(i) * 0.75
			}
			return s
		}
		k := corpus.Args{Flag: true, Small: -7, Pair: [2]int32{3, -4}, Out: make([]float32, 80)}
		k.In.M, k.In.Data = 65000, f(80)
		k.In.Nest.Scale, k.In.Nest.More = 1.5, [2][]float32{f(90), f(85)}
		copy(k.Big[:], f(40))
		return k, launch(ctx, dev, gen.RunArgs, k, 80)
	})
	add("Closures", func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := corpus.Closures{Out: make([]int32, 50)}
		return k, launch(ctx, dev, gen.RunClosures, k, 50)
	})
	add("Grid2", func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := corpus.Grid2{W: 37, Out: make([]int32, 37*13)}
		return k, launch(ctx, dev, gen.RunGrid2, k, runtime.Range2{13, 37})
	})
	add("Grid3", func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := corpus.Grid3{Out: make([]int32, 5*7*11)}
		return k, launch(ctx, dev, gen.RunGrid3, k, runtime.Range3{5, 7, 11})
	})
	add("Single", func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := corpus.Single{In: ints32(99, func(i int) int32 { return int32(i*i - 40*i) }), Out: make([]int64, 99)}
		return k, launchTask(ctx, dev, gen.RunSingle, k)
	})
}

func groupCases() {
	iota32 := ints32(512, func(i int) int32 { return int32(i*13%97 - 20) })
	nd := func(global, local int) runtime.NDRange1 {
		return runtime.NDRange1{Global: runtime.Range1(global), Local: runtime.Range1(local)}
	}
	add("Reduce", func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := corpus.Reduce{In: iota32, Out: make([]int32, 8)}
		return k, launch(ctx, dev, gen.RunReduce, k, nd(512, 64))
	})
	add("Transpose", func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := corpus.Transpose{W: 29, H: 43, In: make([]float32, 29*43), Out: make([]float32, 29*43)}
		for i := range k.In {
			k.In[i] = float32(i)
		}
		return k, launch(ctx, dev, gen.RunTranspose, k, runtime.NDRange2{Global: runtime.Range2{48, 32}, Local: runtime.Range2{8, 8}})
	})
	add("Neighbours", func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := corpus.Neighbours{In: iota32, Out: make([]int32, 512), Tile: dsl.LocalLen[int32](33)}
		err := launch(ctx, dev, gen.RunNeighbours, k, nd(512, 32))
		return k.Out, err
	})
	add("NeighboursShort", func(ctx context.Context, dev *runtime.Device) (any, error) { // an element of work-group memory too few
		k := corpus.Neighbours{In: iota32, Out: make([]int32, 32), Tile: dsl.LocalLen[int32](32)}
		err := launch(ctx, dev, gen.RunNeighbours, k, nd(32, 32))
		return k.Out, err
	})
	add("ReturnEarly", func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := corpus.ReturnEarly{N: 107, In: iota32, Out: make([]int32, 128)}
		return k, launch(ctx, dev, gen.RunReturnEarly, k, nd(128, 32))
	})
	add("FaultBeforeBarrier", func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := corpus.FaultBeforeBarrier{Bad: 37, In: iota32, Out: make([]int32, 128)}
		return k, launch(ctx, dev, gen.RunFaultBeforeBarrier, k, nd(128, 32))
	})
	add("LoopedLocal", func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := corpus.LoopedLocal{Out: make([]int32, 64)}
		return k, launch(ctx, dev, gen.RunLoopedLocal, k, nd(64, 16))
	})
	add("IDs", func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := corpus.IDs{Out: make([]int32, 8*4*6*12)}
		return k, launch(ctx, dev, gen.RunIDs, k, runtime.NDRange3{Global: runtime.Range3{4, 6, 12}, Local: runtime.Range3{2, 3, 4}})
	})
	for _, c := range [][4]int{{7, 20, 21, 22}, {7, 5, 21, 22}, {7, 20, 6, 22}, {7, 20, 21, 4}, {7, 20, 21, 0}, {7, 20, 8, 22}, {17, 20, 21, 22}} {
		add("OneLine", func(ctx context.Context, dev *runtime.Device) (any, error) {
			k := corpus.OneLine{I: c[0], X: make([]int32, c[1]), Y: make([]int32, c[2]), Z: make([]uint8, c[3]), Out: make([]int32, 1)}
			return k, launch(ctx, dev, gen.RunOneLine, k, 1)
		})
	}
	for what := range 20 {
		for _, n := range []int{-3, 0, 4, 6, 9, 1 << 31, 1 << 40, math.MinInt} {
			add("Faulty", func(ctx context.Context, dev *runtime.Device) (any, error) {
				k := corpus.Faulty{At: 5, What: what, N: n, X: make([]int32, 6), Out: make([]int32, 20)}
				return k, launch(ctx, dev, gen.RunFaulty, k, 20)
			})
		}
	}
}
