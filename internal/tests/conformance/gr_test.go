package conformance

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/conformance/steps"
	"github.com/kgen-go/kgen/internal/tests/conformance/steps/stepsgen"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// ints returns n numbers from the first on.
func ints(n, first int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(first + i)
	}
	return out
}

// buffer returns a buffer of the numbers, closed when the test ends.
func buffer(t *testing.T, dev *runtime.Device, s []int32) runtime.View[int32] {
	t.Helper()
	b := must(runtime.BufferOf(dev, s))(t)
	t.Cleanup(func() { b.Close() })
	return b.All()
}

// wantInts compares a buffer with numbers.
func wantInts(t *testing.T, dev *runtime.Device, v runtime.View[int32], want []int32) {
	t.Helper()
	got := make([]int32, v.Len())
	q := dev.NewQueue()
	check(t, v.CopyTo(ctx, q, got))
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// submit runs a graph once.
func submit(t *testing.T, q *runtime.Queue, ex *runtime.ExecutableGraph, opts ...runtime.LaunchOption) {
	t.Helper()
	check(t, must(q.Submit(ex, opts...))(t).Wait(ctx))
}

func grow(v runtime.View[int32], by int32) runtime.Command {
	return stepsgen.Grow{By: by, Out: v}.Node(runtime.Range1(v.Len()))
}

func affine(out, in runtime.View[int32], a, b int32) runtime.Command {
	return stepsgen.Affine{A: a, B: b, In: in, Out: out}.Node(runtime.Range1(out.Len()))
}

// edges returns a graph's edges as Graphviz has them.
func edges(t *testing.T, g *runtime.Graph) string {
	t.Helper()
	var b strings.Builder
	check(t, g.WriteDOT(&b))
	var out []string
	for line := range strings.Lines(b.String()) {
		if strings.Contains(line, "->") {
			out = append(out, strings.ReplaceAll(strings.Trim(line, "\t;\n"), " -> ", "-"))
		}
	}
	return strings.Join(out, " ")
}

func wantEdges(t *testing.T, g *runtime.Graph, want string) {
	t.Helper()
	if got := edges(t, g); got != want {
		t.Errorf("the edges are %q, want %q", got, want)
	}
}

func TestGR1_Finalize(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		x := buffer(t, dev, ints(8, 0))
		g := runtime.NewGraph(dev)
		empty := must(g.Finalize())(t)
		must(g.Add(grow(x, 1)))(t)
		first := must(g.Finalize())(t)
		must(g.Add(grow(x, 10)))(t)
		second := must(g.Finalize())(t)
		submit(t, q, empty)
		wantInts(t, dev, x, ints(8, 0))
		submit(t, q, first)
		wantInts(t, dev, x, ints(8, 1))
		submit(t, q, second)
		wantInts(t, dev, x, ints(8, 12))
	})
}

func TestGR2_WhileRecording(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		x := buffer(t, dev, ints(8, 0))
		g := runtime.NewGraph(dev)
		a, b := must(g.Add(grow(x, 1)))(t), must(g.Add(runtime.Command{}))(t)
		check(t, q.BeginRecording(g))
		_, err := g.Add(grow(x, 1))
		wantErr(t, err, runtime.ErrInvalid)
		wantErr(t, g.MakeEdge(a, b), runtime.ErrInvalid)
		_, err = g.Finalize()
		wantErr(t, err, runtime.ErrInvalid)
		check(t, q.EndRecording())
		must(g.Add(grow(x, 1)))(t)
		check(t, g.MakeEdge(a, b))
		wantEdges(t, g, "n0-n1 n0-n2")
	})
}

