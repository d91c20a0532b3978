package conformance

import (
	"testing"

	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// Two kernels are one launch fused and two unfused, and leave the same bytes.
func TestGF8_Base(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = 300
		a, b, c := buffer(t, dev, ints(n, 0)), buffer(t, dev, ints(n, 0)), buffer(t, dev, ints(n, 3))
		for _, p := range []struct {
			props []properties.Property
			want  int
		}{{nil, 2}, {[]properties.Property{properties.EnableFusion()}, 1}, {[]properties.Property{properties.RequireFusion()}, 1}} {
			tmp, out := buffer(t, dev, make([]int32, n)), buffer(t, dev, make([]int32, n))
			g := runtime.NewGraph(dev)
			sumProduct(t, g, out, tmp, a, b, c)
			ex := must(g.Finalize(p.props...))(t)
			if r := ex.Report(); len(r.Launches) != p.want || r.Fused != (p.want == 1) || len(r.Splits) > 0 {
				t.Errorf("%v: %v", p.props, r)
			}
			submit(t, dev.DefaultQueue(), ex)
			sums, want := make([]int32, n), make([]int32, n)
			for i := range want {
				sums[i] = 2 * int32(i)
				want[i] = sums[i] * int32(i+3)
			}
			wantInts(t, dev, tmp, sums)
			wantInts(t, dev, out, want)
		}
	})
}
