package move_test

import (
	"fmt"
	"testing"

	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/prims"
	"github.com/kgen-go/kgen/internal/tests/prims/ops"
	"github.com/kgen-go/kgen/internal/tests/prims/ops/opsgen"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/move"
	"github.com/kgen-go/kgen/prim/scan"
	"github.com/kgen-go/kgen/runtime"
)

// TestTypes: halves in equal steps are made of integers.
func TestTypes(t *testing.T) {
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		const n = 5000
		v, steps := prims.Views{T: t, Q: dev.DefaultQueue()}, ops.Steps{First: 3, Step: -0.125}
		want := make([]half.Float16, n)
		for i := range want {
			want[i] = half.FromFloat32[half.Float16](3 - float32(i)*0.125)
		}
		at := prims.View(v, make([]int32, n))
		if _, err := move.IotaOn(v.Q, at, 0, 1); err != nil {
			t.Fatal(err)
		}
		prims.Equal(t, "halves", prims.Result(v, n, func(out runtime.View[half.Float16], opts ...prim.Option) (runtime.Event, error) {
			return scan.By[opsgen.HalfSteps](v.Q, steps, at, out, opts...)
		}), want)
	})
}

// Iota makes no halves: a scan of integers does, whose operation converts each and combines none.
func ExampleIotaOn_halves() {
	dev := device()
	defer dev.Close()
	q, at, out := dev.DefaultQueue(), buffer[int32](dev, 0, 0, 0), buffer[half.Float16](dev, 0, 0, 0)
	if _, err := move.IotaOn(q, at, 0, 1); err != nil {
		fmt.Println(err)
	}
	if _, err := scan.By[opsgen.HalfSteps](q, ops.Steps{First: 1, Step: 0.5}, at, out); err != nil {
		fmt.Println(err)
	}
	show(q, out)
	// Output: [1 1.5 2]
}