func TestGR3_MakeEdge(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		g, other := runtime.NewGraph(dev), runtime.NewGraph(dev)
		var n [3]*runtime.Node
		for i := range n {
			n[i] = must(g.Add(runtime.Command{}))(t)
		}
		foreign := must(other.Add(runtime.Command{}))(t)
		check(t, g.MakeEdge(n[2], n[0]))
		check(t, g.MakeEdge(n[0], n[1]))
		const want = "n0-n1 n2-n0"
		wantEdges(t, g, want)
		for _, bad := range [][2]*runtime.Node{{n[0], foreign}, {foreign, n[0]}, {n[1], n[1]}, {n[1], n[2]}, {n[0], n[2]}, {nil, n[0]}} {
			wantErr(t, g.MakeEdge(bad[0], bad[1]), runtime.ErrInvalid)
			wantEdges(t, g, want)
		}
		_, err := g.Add(runtime.Command{}, runtime.After(foreign))
		wantErr(t, err, runtime.ErrInvalid)
		if len(g.Nodes()) != 3 {
			t.Errorf("a node was added: %v", g.Nodes())
		}
	})
}

func TestGR4_BeginRecording(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		q, q2 := dev.DefaultQueue(), dev.NewQueue()
		g, other := runtime.NewGraph(dev), runtime.NewGraph(dev)
		check(t, q.EndRecording()) // nothing to end
		check(t, q.BeginRecording(g))
		wantErr(t, q.BeginRecording(g), runtime.ErrInvalid)
		wantErr(t, q.BeginRecording(other), runtime.ErrInvalid)
		check(t, q2.BeginRecording(other))
		wantErr(t, g.EndRecording(q2), runtime.ErrInvalid)
		check(t, g.EndRecording(q))
		check(t, g.EndRecording())
		check(t, q2.EndRecording())
		check(t, q2.EndRecording())
		foreign := open(t, "host")
		wantErr(t, foreign.DefaultQueue().BeginRecording(g), runtime.ErrInvalid)
		wantErr(t, q.BeginRecording(nil), runtime.ErrInvalid)
	})
}

func TestGR5_NothingRuns(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		x := buffer(t, dev, ints(8, 0))
		g, other := runtime.NewGraph(dev), runtime.NewGraph(dev)
		check(t, q.BeginRecording(g))
		ev := must(q.Enqueue(grow(x, 5)))(t)
		wantErr(t, q.Wait(ctx), runtime.ErrInvalid)
		wantErr(t, ev.Wait(ctx), runtime.ErrInvalid)
		if ev.Done() {
			t.Error("the event of a node is done")
		}
		_, err := ev.Profile()
		wantErr(t, err, runtime.ErrInvalid)
		_, err = q.Enqueue(grow(x, 1), runtime.WithContext(ctx))
		wantErr(t, err, runtime.ErrInvalid)
		host := make([]int32, 8)
		check(t, x.CopyTo(ctx, q, host))
		check(t, q.EndRecording())
		wantInts(t, dev, x, ints(8, 0))
		// Outside, the event is of no use.
		_, err = q.Enqueue(grow(x, 1), runtime.DependsOn(ev))
		wantErr(t, err, runtime.ErrInvalid)
		check(t, q.BeginRecording(other))
		_, err = q.Enqueue(grow(x, 1), runtime.DependsOn(ev))
		wantErr(t, err, runtime.ErrInvalid)
		check(t, q.EndRecording())
		outside := must(q.Enqueue(grow(x, 1)))(t)
		check(t, q.BeginRecording(other))
		_, err = q.Enqueue(grow(x, 1), runtime.DependsOn(outside))
		wantErr(t, err, runtime.ErrInvalid)
		check(t, q.EndRecording())
		if host[0] != 0 {
			t.Errorf("a copy that was recorded has run: %v", host)
		}
		submit(t, q, must(g.Finalize())(t))
		if want := ints(8, 6); !slices.Equal(host, want) {
			t.Errorf("the graph copied %v, want %v", host, want)
		}
	})
}

