package bench

import (
	"fmt"
	"math"

	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/examples/tensormatmul/tensor"
	"github.com/kgen-go/kgen/prim/blas"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/primimpl"
)

// This file defines the rows of package blas, with cuBLAS as peer.

var (
	gemm      = gemmWork("Gemm f32 (prim/blas)", "≥ 0.72 cuBLAS", [4]int{48, 512, 2048, 8192})
	gemmSmall = gemmWork("Gemm f32, small (prim/blas)", "≥ 0.65 cuBLAS", [4]int{32, 256, 1024, 1024})
)

// gemmWork is a row for the product of two square matrices.
func gemmWork(name, target string, sizes [4]int) Work {
	return Work{Group: "Grids and matrices", Name: name, Target: target, OnHost: "≥ 0.5 Go", Sizes: sizes, Make: func(b *Bench, n int) (*Job, error) {
		m, err := newMatrices(b, n)
		if err != nil {
			return nil, err
		}
		shape := blas.Shape{Rows: n, Cols: n}
		view := func(v runtime.View[float32]) blas.View[float32] { return blas.View[float32]{Shape: shape, Data: v} }
		m.job.CUDA = []CUDAPeer{{"cuBLAS", "sgemm"}}
		m.job.Contestants = []Contestant{{kgen, b.repeatFunc(func() error {
			_, err := blas.GemmOn(b.q, 1, view(m.a.all()), view(m.b.all()), 0, view(m.c.all()))
			return err
		}), m.c.fillPoison, m.checkProduct}}
		m.goProduct(b)
		return m.job, nil
	}}
}

// gemmMatrices is the number of matrices in a batch of gemmBatch.
const gemmMatrices = 64

var gemmBatch = Work{Group: "Grids and matrices", Name: "Gemm f32, 64 products (prim/blas)", Target: "≥ 0.65 cuBLAS", Sizes: [4]int{8, 32, 256, 512}, Make: func(b *Bench, n int) (*Job, error) {
	size := n * n
	hx, hy := unitFloats[float32](gemmMatrices*size, 1), unitFloats[float32](gemmMatrices*size, 2)
	x, err1 := memoryOf(b, hx)
	y, err2 := memoryOf(b, hy)
	z, err3 := memoryFor[float32](b, gemmMatrices*size)
	if err := firstSet(err1, err2, err3); err != nil {
		return nil, err
	}
	shape := blas.Shape{Rows: n, Cols: n, Batch: gemmMatrices, Step: size}
	view := func(v runtime.View[float32]) blas.View[float32] { return blas.View[float32]{Shape: shape, Data: v} }
	check := func() error {
		s, err := z.readBack()
		if err != nil {
			return err
		}
		for j := range 64 {
			at := int(uint64(hashIndex(uint32(j), 78)) * uint64(len(s)) >> 32)
			m, i, c := at/size*size, at%size/n*n, at%n
			want := 0.0
			for l := range n {
				want += float64(hx[m+i+l]) * float64(hy[m+l*n+c])
			}
			if got := float64(s[at]); !(math.Abs(got-want) <= 1e-4*want) {
				return fmt.Errorf("element %d of the products is %v, want %v", at, got, want)
			}
		}
		return nil
	}
	return &Job{
		Size: fmt.Sprintf("64 x %s", squared(n)), Amount: 2 * gemmMatrices * math.Pow(float64(n), 3), Unit: Flop, Sum: z.checksums, Digits: 1e-5, CUDA: []CUDAPeer{{"cuBLAS", "batched"}},
		Contestants: []Contestant{{kgen, b.repeatFunc(func() error {
			_, err := blas.GemmOn(b.q, 1, view(x.all()), view(y.all()), 0, view(z.all()))
			return err
		}), z.fillPoison, check}},
	}, nil
}}

var gemv = Work{Group: "Grids and matrices", Name: "Gemv f32 (prim/blas)", Target: "≥ 0.95 cuBLAS", OnHost: "≥ 0.8 Go", Sizes: [4]int{48, 512, 4096, 16384}, Make: func(b *Bench, n int) (*Job, error) {
	ha, hx := unitFloats[float32](n*n, 1), unitFloats[float32](n, 2)
	a, err1 := memoryOf(b, ha)
	x, err2 := memoryOf(b, hx)
	y, err3 := memoryFor[float32](b, n)
	if err := firstSet(err1, err2, err3); err != nil {
		return nil, err
	}
	want := func(i int) (sum float64) {
		for l, v := range hx {
			sum += float64(v) * float64(ha[i*n+l])
		}
		return sum
	}
	m := blas.View[float32]{Shape: blas.Shape{Rows: n, Cols: n}, Data: a.all()}
	j := &Job{
		Size: squared(n), Amount: 4 * float64(n) * float64(n), Unit: Bytes, Sum: y.checksums, Digits: 1e-5, CUDA: []CUDAPeer{{"cuBLAS", "gemv"}},
		Contestants: []Contestant{{kgen, b.repeatFunc(func() error {
			_, err := blas.GemvOn(b.q, 1, m, x.all(), 0, y.all())
			return err
		}), y.fillPoison, y.checkNear(1e-4, want)}},
	}
	if b.cpu {
		ho := make([]float32, n)
		j.Contestants = append(j.Contestants, plainLoop(b, ho, n, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				var sum float32
				for l, v := range hx {
					sum += v * ha[i*n+l]
				}
				ho[i] = sum
			}
		}, func() error { return near(ho, 1e-4, want) })...)
	}
	return j, nil
}}

// The following rows measure matrix products by package blas. The factors and the result of each product have
// different types. If parameter asIs is set, matrix B is stored by columns, as in the rows of package tensor. If
// asIs is not set, B is stored by rows, and the call first packs B.
var (
	gemmHalf     = gemmHalfWork("Gemm f16 to f32 (prim/blas)", true)
	gemmHalfRows = gemmHalfWork("Gemm f16 to f32, packed (prim/blas)", false)
	gemmInt8     = gemmInt8Work()
)

func gemmHalfWork(name string, asIs bool) Work {
	w := tensorOfHalves("")
	w.name, w.shader = name, ""
	w.launch = func(q *runtime.Queue, n, _ int, a, b runtime.View[tensor.Halves], c runtime.View[float32], _ runtime.NDRange1) error {
		shape := blas.Shape{Rows: n, Cols: n}
		left, right := primimpl.Cast[half.Float16](a), blas.View[half.Float16]{Shape: shape, Data: primimpl.Cast[half.Float16](b)}
		if asIs {
			right = right.T()
		}
		_, err := blas.GemmHalfOn(q, 1, blas.View[half.Float16]{Shape: shape, Data: left}, right, 0, blas.View[float32]{Shape: shape, Data: c})
		return err
	}
	w.rows = !asIs
	return w.work([4]int{128, 128, 2048, 8192})
}

func gemmInt8Work() Work {
	w := tensorOfBytes("")
	w.name, w.shader = "Gemm s8 to s32 (prim/blas)", ""
	w.launch = func(q *runtime.Queue, n, _ int, a, b runtime.View[tensor.Bytes], c runtime.View[int32], _ runtime.NDRange1) error {
		shape := blas.Shape{Rows: n, Cols: n}
		left, right := primimpl.Cast[int8](a), blas.View[int8]{Shape: shape, Data: primimpl.Cast[int8](b)}
		_, err := blas.GemmInt8On(q, 1, blas.View[int8]{Shape: shape, Data: left}, right.T(), 0, blas.View[int32]{Shape: shape, Data: c})
		return err
	}
	return w.work([4]int{128, 128, 2048, 8192})
}
