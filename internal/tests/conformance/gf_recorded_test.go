package conformance

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/conformance/steps/stepsgen"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// twoWays are commands for the two ways to build a graph. Each of the functions does the same: one
// adds nodes, and the other launches and copies on a queue that records.
type twoWays struct {
	name   string
	add    func(t *testing.T, g *runtime.Graph)
	record func(t *testing.T, q *runtime.Queue)
}

// recordedItems is the length of the buffers that twoWaysOf takes.
const recordedItems = 64

// twoWaysOf returns graphs that use four buffers and two slices of the host.
func twoWaysOf(t *testing.T, dev *runtime.Device, x, y, z, w runtime.View[int32], up, down []int32) []twoWays {
	const n = recordedItems
	own, shared := y.With(private...), y.With(inGroup, private[1], private[2])
	size, line := runtime.With(properties.WorkGroupSize(32)), runtime.NDRange1{Global: n, Local: 16}
	turn1, turn2 := stepsgen.Turn{In: x, Out: shared}, stepsgen.Turn{In: shared, Out: z}
	first, second := stepsgen.Affine{A: 2, B: 1, In: x, Out: own}, stepsgen.Affine{A: 3, B: 2, In: own, Out: z}
	mirror, other, more := stepsgen.Mirror{In: z, Out: w}, stepsgen.Grow{By: 1, Out: w}, stepsgen.Grow{By: 1, Out: z}
	onHost := runtime.HostFunc(func(context.Context) error { up[0]++; return nil }, runtime.HostWrites(up))
	sub := must(graphOf(t, dev, first.Node(n), second.Node(n)).Finalize(require))(t)
	return []twoWays{
		{"a chain", func(t *testing.T, g *runtime.Graph) {
			must(g.Add(first.Node(n)))(t)
			must(g.Add(second.Node(n)))(t)
		}, func(t *testing.T, q *runtime.Queue) {
			must(first.ParallelFor(q, n))(t)
			must(second.ParallelFor(q, n))(t)
		}},
		{"what does not become one", func(t *testing.T, g *runtime.Graph) {
			must(g.Add(second.Node(n)))(t)
			must(g.Add(mirror.Node(n)))(t)
			must(g.Add(other.Node(n)))(t)
		}, func(t *testing.T, q *runtime.Queue) {
			must(second.ParallelFor(q, n))(t)
			must(mirror.ParallelFor(q, n))(t)
			must(other.ParallelFor(q, n))(t)
		}},
		{"work-groups", func(t *testing.T, g *runtime.Graph) {
			must(g.Add(turn1.Node(line)))(t)
			must(g.Add(turn2.Node(line)))(t)
		}, func(t *testing.T, q *runtime.Queue) {
			must(turn1.ParallelFor(q, line))(t)
			must(turn2.ParallelFor(q, line))(t)
		}},
		{"sizes of launches", func(t *testing.T, g *runtime.Graph) {
			must(g.Add(stepsgen.Affine{A: 2, In: x, Out: shared}.Node(n, size)))(t)
			must(g.Add(stepsgen.Swap{In: shared, Out: z}.Node(n, size)))(t)
		}, func(t *testing.T, q *runtime.Queue) {
			k, s := stepsgen.Affine{A: 2, In: x, Out: shared}, stepsgen.Swap{In: shared, Out: z}
			must(k.ParallelFor(q, n, size))(t)
			must(s.ParallelFor(q, n, size))(t)
		}},
		{"copies", func(t *testing.T, g *runtime.Graph) {
			must(g.Add(runtime.Upload(x, up)))(t)
			must(g.Add(first.Node(n)))(t)
			must(g.Add(second.Node(n)))(t)
			must(g.Add(runtime.Copy(w, z)))(t)
			must(g.Add(runtime.Fill(z, 4)))(t)
			must(g.Add(more.Node(n)))(t)
			must(g.Add(runtime.Download(down, z)))(t)
		}, func(t *testing.T, q *runtime.Queue) {
			check(t, x.CopyFrom(ctx, q, up))
			must(first.ParallelFor(q, n))(t)
			must(second.ParallelFor(q, n))(t)
			must(q.Enqueue(runtime.Copy(w, z)))(t)
			must(q.Enqueue(runtime.Fill(z, 4)))(t)
			must(more.ParallelFor(q, n))(t)
			check(t, z.CopyTo(ctx, q, down))
		}},
		{"a host function", func(t *testing.T, g *runtime.Graph) {
			must(g.Add(first.Node(n)))(t)
			must(g.Add(onHost))(t)
			must(g.Add(second.Node(n)))(t)
		}, func(t *testing.T, q *runtime.Queue) {
			must(first.ParallelFor(q, n))(t)
			must(q.Enqueue(onHost))(t)
			must(second.ParallelFor(q, n))(t)
		}},
		{"edges", func(t *testing.T, g *runtime.Graph) {
			a := must(g.Add(other.Node(n)))(t)
			b := must(g.Add(mirror.Node(n)))(t)
			must(g.Add(first.Node(n), runtime.After(a, b)))(t)
			must(g.Add(second.Node(n)))(t)
		}, func(t *testing.T, q *runtime.Queue) {
			a := must(other.ParallelFor(q, n))(t)
			b := must(mirror.ParallelFor(q, n))(t)
			must(first.ParallelFor(q, n, runtime.DependsOn(a, b)))(t)
			must(second.ParallelFor(q, n))(t)
		}},
		{"a graph", func(t *testing.T, g *runtime.Graph) {
			must(g.AddGraph(sub))(t)
			must(g.Add(more.Node(n)))(t)
			must(g.Add(runtime.Command{}))(t)
		}, func(t *testing.T, q *runtime.Queue) {
			must(q.Submit(sub))(t)
			must(more.ParallelFor(q, n))(t)
			must(q.Enqueue(runtime.Command{}))(t)
		}},
	}
}

