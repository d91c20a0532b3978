package pass

import (
	"slices"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/checks"
	"github.com/kgen-go/kgen/codegen/pass/lanes"
	"github.com/kgen-go/kgen/codegen/pass/loops"
	"github.com/kgen-go/kgen/codegen/pass/numbers"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
	"github.com/kgen-go/kgen/codegen/pass/structurize"
)

// TestGatherLanesRandom lets unroll and gather loose on random kernels with barriers.
func TestGatherLanesRandom(t *testing.T) {
	testLanes(t, count(), false, func(m *ir.Module) {
		loops.Unroll(m)
		checks.Gather(m)
	})
}

// TestAheadLanesRandom does so with ahead, too, on fewer kernels, with loops that have checks.
func TestAheadLanesRandom(t *testing.T) {
	testLanes(t, count()/3, true, func(m *ir.Module) {
		loops.Ahead(m, nil)
	})
	testLanes(t, count()/3, true, func(m *ir.Module) {
		loops.Ahead(m, nil)
		loops.Unroll(m)
		numbers.Narrow(m, nil)
		checks.Gather(m)
	})
}

// TestBoundsLanesRandom does so with bounds, on fewer of them.
func TestBoundsLanesRandom(t *testing.T) {
	for _, nests := range []bool{false, true} {
		testLanes(t, count()/3, nests, func(m *ir.Module) {
			checks.Bounds(m, nil)
		})
		testLanes(t, count()/9, nests, func(m *ir.Module) {
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
			g := newLaneGenOf(seed, nests, false)
			rewrite.Mem2Reg(g.m)
			simplify.Run(g.m)
			simplify.DCE(g.m)
			if i == 1 {
				checks.Bounds(g.m, nil)
			}
			rejected[i] = len(lanes.DeadLanes(g.m))
		}
		if rejected != [2]int{} {
			t.Errorf("seed %d: %d barriers are refused, %d after bounds", seed, rejected[0], rejected[1])
		}
	}
}

// testLanes compares random kernels with barriers with what comes of them by a change: no
// barrier may become suspect by it, and every work-item does what it did, up to and after
// it leaves.
func testLanes(t *testing.T, n uint64, nests bool, change func(m *ir.Module)) {
	accepted, changed := 0, 0
	for seed := range n {
		build := func() *laneGen {
			g := newLaneGenOf(seed, nests, false)
			if ds := rewrite.Mem2Reg(g.m); len(ds) > 0 {
				t.Fatal(ds)
			}
			return g
		}
		tidy := func(g *laneGen) {
			simplify.Run(g.m)
			simplify.CSE(g.m)
			simplify.Run(g.m)
			simplify.DCE(g.m)
		}
		g, plain := build(), build()
		tidy(plain)
		m := &laneMachine{f: g.f, out: g.out, in: g.in, size: 5, limit: 4000}
		args := func(i int) []uint64 { return []uint64{uint64(i), uint64(i >> 1), 3, uint64(i * 5)} }
		var want [4][][]uint64
		for i := range want {
			m.args = args(i)
			want[i], _ = m.run()
		}
		tidy(g)
		before := g.m.String()
		change(g.m)
		if g.m.String() != before {
			changed++
		}
		ds := lanes.DeadLanes(g.m)
		if was := lanes.DeadLanes(plain.m); len(was) > 0 {
			continue
		}
		if len(ds) > 0 {
			t.Fatalf("seed %d: %v\n%s\n%v", seed, ds, before, g.m)
		}
		accepted++
		m.strict = true
		compare := func(after string) {
			if err := ir.Verify(g.m); err != nil {
				t.Fatalf("seed %d, %s: %v\n%s\n%v", seed, after, err, before, g.m)
			}
			for i := range want {
				m.args = args(i)
				got, err := m.run()
				if err != nil || !slices.EqualFunc(got, want[i], slices.Equal) {
					t.Fatalf("seed %d, %s, run %d: %v\n got %v\nwant %v\n%s\n%v", seed, after, i, err, got, want[i], before, g.m)
				}
			}
		}
		compare("deadlanes")
		simplify.Run(g.m)
		simplify.DCE(g.m)
		structurize.Run(g.m)
		g.m.Level = ir.Structured
		simplify.Run(g.m)
		simplify.DCE(g.m)
		compare("structurize")
	}
	t.Logf("%d kernels: %d accepted, %d changed", n, accepted, changed)
	if changed < int(n/20) {
		t.Errorf("too few kernels are changed")
	}
}
