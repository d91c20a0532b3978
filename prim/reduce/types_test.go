package reduce_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/prims"
	"github.com/kgen-go/kgen/internal/tests/prims/ops"
	"github.com/kgen-go/kgen/internal/tests/prims/ops/opsgen"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/reduce"
	"github.com/kgen-go/kgen/runtime"
)

// TestTypes: types without a module of their own are added up by kernels of the caller's.
func TestTypes(t *testing.T) {
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		v := prims.Views{T: t, Q: dev.DefaultQueue()}
		for _, n := range []int{0, 1, 3*4096 + 5} {
			halves, pairs := make([]half.Float16, n), make([][2]half.Float16, n)
			for i := range halves {
				halves[i] = half.FromFloat32[half.Float16](float32(rand.NormFloat64()))
				pairs[i] = [2]half.Float16{halves[i], halves[rand.IntN(i+1)]}
			}
			h, p := prims.View(v, halves), prims.View(v, pairs)
			prims.Same(t, fmt.Sprint("the sum of halves, ", n), prims.Result(v, 1, func(out runtime.View[float32], opts ...prim.Option) (runtime.Event, error) {
				return reduce.By[opsgen.HalfSum](v.Q, ops.Widen{}, h, out, opts...)
			})[0], by(ops.Widen{}, halves))
			prims.Same(t, fmt.Sprint("the scalar product of halves, ", n), prims.Result(v, 1, func(out runtime.View[float32], opts ...prim.Option) (runtime.Event, error) {
				return reduce.By[opsgen.HalfDot](v.Q, ops.Products{}, p, out, opts...)
			})[0], by(ops.Products{}, pairs))
		}
	})
}

// Sum takes no halves: a kernel of the caller's adds them up.
func ExampleBy_halves() {
	one := half.FromFloat32[half.Float16](1)
	q, v, out := buffers[float32](one, one.Add(one), one)
	if _, err := reduce.By[opsgen.HalfSum](q, ops.Widen{}, v, out); err != nil {
		fmt.Println(err)
	}
	show(q, out, 1)
	// Output: [4]
}
