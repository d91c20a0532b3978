package conformance

import (
	"context"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/conformance/args/argsgen"
	"github.com/kgen-go/kgen/internal/tests/conformance/steps/stepsgen"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// closedItems is the length of the buffers of TestGR9_Closed.
const closedItems = 64

// Graphs that name a buffer of which some commands of a run, or all, use nothing.
var closedGraphs = []struct {
	name string
	// internal says that the fused launch keeps what belongs into the buffer to itself.
	internal bool
	graph    func(t *testing.T, dev *runtime.Device, b runtime.View[int32]) *runtime.Graph
	props    []properties.Property
}{
	{"plain", false, func(t *testing.T, dev *runtime.Device, b runtime.View[int32]) *runtime.Graph {
		return graphOf(t, dev, grow(b, 1))
	}, nil},
	{"private", true, privateGraph, []properties.Property{require}},
	{"shared", true, func(t *testing.T, dev *runtime.Device, b runtime.View[int32]) *runtime.Graph {
		size := runtime.With(properties.WorkGroupSize(32))
		x, p := buffer(t, dev, ints(closedItems, 0)), b.With(inGroup, private[1], private[2])
		return graphOf(t, dev, stepsgen.Affine{A: 2, In: x, Out: p}.Node(closedItems, size), stepsgen.Swap{In: p, Out: x}.Node(closedItems, size))
	}, []properties.Property{require, properties.InsertBarriers()}},
	{"in a graph", true, func(t *testing.T, dev *runtime.Device, b runtime.View[int32]) *runtime.Graph {
		g := graphOf(t, dev)
		must(g.AddGraph(must(privateGraph(t, dev, b).Finalize(require))(t)))(t)
		return g
	}, nil},
	{"in a graph of a graph", true, func(t *testing.T, dev *runtime.Device, b runtime.View[int32]) *runtime.Graph {
		g, outer := graphOf(t, dev), graphOf(t, dev, grow(buffer(t, dev, ints(8, 0)), 1))
		must(g.AddGraph(must(privateGraph(t, dev, b).Finalize())(t)))(t)
		must(outer.AddGraph(must(g.Finalize())(t)))(t)
		return outer
	}, []properties.Property{require}},
	{"unused arguments", false, func(t *testing.T, dev *runtime.Device, b runtime.View[int32]) *runtime.Graph {
		return graphOf(t, dev, argsgen.Nothing{X: b}.Node(closedItems))
	}, nil},
	{"unused arguments, fused", false, func(t *testing.T, dev *runtime.Device, b runtime.View[int32]) *runtime.Graph {
		return graphOf(t, dev, argsgen.Nothing{X: b}.Node(closedItems), grow(buffer(t, dev, ints(closedItems, 0)), 1))
	}, []properties.Property{require}},
	{"no elements", false, func(t *testing.T, dev *runtime.Device, b runtime.View[int32]) *runtime.Graph {
		return graphOf(t, dev, stepsgen.Total{In: buffer(t, dev, ints(closedItems, 0)), Sum: buffer(t, dev, ints(1, 0))}.Node(closedItems),
			argsgen.Nothing{X: b.Slice(1, 1)}.Node(closedItems))
	}, nil},
	{"no work-items", false, func(t *testing.T, dev *runtime.Device, b runtime.View[int32]) *runtime.Graph {
		return graphOf(t, dev, grow(buffer(t, dev, ints(8, 0)), 1), stepsgen.Grow{By: 1, Out: b}.Node(0))
	}, nil},
	{"nothing else", false, func(t *testing.T, dev *runtime.Device, b runtime.View[int32]) *runtime.Graph {
		return graphOf(t, dev, stepsgen.Grow{By: 1, Out: b}.Node(0))
	}, nil},
	{"empty copy from", false, func(t *testing.T, dev *runtime.Device, b runtime.View[int32]) *runtime.Graph {
		return graphOf(t, dev, runtime.Copy(buffer(t, dev, ints(8, 0)).Slice(3, 3), b.Slice(2, 2)))
	}, nil},
	{"empty copy to", false, func(t *testing.T, dev *runtime.Device, b runtime.View[int32]) *runtime.Graph {
		return graphOf(t, dev, grow(buffer(t, dev, ints(8, 0)), 1), runtime.Copy(b.Slice(2, 2), buffer(t, dev, ints(8, 0)).Slice(3, 3)))
	}, nil},
	{"empty fill", false, func(t *testing.T, dev *runtime.Device, b runtime.View[int32]) *runtime.Graph {
		return graphOf(t, dev, runtime.Fill(b.Slice(2, 2), 1))
	}, nil},
	{"empty upload in a graph", false, func(t *testing.T, dev *runtime.Device, b runtime.View[int32]) *runtime.Graph {
		g := graphOf(t, dev)
		must(g.AddGraph(must(graphOf(t, dev, runtime.Upload(b.Slice(2, 2), nil)).Finalize())(t)))(t)
		return g
	}, nil},
	{"empty download", false, func(t *testing.T, dev *runtime.Device, b runtime.View[int32]) *runtime.Graph {
		return graphOf(t, dev, runtime.Download(nil, b.Slice(2, 2)))
	}, nil},
}

// privateGraph is two kernels and, fused, what belongs into b between them is internal.
func privateGraph(t *testing.T, dev *runtime.Device, b runtime.View[int32]) *runtime.Graph {
	x, p := buffer(t, dev, ints(closedItems, 0)), b.With(private...)
	return graphOf(t, dev, affine(p, x, 1, 1), affine(x, p, 1, 1))
}

// TestGR9_Closed: Submit returns ErrInvalid for a graph that was finalized with a buffer that is
// closed by then, whether a command still uses it or not, and however the graph is submitted.
func TestGR9_Closed(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		ending, cancel := context.WithCancel(ctx)
		defer cancel()
		for _, c := range closedGraphs {
			for _, runs := range []int{0, 1, 3} { // from the second on, the commands are replayed
				b := must(runtime.BufferOf(dev, ints(closedItems, 0)))(t)
				ex := must(c.graph(t, dev, b.All()).Finalize(c.props...))(t)
				for range runs {
					submit(t, q, ex)
					submit(t, q, ex, runtime.WithContext(ending))
				}
				all := ex.Report().Launches
				isInternal := slices.ContainsFunc(all, func(l runtime.FusedLaunch) bool { return len(l.Internal) > 0 })
				if c.internal && c.props != nil && !isInternal {
					t.Errorf("%s: nothing is internal:\n%v", c.name, ex.Report())
				}
				check(t, b.Close())
				for _, opts := range [][]runtime.LaunchOption{nil, nil, {runtime.WithContext(ending)}} {
					ev, err := q.Submit(ex, opts...)
					if err == nil {
						t.Errorf("%s, after %d runs: no error", c.name, runs)
						check(t, ev.Wait(ctx))
						continue
					}
					wantErr(t, err, runtime.ErrInvalid)
				}
			}
		}
	})
}

