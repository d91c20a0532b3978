package difftest

import (
	"context"
	"math"
	"testing"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/difftest/corpus"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/corpus/corpusgen"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

func init() {
	tableCases()
	mathCases()
	localCases()
	copyCases()
}

func tableCases() {
	add1("Lookup", gen.RunLookup, 60, func() corpus.Lookup { return corpus.Lookup{Out: out32(60), F: make([]float64, 60)} })
	add1("Words", gen.RunWords, 20, func() corpus.Words { return corpus.Words{Out: out32(20)} })
	// One work-item at a time, since the first fault of a launch wins.
	for x := range int32(14) {
		for y := range int32(6) {
			add1("Sites", gen.RunSites, 1, func() corpus.Sites {
				k := corpus.Sites{X: make([]int32, 50), Y: make([]int32, 50), Out: out32(50)}
				k.X[0], k.Y[0] = x, y
				return k
			})
		}
	}
}

func mathArgs() (x, y []float64) {
	for _, a := range floatEdges {
		for _, b := range floatEdges {
			x, y = append(x, a), append(y, b)
		}
	}
	r := rng()
	for range 1000 {
		x = append(x, math.Ldexp(r.Float64()*2-1, r.IntN(40)-30))
		y = append(y, math.Ldexp(r.Float64()*2-1, r.IntN(40)-30))
	}
	return x, y
}

func mathCases() {
	x, y := mathArgs()
	n := len(x)
	add1("Math1", gen.RunMath1, n, func() corpus.Math1 {
		return corpus.Math1{X: x, Y: y, Out: make([]float64, n*corpus.MathResults), N: make([]int, n)}
	})
	var x32, y32 []float32
	for i := range x {
		x32, y32 = append(x32, float32(x[i])), append(y32, float32(y[i]))
	}
	add1("Math32", gen.RunMath32, n, func() corpus.Math32 {
		return corpus.Math32{X: x32, Y: y32, Out: make([]float32, n*corpus.Math32Results)}
	})
	in, _ := intPairs[uint64](600)
	add1("MoreBits", gen.RunMoreBits, len(in), func() corpus.MoreBits {
		return corpus.MoreBits{In: in, Out: make([]uint64, 20*len(in))}
	})
}

func localCases() {
	in := mixedInts(256)
	nd := func(global, local int) runtime.NDRange1 {
		return runtime.NDRange1{Global: runtime.Range1(global), Local: runtime.Range1(local)}
	}
	add("LocalStructs", func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := corpus.LocalStructs{In: in, Out: out32(64), Acc: dsl.LocalLen[corpus.Cell](19), Acc2: dsl.LocalLen[[2]uint16](16)}
		err := launch(ctx, dev, gen.RunLocalStructs, k, nd(64, 16))
		return k.Out, err
	})
	add("Phases", func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := corpus.Phases{Steps: 5, In: in, Out: out32(128)}
		return k, launch(ctx, dev, gen.RunPhases, k, nd(128, 32))
	})
	for _, bad := range []int{-1, 4, 100} {
		add("Leavers", func(ctx context.Context, dev *runtime.Device) (any, error) {
			k := corpus.Leavers{Bad: bad, In: in, Out: out32(128)}
			return k, launch(ctx, dev, gen.RunLeavers, k, nd(128, 16))
		})
	}
	add("LeaversMany", func(ctx context.Context, dev *runtime.Device) (any, error) { // one work-item more than its array has elements
		k := corpus.Leavers{Bad: -1, In: make([]int32, 17), Out: out32(17)}
		return k, launch(ctx, dev, gen.RunLeavers, k, nd(17, 17))
	})
	add("Grid2Local", func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := corpus.Grid2Local{W: 24, In: make([]float32, 24*12), Out: make([]float32, 24*12)}
		for i := range k.In {
			k.In[i] = float32(i*i%97) / 8
		}
		return k, launch(ctx, dev, gen.RunGrid2Local, k, runtime.NDRange2{Global: runtime.Range2{12, 24}, Local: runtime.Range2{4, 8}})
	})
}

