package conformance

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/conformance/props/propsgen"
	"github.com/kgen-go/kgen/internal/tests/conformance/steps"
	"github.com/kgen-go/kgen/internal/tests/conformance/steps/stepsgen"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

var (
	enable  = properties.EnableFusion()
	require = properties.RequireFusion()
)

// graphOf returns a graph of the commands.
func graphOf(t *testing.T, dev *runtime.Device, commands ...runtime.Command) *runtime.Graph {
	t.Helper()
	g := runtime.NewGraph(dev)
	for _, c := range commands {
		must(g.Add(c))(t)
	}
	return g
}

// launches returns the names of the launches that a graph makes.
func launches(ex *runtime.ExecutableGraph) []string {
	var out []string
	for _, l := range ex.Report().Launches {
		out = append(out, l.Name)
	}
	return out
}

func wantLaunches(t *testing.T, ex *runtime.ExecutableGraph, want ...string) {
	t.Helper()
	if got := launches(ex); !slices.Equal(got, want) || ex.Report().Fused != (len(want) <= 1) {
		t.Errorf("the launches are %q, want %q:\n%v", got, want, ex.Report())
	}
}

// refused checks that a graph cannot be fused, for a reason that has all of the words, but runs
// unfused.
func refused(t *testing.T, g *runtime.Graph, words ...string) *runtime.ExecutableGraph {
	t.Helper()
	_, err := g.Finalize(require)
	wantErr(t, err, runtime.ErrKernelNotSupported)
	ex := must(g.Finalize(enable))(t)
	if r := ex.Report(); r.Fused || len(r.Launches) < 2 || len(r.Splits) == 0 {
		t.Errorf("the report is\n%v", r)
	}
	for _, w := range words {
		if err != nil && !strings.Contains(err.Error(), w) {
			t.Errorf("the error %q does not have %q", err, w)
		}
	}
	return ex
}

// A kernel that reads what other work-items of the one before wrote is launched by itself.
func TestGF1_Enable(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = 64
		x, tmp, y := buffer(t, dev, ints(n, 0)), buffer(t, dev, make([]int32, n)), buffer(t, dev, make([]int32, n))
		g := graphOf(t, dev, affine(tmp, x, 3, 1), stepsgen.Mirror{In: tmp, Out: y}.Node(n))
		const why = "steps.Affine+steps.Mirror: internal/tests/conformance/steps/kernels.go:46:17 reads In[len(In)-1-i], " +
			"which internal/tests/conformance/steps/kernels.go:37:7 may write, as Out[i], in another work-item"
		const all = "kernel not supported: the graph cannot be fused: " + why +
			"; finalize with EnableFusion, which fuses what it can, or put a graph of its own (AddGraph) between"
		if _, err := g.Finalize(require); err == nil || err.Error() != all {
			t.Errorf("the error is\n%v, want\n%s", err, all)
		}
		ex := refused(t, g)
		wantLaunches(t, ex, "steps.Affine", "steps.Mirror")
		if s := ex.Report().Splits; len(s) != 1 || s[0] != why {
			t.Errorf("the report has %q, want %q", s, why)
		}
		submit(t, dev.DefaultQueue(), ex)
		want := make([]int32, n)
		for i := range want {
			want[i] = int32(3*(n-1-i) + 1)
		}
		wantInts(t, dev, y, want)
	})
}

func TestGF2_Require(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		x := buffer(t, dev, ints(8, 0))
		g := graphOf(t, dev, grow(x, 1), grow(x, 2))
		_, err := g.Finalize(require)
		wantErr(t, err, runtime.ErrFeatureNotSupported)
		wantLaunches(t, must(g.Finalize(enable))(t), "steps.Grow", "steps.Grow")
	}, runtime.MaskAspects(properties.GraphFusion))
}

