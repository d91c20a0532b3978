//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"runtime"
	"sync"
)

// This file manages the ring of staging memory, through which the host and the device exchange
// bytes. Several goroutines copy large data to or from the ring.

const (
	minRing = 1 << 20
	maxRing = 64 << 20
	// The host and the device copy different chunks at the same time. Smaller chunks were slower on
	// an H200.
	maxChunk = maxRing / 4
)

// A ring is staging memory that parts use in the order of their submission. Positions in the ring
// only grow. A position modulo the ring's size is an offset in the ring's memory.
type ring struct {
	mem        *memory
	size       uint64
	head, tail uint64
	parts      int // number of parts that use the ring and have not been retired
}

// resetRing resets a ring that no part uses, so that all of its memory is contiguous.
func (r *ring) resetRing() {
	if r.parts == 0 {
		r.head, r.tail = 0, 0
	}
}

// reserveBytes reserves n contiguous bytes, if the ring has enough space, and returns their
// offset.
func (r *ring) reserveBytes(n uint64) (uint64, bool) {
	n = (n + granule - 1) &^ (granule - 1)
	at := r.head
	if off := at % r.size; off+n > r.size {
		at += r.size - off
	}
	if at+n-r.tail > r.size {
		return 0, false
	}
	r.head = at + n
	return at % r.size, true
}

// copyBytes divides a large copy among several goroutines. One goroutine copied 6 to 10 GB/s, 8
// goroutines copied 26 GB/s, and 16 goroutines copied 39 GB/s.
func copyBytes(dst, src []byte) {
	const piece = 1 << 20
	if len(src) < 2*piece {
		copy(dst, src)
		return
	}
	n := min(16, runtime.GOMAXPROCS(0), len(src)/piece)
	each := ((len(src)+n-1)/n + 63) &^ 63 // n pieces of this size cover all bytes
	var wg sync.WaitGroup
	for i := 1; i < n; i++ {
		lo, hi := i*each, min((i+1)*each, len(src))
		wg.Go(func() { copy(dst[lo:hi], src[lo:hi]) })
	}
	copy(dst[:each], src[:each])
	wg.Wait()
}