// TestGF43_Recorded: graphs that are recorded and graphs of nodes that were added have the same edges,
// and fusion makes the same of them: the same launches, reasons and internal memory, or the same error.
func TestGF43_Recorded(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = recordedItems
		x, y, z, w := buffer(t, dev, ints(n, 0)), buffer(t, dev, ints(n, 9)), buffer(t, dev, ints(n, 5)), buffer(t, dev, ints(n, 7))
		up, down := ints(n, 50), make([]int32, n)
		for _, c := range twoWaysOf(t, dev, x, y, z, w, up, down) {
			added, recorded, q := runtime.NewGraph(dev), runtime.NewGraph(dev), dev.NewQueue()
			c.add(t, added)
			check(t, q.BeginRecording(recorded))
			c.record(t, q)
			check(t, q.EndRecording())
			alike(t, c.name, added, recorded, func(ex *runtime.ExecutableGraph) (left [][]int32, fault string) {
				copy(up, ints(n, 50))
				clear(down)
				for i, v := range []runtime.View[int32]{x, y, z, w} {
					check(t, v.CopyFrom(ctx, q, ints(n, 10*i)))
				}
				submit(t, q, ex)
				left = append(left, slices.Clone(down))
				for _, v := range []runtime.View[int32]{x, y, z, w} {
					got := make([]int32, n)
					check(t, v.CopyTo(ctx, q, got))
					left = append(left, got)
				}
				return left, ""
			})
		}
		for seed := range uint64(*graphs / 4) {
			recorded, q := runtime.NewGraph(dev), dev.NewQueue()
			check(t, q.BeginRecording(recorded))
			r := &randomGraph{Rand: rand.New(rand.NewPCG(seed, 43)), t: t, dev: dev, items: 96, barriers: seed%4 == 2, recorder: q}
			r.graph()
			check(t, q.EndRecording())
			alike(t, r.text, r.g, recorded, func(ex *runtime.ExecutableGraph) ([][]int32, string) {
				l := r.runOf(ex)
				return l.memory, l.fault
			})
		}
	})
}

// alike compares two graphs, and what Finalize makes of them for each way of fusion.
func alike(t *testing.T, name string, added, recorded *runtime.Graph, run func(ex *runtime.ExecutableGraph) (left [][]int32, fault string)) {
	t.Helper()
	var dots [2]strings.Builder
	check(t, added.WriteDOT(&dots[0]))
	check(t, recorded.WriteDOT(&dots[1]))
	if dots[0].String() != dots[1].String() {
		t.Errorf("%s: added, the graph is\n%s, and recorded\n%s", name, &dots[0], &dots[1])
	}
	for _, props := range [][]properties.Property{nil, {enable}, {enable, properties.InsertBarriers()}, {require}, {require, properties.InsertBarriers()}} {
		a, errA := added.Finalize(props...)
		b, errB := recorded.Finalize(props...)
		if errA != nil || errB != nil {
			if errA == nil || errB == nil || errA.Error() != errB.Error() {
				t.Errorf("%s, %v: added, the error is %v, and recorded %v", name, props, errA, errB)
			}
			continue
		}
		if one, two := a.Report().String(), b.Report().String(); one != two {
			t.Errorf("%s, %v: added, the report is\n%sand recorded\n%s", name, props, one, two)
		}
		one, failedOne := run(a)
		two, failedTwo := run(b)
		same := failedOne == failedTwo
		for i := range one {
			same = same && (failedOne != "" || slices.Equal(one[i], two[i]))
		}
		if !same {
			t.Errorf("%s, %v: added, the graph leaves %q %v, and recorded %q %v", name, props, failedOne, one, failedTwo, two)
		}
	}
}
