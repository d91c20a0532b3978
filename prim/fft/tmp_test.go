package fft_test

import (
	"fmt"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/prims"
	"testing"
	"time"
)

func TestTmp(t *testing.T) {
	dev := devtest.Vulkan(t)
	v := prims.Views{T: t, Q: dev.DefaultQueue(), Offset: 2}
	for _, n := range []int{60, 4096, 35, 17} {
		p := newPlan[complex64](t, dev, n)
		x := prims.View(v, random[complex64](n))
		for range 2 {
			at := time.Now()
			p.ForwardOn(v.Q, x, x)
			prims.Read(v, x)
			fmt.Println(n, "forward", time.Since(at))
		}
	}
	q := newPlan[complex128](t, dev, 100)
	y := prims.View(v, random[complex128](100))
	at := time.Now()
	q.ForwardOn(v.Q, y, y)
	prims.Read(v, y)
	fmt.Println("c128 forward", time.Since(at))
}
