package sorter

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/bench/kernels/radix"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/runtime"
)

// TestLanes runs ScatterLanes on the host device, which sorts by Scatter otherwise.
func TestLanes(t *testing.T) {
	dev, ctx := devtest.Host(t), context.Background()
	r := rand.New(rand.NewPCG(1, 2))
	keys := make([]uint32, radix.Part+1000)
	for i := range keys {
		keys[i] = r.Uint32()
	}
	x, err := runtime.BufferOf(dev, keys)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	y, err := runtime.NewBuffer[uint32](dev, len(keys))
	if err != nil {
		t.Fatal(err)
	}
	defer y.Close()
	s, err := New(dev, len(keys))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.lanes {
		t.Error("the host device sorts by ScatterLanes")
	}
	s.lanes = true
	q := dev.DefaultQueue()
	from, to := x.All(), y.All()
	for shift := 0; shift < 32; shift += radix.Bits {
		if _, err := s.Sort(q, shift, from, to); err != nil {
			t.Fatal(err)
		}
		from, to = to, from
	}
	got := make([]uint32, len(keys))
	if err := x.CopyTo(ctx, q, got); err != nil {
		t.Fatal(err)
	}
	if slices.Sort(keys); !slices.Equal(got, keys) {
		t.Error("the keys are not in order")
	}
}
