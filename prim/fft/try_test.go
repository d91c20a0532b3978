package fft

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/runtime"
)

func TestTry(t *testing.T) {
	dev := devtest.Host(t)
	for _, n := range []int{1, 2, 3, 4, 5, 7, 8, 16, 32, 64, 6, 12, 210, 1000, 2048, 4096, 8192, 11, 13, 997, 2310, 6000, 1 << 16, 30030} {
		p, err := NewPlan[complex64](dev, n)
		if err != nil {
			t.Fatal(err)
		}
		xs := make([]complex64, 3*n)
		for i := range xs {
			xs[i] = complex(float32(rand.NormFloat64()), float32(rand.NormFloat64()))
		}
		ys, err := p.Forward(t.Context(), xs)
		if err != nil {
			t.Fatal(err)
		}
		var e, s float64
		for b := range 3 {
			for range 20 {
				k := rand.IntN(n)
				var w complex128
				for j := range n {
					w += complex128(xs[b*n+j]) * root(j*k, n)
				}
				d := cmplx.Abs(complex128(ys[b*n+k]) - w)
				e += d * d
				s += real(w)*real(w) + imag(w)*imag(w)
			}
		}
		zs, err := p.Inverse(t.Context(), ys)
		if err != nil {
			t.Fatal(err)
		}
		var e2, s2 float64
		for i, z := range zs {
			d := cmplx.Abs(complex128(z - xs[i]))
			e2 += d * d
			s2 += real(complex128(z))*real(complex128(z)) + imag(complex128(z))*imag(complex128(z))
		}
		eps := 0x1p-24
		fmt.Println(n, len(p.forth), math.Sqrt(e/s)/eps/max(1, math.Log2(float64(n))), math.Sqrt(e2/s2)/eps/max(1, math.Log2(float64(n))))
	}
}

func cpu() time.Duration {
	var r syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

func BenchmarkTry(b *testing.B) {
	dev, _ := runtime.Open(runtime.Select("host"))
	q := dev.DefaultQueue()
	for _, n := range []int{256, 1000, 1024, 2048, 4096, 1 << 16, 1 << 20, 4099} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p, err := NewPlan[complex64](dev, n)
			if err != nil {
				b.Fatal(err)
			}
			rows := max(1<<20/n, 1)
			x, _ := runtime.NewBuffer[complex64](dev, rows*n)
			y, _ := runtime.NewBuffer[complex64](dev, rows*n)
			at := cpu()
			k := 0
			for b.Loop() {
				ev, err := p.ForwardOn(q, x.All(), y.All())
				if err != nil {
					b.Fatal(err)
				}
				ev.Wait(b.Context())
				k++
			}
			b.ReportMetric(float64((cpu()-at).Microseconds())/float64(k*rows), "cpuµs/row")
		})
	}
}
