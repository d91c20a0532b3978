package runtime_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/kgen-go/kgen/internal/tests/conformance/steps/stepsgen"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// chain returns a graph of n launches. Each launch reads the results of the launch before it.
func chain(b *testing.B, dev *runtime.Device, n, items int, memory ...properties.Property) *runtime.Graph {
	g := runtime.NewGraph(dev)
	var bufs []runtime.View[int32]
	for range n + 1 {
		buf, err := runtime.NewBuffer[int32](dev, items)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { buf.Close() })
		bufs = append(bufs, buf.All())
	}
	for i := 1; i < n; i++ {
		bufs[i] = bufs[i].With(memory...)
	}
	for i := range n {
		if _, err := g.Add(stepsgen.Affine{A: 3, B: 1, In: bufs[i], Out: bufs[i+1]}.Node(runtime.Range1(items))); err != nil {
			b.Fatal(err)
		}
	}
	return g
}

// BenchmarkFused runs chains of kernels over vectors: launch by launch, as one launch, and as one
// that keeps to itself what goes from kernel to kernel. The bytes are those of one vector.
func BenchmarkFused(b *testing.B) {
	dev := devtest.Vulkan(b)
	q := dev.DefaultQueue()
	items := 1 << 22
	if dev.Info().Type == runtime.DiscreteGPU {
		items = 1 << 28
	}
	for _, n := range []int{2, 5, 10} {
		for _, how := range []string{"unfused", "fused", "internal", "by hand"} {
			b.Run(fmt.Sprintf("%d/%s", n, how), func(b *testing.B) {
				var props, memory []properties.Property
				switch how {
				case "fused":
					props = append(props, properties.RequireFusion())
				case "internal":
					props = append(props, properties.RequireFusion())
					memory = []properties.Property{properties.AccessScope(properties.ScopeWorkItem), properties.FusionInternalMemory(), properties.NoInit()}
				}
				g := chain(b, dev, n, items, memory...)
				if how == "by hand" {
					g = byHand(b, dev, n, items)
				}
				ex, err := g.Finalize(props...)
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(4 * items))
				var times []time.Duration
				for b.Loop() {
					start := time.Now()
					ev, err := q.Submit(ex)
					if err == nil {
						err = ev.Wait(context.Background())
					}
					if err != nil {
						b.Fatal(err)
					}
					times = append(times, time.Since(start))
				}
				slices.Sort(times)
				b.ReportMetric(float64(times[len(times)/2].Microseconds()), "median-µs")
			})
		}
	}
}

// byHand returns a graph of one kernel that does what a chain does.
func byHand(b *testing.B, dev *runtime.Device, n, items int) *runtime.Graph {
	g := runtime.NewGraph(dev)
	var bufs [2]runtime.View[int32]
	for i := range bufs {
		buf, err := runtime.NewBuffer[int32](dev, items)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { buf.Close() })
		bufs[i] = buf.All()
	}
	r := runtime.Range1(items)
	node := map[int]runtime.Command{
		2:  stepsgen.Hand2{A: 3, B: 1, In: bufs[0], Out: bufs[1]}.Node(r),
		5:  stepsgen.Hand5{A: 3, B: 1, In: bufs[0], Out: bufs[1]}.Node(r),
		10: stepsgen.Hand10{A: 3, B: 1, In: bufs[0], Out: bufs[1]}.Node(r),
	}[n]
	if _, err := g.Add(node); err != nil {
		b.Fatal(err)
	}
	return g
}

// BenchmarkFinalize fuses ten small kernels that the device has not fused before. The pipelines
// come from a cache, after the first.
func BenchmarkFinalize(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		dev := devtest.Vulkan(b)
		g := chain(b, dev, 10, 1024)
		b.StartTimer()
		if _, err := g.Finalize(properties.RequireFusion()); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		dev.Close()
		b.StartTimer()
	}
}

