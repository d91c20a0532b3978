package conformance

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/conformance/steps"
	"github.com/kgen-go/kgen/internal/tests/conformance/steps/stepsgen"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// TestGF35_Random: random graphs leave the same memory, and the same failure, with fusion and
// without. Some have barriers between their kernels, and memory of work-groups.
func TestGF35_Random(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		fused, faulted := 0, 0
		for seed := range uint64(*graphs) {
			r := &randomGraph{Rand: rand.New(rand.NewPCG(seed, 1)), t: t, dev: dev, items: 96, barriers: seed%4 == 2, said: seed%8 == 2}
			if seed%3 == 0 {
				r.items = 17024 // see TestGF35_FirstNode
			}
			r.graph()
			plain, none := r.run()
			props := []properties.Property{enable}
			if r.barriers {
				props = append(props, properties.InsertBarriers())
			}
			err, report := r.run(props...)
			if len(report.Launches) < len(none.Launches) {
				fused++
			}
			if plain.fault != "" {
				faulted++
			}
			if plain.fault != err.fault {
				t.Errorf("seed %d: got %q, want %q\n%s%v", seed, err.fault, plain.fault, r.text, report)
			}
			for i := range plain.memory {
				if plain.fault == "" && !slices.Equal(plain.memory[i], err.memory[i]) {
					t.Errorf("seed %d: buffer %d is another one\n%s%v", seed, i, r.text, report)
				}
			}
		}
		t.Logf("%d of %d graphs were fused, %d had faults", fused, *graphs, faulted)
		if fused < *graphs*2/5 || faulted < *graphs/10 {
			t.Errorf("%d graphs were fused, %d had faults: the test shows little", fused, faulted)
		}
	})
}

// randomGraph is a graph of random commands, which use a few buffers.
type randomGraph struct {
	*rand.Rand
	t     *testing.T
	dev   *runtime.Device
	items int
	views []runtime.View[int32]
	first [][]int32 // what is in the buffers at first
	// floats are three buffers of floats, and what is in them at first.
	floats     [3]runtime.View[float32]
	firstFloat [3][]float32
	barriers   bool // between kernels that become one: launches state the size of their groups
	said       bool // and memory has the scope of work-groups, which is proved otherwise
	g          *runtime.Graph
	text       string
	// recorder, if not nil, records into another graph what is added to g, and events are those of
	// g's nodes there.
	recorder *runtime.Queue
	events   []runtime.Event
}

func (r *randomGraph) graph() {
	for range 7 {
		list := make([]int32, r.items)
		for i := range list {
			list[i] = int32(r.IntN(40))
		}
		if r.IntN(4) == 0 {
			list[r.IntN(r.items)] = -1 - int32(r.IntN(6))
		}
		r.views, r.first = append(r.views, buffer(r.t, r.dev, list)), append(r.first, list)
	}
	for i := range r.floats {
		list := make([]float32, r.items)
		for j := range list {
			list[j] = float32(r.IntN(1000)) / 64
		}
		b := must(runtime.BufferOf(r.dev, list))(r.t)
		r.t.Cleanup(func() { b.Close() })
		r.floats[i], r.firstFloat[i] = b.All(), list
	}
	r.g = runtime.NewGraph(r.dev)
	for range 2 + r.IntN(9) {
		if r.IntN(8) == 0 {
			r.text += "a graph of\n"
			sub := runtime.NewGraph(r.dev)
			for range 1 + r.IntN(3) {
				must(sub.Add(r.command()))(r.t)
			}
			var props []properties.Property
			if r.IntN(2) == 0 {
				props = append(props, enable)
			}
			ex := must(sub.Finalize(props...))(r.t)
			must(r.g.AddGraph(ex))(r.t)
			if r.recorder != nil {
				r.events = append(r.events, must(r.recorder.Submit(ex))(r.t))
			}
			r.text += "its end\n"
			continue
		}
		var opts []runtime.NodeOption
		var after []runtime.LaunchOption
		if nodes := r.g.Nodes(); len(nodes) > 0 && r.IntN(6) == 0 {
			at := r.IntN(len(nodes))
			opts = append(opts, runtime.After(nodes[at]))
			if r.recorder != nil {
				after = append(after, runtime.DependsOn(r.events[at]))
			}
			r.text += fmt.Sprintf("after %d: ", at)
		}
		c := r.command()
		must(r.g.Add(c, opts...))(r.t)
		if r.recorder != nil {
			r.events = append(r.events, must(r.recorder.Enqueue(c, after...))(r.t))
		}
	}
}

