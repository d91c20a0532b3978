package ir

// This file finds natural loops.

import (
	"cmp"
	"slices"
)

// Loop is a natural loop. The head of a natural loop dominates the sources of all back edges to the
// head. The loop consists of its head and of all blocks that can reach a back edge to the head
// without passing through the head.
type Loop struct {
	Head    *Block
	Latches []*Block // sources of the back edges, without duplicates
	Blocks  []*Block // blocks in reverse postorder; Head is the first
	Outer   *Loop    // smallest loop that encloses this loop, or nil
	Depth   int      // number of loops that contain Head, including this loop
	in      map[*Block]bool
}

// Contains reports whether b is in the loop.
func (l *Loop) Contains(b *Block) bool { return l.in[b] }

// Loops holds the natural loops of a function. Two natural loops either have no common block, or one
// loop contains the other.
type Loops struct {
	All   []*Loop // loops in the reverse postorder of their heads, so outer loops come first
	inner map[*Block]*Loop
}

// Of returns the innermost loop that contains b, or nil.
func (s *Loops) Of(b *Block) *Loop { return s.inner[b] }

// Depth returns the number of loops that contain b.
func (s *Loops) Depth(b *Block) int {
	if l := s.inner[b]; l != nil {
		return l.Depth
	}
	return 0
}

// Loops finds the natural loops. A cycle with several entries is not a natural loop. The blocks of a cycle with several
// entries belong only to the natural loops that enclose the cycle.
func (d *DomTree) Loops() *Loops {
	s := &Loops{inner: map[*Block]*Loop{}}
	for _, h := range d.Order {
		l := &Loop{Head: h, Latches: d.latches(h), in: map[*Block]bool{h: true}, Blocks: []*Block{h}}
		if len(l.Latches) == 0 {
			continue
		}
		l.Outer = s.inner[h]
		l.Depth = s.Depth(h) + 1
		for work := slices.Clone(l.Latches); len(work) > 0; {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			if !l.in[b] {
				l.in[b] = true
				l.Blocks = append(l.Blocks, b)
				work = append(work, b.Preds...)
			}
		}
		slices.SortFunc(l.Blocks, func(x, y *Block) int { return cmp.Compare(d.Index(x), d.Index(y)) })
		for _, b := range l.Blocks {
			s.inner[b] = l
		}
		s.All = append(s.All, l)
	}
	return s
}

// latches returns the sources of the back edges to h.
func (d *DomTree) latches(h *Block) []*Block {
	var all []*Block
	for _, p := range h.Preds {
		if d.Reachable(p) && d.Dominates(h, p) && !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all
}
