// Package scanner launches the kernels of package prefix for slices of any length.
package scanner

import (
	"github.com/kgen-go/kgen/internal/bench/kernels/prefix"
	"github.com/kgen-go/kgen/internal/bench/kernels/prefix/prefixgen"
	"github.com/kgen-go/kgen/runtime"
)

// Scanner has the memory for the totals of blocks, of blocks of those, and so on, down to one.
type Scanner struct {
	levels []*runtime.Buffer[uint32]
	zero   *runtime.Buffer[uint32] // what is before the first block
}

// New returns a scanner for slices of n elements.
func New(dev *runtime.Device, n int) (*Scanner, error) {
	zero, err := runtime.BufferOf(dev, []uint32{0})
	if err != nil {
		return nil, err
	}
	s := &Scanner{zero: zero}
	for n > prefix.Block {
		n = blocksOf(n)
		b, err := runtime.NewBuffer[uint32](dev, n)
		if err != nil {
			s.Close()
			return nil, err
		}
		s.levels = append(s.levels, b)
	}
	return s, nil
}

func blocksOf(n int) int { return (n + prefix.Block - 1) / prefix.Block }

// Close frees the memory.
func (s *Scanner) Close() {
	_ = s.zero.Close()
	for _, b := range s.levels {
		_ = b.Close()
	}
}

// Scan replaces each element by the sum of those before it. The event is that of
// the last launch.
func (s *Scanner) Scan(q *runtime.Queue, x runtime.View[uint32]) (runtime.Event, error) {
	return s.scan(q, x, 0)
}

// scan scans the sums of x's blocks first, which then are what is before each block.
func (s *Scanner) scan(q *runtime.Queue, x runtime.View[uint32], level int) (runtime.Event, error) {
	blocks := blocksOf(x.Len())
	nd := runtime.NDRange1{Global: runtime.Range1(blocks * prefix.Size), Local: prefix.Size}
	before := s.zero.All()
	if blocks > 1 {
		before = s.levels[level].All()
		if ev, err := (prefixgen.Sums{X: x, Totals: before}).ParallelFor(q, nd); err != nil {
			return ev, err
		}
		if ev, err := s.scan(q, before, level+1); err != nil {
			return ev, err
		}
	}
	return prefixgen.Blocks{X: x, Before: before}.ParallelFor(q, nd)
}
