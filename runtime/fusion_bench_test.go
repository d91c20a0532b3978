package runtime_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/kgen-go/kgen/internal/conformance/steps/stepsgen"
	"github.com/kgen-go/kgen/internal/devtest"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// chain returns a graph of n launches, each of which reads what the one before has written.
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