func TestGR6_Transitive(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		q, q2 := dev.DefaultQueue(), dev.NewQueue()
		x, y := buffer(t, dev, ints(8, 0)), buffer(t, dev, ints(8, 0))
		g := runtime.NewGraph(dev)
		check(t, q.BeginRecording(g))
		ev := must(q.Enqueue(grow(x, 1)))(t)
		must(q2.Enqueue(grow(y, 2), runtime.DependsOn(ev)))(t)
		wantErr(t, q2.BeginRecording(g), runtime.ErrInvalid) // it does already
		must(q2.Enqueue(grow(y, 3)))(t)
		check(t, g.EndRecording())
		wantEdges(t, g, "n0-n1 n1-n2")
		check(t, q2.Wait(ctx))
		wantInts(t, dev, y, ints(8, 0))
		submit(t, q, must(g.Finalize())(t))
		wantInts(t, dev, y, ints(8, 5))
	})
}

func TestGR7_Dependencies(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		x, y, z := buffer(t, dev, ints(8, 0)), buffer(t, dev, ints(8, 0)), buffer(t, dev, ints(8, 0))
		g := runtime.NewGraph(dev)
		a := must(g.Add(grow(x, 1)))(t)
		b := must(g.Add(grow(y, 1)))(t)
		wantEdges(t, g, "") // nothing in common
		must(g.Add(grow(z, 1), runtime.After(b)))(t)
		wantEdges(t, g, "n1-n2")
		join := must(g.Add(runtime.Command{}, runtime.AfterLeaves()))(t)
		wantEdges(t, g, "n0-n3 n1-n2 n2-n3")
		must(g.Add(grow(y, 1), runtime.After(join)))(t)
		wantEdges(t, g, "n0-n3 n1-n2 n2-n3 n3-n4")
		if p := join.Preds(); len(p) != 2 || p[0] != a {
			t.Errorf("the empty node depends on %v", p)
		}
		// On a queue, launches of one buffer are a chain.
		chain := runtime.NewGraph(dev)
		q := dev.DefaultQueue()
		check(t, q.BeginRecording(chain))
		for range 4 {
			must(q.Enqueue(grow(x, 1)))(t)
		}
		ev := must(q.Enqueue(grow(y, 1)))(t)
		must(q.Enqueue(grow(z, 1), runtime.DependsOn(ev)))(t)
		check(t, q.EndRecording())
		wantEdges(t, chain, "n0-n1 n1-n2 n2-n3 n4-n5")
	})
}

func TestGR8_Hazards(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		x, y, z := buffer(t, dev, ints(8, 1)), buffer(t, dev, ints(8, 0)), buffer(t, dev, ints(8, 0))
		for _, c := range []struct {
			name  string
			nodes []runtime.Command
			edges string
			y, z  []int32
		}{
			{"read after write", []runtime.Command{affine(y, x, 2, 0), affine(z, y, 1, 1)}, "n0-n1", []int32{2, 4, 6, 8, 10, 12, 14, 16}, []int32{3, 5, 7, 9, 11, 13, 15, 17}},
			{"write after read", []runtime.Command{runtime.Fill(y, 7), affine(z, y, 1, 0), runtime.Fill(y, 9)}, "n0-n1 n1-n2", []int32{9, 9, 9, 9, 9, 9, 9, 9}, []int32{7, 7, 7, 7, 7, 7, 7, 7}},
			{"write after write", []runtime.Command{runtime.Fill(y, 7), runtime.Copy(z, x), runtime.Copy(y, x)}, "n0-n2", ints(8, 1), ints(8, 1)},
			{"parts", []runtime.Command{runtime.Fill(y.Slice(0, 4), 1), runtime.Fill(y.Slice(4, 8), 2), runtime.Copy(z, y)}, "n0-n2 n1-n2", []int32{1, 1, 1, 1, 2, 2, 2, 2}, []int32{1, 1, 1, 1, 2, 2, 2, 2}},
			{"reads", []runtime.Command{affine(y, x, 1, 0), runtime.Copy(z, x)}, "", ints(8, 1), ints(8, 1)},
		} {
			g := runtime.NewGraph(dev)
			for _, n := range c.nodes {
				must(g.Add(n))(t)
			}
			if got := edges(t, g); got != c.edges {
				t.Errorf("%s: the edges are %q, want %q", c.name, got, c.edges)
			}
			submit(t, q, must(g.Finalize())(t))
			wantInts(t, dev, y, c.y)
			wantInts(t, dev, z, c.z)
		}
	})
}

