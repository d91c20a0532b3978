package scan_test

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
	"github.com/kgen-go/kgen/prim/scan"
	"github.com/kgen-go/kgen/prim/scan/kernels"
	"github.com/kgen-go/kgen/runtime"
)

// TestTypes: types without a module of their own are scanned by kernels of the caller's.
func TestTypes(t *testing.T) {
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		v := prims.Views{T: t, Q: dev.DefaultQueue()}
		for _, n := range []int{0, 1, 3*kernels.ByTile + 5} {
			bytes, shorts, halves := make([]int8, n), make([]uint16, n), make([]half.Float16, n)
			prims.Fill(bytes)
			prims.Fill(shorts)
			keyed := make([]ops.Keyed, n)
			for i := range keyed {
				halves[i] = half.FromFloat32[half.Float16](float32(rand.NormFloat64()))
				keyed[i] = ops.Keyed{Key: uint16(i / 30 % 3), Value: bytes[i]}
			}
			few := testing.Short() && dev.Info().Backend != "host"
			b, s, h, k := prims.View(v, bytes), prims.View(v, shorts), prims.View(v, halves), prims.View(v, keyed)
			if !few {
				prims.Equal(t, "sums of int8", prims.Result(v, n, func(out runtime.View[int8], opts ...prim.Option) (runtime.Event, error) {
					return scan.By[opsgen.ByteSums](v.Q, ops.Add[int8]{}, b, out, opts...)
				}), running(bytes))
				prims.Equal(t, "sums of uint16", prims.Result(v, n, func(out runtime.View[uint16], opts ...prim.Option) (runtime.Event, error) {
					return scan.By[opsgen.ShortSums](v.Q, ops.Add[uint16]{}, s, out, opts...)
				}), running(shorts))
			}
			prims.Equal(t, "sums of Float16", prims.Result(v, n, func(out runtime.View[half.Float16], opts ...prim.Option) (runtime.Event, error) {
				return scan.By[opsgen.HalfSums](v.Q, ops.AddHalves{}, h, out, opts...)
			}), by(ops.AddHalves{}, halves, true))
			got := prims.Result(v, n, func(out runtime.View[ops.Run], opts ...prim.Option) (runtime.Event, error) {
				return scan.By[opsgen.KeyedSums](v.Q, ops.Restart{}, k, out, opts...)
			})
			sum := int8(0)
			for i, x := range keyed {
				if i > 0 && keyed[i-1].Key != x.Key {
					sum = 0
				}
				if sum += x.Value; got[i].Sum != sum {
					t.Errorf("sums of runs: element %d of %d is %d, want %d", i, n, got[i].Sum, sum)
					break
				}
			}
		}
	})
}

// running returns the sums of integers.
func running[T prims.Real](xs []T) []T {
	sums, sum := make([]T, len(xs)), T(0)
	for i, x := range xs {
		sum += x
		sums[i] = sum
	}
	return sums
}

// Sums of a type that the package has no module for.
func ExampleBy_bytes() {
	dev := device()
	defer dev.Close()
	q, xs, out := dev.DefaultQueue(), buffer[int8](dev, 1, 2, 3), buffer[int8](dev, 0, 0, 0)
	if _, err := scan.By[opsgen.ByteSums](q, ops.Add[int8]{}, xs, out); err != nil {
		fmt.Println(err)
	}
	show(q, out)
	// Output: [1 3 6]
}
