//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package runtime_test

import (
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/conformance/steps/stepsgen"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

// TestFallbackOfUpdate: where the driver fails while a graph is updated, what falls back to launches
// one by one does not fuse what was fused before the update.
func TestFallbackOfUpdate(t *testing.T) {
	const n = 1 << 16
	dev := devtest.Vulkan(t)
	q := dev.DefaultQueue()
	buffer := func(f func(i int) int32) runtime.View[int32] {
		list := make([]int32, n)
		for i := range list {
			list[i] = f(i)
		}
		b, err := runtime.BufferOf(dev, list)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { b.Close() })
		return b.All()
	}
	own, back, zero := func(i int) int32 { return int32(i) }, func(i int) int32 { return int32(n - 1 - i) }, func(int) int32 { return 0 }
	x, tmp, table, out := buffer(own), buffer(zero), buffer(own), buffer(zero)
	g := runtime.NewGraph(dev)
	if _, err := g.Add(stepsgen.Affine{A: 1, B: 0, In: x, Out: tmp}.Node(n)); err != nil {
		t.Fatal(err)
	}
	pick, err := g.Add(stepsgen.Pick{Table: table, At: tmp, Out: out}.Node(n))
	if err != nil {
		t.Fatal(err)
	}
	ex, err := g.Finalize(properties.EnableFusion(), properties.Updatable())
	if err != nil {
		t.Fatal(err)
	}
	if r := ex.Report(); !r.Fused {
		t.Fatal(r)
	}
	defer vkx.Inject(0, 0)
	other := stepsgen.Pick{Table: tmp, At: buffer(back), Out: out}.Node(n) // its copy may call the driver, too
	vkx.Inject(1, vkx.ErrorInitializationFailed)
	err = ex.Update(pick, other)
	if vkx.Pending() {
		t.Error("no call was failed")
	}
	vkx.Inject(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	ev, err := q.Submit(ex)
	if err == nil {
		err = ev.Wait(ctx)
	}
	if err != nil {
		t.Fatal(err)
	}
	got, want := make([]int32, n), make([]int32, n)
	for i := range want {
		want[i] = back(i)
	}
	if err := out.CopyTo(ctx, q, got); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the elements are not those of the other work-items\n%v", ex.Report())
	}
}