func TestGR9_Memory(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		b := must(runtime.BufferOf(dev, ints(8, 0)))(t)
		g := runtime.NewGraph(dev)
		must(g.Add(grow(b.All(), 1)))(t)
		ex := must(g.Finalize())(t)
		submit(t, q, ex)
		b.Close()
		_, err := q.Submit(ex)
		wantErr(t, err, runtime.ErrInvalid)
		_, err = g.Add(grow(b.All(), 1))
		wantErr(t, err, runtime.ErrKernelArgument)
		_, err = g.Add(runtime.Fill(b.All(), 1))
		wantErr(t, err, runtime.ErrInvalid)
	})
}

func TestGR10_SubmitTwice(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		q, q2 := dev.DefaultQueue(), dev.NewQueue()
		x := buffer(t, dev, ints(8, 0))
		g := runtime.NewGraph(dev)
		must(g.Add(grow(x, 1)))(t)
		ex := must(g.Finalize())(t)
		var events []runtime.Event
		for i := range 600 { // more than a batch
			events = append(events, must([]*runtime.Queue{q, q2}[i&1].Submit(ex))(t))
		}
		for _, ev := range events {
			check(t, ev.Wait(ctx))
		}
		wantInts(t, dev, x, ints(8, 600))
		_, err := open(t, "host").DefaultQueue().Submit(ex)
		wantErr(t, err, runtime.ErrInvalid)
		_, err = q.Submit(nil)
		wantErr(t, err, runtime.ErrInvalid)
	})
}

func TestGR11_Graphviz(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		x, y := buffer(t, dev, ints(8, 0)), buffer(t, dev, ints(8, 0))
		sub := runtime.NewGraph(dev)
		must(sub.Add(grow(x, 1)))(t)
		g := runtime.NewGraph(dev)
		a := must(g.Add(grow(x, 1)))(t)
		must(g.Add(affine(y, x, 1, 0)))(t)
		must(g.Add(runtime.Fill(y, 1)))(t)
		must(g.AddGraph(must(sub.Finalize())(t)))(t)
		b := must(g.Add(runtime.Command{}))(t)
		var text strings.Builder
		check(t, g.WriteDOT(&text))
		const want = `digraph kgen {
	node [shape=box];
	n0 [label="0: steps.Grow [8]"];
	n1 [label="1: steps.Affine [8]"];
	n2 [label="2: fill of 32 bytes"];
	n3 [label="3: graph of 1"];
	n4 [label="4: empty"];
	n0 -> n1;
	n1 -> n2;
	n1 -> n3;
}
`
		if text.String() != want {
			t.Errorf("got\n%s\nwant\n%s", &text, want)
		}
		if r := g.Roots(); len(r) != 2 || r[0] != a || r[1] != b {
			t.Errorf("the roots are %v", r)
		}
		if n := g.Nodes(); len(n) != 5 || n[0] != a || n[4] != b {
			t.Errorf("the nodes are %v", n)
		}
	})
}

