package conformance

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/conformance/steps/stepsgen"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// diary notes in which order host functions run.
type diary struct{ text strings.Builder }

// function returns a host function that notes its name. Those that have the same memory run in the
// order in which they were added; others depend on each other by edges alone.
func (d *diary) function(name string, memory []int32) runtime.Command {
	return runtime.HostFunc(func(context.Context) error {
		d.text.WriteString(name)
		return nil
	}, runtime.HostWrites(memory))
}

// TestGF40_Edges: what an edge that After makes leads to a graph within the graph is behind all of
// what comes before, and what it leads from there is behind all of it. No memory asks for that.
func TestGF40_Edges(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		for _, c := range []struct{ name, inner, want string }{
			{"a graph of one", "s", "abcsxyz"},
			{"a chain", "stu", "abcstuxyz"},
			{"an empty graph", "", "abcxyz"},
		} {
			for depth := 1; depth <= 3; depth++ {
				var d diary
				// Without the edges, each of the chains would begin at the first level.
				chain := func(g *runtime.Graph, names string, after ...*runtime.Node) (last *runtime.Node) {
					memory := make([]int32, 1)
					for _, name := range names {
						last = must(g.Add(d.function(string(name), memory), runtime.After(after...)))(t)
						after = nil
					}
					return last
				}
				sub := runtime.NewGraph(dev)
				chain(sub, c.inner)
				ex := must(sub.Finalize())(t)
				for range depth - 1 {
					outer := runtime.NewGraph(dev)
					must(outer.AddGraph(ex))(t)
					ex = must(outer.Finalize())(t)
				}
				g := runtime.NewGraph(dev)
				before := chain(g, "abc")
				middle := must(g.AddGraph(ex, runtime.After(before)))(t)
				chain(g, "xyz", middle)
				submit(t, dev.DefaultQueue(), must(g.Finalize())(t))
				if got := d.text.String(); got != c.want {
					t.Errorf("%s, %d deep: the functions ran in the order %s, want %s", c.name, depth, got, c.want)
				}
			}
		}
	})
}

// TestGF40_Barriers: a fused graph within a graph keeps the barriers between its kernels. The
// work-items that exchange elements are as far from each other as a work-group is large, and no
// device runs all of it in step.
func TestGF40_Barriers(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n, group = 512, 64
		q := dev.DefaultQueue()
		x, tmp, out := buffer(t, dev, ints(n, 0)), buffer(t, dev, make([]int32, n)), buffer(t, dev, make([]int32, n))
		line := runtime.NDRange1{Global: n, Local: group}
		ex := must(graphOf(t, dev, stepsgen.Turn{In: x, Out: tmp}.Node(line), stepsgen.Turn{In: tmp, Out: out}.Node(line)).
			Finalize(require, properties.InsertBarriers()))(t)
		for depth := range 4 {
			wantLaunches(t, ex, "steps.Turn+steps.Turn")
			for range 3 { // recorded for the device from the second run on
				check(t, tmp.CopyFrom(ctx, q, slices.Repeat([]int32{untouched}, n)))
				check(t, out.CopyFrom(ctx, q, slices.Repeat([]int32{untouched}, n)))
				submit(t, q, ex)
				wantInts(t, dev, out, ints(n, 0))
			}
			outer := runtime.NewGraph(dev)
			must(outer.AddGraph(ex))(t)
			if ex = must(outer.Finalize())(t); t.Failed() {
				t.Fatalf("%d deep", depth)
			}
		}
	})
}

// TestGR12_Kinds: a copy stays a copy of its kind, and a fill a fill; what is refused changes nothing.
func TestGR12_Kinds(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = 8
		q := dev.DefaultQueue()
		x, y := buffer(t, dev, ints(n, 100)), buffer(t, dev, make([]int32, n))
		out := make([]int32, n)
		commands := []runtime.Command{
			runtime.Copy(y, x), runtime.Fill(y, 7), runtime.Upload(y, ints(n, 50)), runtime.Download(out, x),
			runtime.HostFunc(func(context.Context) error { return nil }), grow(y, 1),
		}
		for i, c := range commands {
			g := runtime.NewGraph(dev)
			node := must(g.Add(c))(t)
			ex := must(g.Finalize(properties.Updatable()))(t)
			run := func() (left [2][]int32) {
				check(t, y.CopyFrom(ctx, q, make([]int32, n)))
				clear(out)
				submit(t, q, ex)
				left = [2][]int32{make([]int32, n), slices.Clone(out)}
				check(t, y.CopyTo(ctx, q, left[0]))
				return left
			}
			want := run()
			for j, other := range commands {
				if i == j {
					check(t, ex.Update(node, other))
				} else {
					wantErr(t, ex.Update(node, other), runtime.ErrInvalid)
				}
			}
			if got := run(); !slices.Equal(got[0], want[0]) || !slices.Equal(got[1], want[1]) {
				t.Errorf("%v: a run leaves %v, want %v", c, got, want)
			}
		}
	})
}