// BenchmarkEnableFusion runs random graphs without fusion and with EnableFusion, by turns. The
// metric is how many times as long a graph takes without: below 1, fusion makes it slower.
func BenchmarkEnableFusion(b *testing.B) {
	dev := devtest.Vulkan(b)
	q := dev.DefaultQueue()
	items := 1 << 20
	if dev.Info().Type == runtime.DiscreteGPU {
		items = 1 << 25
	}
	for seed := range uint64(16) {
		b.Run(fmt.Sprint(seed), func(b *testing.B) {
			g, text := someGraph(b, dev, rand.New(rand.NewPCG(seed, 2)), items)
			var ex [2]*runtime.ExecutableGraph
			var times [2][]time.Duration
			for i, props := range [2][]properties.Property{nil, {properties.EnableFusion()}} {
				ex[i] = must(g.Finalize(props...))
			}
			round := func(n int) {
				for k := range ex {
					k = (k + n) % 2
					start := time.Now()
					if err := must(q.Submit(ex[k])).Wait(context.Background()); err != nil {
						b.Fatal(err)
					}
					times[k] = append(times[k], time.Since(start))
				}
			}
			for n := range 3 { // these record the graphs
				round(n)
			}
			times = [2][]time.Duration{}
			for n := 0; b.Loop(); n++ {
				round(n)
			}
			for _, t := range times {
				slices.Sort(t)
			}
			median := func(t []time.Duration) float64 { return float64(t[len(t)/2].Nanoseconds()) }
			b.ReportMetric(median(times[0])/median(times[1]), "unfused/fused")
			b.ReportMetric(float64(len(ex[1].Report().Launches)), "launches-of-"+fmt.Sprint(len(g.Nodes())))
			b.Log(text)
		})
	}
}

// someGraph returns a graph of a few random launches over buffers of the size, and their names.
func someGraph(b *testing.B, dev *runtime.Device, r *rand.Rand, items int) (g *runtime.Graph, text string) {
	g = runtime.NewGraph(dev)
	var ints [6]runtime.View[int32]
	var floats [4]runtime.View[float32]
	for i := range ints {
		buf := must(runtime.NewBuffer[int32](dev, items))
		b.Cleanup(func() { buf.Close() })
		ints[i] = buf.All()
	}
	for i := range floats {
		buf := must(runtime.NewBuffer[float32](dev, items))
		b.Cleanup(func() { buf.Close() })
		floats[i] = buf.All()
	}
	n := runtime.Range1(items)
	for range 3 + r.IntN(6) {
		p, f := r.Perm(len(ints)), r.Perm(len(floats))
		x, y, z := ints[p[0]], ints[p[1]], ints[p[2]]
		list := []runtime.Command{
			stepsgen.Affine{A: 3, B: 1, In: x, Out: y}.Node(n),
			stepsgen.Sum{X: x, Y: y, Out: z}.Node(n),
			stepsgen.Product{X: x, Y: y, Out: z}.Node(n),
			stepsgen.Grow{By: 1, Out: x}.Node(n),
			stepsgen.Swap{In: x, Out: y}.Node(n),
			stepsgen.Spin{N: 40, Out: x}.Node(n),
			stepsgen.Hand5{A: 3, B: 1, In: x, Out: y}.Node(n),
			stepsgen.MulF{X: floats[f[0]], Y: floats[f[1]], Out: floats[f[2]]}.Node(n),
			stepsgen.AddF{X: floats[f[0]], Y: floats[f[1]], Out: floats[f[2]]}.Node(n),
			stepsgen.Tree{In: x, Out: y}.Node(runtime.NDRange1{Global: n, Local: 16}),
			stepsgen.Rotate{In: x, Out: y}.Node(runtime.NDRange1{Global: n, Local: 64}),
		}
		c := list[r.IntN(len(list))]
		text += fmt.Sprintf("%v %v; ", c, p[:3])
		must(g.Add(c))
	}
	return g, text
}
