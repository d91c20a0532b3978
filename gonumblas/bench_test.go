package gonumblas

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/kgen-go/kgen/internal/tests/devtest"
)

// The benchmarks run each call on the device that KGEN_DEVICE names, and by gonum's own implementation, in turn: the
// defaults of On are from them.

func numbers[T float](n int) []T {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	s := make([]T, n)
	for i := range s {
		s[i] = T(r.Float64() - 0.5)
	}
	return s
}

// beside runs a call on the device and by gonum's own implementation.
func beside(b *testing.B, name string, operations int, call func(BLAS)) {
	dev := devtest.Chosen(b)
	for _, on := range []struct {
		name string
		BLAS
	}{{"device", On(dev, Threshold(0))}, {"gonum", gonum.Implementation{}}} {
		b.Run(name+"/"+on.name, func(b *testing.B) {
			call(on.BLAS) // pipelines are built once
			for b.Loop() {
				call(on.BLAS)
			}
			b.ReportMetric(float64(operations)*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gop/s")
		})
	}
}

func BenchmarkGemm(b *testing.B) {
	for _, s := range [][3]int{{128, 128, 128}, {256, 256, 256}, {512, 512, 512}, {1024, 1024, 1024}, {2048, 2048, 2048}, {4096, 4096, 4096}, {2048, 2048, 32}, {2048, 2048, 64}, {2048, 2048, 128}, {2048, 64, 2048}, {64, 2048, 2048}} {
		m, n, k := s[0], s[1], s[2]
		name := fmt.Sprintf("%dx%dx%d", m, n, k)
		b.Run("float32", func(b *testing.B) {
			x, y, z := numbers[float32](m*k), numbers[float32](k*n), numbers[float32](m*n)
			beside(b, name, m*n*k, func(bl BLAS) { bl.Sgemm(blas.NoTrans, blas.NoTrans, m, n, k, 1, x, k, y, n, 0, z, n) })
		})
		b.Run("float64", func(b *testing.B) {
			x, y, z := numbers[float64](m*k), numbers[float64](k*n), numbers[float64](m*n)
			beside(b, name, m*n*k, func(bl BLAS) { bl.Dgemm(blas.NoTrans, blas.NoTrans, m, n, k, 1, x, k, y, n, 0, z, n) })
		})
	}
}

func BenchmarkVectors(b *testing.B) {
	for _, n := range []int{1 << 16, 1 << 20, 1 << 24} {
		b.Run("float64", func(b *testing.B) {
			x, y := numbers[float64](n), numbers[float64](n + 1)[1:]
			beside(b, fmt.Sprintf("Dot%d", n), n, func(bl BLAS) { bl.Ddot(n, x, 1, y, 1) })
			beside(b, fmt.Sprintf("Nrm2%d", n), n, func(bl BLAS) { bl.Dnrm2(n, x, 1) })
			beside(b, fmt.Sprintf("Axpy%d", n), n, func(bl BLAS) { bl.Daxpy(n, 1e-9, x, 1, y, 1) })
		})
		b.Run("float32", func(b *testing.B) {
			x, y := numbers[float32](n), numbers[float32](n + 1)[1:]
			beside(b, fmt.Sprintf("Dot%d", n), n, func(bl BLAS) { bl.Sdot(n, x, 1, y, 1) })
			beside(b, fmt.Sprintf("Nrm2%d", n), n, func(bl BLAS) { bl.Snrm2(n, x, 1) })
			beside(b, fmt.Sprintf("Axpy%d", n), n, func(bl BLAS) { bl.Saxpy(n, 1e-9, x, 1, y, 1) })
		})
	}
}

func BenchmarkMatrixVector(b *testing.B) {
	for _, n := range []int{256, 1024, 4096} {
		b.Run("float64", func(b *testing.B) {
			a, x, y := numbers[float64](n*n), numbers[float64](n), numbers[float64](n)
			beside(b, fmt.Sprintf("Gemv%d", n), n*n, func(bl BLAS) { bl.Dgemv(blas.NoTrans, n, n, 1, a, n, x, 1, 0, y, 1) })
			beside(b, fmt.Sprintf("GemvT%d", n), n*n, func(bl BLAS) { bl.Dgemv(blas.Trans, n, n, 1, a, n, x, 1, 0, y, 1) })
			beside(b, fmt.Sprintf("Ger%d", n), n*n, func(bl BLAS) { bl.Dger(n, n, 1e-9, x, 1, y, 1, a, n) })
		})
		b.Run("float32", func(b *testing.B) {
			a, x, y := numbers[float32](n*n), numbers[float32](n), numbers[float32](n)
			beside(b, fmt.Sprintf("Gemv%d", n), n*n, func(bl BLAS) { bl.Sgemv(blas.NoTrans, n, n, 1, a, n, x, 1, 0, y, 1) })
			beside(b, fmt.Sprintf("GemvT%d", n), n*n, func(bl BLAS) { bl.Sgemv(blas.Trans, n, n, 1, a, n, x, 1, 0, y, 1) })
			beside(b, fmt.Sprintf("Ger%d", n), n*n, func(bl BLAS) { bl.Sger(n, n, 1e-9, x, 1, y, 1, a, n) })
		})
	}
}