func TestGF3_Both(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		x, y := buffer(t, dev, ints(8, 0)), buffer(t, dev, ints(8, 0))
		_, err := graphOf(t, dev, grow(x, 1), stepsgen.Mirror{In: x, Out: y}.Node(8)).Finalize(enable, require)
		wantErr(t, err, runtime.ErrKernelNotSupported)
		wantLaunches(t, must(graphOf(t, dev, grow(x, 1), grow(x, 2)).Finalize(require, enable))(t), "steps.Grow+steps.Grow")
	})
}

// The order is one in which each node comes after those that it depends on, and always the same.
func TestGF7_Order(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = 32
		a, b, c, d := buffer(t, dev, ints(n, 0)), buffer(t, dev, ints(n, 0)), buffer(t, dev, ints(n, 0)), buffer(t, dev, ints(n, 0))
		order := ""
		for range 100 {
			g := graphOf(t, dev, affine(b, a, 2, 0), affine(c, b, 10, 0), stepsgen.Product{X: b, Y: b, Out: d}.Node(n),
				stepsgen.Sum{X: c, Y: d, Out: a}.Node(n))
			ex := must(g.Finalize(require))(t)
			if nodes := strings.Join(ex.Report().Launches[0].Nodes, ", "); order == "" {
				order = nodes
			} else if order != nodes {
				t.Fatalf("%s, and %s", order, nodes)
			}
			if order != "0: steps.Affine [32], 1: steps.Affine [32], 2: steps.Product [32], 3: steps.Sum [32]" {
				t.Fatal(order)
			}
		}
		submit(t, dev.DefaultQueue(), must(graphOf(t, dev, affine(b, a, 2, 0), affine(c, b, 10, 0), stepsgen.Product{X: b, Y: b, Out: d}.Node(n),
			stepsgen.Sum{X: c, Y: d, Out: a}.Node(n)).Finalize(require))(t))
		want := make([]int32, n)
		for i := range want {
			want[i] = int32(20*i + 4*i*i)
		}
		wantInts(t, dev, a, want)
	})
}

