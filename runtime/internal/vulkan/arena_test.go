//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestArena(t *testing.T) {
	const size = 4 << 20
	rnd := rand.New(rand.NewPCG(5, 6))
	a := newArena(size + 100)
	var live []*chunk
	for range 20000 {
		if len(live) > 0 && rnd.IntN(2) == 0 {
			k := rnd.IntN(len(live))
			a.release(live[k])
			live = slices.Delete(live, k, k+1)
		} else if c := a.alloc(granule * (1 + rnd.Uint64N(1<<rnd.UintN(11)))); c != nil {
			live = append(live, c)
		}
	}
	checkArena(t, a, size)
	for _, c := range live {
		a.release(c)
	}
	checkArena(t, a, size)
	if a.used != 0 || a.first.next != nil || a.first.size != size {
		t.Errorf("after all is freed: %d used, first chunk of %d", a.used, a.first.size)
	}
	if c := a.alloc(size); c == nil || c.off != 0 {
		t.Error("the whole is not to be had again")
	}
	if a.alloc(granule) != nil {
		t.Error("a full arena gives memory")
	}
}

// checkArena walks the chunks: they cover everything, no two free ones touch, and
// each free one is to be found.
func checkArena(t *testing.T, a *arena, size uint64) {
	t.Helper()
	var at, used uint64
	for c := a.first; c != nil; c = c.next {
		if c.off != at || c.size == 0 || c.size%granule != 0 {
			t.Fatalf("chunk at %d of %d bytes, want it at %d", c.off, c.size, at)
		}
		if c.next != nil && (c.next.prev != c || c.free && c.next.free) {
			t.Fatalf("chunk at %d: neighbours are wrong", c.off)
		}
		if c.free {
			found := false
			for f := a.bins[bin(c.size)]; f != nil; f = f.nfree {
				found = found || f == c
			}
			if !found {
				t.Fatalf("free chunk at %d is in no bin", c.off)
			}
		} else {
			used += c.size
		}
		at += c.size
	}
	if at != size || used != a.used {
		t.Fatalf("chunks of %d bytes, %d used; want %d, %d", at, used, size, a.used)
	}
}

func TestBins(t *testing.T) {
	last := -1
	for u := uint64(1); u < 5000; u++ {
		b := bin(u * granule)
		if b < last {
			t.Fatalf("bin %d follows %d at %d", b, last, u)
		}
		last = b
	}
	if b := bin(1 << 63); b >= 64*8 {
		t.Errorf("bin %d", b)
	}
}
