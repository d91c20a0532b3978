// Package sorter launches the kernels of package radix for keys of any number.
package sorter

import (
	"github.com/kgen-go/kgen/internal/bench/kernels/radix"
	"github.com/kgen-go/kgen/internal/bench/kernels/radix/radixgen"
	"github.com/kgen-go/kgen/internal/bench/scanner"
	"github.com/kgen-go/kgen/runtime"
)

// Sorter has the memory for the counts of digits.
type Sorter struct {
	counts *runtime.Buffer[uint32]
	scan   *scanner.Scanner
	parts  int
	lanes  bool // whether ScatterLanes runs, and is the faster one
}

// New returns a sorter of n keys.
func New(dev *runtime.Device, n int) (*Sorter, error) {
	s := &Sorter{parts: (n + radix.Part - 1) / radix.Part}
	info := dev.Info()
	// On a processor each ballot has all work-items wait for each other.
	s.lanes = info.MinSubGroup <= radix.Lanes && radix.Lanes <= info.MaxSubGroup && info.Type < runtime.HostCPU
	var err error
	if s.counts, err = runtime.NewBuffer[uint32](dev, s.parts*radix.Digits); err != nil {
		return nil, err
	}
	if s.scan, err = scanner.New(dev, s.counts.Len()); err != nil {
		_ = s.counts.Close()
		return nil, err
	}
	return s, nil
}

// Close frees the memory.
func (s *Sorter) Close() {
	s.scan.Close()
	_ = s.counts.Close()
}

// Sort sets y to the keys of x in order of the digit that begins at bit shift. Keys with one
// digit keep their order. The event is that of the last launch.
func (s *Sorter) Sort(q *runtime.Queue, shift int, x, y runtime.View[uint32]) (runtime.Event, error) {
	nd := runtime.NDRange1{Global: runtime.Range1(s.parts * radix.Size), Local: radix.Size}
	if ev, err := (radixgen.Count{Shift: shift, Keys: x, Counts: s.counts.All()}).ParallelFor(q, nd); err != nil {
		return ev, err
	}
	if ev, err := s.scan.Scan(q, s.counts.All()); err != nil {
		return ev, err
	}
	if s.lanes {
		return radixgen.ScatterLanes{Shift: shift, Keys: x, Starts: s.counts.All(), Out: y}.ParallelFor(q, nd)
	}
	return radixgen.Scatter{Shift: shift, Keys: x, Starts: s.counts.All(), Out: y}.ParallelFor(q, nd)
}