// Two kernels are one launch fused and two unfused, and leave the same bytes.
func TestGF8_Base(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = 300
		a, b, c := buffer(t, dev, ints(n, 0)), buffer(t, dev, ints(n, 0)), buffer(t, dev, ints(n, 3))
		for _, p := range []struct {
			props []properties.Property
			want  int
		}{{nil, 2}, {[]properties.Property{enable}, 1}, {[]properties.Property{require}, 1}} {
			tmp, out := buffer(t, dev, make([]int32, n)), buffer(t, dev, make([]int32, n))
			g := runtime.NewGraph(dev)
			sumProduct(t, g, out, tmp, a, b, c)
			before := dev.Pipelines()
			ex := must(g.Finalize(p.props...))(t)
			if made := dev.Pipelines() - before; len(launches(ex)) != p.want || made > p.want {
				t.Errorf("%v: %d pipelines; %v", p.props, made, ex.Report())
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

// Copies run before or behind the kernels if nothing else does; what has to run between two
// kernels keeps them apart.
func TestGF9_Fused(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = 64
		zero := make([]int32, n)
		a, b, c := buffer(t, dev, zero), buffer(t, dev, zero), buffer(t, dev, zero)
		tmp, out, kept, other := buffer(t, dev, zero), buffer(t, dev, zero), buffer(t, dev, zero), buffer(t, dev, zero)
		result := make([]int32, n)
		sum, product := stepsgen.Sum{X: a, Y: b, Out: tmp}.Node(n), stepsgen.Product{X: tmp, Y: c, Out: out}.Node(n)
		first := []runtime.Command{runtime.Upload(a, ints(n, 0)), runtime.Upload(b, ints(n, 1)), runtime.Fill(c, 5)}
		last := []runtime.Command{runtime.Copy(kept, out), runtime.Download(result, out)}
		float := runtime.Fill(other, 9)
		for _, list := range [][]runtime.Command{
			slices.Concat(first, []runtime.Command{sum, product}),
			slices.Concat(first, []runtime.Command{sum, product}, last),
			slices.Concat(first, []runtime.Command{sum, float, product}, last),
			{sum, product, last[0]},
		} {
			ex := must(graphOf(t, dev, list...).Finalize(require))(t)
			wantLaunches(t, ex, "steps.Sum+steps.Product")
			submit(t, dev.DefaultQueue(), ex)
			want := make([]int32, n)
			for i := range want {
				want[i] = int32(5 * (2*i + 1))
			}
			wantInts(t, dev, out, want)
			if len(list) > 5 {
				wantInts(t, dev, kept, want)
				if !slices.Equal(result, want) {
					t.Errorf("got %v, want %v", result, want)
				}
			}
		}
		g := graphOf(t, dev, sum, runtime.Copy(c, tmp), product)
		submit(t, dev.DefaultQueue(), refused(t, g, "copy of 256 bytes has to run between"))
		want := make([]int32, n)
		for i := range want {
			want[i] = int32((2*i + 1) * (2*i + 1))
		}
		wantInts(t, dev, out, want)
	})
}

func TestGF10_EqualRanges(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = 60
		for _, r := range []struct {
			node func(id, n runtime.View[int32]) runtime.Command
			name string
		}{
			{func(id, n runtime.View[int32]) runtime.Command { return stepsgen.Ids1{ID: id, N: n}.Node(60) }, "steps.Ids1"},
			{func(id, n runtime.View[int32]) runtime.Command {
				return stepsgen.Ids2{W: 10, ID: id, N: n}.Node(runtime.Range2{6, 10})
			}, "steps.Ids2"},
			{func(id, n runtime.View[int32]) runtime.Command {
				return stepsgen.Ids3{H: 4, W: 5, ID: id, N: n}.Node(runtime.Range3{3, 4, 5})
			}, "steps.Ids3"},
		} {
			var bufs [6]runtime.View[int32]
			for i := range bufs {
				bufs[i] = buffer(t, dev, make([]int32, n))
			}
			submit(t, dev.DefaultQueue(), must(graphOf(t, dev, r.node(bufs[0], bufs[1])).Finalize())(t))
			ex := must(graphOf(t, dev, r.node(bufs[2], bufs[3]), r.node(bufs[4], bufs[5])).Finalize(require))(t)
			wantLaunches(t, ex, r.name+"+"+r.name)
			submit(t, dev.DefaultQueue(), ex)
			for i := range 2 {
				want := make([]int32, n)
				check(t, bufs[i].CopyTo(ctx, dev.DefaultQueue(), want))
				wantInts(t, dev, bufs[2+i], want)
				wantInts(t, dev, bufs[4+i], want)
			}
		}
		groups := func(a, b runtime.View[int32]) runtime.Command {
			return stepsgen.Groups{Group: a, Local: b}.Node(runtime.NDRange1{Global: 60, Local: 12})
		}
		var bufs [4]runtime.View[int32]
		for i := range bufs {
			bufs[i] = buffer(t, dev, make([]int32, n))
		}
		submit(t, dev.DefaultQueue(), must(graphOf(t, dev, groups(bufs[0], bufs[1]), groups(bufs[2], bufs[3])).Finalize(require))(t))
		group, local := make([]int32, n), make([]int32, n)
		for i := range group {
			group[i], local[i] = int32(1000*(i/12)+5), int32(1000*(i%12)+12)
		}
		for i, want := range [][]int32{group, local, group, local} {
			wantInts(t, dev, bufs[i], want)
		}
		square := func(v runtime.View[int32]) runtime.Command {
			return stepsgen.Groups2{W: 10, Group: v}.Node(runtime.NDRange2{Global: runtime.Range2{6, 10}, Local: runtime.Range2{3, 5}})
		}
		cube := func(v runtime.View[int32]) runtime.Command {
			return propsgen.Group3{Out: v}.Node(runtime.NDRange3{Global: runtime.Range3{2, 4, 6}, Local: runtime.Range3{1, 2, 3}})
		}
		for _, c := range []struct {
			node func(v runtime.View[int32]) runtime.Command
			name string
		}{{square, "steps.Groups2"}, {cube, "props.Group3"}} {
			for i := range bufs {
				bufs[i] = buffer(t, dev, make([]int32, 60))
			}
			submit(t, dev.DefaultQueue(), must(graphOf(t, dev, c.node(bufs[0])).Finalize())(t))
			ex := must(graphOf(t, dev, c.node(bufs[1]), c.node(bufs[2])).Finalize(require))(t)
			wantLaunches(t, ex, c.name+"+"+c.name)
			submit(t, dev.DefaultQueue(), ex)
			want := make([]int32, 60)
			check(t, bufs[0].CopyTo(ctx, dev.DefaultQueue(), want))
			wantInts(t, dev, bufs[1], want)
			wantInts(t, dev, bufs[2], want)
			if !slices.ContainsFunc(want, func(x int32) bool { return x != 0 }) {
				t.Errorf("%s leaves nothing", c.name)
			}
		}
	})
}

