package conformance

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/conformance/steps/stepsgen"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// sumProduct adds (a+b)*c to the graph, by way of tmp.
func sumProduct(t *testing.T, g *runtime.Graph, out, tmp, a, b, c runtime.View[int32]) {
	t.Helper()
	n := runtime.Range1(out.Len())
	must(g.Add(stepsgen.Sum{X: a, Y: b, Out: tmp}.Node(n)))(t)
	must(g.Add(stepsgen.Product{X: tmp, Y: c, Out: out}.Node(n)))(t)
}

// A kernel reads what work-items of another group wrote: nodes, and graphs within a graph, wait for
// all of what they depend on. Each of the graphs is one launch of two kernels.
func TestGF6_SubGraphs(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = 512
		x, tmp, y := buffer(t, dev, ints(n, 0)), buffer(t, dev, make([]int32, n)), buffer(t, dev, make([]int32, n))
		first := graphOf(t, dev, affine(tmp, x, 3, 1), grow(tmp, 2))
		second := graphOf(t, dev, stepsgen.Mirror{In: tmp, Out: y}.Node(n), grow(y, 10))
		g := runtime.NewGraph(dev)
		must(g.AddGraph(must(first.Finalize(require))(t)))(t)
		must(g.AddGraph(must(second.Finalize(require))(t)))(t)
		wantEdges(t, g, "n0-n1")
		ex := must(g.Finalize())(t)
		wantLaunches(t, ex, "steps.Affine+steps.Grow", "steps.Mirror+steps.Grow")
		for range 2 {
			submit(t, dev.DefaultQueue(), ex)
		}
		want := make([]int32, n)
		for i := range want {
			want[i] = int32(3*(n-1-i) + 13)
		}
		wantInts(t, dev, y, want)
	})
}

// Copies before, between and behind kernels run where they were added.
func TestGF9_MemoryOperations(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = 64
		zero := make([]int32, n)
		a, b, c := buffer(t, dev, zero), buffer(t, dev, zero), buffer(t, dev, zero)
		tmp, out, kept := buffer(t, dev, zero), buffer(t, dev, zero), buffer(t, dev, zero)
		in, result := ints(n, 0), make([]int32, n)
		g := runtime.NewGraph(dev)
		q := dev.DefaultQueue()
		check(t, q.BeginRecording(g))
		must(q.Enqueue(runtime.Upload(a, in)))(t)
		check(t, b.CopyFrom(ctx, q, in))
		must(q.Enqueue(runtime.Fill(c, 5)))(t)
		must(stepsgen.Sum{X: a, Y: b, Out: tmp}.ParallelFor(q, n))(t)
		must(q.Enqueue(runtime.Copy(kept, tmp)))(t)
		must(stepsgen.Product{X: tmp, Y: c, Out: out}.ParallelFor(q, n))(t)
		must(stepsgen.Grow{By: 1, Out: tmp}.ParallelFor(q, n))(t)
		check(t, out.CopyTo(ctx, q, result))
		check(t, q.EndRecording())
		ex := must(g.Finalize())(t)
		for round := range 3 {
			for i := range in {
				in[i] = int32(i + round) // each run reads it anew
			}
			submit(t, q, ex)
			want, sums := make([]int32, n), make([]int32, n)
			for i := range want {
				sums[i] = 2 * in[i]
				want[i] = 5 * sums[i]
			}
			if !slices.Equal(result, want) {
				t.Errorf("round %d: got %v, want %v", round, result, want)
			}
			wantInts(t, dev, kept, sums)
		}
	})
}

func TestGF18_Small(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		x := buffer(t, dev, ints(8, 0))
		g := runtime.NewGraph(dev)
		submit(t, q, must(g.Finalize())(t))
		must(g.Add(runtime.Command{}))(t)
		submit(t, q, must(g.Finalize())(t))
		must(g.Add(stepsgen.Grow{By: 1, Out: x}.Node(0)))(t) // no work-items
		submit(t, q, must(g.Finalize())(t))
		must(g.Add(grow(x, 1)))(t)
		submit(t, q, must(g.Finalize())(t))
		wantInts(t, dev, x, ints(8, 1))
	})
}

var graphs = flag.Int("graphs", 16, "how many random graphs TestGF35_AsLaunched and TestGF35_Random run on each device")

