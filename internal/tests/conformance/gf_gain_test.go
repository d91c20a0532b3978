package conformance

import (
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/conformance/steps/stepsgen"
	"github.com/kgen-go/kgen/runtime"
)

// A small launch that shares nothing with a group joins it only if no internal memory is lost by that.
// Here Grow would join the launches before it, and Pick, which reads what other work-items of Grow
// write, would then be left out, with all that it hands on.
func TestGF30_SmallLast(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = 64
		x, table, out := buffer(t, dev, ints(n, 0)), buffer(t, dev, ints(n, 0)), buffer(t, dev, make([]int32, n))
		var tmp [3]runtime.View[int32]
		for i := range tmp {
			tmp[i] = buffer(t, dev, slices.Repeat([]int32{untouched}, n)).With(private...)
		}
		gradient := func(grow ...runtime.Command) *runtime.Graph {
			return graphOf(t, dev, slices.Concat([]runtime.Command{affine(tmp[0], x, 1, 0), affine(tmp[1], x, 2, 0)}, grow, []runtime.Command{
				stepsgen.Pick{Table: table, At: tmp[0], Out: tmp[2]}.Node(n), stepsgen.Sum{X: tmp[1], Y: tmp[2], Out: out}.Node(n)})...)
		}
		ex := must(gradient(grow(table, 5)).Finalize(enable))(t)
		r := ex.Report()
		wantLaunches(t, ex, "steps.Grow", "steps.Affine+steps.Affine+steps.Pick+steps.Sum")
		if len(r.Launches) == 2 && len(r.Launches[1].Internal) != 3 || len(r.External) > 0 || len(r.Splits) != 1 {
			t.Errorf("the report is\n%v", r)
		}
		submit(t, dev.DefaultQueue(), ex)
		want := make([]int32, n)
		for i := range want {
			want[i] = 3*int32(i) + 5
		}
		wantInts(t, dev, out, want)
		for _, v := range tmp {
			wantInts(t, dev, v, slices.Repeat([]int32{untouched}, n))
		}

		// Where no internal memory is lost, small launches are fused as before: the same graph with
		// memory that is visible, and one in which nothing refuses the small launch.
		visible := tmp
		for i := range tmp {
			tmp[i] = buffer(t, dev, make([]int32, n))
		}
		wantLaunches(t, must(gradient(grow(table, 5)).Finalize(enable))(t), "steps.Affine+steps.Affine+steps.Grow", "steps.Pick+steps.Sum")
		tmp = visible
		ex = must(gradient(grow(buffer(t, dev, ints(n, 0)), 5)).Finalize(enable))(t)
		wantLaunches(t, ex, "steps.Affine+steps.Affine+steps.Grow+steps.Pick+steps.Sum")
		if r := ex.Report(); len(r.Launches) == 1 && len(r.Launches[0].Internal) != 3 {
			t.Errorf("the report is\n%v", r)
		}
		// A small launch that has no place among the first ones joins others.
		ex = must(gradient(grow(table, 5), grow(buffer(t, dev, ints(n, 0)), 7)).Finalize(enable))(t)
		if r := ex.Report(); len(r.Launches) != 2 || len(r.Launches[0].Internal)+len(r.Launches[1].Internal) != 3 {
			t.Errorf("the report is\n%v", r)
		}
	})
}

// The report says of memory that is not internal which node beside the fused launch uses it.
func TestGF30_WhoElse(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = 64
		x, out, more := buffer(t, dev, ints(n, 0)), buffer(t, dev, make([]int32, n)), buffer(t, dev, make([]int32, n))
		p := buffer(t, dev, make([]int32, n)).With(private...)
		for _, c := range []struct {
			commands []runtime.Command
			want     string
		}{
			{[]runtime.Command{stepsgen.Turn{In: x, Out: p}.Node(runtime.NDRange1{Global: n, Local: 16}), affine(out, p, 1, 0), affine(more, p, 1, 0)},
				"steps.Affine.In: the memory is written by 0: steps.Turn [64], which is not part of this launch"},
			{[]runtime.Command{affine(p, x, 1, 0), affine(out, p, 1, 0), stepsgen.Mirror{In: p, Out: more}.Node(n)},
				"steps.Affine.Out: the memory is read by 2: steps.Mirror [64], which is not part of this launch"},
			{[]runtime.Command{runtime.Fill(p, 3), affine(out, p, 1, 0), affine(more, p, 1, 0)},
				"steps.Affine.In: the memory is written by 0: fill of 256 bytes, which is not part of this launch"},
			{[]runtime.Command{affine(out, p, 1, 0), affine(more, p, 1, 0)}, "steps.Affine.In: no kernel writes it"},
		} {
			r := must(graphOf(t, dev, c.commands...).Finalize(enable))(t).Report()
			if !slices.ContainsFunc(r.External, func(s string) bool { return strings.Contains(s, c.want) }) {
				t.Errorf("want %q, the report is\n%v", c.want, r)
			}
		}
	})
}