// Launches over different ranges have the ids and ranges that they have by themselves, and touch
// nothing else.
func TestGF11_DifferentRanges(t *testing.T) {
	ids1 := func(n int) func(id, size runtime.View[int32]) runtime.Command {
		return func(id, size runtime.View[int32]) runtime.Command {
			return stepsgen.Ids1{ID: id, N: size}.Node(runtime.Range1(n))
		}
	}
	ids2 := func(id, size runtime.View[int32]) runtime.Command {
		return stepsgen.Ids2{W: 10, ID: id, N: size}.Node(runtime.Range2{10, 10})
	}
	groups := func(n int) func(id, size runtime.View[int32]) runtime.Command {
		return func(id, size runtime.View[int32]) runtime.Command {
			return stepsgen.Groups{Group: id, Local: size}.Node(runtime.NDRange1{Global: runtime.Range1(n), Local: 5})
		}
	}
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		for i, list := range [][]func(id, size runtime.View[int32]) runtime.Command{
			{ids1(10), ids1(20)}, {ids1(10), ids1(20), ids1(30)}, {ids1(10), ids1(20), ids2}, {ids2, ids1(7)},
			{groups(10), groups(20), groups(30)},
		} {
			var apart, fused []runtime.Command
			var want, got []runtime.View[int32]
			for _, f := range list {
				bufs := make([]runtime.View[int32], 4)
				for j := range bufs {
					bufs[j] = buffer(t, dev, slices.Repeat([]int32{-1}, 120))
				}
				apart, fused = append(apart, f(bufs[0], bufs[1])), append(fused, f(bufs[2], bufs[3]))
				want, got = append(want, bufs[:2]...), append(got, bufs[2:]...)
			}
			submit(t, dev.DefaultQueue(), must(graphOf(t, dev, apart...).Finalize())(t))
			ex := must(graphOf(t, dev, fused...).Finalize(require))(t)
			if len(launches(ex)) != 1 {
				t.Error(ex.Report())
			}
			submit(t, dev.DefaultQueue(), ex)
			for j := range want {
				w := make([]int32, 120)
				check(t, want[j].CopyTo(ctx, dev.DefaultQueue(), w))
				wantInts(t, dev, got[j], w)
			}
			if t.Failed() {
				t.Fatalf("case %d", i)
			}
		}
		// What the first part leaves is the own element of the second, too.
		x := buffer(t, dev, make([]int32, 30))
		ex := must(graphOf(t, dev, grow(x, 1), stepsgen.Grow{By: 10, Out: x}.Node(20), stepsgen.Grow{By: 100, Out: x}.Node(10)).Finalize(require))(t)
		submit(t, dev.DefaultQueue(), ex)
		want := slices.Concat(slices.Repeat([]int32{111}, 10), slices.Repeat([]int32{11}, 10), slices.Repeat([]int32{1}, 10))
		wantInts(t, dev, x, want)
	})
}

