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

var tensorProduct = tensorWork("", [4]int{128, 256, 2048, 8192})
var tensorProductSmall = tensorWork(" (small)", [4]int{128, 128, 1024, 4096})

func tensorWork(name string, sizes [4]int) Work {
	return Work{Group: "Grids and matrices", Name: "matrices f16 to f32" + name, Target: "≥ 0.95 GLSL", Sizes: sizes, Make: func(b *Bench, n int) (*Job, error) {
		parts := func(seed uint32) ([]half.Float16, *runtime.Buffer[tensor.Part], error) {
			flat := made(n*n, func(i int) half.Float16 { return half.FromFloat32[half.Float16](unit(uint32(i), seed)) })
			list := made(n*n/len(tensor.Part{}), func(i int) tensor.Part { return tensor.Part(flat[i*len(tensor.Part{}):]) })
			buf, err := runtime.BufferOf(b.dev, list)
			if err == nil {
				b.closers = append(b.closers, func() { _ = buf.Close() })
			}
			return flat, buf, err
		}
		ha, a, err1 := parts(1)
		hb, bb, err2 := parts(2)
		c, err3 := memoryFor[float32](b, n*n)
		if err := first(err1, err2, err3); err != nil {
			return nil, err
		}
		check := func() error {
			s, err := c.get()
			if err != nil {
				return err
			}
			for j := range 64 {
				i := int(uint64(hash(uint32(j), 78)) * uint64(len(s)) >> 32)
				want := 0.0
				for l := range n {
					want += float64(ha[i/n*n+l].Float32()) * float64(hb[i%n*n+l].Float32())
				}
				if math.Abs(float64(s[i])-want) > 1e-4*want {
					return fmt.Errorf("element %d of the product is %v, want %v", i, s[i], want)
				}
			}
			return nil
		}
		local := tensor.SubGroups * b.dev.Info().MaxSubGroup
		nd := runtime.NDRange1{Global: runtime.Range1((n / tensor.Rows) * (n / tensor.Columns) * local), Local: runtime.Range1(local)}
		k := tensorgen.MatMul{N: n, K: n, A: a.All(), B: bb.All(), C: c.all()}
		j := &Job{Size: squared(n), Amount: 2 * float64(n) * float64(n) * float64(n), Unit: Flop, Sum: c.sum, Digits: 1e-5, CUDA: []CUDAPeer{{"cuBLAS", "hgemm"}}}
		j.Contestants = []Contestant{{kgen, b.repeat(func() error { _, err := k.ParallelFor(b.q, nd); return err }), c.poison, check}}
		if !slices.ContainsFunc(b.dev.Info().Matrices, func(p runtime.MatrixProduct) bool {
			return p.M == 16 && p.N == 16 && p.K == 16 && p.Elem == "half.Float16" && p.Of == "float32"
		}) {
			return j, nil
		}
		return j, b.shader(j, tensorgen.Kernels()[0], "tensor16", nd, []any{n, n, k.A, k.B, k.C}, c.poison, check)
	}}
}
