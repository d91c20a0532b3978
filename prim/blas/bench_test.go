package blas

import (
	"sync"
	"testing"

	"github.com/kgen-go/kgen/dsl/math32"
)

// BenchmarkLoops measures loops in Go on two goroutines: matrix products, and a matrix times a vector, with a product and
// a sum that are rounded separately, and with a fused operation as in this package's kernels on the host device.
func BenchmarkLoops(b *testing.B) {
	const n = 512
	x, y, z := make([]float32, n*n), make([]float32, n*n), make([]float32, n*n)
	for i := range x {
		x[i], y[i] = float32(i%17)*0.37-3, float32(i%13)*0.21-1
	}
	run := func(name string, operations float64, rows func(lo, hi int)) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				var both sync.WaitGroup
				both.Go(func() { rows(0, n/2) })
				both.Go(func() { rows(n/2, n) })
				both.Wait()
			}
			b.ReportMetric(operations*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
	run("Gemm", 2*n*n*n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := z[i*n : (i+1)*n]
			clear(row)
			for k, u := range x[i*n : (i+1)*n] {
				for j, v := range y[k*n : (k+1)*n] {
					row[j] += u * v
				}
			}
		}
	})
	run("Gemm/fused", 2*n*n*n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := z[i*n : (i+1)*n]
			clear(row)
			for k, u := range x[i*n : (i+1)*n] {
				for j, v := range y[k*n : (k+1)*n] {
					row[j] = math32.FastFMA(u, v, row[j])
				}
			}
		}
	})
	run("Gemv", 2*n*n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			var sum float32
			for k, u := range x[i*n : (i+1)*n] {
				sum += u * y[k]
			}
			z[i] = sum
		}
	})
	run("Gemv/fused", 2*n*n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			var sum float32
			for k, u := range x[i*n : (i+1)*n] {
				sum = math32.FastFMA(u, y[k], sum)
			}
			z[i] = sum
		}
	})
}