func TestGF12_UnfusableRanges(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		var used []runtime.View[int32]
		buf := func(n int) runtime.View[int32] {
			used = append(used, buffer(t, dev, make([]int32, n)))
			return used[len(used)-1]
		}
		groups := func(n, local int) runtime.Command {
			return stepsgen.Groups{Group: buf(n), Local: buf(n)}.Node(runtime.NDRange1{Global: runtime.Range1(n), Local: runtime.Range1(local)})
		}
		groups2 := func(n int) runtime.Command {
			return stepsgen.Groups2{W: n, Group: buf(n * n)}.Node(runtime.NDRange2{Global: runtime.Range2{n, n}, Local: runtime.Range2{2, 2}})
		}
		for _, c := range []struct {
			first, second runtime.Command
			words         []string
		}{
			{groups(512, 16), groups(512, 8), []string{"[512] in work-groups of [16]", "[512] in work-groups of [8]"}},
			{groups(9, 3), grow(buf(512), 1), []string{"[9] in work-groups of [3]", "over [512]"}},
			{groups2(2), groups2(4), []string{"[2 2]", "[4 4]"}},
			{groups2(2), stepsgen.Once{Out: buf(1)}.Node(), []string{"one work-item"}},
		} {
			g := graphOf(t, dev, c.first, c.second)
			var left [2][][]int32 // with EnableFusion, and without
			for i, ex := range []*runtime.ExecutableGraph{refused(t, g, c.words...), must(g.Finalize())(t)} {
				for _, v := range used {
					check(t, v.CopyFrom(ctx, dev.DefaultQueue(), make([]int32, v.Len())))
				}
				submit(t, dev.DefaultQueue(), ex)
				for _, v := range used {
					got := make([]int32, v.Len())
					check(t, v.CopyTo(ctx, dev.DefaultQueue(), got))
					left[i] = append(left[i], got)
				}
			}
			if !reflect.DeepEqual(left[0], left[1]) || !slices.ContainsFunc(left[0], func(s []int32) bool { return slices.ContainsFunc(s, func(x int32) bool { return x != 0 }) }) {
				t.Errorf("%v: got %v, want %v", c.words, left[0], left[1])
			}
		}
	})
}

// Work-group sizes that differ keep kernels apart; equal ones stay.
func TestGF14_Properties(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		x := buffer(t, dev, make([]int32, 64))
		eight, sixteen := stepsgen.Eight{Out: x}.Node(64), stepsgen.Sixteen{Out: x}.Node(64)
		submit(t, dev.DefaultQueue(), refused(t, graphOf(t, dev, eight, sixteen), "WorkGroupSize(16) conflicts with the WorkGroupSize(8)"))
		wantInts(t, dev, x, slices.Repeat([]int32{2}, 64))
		ex := must(graphOf(t, dev, eight, grow(x, 1), eight).Finalize(require))(t)
		submit(t, dev.DefaultQueue(), ex)
		wantInts(t, dev, x, slices.Repeat([]int32{5}, 64))
		sub := func(n int) runtime.Command {
			return stepsgen.Grow{By: 1, Out: x}.Node(64, runtime.With(properties.SubGroupSize(n)))
		}
		n := dev.Info().MinSubGroup
		submit(t, dev.DefaultQueue(), must(graphOf(t, dev, sub(n), sub(n)).Finalize(require))(t))
		if m := dev.Info().MaxSubGroup; m != n {
			refused(t, graphOf(t, dev, sub(n), sub(m)), "SubGroupSize")
		}
		f := func() runtime.View[float32] {
			b := must(runtime.NewBuffer[float32](dev, 64))(t)
			t.Cleanup(func() { b.Close() })
			return b.All()
		}
		y := f()
		refused(t, graphOf(t, dev, stepsgen.AddF{X: f(), Y: f(), Out: y}.Node(64), stepsgen.ExactF{X: y, Y: f(), Out: f()}.Node(64)), "Float(")
	})
}

// Arguments that do not fit in the launch block are in memory.
func TestGF15_Resources(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		x := buffer(t, dev, make([]int32, 64))
		var one, ten [40]int32
		for i := range one {
			one[i], ten[i] = 1, 10
		}
		g := graphOf(t, dev, stepsgen.Many{Weights: one, Out: x}.Node(64), stepsgen.Many{Weights: ten, Out: x}.Node(64))
		submit(t, dev.DefaultQueue(), must(g.Finalize(require))(t))
		wantInts(t, dev, x, slices.Repeat([]int32{440}, 64))
		// Many small kernels are one, with as many arguments.
		var list []runtime.Command
		for i := range 20 {
			list = append(list, grow(x, int32(i)))
		}
		submit(t, dev.DefaultQueue(), must(graphOf(t, dev, list...).Finalize(require))(t))
		wantInts(t, dev, x, slices.Repeat([]int32{440 + 190}, 64))
	})
}