func copyCases() {
	const n = 24
	add1("CopyArrays", gen.RunCopyArrays, n, func() corpus.CopyArrays {
		k := corpus.CopyArrays{Bytes: make([][1024]byte, n), Words: make([][256]int32, n), Grids: make([][32][32]byte, n), Out: out32(n)}
		for i := range n {
			for j := range 1024 {
				k.Bytes[i][j] = byte(i*7 + j*j>>3)
				k.Grids[i][j/32][j%32] = byte(i * (j/32 + j%32*3))
				k.Words[i][j/4] += int32(i<<20 - j)
			}
		}
		return k
	})
	add1("CopyStructs", gen.RunCopyStructs, n, func() corpus.CopyStructs {
		k := corpus.CopyStructs{Pairs: make([][16]corpus.Twin, n), Many: make([][70]corpus.Twin, n), Cubes: make([][4][4][4]float32, n), Out: out32(n)}
		for i := range n {
			for j := range int32(70) {
				x := int32(i)*j - 99
				k.Pairs[i][j%16] = corpus.Twin{A: x, B: -x}
				k.Many[i][j] = corpus.Twin{A: -x, B: x << 3}
				k.Cubes[i][j/16%4][j/4%4][j%4] = float32(x) / 4
			}
		}
		k.Cubes[5][3][2][1] = float32(math.NaN()) // unequal to itself
		return k
	})
	add1("CopyMixed", gen.RunCopyMixed, n, func() corpus.CopyMixed {
		k := corpus.CopyMixed{Mixed: make([]corpus.Mixed, n), Out: out32(n)}
		for i := range n {
			m := &k.Mixed[i]
			m.N = int32(i)
			for j := range 256 {
				x := int32(i*j - 99)
				m.Words[j], m.Thin[j%3][j%5][j%7] = x, int16(x)
				m.Inner[j%8].A[j/8%16], m.Inner[j%8].N = int16(x*5), x
			}
		}
		return k
	})
}

// TestNear compares functions whose host form is assembly: the last bits of the
// results may differ.
func TestNear(t *testing.T) {
	dev := devtest.Vulkan(t)
	if !dev.Has(properties.FP64) {
		t.Skip("the device has no float64")
	}
	x, y := mathArgs()
	k := corpus.Near{X: x, Y: y, Out: make([]float64, len(x)*corpus.NearResults)}
	if err := gen.RunNear(context.Background(), dev, k, runtime.Range1(len(x))); err != nil {
		t.Fatal(err)
	}
	names := [corpus.NearResults]string{"Exp", "Log", "Hypot", "Log2", "Log10", "FMA", "Pow", "Sinh", "Tanh", "Erf", "Gamma"}
	limit := [corpus.NearResults]int64{1, 1, 1, 1, 1, 0, 4, 2, 2, 2, 8}
	for i := range x {
		a, b := x[i], y[i]
		want := [corpus.NearResults]float64{math.Exp(a), math.Log(a), math.Hypot(a, b), math.Log2(a), math.Log10(a), math.FMA(a, b, a), math.Pow(a, b),
			math.Sinh(a), math.Tanh(a), math.Erf(a), math.Gamma(a)}
		limit := limit
		if 0 < a && a < 0x1p-1022 { // gc's assembly for amd64 takes such numbers for others
			want[1] = math.Log(a*0x1p100) - 100*math.Ln2
			want[4] = want[1] / math.Ln10
			if _, f := math.Modf(b); f != 0 && !math.IsInf(want[6], 0) && want[6] != 0 { // Pow calls Log there
				want[6], limit[6] = math.Pow(a*0x1p100, b)*math.Pow(0x1p-100, b), 64
			}
		}
		for j, w := range want {
			g := k.Out[i*corpus.NearResults+j]
			d := int64(math.Float64bits(g) - math.Float64bits(w))
			if !(g != g && w != w) && max(d, -d) > limit[j] {
				t.Errorf("%s(%v, %v) = %v, want %v: %d apart", names[j], a, b, g, w, d)
			}
		}
	}
}
