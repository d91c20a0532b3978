package hostbench

import (
	"testing"

	"github.com/kgen-go/kgen/examples/quickstart/saxpy"
	saxpygen "github.com/kgen-go/kgen/generated/examples/quickstart/saxpy"
	"github.com/kgen-go/kgen/internal/bench/kernels/fold"
	"github.com/kgen-go/kgen/internal/bench/kernels/fold/foldgen"
	"github.com/kgen-go/kgen/runtime"
)

// BenchmarkLaunch is a launch that does nearly nothing.
func BenchmarkLaunch(b *testing.B) {
	x := newBench(b)
	k := saxpy.SAXPY{A: 2, X: make([]float32, 16), Y: make([]float32, 16)}
	b.ReportAllocs()
	for b.Loop() {
		if err := saxpygen.RunSAXPY(x.ctx, x.dev, k, runtime.Range1(16)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkGroup is a work-group of 256 that makes four reductions of one element
// per work-item.
func BenchmarkGroup(b *testing.B) {
	const groups = 1 << 12
	x := newBench(b)
	in, out := copyOf(x, make([]float32, groups*fold.Size)), copyOf(x, make([]fold.Stats, groups))
	k := foldgen.Fold{X: in.All(), Y: in.All(), Out: out.All()}
	nd := runtime.NDRange1{Global: groups * fold.Size, Local: fold.Size}
	rounds := 0
	for b.Loop() {
		if err := x.wait(k.ParallelFor(x.q, nd)); err != nil {
			b.Fatal(err)
		}
		rounds++
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(rounds)/groups, "ns/group")
}