// Some drivers end the loops of a work-item that go round too often in all: what runs by itself
// runs with EnableFusion, too.
func TestGF15_Loops(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		x := buffer(t, dev, ints(8, 0))
		spin := stepsgen.Spin{N: 40000, Out: x}.Node(8)
		submit(t, dev.DefaultQueue(), must(graphOf(t, dev, spin, spin).Finalize(enable))(t))
		want := ints(8, 0)
		for i := range want {
			for range 80000 {
				want[i] = 3*want[i] + 1
			}
		}
		wantInts(t, dev, x, want)
	})
}

func TestGF17_OtherDevice(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		for _, other := range []*runtime.Device{open(t, "host"), open(t, "vulkan")} { // also one of the same kind
			_, err := runtime.NewGraph(dev).Add(grow(buffer(t, other, ints(8, 0)), 1))
			wantErr(t, err, runtime.ErrKernelArgument)
		}
	})
}

func TestGF18_Fused(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		wantLaunches(t, must(graphOf(t, dev).Finalize(require))(t))
		x := buffer(t, dev, ints(8, 0))
		ex := must(graphOf(t, dev, grow(x, 1), stepsgen.Grow{By: 9, Out: x}.Node(0)).Finalize(require))(t)
		wantLaunches(t, ex, "steps.Grow")
		submit(t, dev.DefaultQueue(), ex)
		wantInts(t, dev, x, ints(8, 1))
	})
}

func TestGF19_Twice(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		for n := range 4 {
			x := buffer(t, dev, ints(40, 0))
			ex := must(graphOf(t, dev, slices.Repeat([]runtime.Command{grow(x, 1)}, n)...).Finalize(require))(t)
			submit(t, dev.DefaultQueue(), ex)
			wantInts(t, dev, x, ints(40, n))
		}
	})
}

// Each node has its own scalars, also after an update.
func TestGF20_Scalars(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = 40
		x, y, z := buffer(t, dev, ints(n, 0)), buffer(t, dev, ints(n, 0)), buffer(t, dev, ints(n, 0))
		g := graphOf(t, dev, affine(y, x, 2, 1), affine(z, y, 3, 5), affine(y, z, 4, 7))
		ex := must(g.Finalize(require, properties.Updatable()))(t)
		for round := range 3 {
			submit(t, dev.DefaultQueue(), ex)
			want := make([]int32, n)
			for i := range want {
				want[i] = 4*(int32(3+round)*(2*int32(i)+1)+5) + 7
			}
			wantInts(t, dev, y, want)
			before := dev.Pipelines()
			check(t, ex.Update(g.Nodes()[1], affine(z, y, int32(4+round), 5)))
			if made := dev.Pipelines() - before; made != 0 {
				t.Errorf("another scalar made %d pipelines", made)
			}
		}
	})
}

// Each node has its own values of specialization constants.
func TestGF21_SpecConstants(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = 40
		x, y, z, w := buffer(t, dev, ints(n, 0)), buffer(t, dev, ints(n, 0)), buffer(t, dev, ints(n, 0)), buffer(t, dev, ints(n, 0))
		times := func(out, in runtime.View[int32], opts ...runtime.LaunchOption) runtime.Command {
			return stepsgen.Times{In: in, Out: out}.Node(n, opts...)
		}
		digits := func(out, in runtime.View[int32], d int) runtime.Command {
			return stepsgen.Digits{In: in, Out: out}.Node(n, runtime.WithSpec(steps.Extra, d))
		}
		ex := must(graphOf(t, dev, times(y, x), times(z, y, runtime.WithSpec(steps.Factor, 7)), digits(y, z, 1), digits(w, z, 3)).Finalize(require))(t)
		submit(t, dev.DefaultQueue(), ex)
		one, three := make([]int32, n), make([]int32, n)
		for i := range one {
			m := int32(21 * i)
			one[i], three[i] = m%10, m%10+m/10%10+m/100%10
		}
		wantInts(t, dev, y, one)
		wantInts(t, dev, w, three)
	})
}

