package gonumblas

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/properties"
)

// numbers returns random numbers.
func numbers[T float](n int) []T {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	s := make([]T, n)
	for i := range s {
		s[i] = T(r.Float64() - 0.5)
	}
	return s
}

// BenchmarkCalls runs each call on the device that KGEN_DEVICE names, and then by gonum's own implementation. Operations are
// those that Threshold counts.
func BenchmarkCalls(b *testing.B) {
	dev := devtest.Chosen(b)
	on, own := On(dev, Threshold(0)), gonum.Implementation{}
	b.Run("float32", func(b *testing.B) { calls(b, singles(on), singles(own)) })
	if dev.Has(properties.FP64) {
		b.Run("float64", func(b *testing.B) { calls(b, doubles(on), doubles(own)) })
	}
}

func calls[T float](b *testing.B, on, own functions[T]) {
	beside := func(name string, operations int, call func(f functions[T])) {
		for _, f := range []struct {
			name string
			functions[T]
		}{{"device", on}, {"gonum", own}} {
			b.Run(name+"/"+f.name, func(b *testing.B) {
				call(f.functions) // which builds pipelines
				for b.Loop() {
					call(f.functions)
				}
				b.ReportMetric(float64(operations)*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gop/s")
			})
		}
	}
	for _, s := range [][3]int{{128, 128, 128}, {256, 256, 256}, {512, 512, 512}, {1024, 1024, 1024}, {2048, 2048, 2048}, {4096, 4096, 4096},
		{2048, 2048, 32}, {2048, 2048, 64}, {2048, 2048, 128}, {2048, 64, 2048}, {64, 2048, 2048}} {
		m, n, k := s[0], s[1], s[2]
		x, y, z := numbers[T](m*k), numbers[T](k*n), numbers[T](m*n)
		beside(fmt.Sprintf("Gemm/%dx%dx%d", m, n, k), m*n*k, func(f functions[T]) { f.gemm(blas.NoTrans, blas.NoTrans, m, n, k, 1, x, k, y, n, 0, z, n) })
	}
	for _, n := range []int{256, 1024, 4096} {
		a, x, y := numbers[T](n*n), numbers[T](n), numbers[T](n)
		beside(fmt.Sprintf("Gemv/%d", n), n*n, func(f functions[T]) { f.gemv(blas.NoTrans, n, n, 1, a, n, x, 1, 0, y, 1) })
		beside(fmt.Sprintf("GemvTrans/%d", n), n*n, func(f functions[T]) { f.gemv(blas.Trans, n, n, 1, a, n, x, 1, 0, y, 1) })
		beside(fmt.Sprintf("Ger/%d", n), n*n, func(f functions[T]) { f.ger(n, n, 1e-9, x, 1, y, 1, a, n) })
	}
	for _, n := range []int{1 << 16, 1 << 20, 1 << 24} {
		x, y := numbers[T](n), numbers[T](n)
		beside(fmt.Sprintf("Dot/%d", n), n, func(f functions[T]) { f.dot(n, x, 1, y, 1) })
		beside(fmt.Sprintf("Nrm2/%d", n), n, func(f functions[T]) { f.nrm2(n, x, 1) })
		beside(fmt.Sprintf("Axpy/%d", n), n, func(f functions[T]) { f.axpy(n, 1e-9, x, 1, y, 1) })
	}
}
