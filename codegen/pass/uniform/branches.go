package uniform

// This file separates uniform branches, which all work-items of a group take in the same way, from
// divergent branches. Before removing a branch with a known condition, the passes bounds and cse
// find out whether the branch is uniform.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// Arrange prepares the kernel for CommonBranches. Arrange removes unreachable blocks and gives each
// loop one back edge. Arrange does not change kernels without Sync ops.
func Arrange(m *ir.Module) {
	if hasSyncOps(m) {
		m.Kernel.RemoveUnreachable()
		rewrite.SingleLatches(m.Kernel)
	}
}

// hasSyncOps reports whether m's kernel has Sync ops and is not yet structurized.
func hasSyncOps(m *ir.Module) bool { return m.UsesGroup && m.Level == ir.Built }

// CommonBranches returns the set of blocks that end in a uniform branch, and the set of blocks
// whose branch may be divergent. A branch is uniform if all work-items that remain in the group
// take it in the same way. The caller must have called Arrange before.
//
// A condition that only live lanes evaluate must not decide a uniform branch. Otherwise dead lanes
// could enter code for live lanes after all work-items have left the group.
func CommonBranches(m *ir.Module) (common, divergent map[*ir.Block]bool, u *Info) {
	if !hasSyncOps(m) {
		return nil, nil, nil
	}
	f := m.Kernel
	u = Of(f)
	common, divergent = map[*ir.Block]bool{}, map[*ir.Block]bool{}
	leave := false
	for _, b := range u.Order {
		switch {
		case b.Term.Kind != ir.Branch:
		case u.Together(b):
			common[b] = true
		default:
			divergent[b] = true
			e, ok := u.Way(b)
			leave = leave || ok && u.Leaving[e]
		}
	}
	if !leave {
		return nil, nil, nil
	}
	return common, divergent, u
}

// WaysOut returns the exits for dead lanes of each loop in uniform flow. A dead lane is a work-item
// that has left its group.
func (u *Info) WaysOut() loopExits {
	if u == nil {
		return nil
	}
	var all loopExits
	for _, l := range u.loops {
		if u.Block(l.Head) {
			all = append(all, exitBlocks{l, u.exitsOf(l)})
		}
	}
	return all
}

// loopExits lists the loops in uniform flow, each with the blocks that have exits for dead lanes
// (see [Info.exitsOf]).
type loopExits []exitBlocks

type exitBlocks struct {
	l      *ir.Loop
	blocks []*ir.Block
}

// Spare reports whether the edge from b to out may be removed from the kernel. If the edge may be
// removed, Spare removes the exit from w. The last exit of a loop must be kept, because dead lanes
// must leave the loop by that exit. Spare keeps the last exit of a loop even if no live lane
// reaches it. For example, a check may fail in an earlier iteration.
func (w loopExits) Spare(b, out *ir.Block) bool {
	is := func(x *ir.Block) bool { return x == b }
	leaves := func(x exitBlocks) bool { return !x.l.Contains(out) && slices.ContainsFunc(x.blocks, is) }
	if slices.ContainsFunc(w, func(x exitBlocks) bool { return leaves(x) && len(x.blocks) == 1 }) {
		return false
	}
	for i, x := range w {
		if leaves(x) {
			w[i].blocks = slices.DeleteFunc(x.blocks, is)
		}
	}
	return true
}
