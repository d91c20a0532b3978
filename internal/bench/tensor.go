package bench

import (
	"fmt"
	"math"
	"slices"

	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/examples/tensormatmul/tensor"
	tensorgen "github.com/kgen-go/kgen/generated/examples/tensormatmul/tensor"
	"github.com/kgen-go/kgen/runtime"
)

// These rows measure matrix products of sub-groups, each for two sizes of matrices. The kernel and the shader
// need sub-groups of 32 work-items and enough work-group memory for their tiles.
var (
	tensorHalves      = tensorHalvesOf("", [4]int{128, 128, 2048, 8192})
	tensorHalvesSmall = tensorHalvesOf(", half the rows", [4]int{128, 128, 1024, 4096})
	tensorBytes       = tensorBytesOf("", [4]int{128, 128, 2048, 8192})
	tensorBytesSmall  = tensorBytesOf(", half the rows", [4]int{128, 128, 1024, 4096})
)

// tensorWork describes a benchmark row for matrices with elements of type E and sums of type F. Vectors of
// type P store the elements.
type tensorWork[E any, P any, F number] struct {
	name, cuda, shader string
	product            runtime.MatrixProduct // native matrix product that the shader uses
	elem               func(hash uint32) E
	part               func([]E) P
	per                int // number of elements in a vector
	value              func(E) float64
	tolerance          float64 // permitted error of a sum, relative to the sum of absolute values
	rows               bool    // whether B is stored by rows, which no CUDA peer supports
	kernel             *runtime.Kernel
	launch             func(q *runtime.Queue, n, width int, a, b runtime.View[P], c runtime.View[F], r runtime.NDRange1) error
}

func tensorHalvesOf(size string, sizes [4]int) Work {
	return tensorOfHalves(size).work(sizes)
}

func tensorOfHalves(size string) tensorWork[half.Float16, tensor.Halves, float32] {
	return tensorWork[half.Float16, tensor.Halves, float32]{
		name: "matrices f16 to f32" + size, cuda: "hgemm", shader: "tensor16",
		product: runtime.MatrixProduct{M: 16, N: 16, K: 16, Elem: "half.Float16", Of: "float32"},
		elem:    func(h uint32) half.Float16 { return half.FromFloat32[half.Float16](float32(h>>8) / (1 << 24)) },
		part:    tensor.HalvesOf,
		per:     8,
		value:   func(x half.Float16) float64 { return float64(x.Float32()) }, tolerance: 1e-4,
		kernel: tensorgen.Kernels()[0],
		launch: func(q *runtime.Queue, n, width int, a, b runtime.View[tensor.Halves], c runtime.View[float32], r runtime.NDRange1) error {
			_, err := tensorgen.MatMul{N: n, Width: width, A: a, B: b, C: c}.ParallelFor(q, r)
			return err
		},
	}
}

func tensorBytesOf(size string, sizes [4]int) Work {
	return tensorOfBytes(size).work(sizes)
}

func tensorOfBytes(size string) tensorWork[int8, tensor.Bytes, int32] {
	return tensorWork[int8, tensor.Bytes, int32]{
		name: "matrices s8 to s32" + size, cuda: "igemm", shader: "tensor8",
		product: runtime.MatrixProduct{M: 16, N: 16, K: 32, Elem: "int8", Of: "int32"},
		elem:    func(h uint32) int8 { return int8(h >> 24) },
		part:    tensor.BytesOf,
		per:     16,
		value:   func(x int8) float64 { return float64(x) },
		kernel:  tensorgen.Kernels()[1],
		launch: func(q *runtime.Queue, n, width int, a, b runtime.View[tensor.Bytes], c runtime.View[int32], r runtime.NDRange1) error {
			_, err := tensorgen.MatMulBytes{N: n, Width: width, A: a, B: b, C: c}.ParallelFor(q, r)
			return err
		},
	}
}

func (w tensorWork[E, P, F]) work(sizes [4]int) Work {
	target := "≥ 0.95 GLSL"
	if w.shader == "" {
		target = ""
	}
	return Work{Group: "Grids and matrices", Name: w.name, Target: target, Sizes: sizes, Make: func(b *Bench, n int) (*Job, error) {
		factor := func(seed uint32) ([]E, *runtime.Buffer[P], error) {
			flat := makeSlice(n*n, func(i int) E { return w.elem(hashIndex(uint32(i), seed)) })
			buf, err := runtime.BufferOf(b.dev, makeSlice(n*n/w.per, func(i int) P { return w.part(flat[i*w.per : (i+1)*w.per]) }))
			if err == nil {
				b.closers = append(b.closers, func() { _ = buf.Close() })
			}
			return flat, buf, err
		}
		ha, a, err1 := factor(1)
		hb, bb, err2 := factor(2)
		c, err3 := memoryFor[F](b, n*n)
		if err := firstSet(err1, err2, err3); err != nil {
			return nil, err
		}
		check := func() error {
			s, err := c.readBack()
			if err != nil {
				return err
			}
			for j := range 64 {
				i := int(uint64(hashIndex(uint32(j), 78)) * uint64(len(s)) >> 32)
				want, size := 0.0, 0.0
				for l := range n {
					at := i%n*n + l
					if w.rows {
						at = l*n + i%n
					}
					p := w.value(ha[i/n*n+l]) * w.value(hb[at])
					want, size = want+p, size+math.Abs(p)
				}
				if got := float64(s[i]); !(math.Abs(got-want) <= w.tolerance*size) {
					return fmt.Errorf("element %d of the product is %v, want %v", i, got, want)
				}
			}
			return nil
		}
		r, width := runtime.NDRange1{Global: runtime.Range1(tensor.Global(n, n)), Local: tensor.Items}, n/w.per
		j := &Job{Size: squared(n), Amount: 2 * float64(n) * float64(n) * float64(n), Unit: Flop, Sum: c.checksums, Digits: 1e-5, CUDA: []CUDAPeer{{"cuBLAS", w.cuda}}}
		if w.rows {
			j.CUDA = nil
		}
		j.Contestants = []Contestant{{kgen, b.repeatFunc(func() error { return w.launch(b.q, n, width, a.All(), bb.All(), c.all(), r) }), c.fillPoison, check}}
		if w.shader == "" || !slices.Contains(b.dev.Info().Matrices, w.product) {
			return j, nil
		}
		const items = 128 // number of work-items in the shader's work-groups
		s := runtime.NDRange1{Global: r.Global / tensor.Items * items, Local: items}
		return j, b.addShader(j, w.kernel, w.shader, s, []any{n, width, a.All(), bb.All(), c.all()}, c.fillPoison, check)
	}}
}
