package blas

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/blas/kernels"
	"github.com/kgen-go/kgen/runtime"
)

// of returns a matrix of the shape of m with the elements that f returns.
func of[T any](m Matrix[float32], f func(float32) T) Matrix[T] {
	out := Matrix[T]{Shape: m.Shape}
	for _, x := range m.Data {
		out.Data = append(out.Data, f(x))
	}
	return out
}

// byMatrices has products of mixed types use matrices of sub-groups, which the device may not have.
func byMatrices(t testing.TB) {
	was := hasMatrices
	t.Cleanup(func() { hasMatrices = was })
	hasMatrices = func(*runtime.Device, string) bool { return true }
}

// mixedCase is a product of mixed types with random elements.
type mixedCase struct {
	a, b, c     Matrix[float32] // bytes are integers of 8 bits
	alpha, beta float32
}

// mixedOf returns a product of sizes m, n and k. Bits of way choose which matrices are transposed.
func mixedOf(r *rand.Rand, m, n, k, pad, batch, way int) mixedCase {
	c := mixedCase{matrix[float32](r, m, k, pad, batch, way&1 != 0), matrix[float32](r, k, n, pad, batch, way&2 != 0), matrix[float32](r, m, n, pad, batch, way&4 != 0), 1, 0}
	if batch > 1 && way&4 != 0 {
		c.b.Batch, c.b.Step = 1, 0
	}
	if way%3 > 0 {
		c.alpha, c.beta = -3, 2
	}
	return c
}

// exact calls f for each element of c: with its index, the exact sum of products, and the sum of their magnitudes.
func (c mixedCase) exact(value func(float32) float64, f func(at int, sum, size float64)) {
	at := func(m Matrix[float32], batch, i, j int) int {
		if m.transposed {
			i, j = j, i
		}
		return batch*stepOf(m.Shape) + i*m.stride() + j
	}
	for l := range c.c.batch() {
		for i := range c.c.Rows {
			for j := range c.c.Cols {
				sum, size := 0.0, 0.0
				for k := range c.a.Cols {
					v := value(c.a.Data[at(c.a, l, i, k)]) * value(c.b.Data[at(c.b, l, k, j)])
					sum, size = sum+v, size+math.Abs(v)
				}
				f(at(c.c, l, i, j), sum, size)
			}
		}
	}
}

func testHalf[T interface {
	Half
	half.Float[T]
}](t *testing.T, dev *runtime.Device, c mixedCase) {
	t.Helper()
	narrow := func(x float32) T { return half.FromFloat32[T](x) }
	value := func(x float32) float64 { return float64(narrow(x).Float32()) }
	got := of(c.c, func(x float32) float32 { return x })
	if err := GemmHalf(t.Context(), dev, c.alpha, of(c.a, narrow), of(c.b, narrow), c.beta, got); err != nil {
		t.Fatal(err)
	}
	used := make([]bool, len(c.c.Data))
	c.exact(value, func(at int, sum, size float64) {
		used[at] = true
		was := float64(c.beta * c.c.Data[at])
		want := float64(c.alpha)*sum + was
		// The bound of docs/matrices.md, and the roundings of alpha*sum, beta*c and their sum.
		bound := 2*float64(c.a.Cols)*0x1p-23*size*math.Abs(float64(c.alpha)) + 0x1p-22*(math.Abs(want)+math.Abs(was)) + 0x1p-120
		if diff := math.Abs(float64(got.Data[at]) - want); !(diff <= bound) {
			t.Fatalf("element %d is %v, want %v: it is off by %g, more than %g", at, got.Data[at], want, diff, bound)
		}
	})
	for i, x := range got.Data {
		if !used[i] && x != c.c.Data[i] {
			t.Fatalf("the memory between the rows, at %d, is %v, was %v", i, x, c.c.Data[i])
		}
	}
}

func testInt8(t *testing.T, dev *runtime.Device, c mixedCase) {
	t.Helper()
	narrow := func(x float32) int8 { return int8(math.Float32bits(x) >> 8) }
	got := of(c.c, func(x float32) int32 { return int32(math.Float32bits(x)) })
	was := append([]int32(nil), got.Data...)
	if err := GemmInt8(t.Context(), dev, int32(c.alpha), of(c.a, narrow), of(c.b, narrow), int32(c.beta), got); err != nil {
		t.Fatal(err)
	}
	c.exact(func(x float32) float64 { return float64(narrow(x)) }, func(at int, sum, size float64) {
		if want := int32(c.alpha)*int32(sum) + int32(c.beta)*was[at]; got.Data[at] != want {
			t.Fatalf("element %d is %d, want %d", at, got.Data[at], want)
		}
	})
}

