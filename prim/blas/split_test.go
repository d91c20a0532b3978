package blas

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// TestUnordered divides sums of integers, so that no order of additions rounds.
func TestUnordered(t *testing.T) {
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		testUnordered[float32](t, dev)
		if dev.Has(properties.FP64) {
			testUnordered[float64](t, dev)
		}
	})
}

func testUnordered[T Float](t *testing.T, dev *runtime.Device) {
	r := rand.New(rand.NewPCG(11, 12))
	for way, size := range [][3]int{{5, 7, 1500}, {1, 1, 20000}, {20, 3, 1025}, {4, 8, 4096}, {3, 5, 1024}, {65, 2, 1100}, {2, 130, 1100}, {6, 2, 1023}} {
		a, b := matrix[T](r, size[0], size[2], way&4, 1, way&1 != 0), matrix[T](r, size[2], size[1], way&4, 1, way&2 != 0)
		c := matrix[T](r, size[0], size[1], way&1*4, 1, way > 4)
		for _, d := range [][]T{a.Data, b.Data, c.Data} {
			for i := range d {
				d[i] = T(r.IntN(21) - 10)
			}
		}
		s := splitOf(a.Shape, c.Shape)
		if divides := size[2] >= 1024; (s.ranges > 1) != divides || divides && (s.length*(s.ranges-1) >= size[2] || s.length*s.ranges < size[2]) {
			t.Fatalf("%v: %+v", size, s)
		}
		alpha, beta := T(2), T(3*(way%2))
		want := c
		want.Data = append([]T(nil), c.Data...)
		plainGemm(alpha, a, b, beta, want)
		got := append([]T(nil), c.Data...)
		bytes := ScratchBytes[T](dev, a.Shape, b.Shape, c.Shape)
		if err := gemmWith(t, dev, alpha, a, b, beta, c.Shape, got, bytes); err != nil {
			t.Fatal(err)
		}
		compare(t, got, want.Data)
		if err := gemmWith(t, dev, alpha, a, b, beta, c.Shape, got, bytes-1); s.ranges > 1 && !errors.Is(err, runtime.ErrInvalid) {
			t.Fatalf("%v: %d bytes of scratch memory: %v", size, bytes-1, err)
		}
	}
}

// gemmWith multiplies on the device with divided sums, in scratch memory of so many bytes.
func gemmWith[T Float](t *testing.T, dev *runtime.Device, alpha T, a, b Matrix[T], beta T, shape Shape, c []T, bytes int) error {
	t.Helper()
	view := func(s Shape, d []T) View[T] {
		m, err := runtime.BufferOf(dev, d)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { m.Close() })
		return View[T]{s, m.All()}
	}
	scratch, err := runtime.NewBuffer[byte](dev, max(bytes, 1))
	if err != nil {
		t.Fatal(err)
	}
	defer scratch.Close()
	q, out := dev.NewQueue(), view(shape, c)
	if _, err := GemmOn(q, alpha, view(a.Shape, a.Data), view(b.Shape, b.Data), beta, out, prim.Unordered(), prim.Scratch(scratch.All())); err != nil {
		return err
	}
	return out.Data.CopyTo(t.Context(), q, c)
}
