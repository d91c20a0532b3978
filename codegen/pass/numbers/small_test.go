package numbers_test

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/ir/interp"
	"github.com/kgen-go/kgen/codegen/pass"
	"github.com/kgen-go/kgen/internal/tests/passtest"
)

// isSmallLaunch is what the runtime asks of launches of the variant.
func isSmallLaunch(products [][]int, l interp.Launch) bool {
	for _, factors := range products {
		p := uint64(1)
		for _, at := range factors {
			x := uint64(l.Global[0])
			switch {
			case at < 0:
				x = uint64(-at)
			case at >= abi.OffsetArgs:
				x = binary.LittleEndian.Uint64(l.Args[at-abi.OffsetArgs:])
			}
			if x > abi.MaxSmall || p*x > abi.MaxSmall {
				return false
			}
			p *= x
		}
	}
	return true
}

// TestSmallRandom compares random kernels with their forms for small launches,
// which must have fewer integers of 64 bits.
func TestSmallRandom(t *testing.T) {
	ran, narrower := 0, 0
	n := passtest.Count() / passtest.CheckShare
	for seed := range n {
		g, s := passtest.NewCheckGen(uint64(seed)), passtest.NewCheckGen(uint64(seed))
		want := make([]string, len(g.Launches()))
		for i, l := range g.Launches() {
			want[i] = passtest.Outcome(g.M, l)
		}
		if _, ds := pass.Run(g.M, ir.Target{}, nil); len(ds) > 0 {
			t.Fatal(ds)
		}
		found, ds := pass.Run(s.M, ir.Target{Small: true, First: g.M}, nil)
		if len(ds) > 0 {
			t.Fatal(ds)
		}
		if found.Foreign {
			continue
		}
		if countWide(s.M) < countWide(g.M) {
			narrower++
		}
		for i, l := range g.Launches() {
			if !isSmallLaunch(found.Products, passtest.Arranged(s.M, l)) {
				continue
			}
			ran++
			for _, m := range []*ir.Module{g.M, s.M} {
				if got := passtest.Outcome(m, l); got != want[i] {
					t.Fatalf("seed %d, launch %d, small %v %v:\n got %s\nwant %s\n%v", seed, i, m == s.M, found.Products, got, want[i], m)
				}
			}
		}
	}
	t.Logf("%d kernels, %d with fewer wide integers, %d small launches", n, narrower, ran)
	if narrower < int(n)/4 || ran < int(n) {
		t.Error("too little is small")
	}
}

func countWide(m *ir.Module) int {
	n := 0
	for _, b := range m.Kernel.Blocks {
		for _, v := range slices.Concat(b.Phis, b.Insts) {
			if v.Type == ir.TypeI64 && len(v.Args) > 1 {
				n++
			}
		}
	}
	return n
}
