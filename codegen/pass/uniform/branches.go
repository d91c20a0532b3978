package uniform

// This file sorts branches into uniform ones, which all work-items take alike, and others. Passes
// that decide conditions (bounds, cse) ask it before they remove a branch.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// Arrange prepares the kernel for CommonBranches, if that has answers for it: it drops
// unreachable blocks and gives each loop one back edge.
func Arrange(m *ir.Module) {
	if grouped(m) {
		m.Kernel.RemoveUnreachable()
		rewrite.SingleLatches(m.Kernel)
	}
}

// grouped reports whether m's kernel has Sync ops and is not structurized yet.
func grouped(m *ir.Module) bool { return m.UsesGroup && m.Level == ir.Built }

// CommonBranches returns the blocks whose branches are uniform, also where some work-items have
// left before, and those whose branches may be divergent. Arrange must have
// prepared the kernel.
//
// A condition that only live lanes evaluate must not decide a uniform branch: once all
// work-items have left, no lane satisfies it, and dead lanes would enter code for live ones.
func CommonBranches(m *ir.Module) (common, apart map[*ir.Block]bool, u *Info) {
	if !grouped(m) {
		return nil, nil, nil
	}
	f := m.Kernel
	u = Of(f)
	common, apart = map[*ir.Block]bool{}, map[*ir.Block]bool{}
	leave := false
	for _, b := range u.Order {
		switch {
		case b.Term.Kind != ir.Branch:
		case u.Together(b):
			common[b] = true
		default:
			apart[b] = true
			e, ok := u.Way(b)
			leave = leave || ok && u.Leaving[e]
		}
	}
	if !leave {
		return nil, nil, nil
	}
	return common, apart, u
}

// WaysOut returns the exits by which dead lanes leave loops.
func (u *Info) WaysOut() waysOut {
	if u == nil {
		return nil
	}
	var all waysOut
	for _, l := range u.loops {
		if u.Block(l.Head) {
			all = append(all, loopWays{l, u.ways(l)})
		}
	}
	return all
}

// waysOut has the blocks with such exits of each loop in uniform flow; see [Info.ways].
type waysOut []loopWays

type loopWays struct {
	l      *ir.Loop
	blocks []*ir.Block
}

// Spare reports whether the edge from b to out may go, and takes it out of w then. The last exit of
// a loop may not: if checks fail in earlier rounds no live lane comes to it, but dead lanes must
// leave the loop by it.
func (w waysOut) Spare(b, out *ir.Block) bool {
	is := func(x *ir.Block) bool { return x == b }
	leaves := func(x loopWays) bool { return !x.l.Contains(out) && slices.ContainsFunc(x.blocks, is) }
	if slices.ContainsFunc(w, func(x loopWays) bool { return leaves(x) && len(x.blocks) == 1 }) {
		return false
	}
	for i, x := range w {
		if leaves(x) {
			w[i].blocks = slices.DeleteFunc(x.blocks, is)
		}
	}
	return true
}
