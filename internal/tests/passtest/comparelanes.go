package passtest

import (
	"slices"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/lanes"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
	"github.com/kgen-go/kgen/codegen/pass/structurize"
)

// CompareLanes compares random kernels with barriers before and after a change. In the changed
// kernel, no barrier may be in control flow that is possibly divergent. The change must not change
// the effects of any work-item. A work-item that has returned must have no further effects.
func CompareLanes(t *testing.T, n uint64, nests bool, change func(m *ir.Module)) {
	accepted, changed := 0, 0
	for seed := range n {
		build := func() *LaneGen {
			g := NewLaneGenOf(seed, nests, false)
			if ds := rewrite.Mem2Reg(g.M); len(ds) > 0 {
				t.Fatal(ds)
			}
			return g
		}
		tidy := func(g *LaneGen) {
			simplify.Run(g.M)
			simplify.CSE(g.M)
			simplify.Run(g.M)
			simplify.DCE(g.M)
		}
		g, plain := build(), build()
		tidy(plain)
		m := &LaneMachine{F: g.F, Out: g.Out, In: g.In, Size: 5, Limit: 4000}
		args := func(i int) []uint64 { return []uint64{uint64(i), uint64(i >> 1), 3, uint64(i * 5)} }
		var want [4][][]uint64
		for i := range want {
			m.Args = args(i)
			want[i], _ = m.Run()
		}
		tidy(g)
		before := g.M.String()
		change(g.M)
		if g.M.String() != before {
			changed++
		}
		ds := lanes.DeadLanes(g.M)
		if was := lanes.DeadLanes(plain.M); len(was) > 0 {
			continue
		}
		if len(ds) > 0 {
			t.Fatalf("seed %d: %v\n%s\n%v", seed, ds, before, g.M)
		}
		accepted++
		m.Strict = true
		compare := func(after string) {
			if err := ir.Verify(g.M); err != nil {
				t.Fatalf("seed %d, %s: %v\n%s\n%v", seed, after, err, before, g.M)
			}
			for i := range want {
				m.Args = args(i)
				got, err := m.Run()
				if err != nil || !slices.EqualFunc(got, want[i], slices.Equal) {
					t.Fatalf("seed %d, %s, run %d: %v\n got %v\nwant %v\n%s\n%v", seed, after, i, err, got, want[i], before, g.M)
				}
			}
		}
		compare("deadlanes")
		simplify.Run(g.M)
		simplify.DCE(g.M)
		structurize.Run(g.M)
		g.M.Level = ir.Structured
		simplify.Run(g.M)
		simplify.DCE(g.M)
		compare("structurize")
	}
	t.Logf("%d kernels: %d accepted, %d changed", n, accepted, changed)
	if changed < int(n/20) {
		t.Errorf("too few kernels are changed")
	}
}