func (r *randomGraph) command() runtime.Command {
	p := r.Perm(len(r.views))
	a, b, c, n := r.views[p[0]], r.views[p[1]], r.views[p[2]], runtime.Range1(r.items)
	switch half := r.items / 2; r.IntN(10) {
	case 0:
		a, b, c, n = a.Slice(half, r.items), b.Slice(half, r.items), c.Slice(half, r.items), runtime.Range1(half)
	case 1:
		n = runtime.Range1(half)
	}
	what := ""
	defer func() { r.text += fmt.Sprintf("%s of %d, %d of them, %v\n", what, n, a.Len(), p[:3]) }()
	// Of work-groups is what kernels use that go no further, by the sizes that they state.
	var opts []runtime.LaunchOption
	x, y, z := a, b, c
	if r.barriers {
		opts = append(opts, runtime.With(properties.WorkGroupSize(32)))
	}
	if r.said {
		x, y, z = a.With(inGroup), b.With(inGroup), c.With(inGroup)
	}
	local := 8
	if r.barriers {
		local = 16 // more than a driver may run at once, so that it matters whether they meet
	}
	groups := runtime.NDRange1{Global: n, Local: runtime.Range1(local)}
	switch r.IntN(20) {
	case 12:
		what = "Tree"
		return stepsgen.Tree{In: a, Out: b}.Node(groups)
	case 13:
		what = "Scan"
		return stepsgen.Scan{In: a, Out: b}.Node(groups)
	case 14:
		what = "Quit"
		return stepsgen.Quit{Tile: dsl.LocalLen[int32](local + r.IntN(4)), In: a, Out: b}.Node(groups)
	case 0, 1:
		what = "Grow"
		return stepsgen.Grow{By: 3, Out: x}.Node(n, opts...)
	case 2, 3, 4:
		what = "Affine"
		return stepsgen.Affine{A: 2, B: 1, In: x, Out: y}.Node(n, opts...)
	case 5:
		what = "Sum"
		return stepsgen.Sum{X: x, Y: y, Out: z}.Node(n, opts...)
	case 6:
		what = "Mirror"
		return stepsgen.Mirror{In: a, Out: b}.Node(n, opts...)
	case 7, 8:
		what = "Strict"
		return stepsgen.Strict{In: x, Out: y}.Node(n, opts...)
	case 9:
		what = "Groups"
		return stepsgen.Groups{Group: a, Local: b}.Node(groups)
	case 10:
		what = "copy"
		return runtime.Copy(a, b)
	case 11:
		what = "fill"
		return runtime.Fill(a, 5)
	case 15:
		what = "Swap"
		return stepsgen.Swap{In: x, Out: y}.Node(n, opts...)
	case 18:
		what = "Turn"
		return stepsgen.Turn{In: x, Out: y}.Node(groups)
	case 19:
		if what = "Deal"; r.IntN(2) == 0 {
			return stepsgen.Deal{In: a, Out: b}.Node(runtime.NDRange1{Global: n / 2, Local: runtime.Range1(min(local, 8))})
		}
		what = "Flip"
		return stepsgen.Flip{W: 8, In: a, Out: b}.Node(runtime.NDRange2{Global: runtime.Range2{int(n) / 8, 8}, Local: runtime.Range2{2, 4}})
	case 16:
		what = "Total"
		return stepsgen.Total{In: a, Sum: b}.Node(n, opts...)
	case 17:
		what = "Times or Digits"
		if d := 1 + r.IntN(3); r.IntN(2) == 0 {
			return stepsgen.Digits{In: x, Out: y}.Node(n, append(opts, runtime.WithSpec(steps.Extra, d))...)
		}
		return stepsgen.Times{In: x, Out: y}.Node(n, append(opts, runtime.WithSpec(steps.Factor, r.IntN(4)))...)
	}
	what = "a kernel of floats"
	f, i := r.floats, r.Perm(3)
	switch r.IntN(5) {
	case 0, 1:
		return stepsgen.MulF{X: f[i[0]], Y: f[i[1]], Out: f[i[2]]}.Node(runtime.Range1(r.items), opts...)
	case 2:
		return stepsgen.ExactF{X: f[i[0]], Y: f[i[1]], Out: f[i[2]]}.Node(runtime.Range1(r.items), opts...)
	}
	return stepsgen.AddF{X: f[i[0]], Y: f[i[1]], Out: f[i[2]]}.Node(runtime.Range1(r.items), opts...)
}

// left is what a run of a graph leaves.
type left struct {
	fault  string
	memory [][]int32
}

func (r *randomGraph) run(props ...properties.Property) (out left, report runtime.FusionReport) {
	ex := must(r.g.Finalize(props...))(r.t)
	return r.runOf(ex), ex.Report()
}

// runOf runs a graph that uses the random graph's memory.
func (r *randomGraph) runOf(ex *runtime.ExecutableGraph) (out left) {
	q := r.dev.DefaultQueue()
	for i, v := range r.views {
		check(r.t, v.CopyFrom(ctx, q, r.first[i]))
	}
	for i, v := range r.floats {
		check(r.t, v.CopyFrom(ctx, q, r.firstFloat[i]))
	}
	if err := must(q.Submit(ex))(r.t).Wait(ctx); err != nil {
		out.fault = err.Error()
		if strings.HasPrefix(out.fault, "steps.Scan") { // for many work-items: which is reported is not said
			out.fault, _, _ = strings.Cut(out.fault, "(work-item")
		}
	}
	for _, v := range r.views {
		got := make([]int32, r.items)
		check(r.t, v.CopyTo(ctx, q, got))
		out.memory = append(out.memory, got)
	}
	for _, v := range r.floats {
		got, bits := make([]float32, r.items), make([]int32, r.items)
		check(r.t, v.CopyTo(ctx, q, got))
		for i, x := range got {
			bits[i] = int32(math.Float32bits(x))
		}
		out.memory = append(out.memory, bits)
	}
	return out
}
