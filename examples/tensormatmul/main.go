// Tensormatmul uses matrices of sub-groups to multiply matrices of 16-bit floats, and of bytes. A
// GPU computes matrix products of sub-groups with its tensor cores.
package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/examples/internal/demo"
	"github.com/kgen-go/kgen/examples/tensormatmul/tensor"
	tensorgen "github.com/kgen-go/kgen/generated/examples/tensormatmul/tensor"
	"github.com/kgen-go/kgen/runtime"
)

var size = demo.Int("n", 256, 1, 1<<14, "rows and columns of the matrices; they are rounded up to multiples of 128")

func main() { demo.Main(run) }

func run(ctx context.Context, dev *runtime.Device) error {
	n := (*size + tensor.Tile - 1) / tensor.Tile * tensor.Tile
	demo.Line("matrices", "%d x %d", n, n)
	p := &product{ctx: ctx, dev: dev, n: n, r: rand.New(rand.NewPCG(1, 2))}
	if err := p.halves(); err != nil {
		return err
	}
	return p.bytes()
}

// The type `product` contains the device and the size of both products.
type product struct {
	ctx context.Context
	dev *runtime.Device
	n   int
	r   *rand.Rand
}

// tensors() reports whether the device supports the matrix products that the kernels with tiles use.
func (p *product) tensors(elem string) bool {
	info := p.dev.Info()
	return info.MinSubGroup <= tensor.SubGroup && tensor.SubGroup <= info.MaxSubGroup &&
		slices.ContainsFunc(info.Matrices, func(m runtime.MatrixProduct) bool { return m.M == 16 && m.N == 16 && m.Elem == elem })
}

// halves() multiplies matrices of 16-bit floats.
func (p *product) halves() error {
	n := p.n
	a, b := make([]half.Float16, n*n), make([]half.Float16, n*n) // b is stored column by column
	for i := range a {
		a[i], b[i] = half.FromFloat32[half.Float16](p.r.Float32()-0.5), half.FromFloat32[half.Float16](p.r.Float32()-0.5)
	}
	c := make([]float32, n*n)
	var err error
	if p.tensors("half.Float16") {
		k := tensorgen.MatMul{N: n, Width: n / len(tensor.Halves{})}
		err = multiply(p, "16-bit floats, by tiles", parts(a, 8, tensor.HalvesOf), parts(b, 8, tensor.HalvesOf), c,
			func(q *runtime.Queue, a, b runtime.View[tensor.Halves], c runtime.View[float32]) error {
				k.A, k.B, k.C = a, b, c
				return k.Run(p.ctx, q, runtime.NDRange1{Global: runtime.Range1(tensor.Global(n, n)), Local: tensor.Items})
			})
	} else {
		k := tensorgen.Plain{N: n, K: n}
		local := p.dev.Info().MaxSubGroup
		err = multiply(p, "16-bit floats", a, b, c, func(q *runtime.Queue, a, b runtime.View[half.Float16], c runtime.View[float32]) error {
			k.A, k.B, k.C = a, b, c
			return k.Run(p.ctx, q, runtime.NDRange1{Global: runtime.Range1(n / tensor.Side * (n / tensor.Side) * local), Local: runtime.Range1(local)})
		})
	}
	if err != nil {
		return err
	}
	// A device may add products in any order. docs/matrices.md has the bound of the error.
	return check(p, a, b, c, func(x half.Float16) float64 { return float64(x.Float32()) }, 2*float64(n)*0x1p-23)
}

// bytes() multiplies matrices of bytes, if the device can multiply such matrices.
func (p *product) bytes() error {
	if !p.tensors("int8") {
		return nil
	}
	n := p.n
	a, b := make([]int8, n*n), make([]int8, n*n)
	for i := range a {
		a[i], b[i] = int8(p.r.Int()), int8(p.r.Int())
	}
	c := make([]int32, n*n)
	k := tensorgen.MatMulBytes{N: n, Width: n / 16}
	err := multiply(p, "bytes, by tiles", parts(a, 16, tensor.BytesOf), parts(b, 16, tensor.BytesOf), c,
		func(q *runtime.Queue, a, b runtime.View[tensor.Bytes], c runtime.View[int32]) error {
			k.A, k.B, k.C = a, b, c
			return k.Run(p.ctx, q, runtime.NDRange1{Global: runtime.Range1(tensor.Global(n, n)), Local: tensor.Items})
		})
	if err != nil {
		return err
	}
	return check(p, a, b, c, func(x int8) float64 { return float64(x) }, 0) // the result must be exact
}

// parts() divides a matrix into parts of n elements.
func parts[E, P any](s []E, n int, part func([]E) P) []P {
	list := make([]P, len(s)/n)
	for i := range list {
		list[i] = part(s[i*n : (i+1)*n])
	}
	return list
}

// multiply() copies a and b to the device, calls launch to multiply them, and copies the product back.
func multiply[P, F any](p *product, label string, a, b []P, c []F, launch func(q *runtime.Queue, a, b runtime.View[P], c runtime.View[F]) error) error {
	ba, err := runtime.BufferOf(p.dev, a)
	if err != nil {
		return err
	}
	defer ba.Close()
	bb, err := runtime.BufferOf(p.dev, b)
	if err != nil {
		return err
	}
	defer bb.Close()
	bc, err := runtime.NewBuffer[F](p.dev, len(c))
	if err != nil {
		return err
	}
	defer bc.Close()
	q := p.dev.DefaultQueue()
	d, err := demo.Best(3, func() error { return launch(q, ba.All(), bb.All(), bc.All()) })
	if err != nil {
		return err
	}
	demo.Rate(label, d, 2*float64(p.n)*float64(p.n)*float64(p.n), "op")
	return bc.CopyTo(p.ctx, q, c)
}

// check() compares elements of a product with sums of exact products.
func check[E any, F float32 | int32](p *product, a, b []E, c []F, value func(E) float64, tolerance float64) error {
	for range 1000 {
		y, x := p.r.IntN(p.n), p.r.IntN(p.n)
		sum, size := 0.0, 0.0
		for l := range p.n {
			v := value(a[y*p.n+l]) * value(b[x*p.n+l])
			sum, size = sum+v, size+math.Abs(v)
		}
		if got := float64(c[y*p.n+x]); !(math.Abs(got-sum) <= tolerance*size) {
			return fmt.Errorf("element %d, %d is %v, want %v", y, x, got, sum)
		}
	}
	return nil
}
