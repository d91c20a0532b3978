package ir

import (
	"math/rand/v2"
	"testing"
)

// without returns the blocks that from leads to without passing cut or, with back set,
// those that lead to from.
func without(f *Func, from, cut *Block, back bool) map[*Block]bool {
	seen := map[*Block]bool{}
	var walk func(b *Block)
	walk = func(b *Block) {
		if b == cut || seen[b] {
			return
		}
		seen[b] = true
		next := b.Term.Succs
		if back {
			next = b.Preds
		}
		for _, s := range next {
			walk(s)
		}
	}
	walk(from)
	return seen
}

// TestLoops compares the loops of random graphs, reducible or not, with what the
// definition says: h dominates b if nothing leads to b past h, and h's loop is h and what
// leads to an edge from such a b to h, past h.
func TestLoops(t *testing.T) {
	loops, deep, twice := 0, 0, 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 7))
		m := NewModule("t")
		f := m.NewFunc("k")
		for range 1 + r.IntN(12) {
			f.NewBlock()
		}
		for i, b := range f.Blocks {
			any := func() *Block { return f.Blocks[1+r.IntN(len(f.Blocks)-1)] }
			switch k := r.IntN(10); {
			case k == 0:
				b.SetTerm(Term{Kind: Return})
			case k < 5:
				b.Jump(f.Blocks[1+i%(len(f.Blocks)-1)])
			default:
				b.Branch(m.Bool(true), any(), any())
			}
		}
		f.RemoveUnreachable()
		want := map[*Block]map[*Block]bool{}
		for _, h := range f.Blocks {
			past := without(f, f.Blocks[0], h, false)
			for _, b := range f.Blocks {
				for _, s := range b.Term.Succs {
					if s == h && !past[b] {
						if want[h] == nil {
							want[h] = map[*Block]bool{h: true}
						}
						for x := range without(f, b, h, true) {
							want[h][x] = true
						}
					}
				}
			}
		}
		got := f.Dominators().Loops()
		if len(got.All) != len(want) {
			t.Fatalf("seed %d: %d loops, want %d", seed, len(got.All), len(want))
		}
		depth := map[*Block]int{}
		for _, l := range got.All {
			loops++
			if l.Blocks[0] != l.Head || len(l.Blocks) != len(want[l.Head]) {
				t.Fatalf("seed %d: a loop of %d blocks, want %d", seed, len(l.Blocks), len(want[l.Head]))
			}
			for _, b := range f.Blocks {
				if l.Contains(b) != want[l.Head][b] {
					t.Fatalf("seed %d: Contains is %v", seed, l.Contains(b))
				}
				if l.Contains(b) {
					depth[b]++
				}
			}
			if l.Outer != nil && (!l.Outer.Contains(l.Head) || l.Outer == l || l.Depth != l.Outer.Depth+1) {
				t.Fatalf("seed %d: the loop around one", seed)
			}
			for _, p := range l.Latches {
				if !l.Contains(p) {
					t.Fatalf("seed %d: a latch outside", seed)
				}
			}
			if len(l.Latches) > 1 {
				twice++
			}
		}
		for _, b := range f.Blocks {
			if got.Depth(b) != depth[b] {
				t.Fatalf("seed %d: depth %d, want %d", seed, got.Depth(b), depth[b])
			}
			if l := got.Of(b); depth[b] > 0 && (!l.Contains(b) || l.Depth != depth[b]) {
				t.Fatalf("seed %d: Of is another loop", seed)
			}
			if depth[b] > 1 {
				deep++
			}
		}
	}
	if loops == 0 || deep == 0 || twice == 0 {
		t.Fatalf("%d loops, %d blocks in two, %d loops with two back edges", loops, deep, twice)
	}
}
