package tally_test

import (
	"testing"

	"github.com/kgen-go/kgen/examples/histogram/tally"
	"github.com/kgen-go/kgen/examples/internal/hostrun"
)

func TestTally(t *testing.T) {
	pixels := make([]uint32, 10000)
	want := make([]uint32, tally.Channels*tally.Levels)
	for i := range pixels {
		pixels[i] = uint32(i*i) * 2654435761
		for c := range uint32(tally.Channels) {
			want[c*tally.Levels+pixels[i]>>(8*c)&0xff]++
		}
	}
	bins := make([]uint32, len(want))
	hostrun.NDRange(t, tally.Tally{Pixels: pixels, Bins: bins}.Kernel, 4*tally.Size, tally.Size)
	for b, n := range bins {
		if n != want[b] {
			t.Fatalf("bin %d has %d, want %d", b, n, want[b])
		}
	}
}
