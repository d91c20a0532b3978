package checks_test

import (
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/checks"
	"github.com/kgen-go/kgen/codegen/pass/lanes"
	"github.com/kgen-go/kgen/codegen/pass/loops"
	"github.com/kgen-go/kgen/codegen/pass/numbers"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
	"github.com/kgen-go/kgen/internal/tests/passtest"
)

// TestBoundsLanesRandom does so with bounds, on fewer of them.
func TestBoundsLanesRandom(t *testing.T) {
	for _, nests := range []bool{false, true} {
		passtest.CompareLanes(t, passtest.Count()/3, nests, func(m *ir.Module) {
			checks.Bounds(m, nil)
		})
		passtest.CompareLanes(t, passtest.Count()/9, nests, func(m *ir.Module) {
			checks.Bounds(m, nil)
			loops.Ahead(m, nil)
			loops.Unroll(m)
			numbers.Narrow(m, nil)
			checks.Gather(m)
		})
	}
}

// TestBoundsLeavesEnds: where a check that always fails is all that follows a loop, it does
// not become the loop's end, which is a way out that work-items take together.
func TestBoundsLeavesEnds(t *testing.T) {
	for seed, nests := range map[uint64]bool{19634: false, 20228: true} {
		var rejected [2]int
		for i := range rejected {
			g := passtest.NewLaneGenOf(seed, nests, false)
			rewrite.Mem2Reg(g.M)
			simplify.Run(g.M)
			simplify.DCE(g.M)
			if i == 1 {
				checks.Bounds(g.M, nil)
			}
			rejected[i] = len(lanes.DeadLanes(g.M))
		}
		if rejected != [2]int{} {
			t.Errorf("seed %d: %d barriers are refused, %d after bounds", seed, rejected[0], rejected[1])
		}
	}
}