var mixedSizes = [][3]int{{1, 1, 1}, {0, 3, 2}, {3, 2, 0}, {128, 128, 64}, {129, 130, 65}, {5, 200, 72}, {128, 128, 72}, {127, 1, 300}}

func TestMixed(t *testing.T) {
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) { testMixed(t, dev) })
}

// TestMixedByMatrices has the kernels of matrices run on the host, which holds matrices of all sizes.
func TestMixedByMatrices(t *testing.T) {
	byMatrices(t)
	testMixed(t, devtest.Host(t))
}

func testMixed(t *testing.T, dev *runtime.Device) {
	r := rand.New(rand.NewPCG(9, 10))
	for n, s := range mixedSizes {
		for way := range 8 {
			if (n+way)%sample.Of(1, 4) != 0 {
				continue
			}
			pad, batch := []int{0, 1, 16}[(n+way/4)%3], 1
			if n%3 == 1 {
				batch = 3
			}
			limit(t, way%2 == 1)
			c := mixedOf(r, s[0], s[1], s[2], pad, batch, way)
			t.Run(fmt.Sprint(s, way), func(t *testing.T) {
				testHalf[half.Float16](t, dev, c)
				testHalf[half.BFloat16](t, dev, c)
				testInt8(t, dev, c)
			})
		}
	}
}

// TestMixedErrors: the errors of GemmOn, and too little scratch memory.
func TestMixedErrors(t *testing.T) {
	dev := devtest.Host(t)
	q := dev.DefaultQueue()
	in, err1 := runtime.NewBuffer[int8](dev, 100)
	out, err2 := runtime.NewBuffer[int32](dev, 100)
	scratch, err3 := runtime.NewBuffer[byte](dev, 1<<20)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	m := func(rows, cols int) View[int8] { return View[int8]{Shape{Rows: rows, Cols: cols}, in.All()} }
	c := View[int32]{Shape{Rows: 4, Cols: 6}, out.All()}
	for name, args := range map[string][2]View[int8]{"inner": {m(4, 4), m(5, 6)}, "rows": {m(3, 5), m(5, 6)}, "short": {m(4, 40), m(40, 6)}} {
		if _, err := GemmInt8On(q, 1, args[0], args[1], 0, c); !errors.Is(err, runtime.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := GemmInt8On(nil, 1, m(4, 5), m(5, 6), 0, c); err == nil {
		t.Error("a nil queue is no error")
	}
	if n := ScratchBytes[int8](dev, m(4, 5).Shape, m(5, 6).Shape, c.Shape); n != 0 {
		t.Errorf("the plain way needs %d bytes", n)
	}
	byMatrices(t)
	n := ScratchBytes[int8](dev, m(4, 5).Shape, m(5, 6).Shape, c.Shape)
	if _, err := GemmInt8On(q, 1, m(4, 5), m(5, 6), 0, c, prim.Scratch(scratch.Slice(0, n-16))); !errors.Is(err, runtime.ErrInvalid) {
		t.Errorf("little scratch memory: %v", err)
	}
	if _, err := GemmInt8On(q, 1, m(4, 5), m(5, 6), 0, c, prim.Scratch(scratch.Slice(0, n))); err != nil {
		t.Error(err)
	}
}

// TestMixedPlan: pieces and tiles are rounded up.
func TestMixedPlan(t *testing.T) {
	byMatrices(t)
	dev := devtest.Host(t)
	p := planOf[half.Float16](dev, Shape{Rows: 129, Cols: 9, Batch: 2}, Shape{Rows: 9, Cols: 3}, Shape{Rows: 129, Cols: 3, Batch: 2})
	if want := (mixedPlan{true, 256, 128, 8, 2 * 129 * 8, 3 * 8, 2 * 256 * 128, p.plainBytes}); p != want || kernels.MixedTile != 128 {
		t.Errorf("%+v, want %+v", p, want)
	}
}