func TestGR12_Update(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		x, y := buffer(t, dev, ints(8, 0)), buffer(t, dev, ints(8, 0))
		g := runtime.NewGraph(dev)
		n := must(g.Add(grow(x, 1)))(t)
		fixed, ex := must(g.Finalize())(t), must(g.Finalize(properties.Updatable()))(t)
		late := must(g.Add(grow(y, 1)))(t)
		for _, bad := range [][]properties.Property{{properties.WorkGroupSize(8)}, {{}}, {properties.Updatable(), properties.Updatable()}} {
			_, err := g.Finalize(bad...)
			wantErr(t, err, runtime.ErrInvalid)
		}
		_, err := q.Enqueue(grow(x, 1), runtime.With(properties.Updatable()))
		wantErr(t, err, runtime.ErrInvalid)
		wantErr(t, fixed.Update(n, grow(x, 2)), runtime.ErrInvalid)
		wantErr(t, ex.Update(late, grow(y, 2)), runtime.ErrInvalid)
		wantErr(t, ex.Update(nil, grow(y, 2)), runtime.ErrInvalid)
		wantErr(t, ex.Update(n, affine(x, y, 1, 1)), runtime.ErrInvalid) // another kernel
		wantErr(t, ex.Update(n, runtime.Fill(x, 1)), runtime.ErrInvalid)
		wantErr(t, ex.Update(n, runtime.Command{}), runtime.ErrInvalid)
		submit(t, q, ex)
		wantInts(t, dev, x, ints(8, 1))
		ev := must(q.Submit(ex))(t)
		check(t, ex.Update(n, grow(x, 10)))
		check(t, ev.Wait(ctx))
		wantInts(t, dev, x, ints(8, 2)) // what was submitted is not changed
		submit(t, q, ex)
		wantInts(t, dev, x, ints(8, 12))
		check(t, ex.Update(n, stepsgen.Grow{By: 1, Out: x}.Node(3)))
		submit(t, q, ex)
		wantInts(t, dev, x, []int32{13, 14, 15, 15, 16, 17, 18, 19})
		submit(t, q, fixed)
		wantInts(t, dev, x, []int32{14, 15, 16, 16, 17, 18, 19, 20})
	})
}

// An update can make a node depend on another that it had nothing to do with.
func TestGR12_UpdateOrder(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		x, y, z, w := buffer(t, dev, ints(8, 1)), buffer(t, dev, ints(8, 0)), buffer(t, dev, ints(8, 0)), buffer(t, dev, ints(8, 0))
		g := runtime.NewGraph(dev)
		must(g.Add(affine(y, x, 2, 0)))(t)
		must(g.Add(affine(z, y, 1, 5)))(t)
		last := must(g.Add(affine(w, x, 1, 0)))(t) // may run before the second
		ex := must(g.Finalize(properties.Updatable()))(t)
		check(t, ex.Update(last, affine(w, z, 1, 0)))
		submit(t, q, ex)
		wantInts(t, dev, w, []int32{7, 9, 11, 13, 15, 17, 19, 21})
	})
}

// A graph that fails says which of its nodes did, and cancelling it ends it.
func TestGR10_Failures(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		x, y := buffer(t, dev, ints(8, 0)), buffer(t, dev, ints(8, 0))
		g := runtime.NewGraph(dev)
		must(g.Add(grow(y, 1)))(t)
		must(g.Add(stepsgen.Mirror{In: y.Slice(0, 4), Out: x}.Node(8)))(t) // beyond In
		must(g.Add(stepsgen.Grow{By: 1, Out: y}.Node(9)))(t)
		ex := must(g.Finalize())(t)
		var fault *runtime.Fault
		if err := must(q.Submit(ex))(t).Wait(ctx); !errors.As(err, &fault) || !strings.HasSuffix(fault.Kernel, "Mirror") {
			t.Errorf("got %v, want the fault of Mirror", err)
		}
		check(t, q.Wait(ctx)) // the failure has been told
		ended, end := context.WithCancel(ctx)
		end()
		_, err := q.Submit(ex, runtime.WithContext(ended))
		wantErr(t, err, runtime.ErrCanceled)
	})
}

