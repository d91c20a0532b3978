package conformance

import (
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/conformance/steps/stepsgen"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// TestGF30_Beside: memory stays visible if a command beside the fused launch uses any part of it: a
// copy, a kernel that is not fused, and either of them in a graph within the graph. It stays so, too,
// where the fused launch is that of a graph within the graph.
func TestGF30_Beside(t *testing.T) {
	const n, lo, hi = 64, 8, 24
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		x, tmp, out := buffer(t, dev, ints(n, 0)), buffer(t, dev, make([]int32, n)), buffer(t, dev, make([]int32, n))
		seen := buffer(t, dev, make([]int32, n))
		part := func() runtime.View[int32] { return tmp.Slice(lo, hi) }
		host := make([]int32, n)
		double := make([]int32, n) // what belongs into tmp
		for i := range double {
			double[i] = 2*int32(i) + 7
		}
		mirrored := func(list []int32) []int32 {
			list = slices.Clone(list)
			slices.Reverse(list)
			return list
		}
		inGraph := func(c ...runtime.Command) func(g *runtime.Graph) {
			return func(g *runtime.Graph) { must(g.AddGraph(must(graphOf(t, dev, c...).Finalize())(t)))(t) }
		}
		add := func(c ...runtime.Command) func(g *runtime.Graph) {
			return func(g *runtime.Graph) {
				for _, c := range c {
					must(g.Add(c))(t)
				}
			}
		}
		download := func() runtime.Command { return runtime.Download(host[:hi-lo], part()) }
		copied := func() runtime.Command { return runtime.Copy(seen.Slice(0, hi-lo), part()) }
		// A mirrored index is not the work-item's own, so that the kernel is not fused.
		all := func() runtime.Command { return stepsgen.Mirror{In: tmp, Out: seen}.Node(n) }
		some := func() runtime.Command { return stepsgen.Mirror{In: part(), Out: seen.Slice(0, hi-lo)}.Node(hi - lo) }
		for _, c := range []struct {
			name   string
			beside func(g *runtime.Graph)
			want   []int32
		}{
			{"download of a part", add(download()), double[lo:hi]},
			{"copy of a part", add(copied()), double[lo:hi]},
			{"kernel", add(all()), mirrored(double)},
			{"kernel on a part", add(some()), mirrored(double[lo:hi])},
			{"download in a graph", inGraph(download()), double[lo:hi]},
			{"kernel in a graph", inGraph(all()), mirrored(double)},
			{"kernel on a part in a graph", inGraph(some()), mirrored(double[lo:hi])},
		} {
			for _, inner := range []bool{false, true} {
				p := tmp.With(private...)
				g := graphOf(t, dev)
				fused := []runtime.Command{affine(p, x, 2, 7), affine(out, p, 1, 0)}
				if inner {
					must(g.AddGraph(must(graphOf(t, dev, fused...).Finalize(require))(t)))(t)
				} else {
					add(fused...)(g)
				}
				c.beside(g)
				props := []properties.Property{enable}
				if inner {
					props = nil
				}
				ex := must(g.Finalize(props...))(t)
				for _, v := range []runtime.View[int32]{tmp, out, seen} {
					check(t, v.CopyFrom(ctx, q, slices.Repeat([]int32{untouched}, n)))
				}
				clear(host)
				submit(t, q, ex)
				got := make([]int32, n)
				check(t, seen.CopyTo(ctx, q, got))
				if got = got[:len(c.want)]; slices.Contains(got, untouched) {
					got = host[:len(c.want)]
				}
				if !slices.Equal(got, c.want) {
					t.Errorf("%s (in a graph: %v): got %v, want %v", c.name, inner, got, c.want)
				}
				wantInts(t, dev, tmp, double)
				wantInts(t, dev, out, double)
				if r := ex.Report(); len(r.Launches) == 0 || len(r.Launches[0].Nodes) != 2 || len(r.Launches[0].Internal) != 0 || len(r.External) != 1 {
					t.Errorf("%s (in a graph: %v):\n%v", c.name, inner, r)
				}
			}
		}
	})
}

// TestGF30_OneLack: one use that lacks any of the properties is enough, that of the kernel that writes
// or of the one that reads.
func TestGF30_OneLack(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		for lack := range private {
			v := temporary(t, dev)
			all, most := v.With(private...), v.With(slices.Delete(slices.Clone(private), lack, lack+1)...)
			if through(t, dev, all, most) || through(t, dev, most, all) {
				t.Errorf("without %v: the memory is internal", private[lack])
			}
		}
	})
}

// TestGF31_EqualStarts: views that begin at the same element and have different lengths overlap
// without being the same, too.
func TestGF31_EqualStarts(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n, half = 64, 32
		x := buffer(t, dev, ints(n, 0))
		for _, order := range [][3]int{{n, half, n}, {half, n, half}} {
			check(t, x.CopyFrom(ctx, dev.DefaultQueue(), ints(n, 0)))
			var list []runtime.Command
			want := ints(n, 0)
			for _, items := range order {
				list = append(list, grow(x.Slice(0, items), 1))
				for i := range items {
					want[i]++
				}
			}
			submit(t, dev.DefaultQueue(), refused(t, graphOf(t, dev, list...), "overlap without being the same elements"))
			wantInts(t, dev, x, want)
			ex := must(graphOf(t, dev, list...).Finalize(enable))(t)
			check(t, x.CopyFrom(ctx, dev.DefaultQueue(), ints(n, 0)))
			submit(t, dev.DefaultQueue(), ex)
			wantInts(t, dev, x, want)
		}
	})
}
