package conformance

import (
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/conformance/steps/stepsgen"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// TestGF44_OwnBarriers: a barrier at the end of one kernel, or at the begin of the next, does not take
// the place of InsertBarriers. With that, the kernels are one launch, in which all barriers stand.
// Kernels that hand on elements of the same work-item are one without it.
func TestGF44_OwnBarriers(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n, group = 512, 64 // no device runs a group of 64 in step
		q := dev.DefaultQueue()
		x, tmp, out := buffer(t, dev, ints(n, 0)), buffer(t, dev, make([]int32, n)), buffer(t, dev, make([]int32, n))
		line := runtime.NDRange1{Global: n, Local: group}
		nodes := map[string]func(in, out runtime.View[int32]) runtime.Command{
			"Turn":  func(in, out runtime.View[int32]) runtime.Command { return stepsgen.Turn{In: in, Out: out}.Node(line) },
			"Begin": func(in, out runtime.View[int32]) runtime.Command { return stepsgen.Begin{In: in, Out: out}.Node(line) },
			"End":   func(in, out runtime.View[int32]) runtime.Command { return stepsgen.End{In: in, Out: out}.Node(line) },
		}
		run := func(ex *runtime.ExecutableGraph) {
			t.Helper()
			check(t, tmp.CopyFrom(ctx, q, slices.Repeat([]int32{untouched}, n)))
			check(t, out.CopyFrom(ctx, q, slices.Repeat([]int32{untouched}, n)))
			submit(t, q, ex)
			wantInts(t, dev, out, ints(n, 0)) // turned twice
		}
		shared := tmp.With(inGroup, private[1], private[2])
		for _, first := range []string{"Turn", "End", "Begin"} {
			for _, second := range []string{"Turn", "Begin", "End"} {
				g := graphOf(t, dev, nodes[first](x, tmp), nodes[second](tmp, out))
				run(refused(t, g, "in another work-item of its work-group (InsertBarriers would have them wait for each other)"))
				ex := must(g.Finalize(require, properties.InsertBarriers()))(t)
				wantLaunches(t, ex, "steps."+first+"+steps."+second)
				run(ex)
				// Internal memory is work-group memory, for which the barriers hold as well.
				ex = must(graphOf(t, dev, nodes[first](x, shared), nodes[second](shared, out)).Finalize(require, properties.InsertBarriers()))(t)
				if r := ex.Report(); len(r.Launches) != 1 || len(r.Launches[0].Internal) != 1 {
					t.Errorf("%s and %s:\n%v", first, second, r)
				}
				run(ex)
				wantInts(t, dev, tmp, slices.Repeat([]int32{untouched}, n))
			}
		}
		// Total of 1 to 10 and the like: In is the work-item's own.
		const few = 16
		a, b, sums := buffer(t, dev, ints(few, 1)), buffer(t, dev, make([]int32, few)), buffer(t, dev, make([]int32, few))
		small := runtime.NDRange1{Global: few, Local: few / 2}
		ex := must(graphOf(t, dev, stepsgen.End{In: a, Out: b}.Node(small), stepsgen.Scan{In: b, Out: sums}.Node(small)).Finalize(require))(t)
		wantLaunches(t, ex, "steps.End+steps.Scan")
		submit(t, q, ex)
		want := make([]int32, few)
		for i := range want {
			for j := i / 8 * 8; j <= i; j++ {
				want[i] += int32(j/8*8 + 8 - j%8)
			}
		}
		wantInts(t, dev, sums, want)
	})
}