// Copies from and to one slice of the host are in order, and what a graph brings to the host it
// does not take from there.
func TestGR8_Host(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		x, y := buffer(t, dev, ints(8, 1)), buffer(t, dev, make([]int32, 8))
		h := ints(8, 50)
		g := runtime.NewGraph(dev)
		must(g.Add(grow(y, 1)))(t)
		must(g.Add(runtime.Upload(y, h)))(t)
		down := must(g.Add(runtime.Download(h, x)))(t)
		wantEdges(t, g, "n0-n1 n1-n2")
		ex := must(g.Finalize(properties.Updatable()))(t)
		submit(t, q, ex)
		wantInts(t, dev, y, ints(8, 50))
		if !slices.Equal(h, ints(8, 1)) {
			t.Errorf("the host has %v", h)
		}
		_, err := g.Add(runtime.Upload(y.Slice(0, 2), h[6:]))
		wantErr(t, err, runtime.ErrInvalid)
		if len(g.Nodes()) != 3 {
			t.Errorf("the graph has %v", g.Nodes())
		}
		late := runtime.NewGraph(dev)
		must(late.Add(runtime.Download(ints(8, 0), x)))(t)
		up := must(late.Add(runtime.Upload(y, h)))(t)
		other := must(late.Finalize(properties.Updatable()))(t)
		check(t, other.Update(up, runtime.Upload(y, ints(8, 9))))
		wantErr(t, other.Update(late.Nodes()[0], runtime.Download(h[:0], x)), runtime.ErrInvalid)
		check(t, other.Update(late.Nodes()[0], runtime.Download(h, x)))
		wantErr(t, other.Update(up, runtime.Upload(y, h)), runtime.ErrInvalid)
		check(t, ex.Update(down, runtime.Download(make([]int32, 8), y)))
	})
}

// What is refused changes nothing, and nil and zero values are errors.
func TestGR5_Refused(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		q, q2 := dev.DefaultQueue(), dev.NewQueue()
		x := buffer(t, dev, ints(8, 0))
		outside := must(q.Enqueue(grow(x, 1)))(t)
		g := runtime.NewGraph(dev)
		check(t, q.BeginRecording(g))
		ev := must(q.Enqueue(grow(x, 1)))(t)
		closed := must(runtime.NewBuffer[int32](dev, 8))(t)
		closed.Close()
		for _, bad := range [][]runtime.LaunchOption{{runtime.DependsOn(outside, ev)}, {runtime.DependsOn(ev), runtime.WithContext(ctx)}} {
			_, err := q2.Enqueue(grow(x, 1), bad...)
			wantErr(t, err, runtime.ErrInvalid)
		}
		_, err := q2.Enqueue(grow(closed.All(), 1), runtime.DependsOn(ev))
		wantErr(t, err, runtime.ErrKernelArgument)
		check(t, q2.Wait(ctx)) // it does not record
		wantErr(t, stepsgen.RunGrow(ctx, dev, steps.Grow{Out: make([]int32, 8)}, 8, runtime.DependsOn(ev)), runtime.ErrInvalid)
		check(t, q.EndRecording())

		n, err := g.Add(runtime.Command{}, runtime.After(nil))
		wantErr(t, err, runtime.ErrInvalid)
		if n != nil {
			t.Errorf("the node is %v", n)
		}
		var none *runtime.Graph
		for _, n := range []*runtime.Node{nil, {}} {
			wantErr(t, g.MakeEdge(n, n), runtime.ErrInvalid)
			if n.Preds() != nil || n.Succs() != nil || n.String() != "no node" {
				t.Errorf("no node is %v", n)
			}
		}
		if none.Nodes() != nil || none.Roots() != nil || none.Device() != nil {
			t.Error("no graph has something")
		}
		wantErr(t, none.WriteDOT(nil), runtime.ErrInvalid)
		wantErr(t, q.BeginRecording(runtime.NewGraph(nil)), runtime.ErrInvalid)
		for _, ex := range []*runtime.ExecutableGraph{nil, {}} {
			_, err := q.Submit(ex)
			wantErr(t, err, runtime.ErrInvalid)
			_, err = g.AddGraph(ex)
			wantErr(t, err, runtime.ErrInvalid)
			wantErr(t, ex.Update(nil, runtime.Command{}), runtime.ErrInvalid)
		}
	})
}

