package lower_test

import (
	"context"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/codegen/lower"
)

// TestCorpus lowers every kernel of the differential test's corpus.
func TestCorpus(t *testing.T) {
	prog, diags, err := load.Load(context.Background(), load.Config{
		Dir:       "../..",
		Patterns:  []string{"./internal/tests/difftest/corpus"},
		Intrinsic: lower.Intrinsic,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range diags {
		t.Error(d.Error())
	}
	n := 0
	for _, p := range prog.Packages {
		for _, k := range p.Kernels {
			n++
			m, diags := lower.Lower(prog, k)
			for _, d := range diags {
				t.Errorf("%s: %v", k.Name, d)
			}
			if m != nil {
				t.Logf("%s: %d blocks", k.Name, len(m.Kernel.Blocks))
			}
		}
	}
	if n < 30 {
		t.Errorf("only %d kernels found", n)
	}
}

// TestCopyLoops has kernels whose only loops are those that lower writes for the copies and
// comparisons of arrays. Drivers unroll short loops, and loops in others; what is left takes
// them the longer the more stores there are in a round.
func TestCopyLoops(t *testing.T) {
	prog, _, err := load.Load(context.Background(), load.Config{Dir: "../..", Patterns: []string{"./internal/tests/difftest/corpus"}, Intrinsic: lower.Intrinsic})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, k := range prog.Packages[0].Kernels {
		if k.Name != "CopyArrays" && k.Name != "CopyStructs" && k.Name != "CopyMixed" {
			continue
		}
		m, diags := lower.Lower(prog, k)
		if m == nil {
			t.Fatalf("%s: %v", k.Name, diags)
		}
		f := m.Kernel
		loops := f.Dominators().Loops()
		for _, b := range f.Blocks {
			stores := 0
			for _, v := range b.Insts {
				if v.Op == ir.OpStore && len(v.Path()) > 0 {
					stores++
				}
			}
			l := loops.Of(b)
			switch {
			case l == nil:
				continue
			case loops.Depth(b) > 1:
				t.Errorf("%s: block %d is in a loop within a loop", k.Name, b.ID)
			case stores > 4:
				t.Errorf("%s: block %d, in a loop, has %d stores", k.Name, b.ID, stores)
			}
			if l.Head != b {
				continue
			}
			found++
			if n := b.Term.Cond.Args[1]; !n.IsConst() || n.Bits <= 32 {
				t.Errorf("%s: a loop has %d rounds", k.Name, n.Bits)
			}
		}
	}
	if found < 12 {
		t.Errorf("only %d loops found", found)
	}
}
