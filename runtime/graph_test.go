package runtime_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/kgen-go/kgen/internal/conformance/steps/stepsgen"
	"github.com/kgen-go/kgen/internal/devtest"
	"github.com/kgen-go/kgen/runtime"
)

// BenchmarkReplay compares a graph of launches with the launches: what the calls take, and what
// it takes until all have completed. Those of a chain depend on each other.
func BenchmarkReplay(b *testing.B) {
	for _, dev := range []*runtime.Device{devtest.Host(b), devtest.VulkanOrNone(b)} {
		if dev == nil {
			continue
		}
		q := dev.DefaultQueue()
		for _, n := range []int{10, 100, 1000} {
			for _, chain := range []bool{false, true} {
				x := must(runtime.NewBuffer[int32](dev, 64*n))
				g := runtime.NewGraph(dev)
				kernels := make([]stepsgen.Grow, n)
				for i := range kernels {
					kernels[i] = stepsgen.Grow{By: 1, Out: x.Slice(64*i, 64*i+1)}
					if chain {
						kernels[i].Out = x.Slice(0, 1)
					}
					must(g.Add(kernels[i].Node(1)))
				}
				ex := must(g.Finalize())
				wait := func(b *testing.B, ev runtime.Event) {
					b.StopTimer()
					if err := ev.Wait(context.Background()); err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
				}
				name := fmt.Sprintf("%s/n=%d/chain=%v", dev.Info().Backend, n, chain)
				b.Run(name+"/graph", func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						wait(b, must(q.Submit(ex)))
					}
				})
				b.Run(name+"/launches", func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						var ev runtime.Event
						for i := range kernels {
							ev = must(kernels[i].ParallelFor(q, 1))
						}
						wait(b, ev)
					}
				})
				b.Run(name+"/graph-complete", func(b *testing.B) {
					for b.Loop() {
						if err := must(q.Submit(ex)).Wait(context.Background()); err != nil {
							b.Fatal(err)
						}
					}
				})
				b.Run(name+"/launches-complete", func(b *testing.B) {
					for b.Loop() {
						var ev runtime.Event
						for i := range kernels {
							ev = must(kernels[i].ParallelFor(q, 1))
						}
						if err := ev.Wait(context.Background()); err != nil {
							b.Fatal(err)
						}
					}
				})
				x.Close()
			}
		}
	}
}
