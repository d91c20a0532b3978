// Package scanner launches the kernels of package prefix for slices of any length.
package scanner

import (
	"github.com/kgen-go/kgen/examples/scan/prefix"
	prefixgen "github.com/kgen-go/kgen/generated/examples/scan/prefix"
	"github.com/kgen-go/kgen/runtime"
)

// Scanner has the memory for the totals of blocks, of blocks of those, and so on.
type Scanner struct {
	levels []*runtime.Buffer[uint32]
}

// New returns a scanner for slices of n elements.
func New(dev *runtime.Device, n int) (*Scanner, error) {
	s := &Scanner{}
	for n > prefix.Block || len(s.levels) == 0 {
		n = (n + prefix.Block - 1) / prefix.Block
		b, err := runtime.NewBuffer[uint32](dev, n)
		if err != nil {
			s.Close()
			return nil, err
		}
		s.levels = append(s.levels, b)
	}
	if n > 1 {
		b, err := runtime.NewBuffer[uint32](dev, 1)
		if err != nil {
			s.Close()
			return nil, err
		}
		s.levels = append(s.levels, b)
	}
	return s, nil
}

// Close frees the memory.
func (s *Scanner) Close() {
	for _, b := range s.levels {
		_ = b.Close()
	}
}

// Scan replaces each element by the sum of those before it. The event is that of
// the last launch.
func (s *Scanner) Scan(q *runtime.Queue, x runtime.View[uint32]) (runtime.Event, error) {
	return s.scan(q, x, 0)
}

func (s *Scanner) scan(q *runtime.Queue, x runtime.View[uint32], level int) (runtime.Event, error) {
	totals := s.levels[level].All()
	blocks := (x.Len() + prefix.Block - 1) / prefix.Block
	nd := runtime.NDRange1{Global: runtime.Range1(blocks * prefix.Size), Local: prefix.Size}
	ev, err := prefixgen.Blocks{X: x, Totals: totals}.ParallelFor(q, nd)
	if err != nil || blocks == 1 {
		return ev, err
	}
	if _, err := s.scan(q, totals, level+1); err != nil {
		return ev, err
	}
	return prefixgen.Add{X: x, Totals: totals}.ParallelFor(q, runtime.Range1(x.Len()))
}
