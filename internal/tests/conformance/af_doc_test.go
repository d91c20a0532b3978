package conformance

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/conformance/ahead/aheadgen"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// bothWays is the code of docs/fusion.md.
func bothWays(dev *runtime.Device, q *runtime.Queue, t *runtime.Buffer[float32], x, y, z runtime.View[float32], n int) error {
	ev, err := aheadgen.AffineTwice{A: 1.1, B: 0.3, In: x, Out: y}.ParallelFor(q, runtime.Range1(n))
	if err := finished(ev, err); err != nil {
		return err
	}
	y = z
	tmp := t.All().With(properties.AccessScope(properties.ScopeWorkItem),
		properties.FusionInternalMemory(), properties.NoInit())
	g := runtime.NewGraph(dev)
	if err := q.BeginRecording(g); err != nil {
		return err
	}
	aheadgen.Affine{A: 1.1, B: 0.3, In: x, Out: tmp}.ParallelFor(q, runtime.Range1(n))
	aheadgen.Affine{A: 1.1, B: 0.3, In: tmp, Out: y}.ParallelFor(q, runtime.Range1(n))
	if err := q.EndRecording(); err != nil {
		return err
	}
	ex, err := g.Finalize(properties.RequireFusion())
	if err != nil {
		return err
	}
	return finished(q.Submit(ex))
}

// The two ways of docs/fusion.md give the same bits, and the code there is code that is compiled.
func TestAF14_BothWays(t *testing.T) {
	inAllWays(t, func(t *testing.T, dev *runtime.Device) {
		const n = 100
		in := make([]float32, n)
		for i := range in {
			in[i] = float32(i) / 3
		}
		buf := must(runtime.NewBuffer[float32](dev, n))(t)
		defer buf.Close()
		x, y, z := on(t, dev, in), on(t, dev, make([]float32, n)), on(t, dev, make([]float32, n))
		check(t, bothWays(dev, dev.DefaultQueue(), buf, x, y, z, n))
		ahead, fused := make([]float32, n), make([]float32, n)
		check(t, y.CopyTo(ctx, dev.DefaultQueue(), ahead))
		check(t, z.CopyTo(ctx, dev.DefaultQueue(), fused))
		if !slices.Equal(ahead, fused) || ahead[n-1] == 0 {
			t.Errorf("ahead of time %v, and fused %v", ahead, fused)
		}
	})
	text := string(must(os.ReadFile("../../../docs/fusion.md"))(t))
	var sources []string
	for _, name := range []string{"af_doc_test.go", "ahead/kernels.go", "ahead/groups.go"} {
		sources = append(sources, string(must(os.ReadFile(name))(t)))
	}
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(text, -1)
	equal(t, "blocks of code", len(blocks), 6)
	for _, b := range blocks {
		if !slices.ContainsFunc(sources, func(s string) bool { return strings.Contains(s, b[1]) }) {
			t.Errorf("docs/fusion.md has code that is compiled nowhere:\n%s", b[1])
		}
	}
}

// A graph fuses kernels that call others, and does not see their internal fields.
func TestAF15_Fused(t *testing.T) {
	inAllWays(t, func(t *testing.T, dev *runtime.Device) {
		const n = 100
		in, want := make([]float32, n), make([]float32, n)
		for i := range in {
			in[i] = float32(i)
			want[i] = 5*(2*(2*in[i]+1)+1) + 3 // small integers, which are exact
		}
		tmp := must(runtime.NewBuffer[float32](dev, n))(t)
		defer tmp.Close()
		between := tmp.All().With(private...)
		x, y := on(t, dev, in), on(t, dev, make([]float32, n))
		ex := must(graphOf(t, dev, aheadgen.AffineTwice{A: 2, B: 1, In: x, Out: between}.Node(n),
			aheadgen.Affine{A: 5, B: 3, In: between, Out: y}.Node(n)).Finalize(properties.RequireFusion()))(t)
		submit(t, dev.DefaultQueue(), ex)
		wantAll(t, dev, y, want)
		if l := ex.Report().Launches; len(l) != 1 || len(l[0].Internal) != 1 {
			t.Errorf("got %v", ex.Report())
		}
	})
}