// TestGR9_Replaced: what Update has put other memory in the place of is not asked for any more.
func TestGR9_Replaced(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		b, x := must(runtime.BufferOf(dev, ints(closedItems, 0)))(t), buffer(t, dev, ints(closedItems, 5))
		g := graphOf(t, dev)
		node := must(g.Add(argsgen.Nothing{X: b.All()}.Node(closedItems)))(t)
		must(g.Add(grow(x, 1)))(t)
		ex := must(g.Finalize(properties.Updatable()))(t)
		check(t, b.Close())
		_, err := q.Submit(ex)
		wantErr(t, err, runtime.ErrInvalid)
		check(t, ex.Update(node, argsgen.Nothing{X: x}.Node(closedItems)))
		submit(t, q, ex)
		wantInts(t, dev, x, ints(closedItems, 6))
	})
}

// TestGR9_HostSlice: a graph that copies from or to the slice of a host buffer, or a part of it, is
// refused once that buffer is closed. Its memory may be another buffer's by then.
func TestGR9_HostSlice(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		for _, n := range []int{closedItems, 4 << 20} { // large copies go another way
			for name, graph := range map[string]func(x runtime.View[int32], s []int32) *runtime.Graph{
				"download": func(x runtime.View[int32], s []int32) *runtime.Graph { return graphOf(t, dev, runtime.Download(s, x)) },
				"upload":   func(x runtime.View[int32], s []int32) *runtime.Graph { return graphOf(t, dev, runtime.Upload(x, s)) },
				"a part": func(x runtime.View[int32], s []int32) *runtime.Graph {
					return graphOf(t, dev, runtime.Download(s[8:], x.Slice(8, n)))
				},
				"in a graph": func(x runtime.View[int32], s []int32) *runtime.Graph {
					g := graphOf(t, dev, grow(x, 1))
					must(g.AddGraph(must(graphOf(t, dev, runtime.Download(s, x)).Finalize())(t)))(t)
					return g
				},
			} {
				x := buffer(t, dev, make([]int32, n))
				hb := must(runtime.NewHostBuffer[int32](dev, n))(t)
				ex := must(graph(x, hb.Slice()).Finalize())(t)
				submit(t, q, ex)
				check(t, hb.Close())
				other := must(runtime.NewHostBuffer[int32](dev, n))(t)
				for range 2 {
					if ev, err := q.Submit(ex); err == nil {
						t.Errorf("%s of %d elements: no error", name, n)
						check(t, ev.Wait(ctx))
					} else {
						wantErr(t, err, runtime.ErrInvalid)
					}
				}
				for i, v := range other.Slice() {
					if v != 0 {
						t.Fatalf("%s of %d elements: element %d of another buffer is %d", name, n, i, v)
					}
				}
				check(t, other.Close())
			}
		}
		// To another device, and before the buffer is closed, the slice is memory as any other.
		second := must(runtime.Open(runtime.Select("host")))(t)
		defer second.Close()
		hb := must(runtime.NewHostBuffer[int32](dev, closedItems))(t)
		defer hb.Close()
		hb.Slice()[3] = 7
		y := must(runtime.BufferOf(second, make([]int32, closedItems)))(t)
		submit(t, second.DefaultQueue(), must(graphOf(t, second, runtime.Upload(y.All(), hb.Slice())).Finalize())(t))
		got := make([]int32, closedItems)
		check(t, y.CopyTo(ctx, second.DefaultQueue(), got))
		equal(t, "element on another device", got[3], int32(7))
	})
}
