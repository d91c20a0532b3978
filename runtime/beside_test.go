//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package runtime_test

import (
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/internal/vulkan"
)

// TestBeside copies batches to the device and back, in buffers by turns, while kernels work on others:
// each batch comes back as its kernels have left it. It does so with copies from and to slices, and
// with such as go on beside the program.
func TestBeside(t *testing.T) {
	vulkan.TwoLines(true)
	defer vulkan.TwoLines(false)
	dev := devtest.Vulkan(t)
	q := dev.NewQueue()
	const n, batches = 1 << 18, 40 // 1 MiB: large enough to go beside
	var bufs [3]*runtime.Buffer[uint32]
	var up, down [3]*runtime.HostBuffer[uint32]
	for i := range bufs {
		bufs[i] = must(runtime.NewBuffer[uint32](dev, n))
		up[i], down[i] = must(runtime.NewHostBuffer[uint32](dev, n)), must(runtime.NewHostBuffer[uint32](dev, n))
	}
	value := func(batch, i int) uint32 { return uint32(batch*1000 + i) }
	wants := func(batch int) []uint32 {
		s := make([]uint32, n)
		for i := range s {
			s[i] = value(batch, i) + uint32(batch%4)
		}
		return s
	}
	var back [3]runtime.Event
	look := func(batch int) {
		check(t, back[batch%3].Wait(ctx))
		if got := down[batch%3].Slice(); !slices.Equal(got, wants(batch)) {
			t.Fatalf("batch %d: %d…, want %d…", batch, got[:4], wants(batch)[:4])
		}
	}
	for batch := range batches {
		k := batch % 3
		if batch >= 3 {
			look(batch - 3)
		}
		s := up[k].Slice()
		for i := range s {
			s[i] = value(batch, i)
		}
		if batch%5 == 0 {
			check(t, bufs[k].CopyFrom(ctx, q, s))
		} else {
			must(q.Enqueue(runtime.Copy(bufs[k].All(), up[k].All())))
		}
		for range batch % 4 {
			must(launchOn(q, increment, bufs[k].All()))
		}
		back[k] = must(q.Enqueue(runtime.Copy(down[k].All(), bufs[k].All())))
		q.Flush()
		if batch%7 == 6 {
			got := make([]uint32, n)
			check(t, bufs[k].CopyTo(ctx, q, got))
			if !slices.Equal(got, wants(batch)) {
				t.Fatalf("batch %d, to a slice: %d…, want %d…", batch, got[:4], wants(batch)[:4])
			}
		}
	}
	for batch := batches - 3; batch < batches; batch++ {
		look(batch)
	}
	check(t, q.Wait(ctx))
}

// TestTwoLines runs tests of contexts, cancelling and Close while copies go beside kernels.
func TestTwoLines(t *testing.T) {
	vulkan.TwoLines(true)
	defer vulkan.TwoLines(false)
	if !testing.Short() { // it takes gigabytes with the race detector
		t.Run("Deadlines", TestDeadlines)
	}
	t.Run("Cancel", TestCancel)
	t.Run("CloseTimeout", TestCloseTimeout)
	t.Run("FullQueue", TestFullQueue)
}
