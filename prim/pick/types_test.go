package pick_test

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
	"github.com/kgen-go/kgen/prim/pick"
	"github.com/kgen-go/kgen/runtime"
)

// TestTypes: Where takes elements of any type, halves too.
func TestTypes(t *testing.T) {
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		v, limit := prims.Views{T: t, Q: dev.DefaultQueue()}, half.FromFloat32[half.Float16](0.25)
		xs := make([]half.Float16, 9001)
		var want []half.Float16
		for i := range xs {
			if xs[i] = half.FromFloat32[half.Float16](float32(rand.NormFloat64())); limit.Less(xs[i]) {
				want = append(want, xs[i])
			}
		}
		x := prims.View(v, xs)
		picked(v, "Where", len(xs), want, func(out runtime.View[half.Float16], count runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
			return pick.Where[opsgen.Warm](v.Q, ops.Warmer{Than: limit}, x, out, count, opts...)
		})
	})
}

// The predicate's alias names the type of the elements.
func ExampleWhere_halves() {
	dev := device()
	defer dev.Close()
	one := half.FromFloat32[half.Float16](1)
	q, xs := dev.DefaultQueue(), buffer(dev, one.Neg(), one, one.Add(one))
	out, count := buffer(dev, one, one, one), buffer(dev, int64(0))
	if _, err := pick.Where[opsgen.Warm](q, ops.Warmer{Than: one}, xs, out, count); err != nil {
		fmt.Println(err)
	}
	show(q, out)
	show(q, count)
	// Output:
	// [2 1 1]
	// [1]
}