// TestGF35_AsLaunched records random commands in a graph and runs it twice: the memory is then
// what it is when they are launched. Every other graph is fused.
func TestGF35_AsLaunched(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = 24
		q := dev.DefaultQueue()
		fused := 0
		for seed := range uint64(*graphs) {
			r := rand.New(rand.NewPCG(seed, 35))
			var here, there [4]runtime.View[int32] // the same memory twice
			for i := range here {
				here[i], there[i] = buffer(t, dev, ints(n, i)), buffer(t, dev, ints(n, i))
			}
			part := func(v runtime.View[int32], r *rand.Rand) runtime.View[int32] {
				if r.IntN(3) == 0 {
					at := r.IntN(3) * 8
					return v.Slice(at, at+8)
				}
				return v
			}
			command := func(of *[4]runtime.View[int32], r *rand.Rand) runtime.Command {
				i, j, l := r.IntN(4), r.IntN(4), r.IntN(4)
				a := part(of[i], r)
				b, c := a, a // of one buffer all use the same part, or work-items would race
				if j != i {
					b = part(of[j], r)
				}
				if l == j {
					c = b
				} else if l != i {
					c = part(of[l], r)
				}
				m := min(a.Len(), b.Len())
				switch r.IntN(8) {
				case 0:
					return grow(a, r.Int32N(9))
				case 6:
					return stepsgen.Pairs{In: a, Out: b}.Node(runtime.Range1(m / 2))
				case 7:
					return stepsgen.Sum{X: a, Y: b, Out: c}.Node(runtime.Range1(min(m, c.Len())))
				case 1:
					return runtime.Fill(a, r.Int32N(9))
				case 2:
					return runtime.Upload(a, ints(a.Len(), r.IntN(99)))
				case 3:
					return stepsgen.Affine{A: 3, B: 1, In: a, Out: b}.Node(runtime.Range1(r.IntN(m + 1)))
				}
				return stepsgen.Affine{A: r.Int32N(5), B: r.Int32N(5), In: a, Out: b}.Node(runtime.Range1(m))
			}
			// Copies between two buffers of their own.
			const copies = 7
			g := runtime.NewGraph(dev)
			build, order := rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, 1))
			commands := 3 + r.IntN(20)
			for i := range commands {
				if i == copies {
					must(g.Add(runtime.Copy(there[0].Slice(0, 8), there[1].Slice(8, 16))))(t)
					continue
				}
				must(g.Add(command(&there, build)))(t)
			}
			var props []properties.Property
			if seed%2 == 1 {
				props = append(props, enable)
			}
			if seed%4 == 1 {
				props = append(props, properties.InsertBarriers())
			}
			ex := must(g.Finalize(props...))(t)
			for _, l := range ex.Report().Launches {
				fused += len(l.Nodes) - 1
			}
			for range 2 {
				must(q.Submit(ex))(t)
			}
			for range 2 {
				*order = *rand.New(rand.NewPCG(seed, 1))
				for i := range commands {
					c := runtime.Copy(here[0].Slice(0, 8), here[1].Slice(8, 16))
					if i != copies {
						c = command(&here, order)
					}
					check(t, must(q.Enqueue(c))(t).Wait(ctx))
				}
			}
			for i := range here {
				want := make([]int32, n)
				check(t, here[i].CopyTo(ctx, q, want))
				wantInts(t, dev, there[i], want)
			}
			if t.Failed() {
				t.Fatalf("seed %d\n%v", seed, ex.Report())
			}
		}
		if fused < *graphs {
			t.Errorf("only %d launches became part of others", fused)
		}
	})
}

func TestGF40_GraphsInGraphs(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = 64
		q := dev.DefaultQueue()
		zero := make([]int32, n)
		a, b, c := buffer(t, dev, ints(n, 0)), buffer(t, dev, ints(n, 0)), buffer(t, dev, ints(n, 0))
		tmp, out := buffer(t, dev, zero), buffer(t, dev, zero)
		sub := runtime.NewGraph(dev)
		sumProduct(t, sub, out, tmp, a, b, c) // 2i²
		ex := must(sub.Finalize())(t)
		g := runtime.NewGraph(dev)
		must(g.AddGraph(ex))(t)
		must(g.Add(affine(out, out, 20, 0)))(t)
		submit(t, q, must(g.Finalize())(t))
		want := make([]int32, n)
		for i := range want {
			want[i] = int32(40 * i * i)
		}
		wantInts(t, dev, out, want)

		// Added twice it runs twice, also through a further graph, and recorded on a queue.
		again := runtime.NewGraph(dev)
		must(again.Add(grow(out, 1)))(t)
		one := must(again.Finalize(properties.Updatable()))(t)
		twice := runtime.NewGraph(dev)
		must(twice.AddGraph(one))(t)
		must(twice.AddGraph(one))(t)
		check(t, q.BeginRecording(twice))
		must(q.Submit(one))(t)
		check(t, q.EndRecording())
		outer := runtime.NewGraph(dev)
		must(outer.AddGraph(must(twice.Finalize())(t)))(t)
		all := must(outer.Finalize())(t)
		check(t, one.Update(again.Nodes()[0], grow(out, 100))) // changes none of them
		submit(t, q, all)
		for i := range want {
			want[i] += 3
		}
		wantInts(t, dev, out, want)
	})
}
