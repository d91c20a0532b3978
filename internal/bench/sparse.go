package bench

import (
	"fmt"

	"github.com/kgen-go/kgen/prim/sparse"
)

// sparseGemv measures a matrix-vector product, with cuSPARSE as peer. Each matrix row has 27 elements, as for a
// stencil in three dimensions.
var sparseGemv = Work{Group: "Grids and matrices", Name: "Gemv f32, CSR (prim/sparse)", Target: "≥ 1 cuSPARSE", OnHost: "≥ 0.8 Go", Sizes: [4]int{1 << 8, 1 << 16, 1 << 20, 1 << 23}, Make: func(b *Bench, n int) (*Job, error) {
	const each = 27
	hs := makeSlice(n+1, func(i int) int32 { return int32(i * each) })
	hc := makeSlice(n*each, func(i int) int32 { return int32((i/each + 61*(i%each)) % n) })
	hv, hx := unitFloats[float32](n*each, 1), unitFloats[float32](n, 2)
	starts, err1 := memoryOf(b, hs)
	columns, err2 := memoryOf(b, hc)
	values, err3 := memoryOf(b, hv)
	x, err4 := memoryOf(b, hx)
	y, err5 := memoryFor[float32](b, n)
	if err := firstSet(err1, err2, err3, err4, err5); err != nil {
		return nil, err
	}
	want := func(i int) (sum float64) {
		for l := hs[i]; l < hs[i+1]; l++ {
			sum += float64(hv[l]) * float64(hx[hc[l]])
		}
		return sum
	}
	a := sparse.View[float32]{Rows: n, Cols: n, Start: starts.all(), Columns: columns.all(), Values: values.all()}
	j := &Job{
		Size: fmt.Sprintf("%s x %d", sizeText(n), each), Amount: 8*float64(n*each) + 12*float64(n), Unit: Bytes, Sum: y.checksums, Digits: 1e-5, CUDA: []CUDAPeer{{"cuSPARSE", "sparse"}},
		Contestants: []Contestant{{kgen, b.repeatFunc(func() error {
			_, err := sparse.GemvOn(b.q, 1, a, x.all(), 0, y.all())
			return err
		}), y.fillPoison, y.checkNear(1e-5, want)}},
	}
	if b.cpu {
		ho := make([]float32, n)
		j.Contestants = append(j.Contestants, plainLoop(b, ho, n, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				var sum float32
				for l := hs[i]; l < hs[i+1]; l++ {
					sum += hv[l] * hx[hc[l]]
				}
				ho[i] = sum
			}
		}, func() error { return near(ho, 1e-5, want) })...)
	}
	return j, nil
}}