// A product of one kernel and a sum of the next are rounded each, as the kernels round them.
// Where the memory between them is internal, nothing but the sum uses the product, and pass fuse
// would take the two for one.
func TestGF35_NoFusedProduct(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		for _, between := range [][]properties.Property{nil, private} {
			const n = 64
			view := func(f func(i int) float32) runtime.View[float32] {
				s := make([]float32, n)
				for i := range s {
					s[i] = f(i)
				}
				b := must(runtime.BufferOf(dev, s))(t)
				t.Cleanup(func() { b.Close() })
				return b.All()
			}
			x := view(func(i int) float32 { return 1 + float32(i)*0x1p-20 })
			y, tmp, out := view(func(i int) float32 { return -1 }), view(func(int) float32 { return 0 }), view(func(int) float32 { return 0 })
			tmp = tmp.With(between...)
			ex := must(graphOf(t, dev, stepsgen.MulF{X: x, Y: x, Out: tmp}.Node(n), stepsgen.AddF{X: tmp, Y: y, Out: out}.Node(n)).Finalize(require))(t)
			if launches := ex.Report().Launches; len(launches) != 1 || len(launches[0].Internal) != len(between)/len(private) {
				t.Fatalf("with %v between the kernels the report is\n%v", between, ex.Report())
			}
			submit(t, dev.DefaultQueue(), ex)
			got := make([]float32, n)
			check(t, out.CopyTo(ctx, dev.DefaultQueue(), got))
			for i, g := range got {
				v := 1 + float32(i)*0x1p-20
				product := v * v
				if want := product - 1; math.Float32bits(g) != math.Float32bits(want) {
					t.Errorf("%d, with %v between the kernels: got %g, want %g", i, between, g, want)
				}
			}
		}
	})
}

// The range is the launch's, and not that for which the kernel was linked.
func TestGF37_Range(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		x := buffer(t, dev, make([]int32, 512))
		g := graphOf(t, dev, stepsgen.Grow{By: 1, Out: x}.Node(256), stepsgen.Grow{By: 2, Out: x}.Node(256))
		submit(t, dev.DefaultQueue(), must(g.Finalize(require))(t))
		wantInts(t, dev, x, slices.Concat(slices.Repeat([]int32{3}, 256), make([]int32, 256)))
		g = graphOf(t, dev, stepsgen.Grow{By: 1, Out: x}.Node(512), stepsgen.Grow{By: 2, Out: x}.Node(512))
		ex := must(g.Finalize(require, properties.Updatable()))(t)
		submit(t, dev.DefaultQueue(), ex)
		wantInts(t, dev, x, slices.Concat(slices.Repeat([]int32{6}, 256), slices.Repeat([]int32{3}, 256)))
		// One that is updated runs over another range than the other.
		check(t, ex.Update(g.Nodes()[1], stepsgen.Grow{By: 10, Out: x}.Node(1)))
		submit(t, dev.DefaultQueue(), ex)
		wantInts(t, dev, x, slices.Concat([]int32{17}, slices.Repeat([]int32{7}, 255), slices.Repeat([]int32{4}, 256)))
	})
}

// The kernels are launched by themselves as well, and the fused one's name has theirs.
func TestGF38_Originals(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		x := buffer(t, dev, make([]int32, 16))
		g := graphOf(t, dev, grow(x, 1), stepsgen.Eight{Out: x}.Node(16))
		ex := must(g.Finalize(require))(t)
		wantLaunches(t, ex, "steps.Grow+steps.Eight")
		submit(t, q, ex)
		must(q.Enqueue(grow(x, 100)))(t)
		submit(t, q, must(g.Finalize())(t))
		wantInts(t, dev, x, slices.Repeat([]int32{104}, 16))
	})
}