// A run has one failure, however many of its nodes fail.
func TestGR10_OneFailure(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		x := buffer(t, dev, ints(8, 0))
		g := runtime.NewGraph(dev)
		for range 100 {
			must(g.Add(stepsgen.Grow{By: 1, Out: x.Slice(0, 4)}.Node(8)))(t)
		}
		ex := must(g.Finalize())(t)
		var fault *runtime.Fault
		if err := must(q.Submit(ex))(t).Wait(ctx); !errors.As(err, &fault) {
			t.Errorf("got %v, want a fault", err)
		}
		check(t, q.Wait(ctx))
		must(q.Submit(ex))(t)
		if err := q.Wait(ctx); !errors.As(err, &fault) || strings.Count(err.Error(), "index out of range") != 1 {
			t.Errorf("got %v, want one fault", err)
		}
		check(t, q.Wait(ctx))
	})
}

// A writer may use the graph that it is written.
type nosy struct{ g *runtime.Graph }

func (n nosy) Write(p []byte) (int, error) { return len(p) * len(n.g.Nodes()), nil }

func TestGR11_Writer(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		g := runtime.NewGraph(dev)
		must(g.Add(runtime.Command{}))(t)
		check(t, g.WriteDOT(nosy{g}))
	})
}

// A fill stays one, whatever the value.
func TestGR12_Fill(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		b := must(runtime.NewBuffer[uint8](dev, 12))(t)
		defer b.Close()
		g := runtime.NewGraph(dev)
		n := must(g.Add(runtime.Fill(b.All(), 1)))(t)
		ex := must(g.Finalize(properties.Updatable()))(t)
		check(t, ex.Update(n, runtime.Fill(b.Slice(1, 6), 2)))
		submit(t, dev.DefaultQueue(), ex)
		got := make([]uint8, 12)
		check(t, b.CopyTo(ctx, dev.DefaultQueue(), got))
		if !slices.Equal(got, []uint8{0, 2, 2, 2, 2, 2, 0, 0, 0, 0, 0, 0}) {
			t.Errorf("got %v", got)
		}
	})
}

// A launch without work-items is a node that others wait through.
func TestGR7_Nothing(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		x, y := buffer(t, dev, ints(8, 0)), buffer(t, dev, make([]int32, 8))
		g := runtime.NewGraph(dev)
		first := must(g.Add(grow(x, 1)))(t)
		none := must(g.Add(stepsgen.Grow{By: 1, Out: y}.Node(0), runtime.After(first)))(t)
		must(g.Add(grow(y, 2), runtime.After(none)))(t)
		ex := must(g.Finalize(properties.Updatable()))(t)
		submit(t, dev.DefaultQueue(), ex)
		wantInts(t, dev, y, slices.Repeat([]int32{2}, 8))
		check(t, ex.Update(none, grow(y, 10)))
		submit(t, dev.DefaultQueue(), ex)
		wantInts(t, dev, y, slices.Repeat([]int32{14}, 8))
	})
}

// Many goroutines submit, update and finalize at once.
func TestX7_Graphs(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		x := buffer(t, dev, make([]int32, 8))
		g := runtime.NewGraph(dev)
		n := must(g.Add(grow(x, 1)))(t)
		ex := must(g.Finalize(properties.Updatable()))(t)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				q := dev.NewQueue()
				for i := range 50 {
					ev, err := q.Submit(ex)
					if err == nil && i%8 == 0 {
						err = ev.Wait(ctx)
					}
					if err == nil && i%16 == 0 {
						_, err = g.Finalize()
					}
					if err == nil {
						err = ex.Update(n, grow(x, 1))
					}
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		wantInts(t, dev, x, slices.Repeat([]int32{400}, 8))
	})
}

// What is said of graphs cannot be said of kernels.
func TestGR12_Updatable(t *testing.T) {
	diagnostic(t, "KG502", `
func (K) Properties() properties.List { return properties.List{properties.Updatable()} }
func (k K) Kernel(it dsl.Item1) { k.Out[it.GlobalID()]++ }`, "Updatable is a property of graphs")
}
