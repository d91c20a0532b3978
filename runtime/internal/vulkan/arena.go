//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import "math/bits"

// `granule` is the alignment of suballocations. The size of each suballocation is also a multiple
// of granule.
const granule = 256

// A chunk is a piece of a memory block, free or in use.
type chunk struct {
	off, size    uint64
	free         bool
	prev, next   *chunk // neighbours in the order of addresses
	pfree, nfree *chunk // neighbours in the list of a bin
}

// An arena divides a memory block into chunks by the algorithm "two-level segregated fit". Free
// chunks are in bins according to their size, with eight bins per power of two. A chunk that is
// freed is joined with free neighbours.
type arena struct {
	first *chunk
	bins  [64 * 8]*chunk
	full  [8]uint64 // one bit for each bin, set if the bin contains chunks
	used  uint64
}

func newArena(size uint64) *arena {
	a := &arena{first: &chunk{size: size &^ (granule - 1), free: true}}
	a.insert(a.first)
	return a
}

// The function `bin` returns the bin of chunks of the given size.
func bin(size uint64) int {
	u := size / granule
	if u < 8 {
		return int(u)
	}
	p := bits.Len64(u) - 1
	return p*8 + int(u>>(p-3)&7)
}

func (a *arena) insert(c *chunk) {
	b := bin(c.size)
	c.pfree, c.nfree = nil, a.bins[b]
	if c.nfree != nil {
		c.nfree.pfree = c
	}
	a.bins[b] = c
	a.full[b/64] |= 1 << (b % 64)
}

func (a *arena) remove(c *chunk) {
	b := bin(c.size)
	if c.nfree != nil {
		c.nfree.pfree = c.pfree
	}
	if c.pfree != nil {
		c.pfree.nfree = c.nfree
	} else if a.bins[b] = c.nfree; c.nfree == nil {
		a.full[b/64] &^= 1 << (b % 64)
	}
	c.pfree, c.nfree = nil, nil
}

// `find` returns a free chunk of at least size bytes, or nil. The method prefers a chunk from a bin
// whose chunks are all large enough. If there is no such chunk, the method searches the bin that
// chunks of exactly this size belong to.
func (a *arena) find(size uint64) *chunk {
	own := bin(size)
	for w, b := (own+1)/64, uint((own+1)%64); w < len(a.full); w, b = w+1, 0 {
		if set := a.full[w] >> b << b; set != 0 {
			return a.bins[w*64+bits.TrailingZeros64(set)]
		}
	}
	for c := a.bins[own]; c != nil; c = c.nfree {
		if c.size >= size {
			return c
		}
	}
	return nil
}

// The method `alloc` returns a chunk of size bytes, or nil if no free chunk is large enough. The
// parameter size must be a multiple of `granule`.
func (a *arena) alloc(size uint64) *chunk {
	c := a.find(size)
	if c == nil {
		return nil
	}
	a.remove(c)
	c.free = false
	if c.size > size {
		rest := &chunk{off: c.off + size, size: c.size - size, free: true, prev: c, next: c.next}
		if rest.next != nil {
			rest.next.prev = rest
		}
		c.next, c.size = rest, size
		a.insert(rest)
	}
	a.used += size
	return c
}

// The method `release` frees a chunk.
func (a *arena) release(c *chunk) {
	a.used -= c.size
	c.free = true
	if n := c.next; n != nil && n.free {
		a.remove(n)
		c.size += n.size
		if c.next = n.next; c.next != nil {
			c.next.prev = c
		}
	}
	if p := c.prev; p != nil && p.free {
		a.remove(p)
		p.size += c.size
		if p.next = c.next; p.next != nil {
			p.next.prev = p
		}
		c = p
	}
	a.insert(c)
}