func TestGF39_Aspect(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		if !dev.Has(properties.GraphFusion) {
			t.Error("there is none")
		}
	})
}

// A graph within a graph is fused as it was finalized, or with the others if those are to be.
func TestGF40_FusedSubGraphs(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = 64
		zero := make([]int32, n)
		a, b, c := buffer(t, dev, ints(n, 0)), buffer(t, dev, ints(n, 0)), buffer(t, dev, ints(n, 0))
		tmp, out := buffer(t, dev, zero), buffer(t, dev, zero)
		sub := runtime.NewGraph(dev)
		sumProduct(t, sub, out, tmp, a, b, c) // 2i²
		inner := must(sub.Finalize(require))(t)
		g := graphOf(t, dev, runtime.Upload(a, ints(n, 0)), runtime.Upload(b, ints(n, 0)))
		must(g.AddGraph(inner))(t)
		must(g.Add(affine(out, out, 20, 0)))(t)
		want := make([]int32, n)
		for i := range want {
			want[i] = int32(40 * i * i)
		}
		main := must(g.Finalize())(t)
		wantLaunches(t, main, "steps.Sum+steps.Product", "steps.Affine")
		submit(t, dev.DefaultQueue(), main)
		wantInts(t, dev, out, want)
		nested := must(g.Finalize(require))(t)
		wantLaunches(t, nested, "steps.Sum+steps.Product+steps.Affine")
		submit(t, dev.DefaultQueue(), nested)
		wantInts(t, dev, out, want)

		x := buffer(t, dev, make([]int32, n))
		twice := must(graphOf(t, dev, grow(x, 1), grow(x, 2)).Finalize(require))(t)
		both := runtime.NewGraph(dev)
		must(both.AddGraph(twice))(t)
		must(both.AddGraph(twice))(t)
		ex := must(both.Finalize())(t)
		wantLaunches(t, ex, "steps.Grow+steps.Grow", "steps.Grow+steps.Grow")
		submit(t, dev.DefaultQueue(), ex)
		wantInts(t, dev, x, slices.Repeat([]int32{6}, n))
	})
}

// What is to be compiled is compiled by Finalize.
func TestGF42_AtFinalize(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		x := buffer(t, dev, make([]int32, 16))
		ex := must(graphOf(t, dev, grow(x, 1), grow(x, 2), grow(x, 3)).Finalize(require))(t)
		before := dev.Pipelines()
		submit(t, dev.DefaultQueue(), ex)
		if made := dev.Pipelines() - before; made != 0 {
			t.Errorf("Submit made %d pipelines", made)
		}
		if before == 0 {
			t.Error("Finalize made no pipelines")
		}
		wantInts(t, dev, x, slices.Repeat([]int32{6}, 16))
	})
}

// A buffer that is closed before Finalize is an error of Submit, with fusion or without.
func TestGF35_Closed(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = 64
		x, y, b := buffer(t, dev, ints(n, 0)), buffer(t, dev, ints(n, 0)), must(runtime.NewBuffer[int32](dev, n))(t)
		g := graphOf(t, dev, affine(b.All(), x, 1, 1), affine(y, b.All(), 1, 1))
		check(t, b.Close())
		for _, props := range [][]properties.Property{nil, {enable}, {require}} {
			ex := must(g.Finalize(props...))(t)
			if r := ex.Report(); r.Fused != (len(props) > 0) {
				t.Error(r)
			}
			_, err := dev.DefaultQueue().Submit(ex)
			wantErr(t, err, runtime.ErrInvalid)
		}
	})
}

// TestGF41_NoHierarchy: a kernel over work-groups, with a function for the work-items of each,
// has no place among the forms, and so no graph has one to fuse.
func TestGF41_NoHierarchy(t *testing.T) {
	diagnostic(t, "KG004", "type K struct { Out []int32 }\nfunc (k K) Kernel(g dsl.Group) { k.Out[0] = 1 }", "dsl.NDItem1..3")
}
