package checks

// This file contains the pass `gather` and its code for checks in straight-line code. The passes
// `unroll` and `narrow` run before `gather`. The pass `narrow` derives intervals from checks. So
// `narrow` must run before `gather` moves values ahead of checks.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
	"github.com/kgen-go/kgen/codegen/pass/uniform"
)

// maxGathered is the largest number of checks that are combined into one.
const maxGathered = 32

// Gather combines the checks of straight-line code in one branch, ahead of the code between the
// checks. With the combined check, a load does not need to wait for the checks of other loads. If
// the combined check fails, the work-item runs a copy of the code with the checks at their original
// positions. The copy faults at the first check that fails.
func Gather(m *ir.Module) diag.List {
	if m.UsesGroup && !uniform.Stays(m, gatherAll) {
		return nil
	}
	return gatherAll(m)
}

func gatherAll(m *ir.Module) diag.List {
	for _, f := range rewrite.Bodies(m) {
		together := map[*ir.Block]bool{}
		if f == m.Kernel && m.UsesGroup {
			together = failTogether(f)
		}
		done := map[*ir.Block]bool{}
		changed := false
		for _, b := range f.ReversePostorder() {
			if !done[b] && !b.Cold {
				c := &gatherer{f: f, uniformChecks: together, isPlaced: map[*ir.Value]bool{}}
				c.collectChecks(b)
				for _, x := range c.gathered {
					done[x.Block] = true
				}
				if len(c.gathered) > 1 {
					c.mergeChecks()
					changed = true
				}
			}
		}
		cold := map[*ir.Block]bool{}
		for _, b := range f.Blocks {
			if b.Cold {
				cold[b] = true
			}
		}
		for gatherRegions(f, cold, together) {
			changed = true
		}
		if changed {
			if diags := simplify.Clean(m); len(diags) > 0 {
				return diags
			}
		}
	}
	return nil
}

// failTogether returns the blocks whose check has the same result for all work-items of a group. A
// check with the same result for all work-items must not be combined with checks that only some
// work-items pass. Dead lanes (work-items that have left their group) would ignore the combined
// check, and would execute loads, divisions and loops that the check protects.
func failTogether(f *ir.Func) map[*ir.Block]bool {
	f.RemoveUnreachable()
	rewrite.SingleLatches(f)
	u := uniform.Of(f)
	together := map[*ir.Block]bool{}
	for _, b := range u.Order {
		if _, ok := rewrite.CheckOf(b); ok && u.Block(b) && u.Value(b.Term.Cond) {
			together[b] = true
		}
	}
	return together
}

// gatherer combines the checks of a chain of blocks. Each block of the chain except the first has
// the previous block as its only predecessor.
type gatherer struct {
	f             *ir.Func
	uniformChecks map[*ir.Block]bool // blocks whose check has the same result for all work-items of a group
	gathered      []rewrite.Check
	hoisted       []*ir.Value // values that move to the end of the first check's block, because a combined check needs them
	isPlaced      map[*ir.Value]bool
	hasEffects    bool // whether the code between the checks contains instructions other than loads and pure ops
}

// collectChecks examines b and the following blocks, and collects the checks whose conditions can
// be computed at the end of b.
func (c *gatherer) collectChecks(b *ir.Block) {
	for len(c.gathered) < maxGathered {
		k, ok := rewrite.CheckOf(b)
		if !ok {
			return
		}
		effects := c.hasEffects
		if len(c.gathered) > 0 {
			if c.uniformChecks[b] != c.uniformChecks[c.gathered[0].Block] {
				return
			}
			for _, v := range b.Insts {
				if v.Op.Has(ir.FlagSync) {
					return
				}
				effects = effects || !v.Op.Has(ir.FlagPure) && v.Op != ir.OpLoad
			}
			need, ok := c.addNeeded([]*ir.Value{k.Holds}, nil)
			for _, v := range k.Fault.Insts {
				if ok {
					need, ok = c.addNeeded(v.Args, need)
				}
			}
			if !ok {
				return
			}
			for _, v := range need {
				c.isPlaced[v] = true
			}
			c.hoisted = append(c.hoisted, need...)
		}
		c.gathered, c.hasEffects = append(c.gathered, k), effects
		if len(k.On.Preds) != 1 || len(k.On.Phis) > 0 {
			return
		}
		b = k.On
	}
}

// isBetween reports whether v is computed between the first check and the last.
func (c *gatherer) isBetween(v *ir.Value) bool {
	return v.Block != nil && slices.ContainsFunc(c.gathered, func(k rewrite.Check) bool { return k.On == v.Block })
}

// addNeeded extends a list of values to hoist. The added values are needed to compute the given
// values before the first check. If some value cannot be hoisted, addNeeded returns false.
func (c *gatherer) addNeeded(values, list []*ir.Value) ([]*ir.Value, bool) {
	for _, v := range values {
		if !c.isBetween(v) || c.isPlaced[v] || slices.Contains(list, v) {
			continue
		}
		if !facts.Speculative(v) {
			return nil, false
		}
		var ok bool
		if list, ok = c.addNeeded(v.Args, list); !ok {
			return nil, false
		}
		list = append(list, v)
	}
	return list, true
}

// mergeChecks replaces all collected checks by one check in the first check's block.
func (c *gatherer) mergeChecks() {
	first := c.gathered[0].Block
	for _, k := range c.gathered[1:] {
		k.Block.Insts = slices.DeleteFunc(k.Block.Insts, func(v *ir.Value) bool { return c.isPlaced[v] })
	}
	for _, v := range c.hoisted {
		v.Block = first
	}
	first.Insts = append(first.Insts, c.hoisted...)

	oks := make([]*ir.Value, len(c.gathered))
	all := (*ir.Value)(nil)
	for i, k := range c.gathered {
		oks[i] = k.Holds
		if !k.Want {
			oks[i] = first.Append(ir.OpLNot, ir.TypeBool, k.Holds)
		}
		if all == nil {
			all = oks[i]
		} else {
			all = first.Append(ir.OpLAnd, ir.TypeBool, all, oks[i])
		}
	}
	cold := c.f.NewBlock()
	for i, k := range c.gathered {
		pos := k.Block.Term.Pos
		if i > 0 {
			rewrite.DropEdge(k.Block, k.Fault)
			continue
		}
		// The branch of the first check becomes the combined check. If the combined check passes,
		// control continues with the code without checks. If the combined check fails, control
		// continues with block "cold".
		rewrite.DropEdge(k.Block, k.Fault)
		k.Block.Term.Succs = append(k.Block.Term.Succs, cold)
		cold.Preds = append(cold.Preds, k.Block)
		k.Block.Term.Kind, k.Block.Term.Cond, k.Block.Term.Pos = ir.Branch, all, pos
	}
	c.repeatChecks(cold, oks)
}

// repeatChecks adds code that repeats the checks and jumps to the fault of the first failing check.
// The repeated checks are in block b and in new blocks.
func (c *gatherer) repeatChecks(b *ir.Block, oks []*ir.Value) {
	copies := rewrite.NewCloner(c.f)
	for i := 0; i < len(c.gathered); i++ {
		if c.hasEffects && i > 0 {
			copies.Insts(c.gathered[i].Block, b)
		}
		j := i
		for !c.hasEffects && j+1 < len(c.gathered) && sameFault(c.gathered[i].Fault, c.gathered[j+1].Fault) {
			j++
		}
		fault := c.gathered[i].Fault
		c.selectFirstFault(b, i, j, oks)
		if j == len(c.gathered)-1 {
			b.Jump(fault)
			return
		}
		ok := oks[i]
		for _, x := range oks[i+1 : j+1] {
			ok = b.Append(ir.OpLAnd, ir.TypeBool, ok, x)
		}
		next := c.f.NewBlock()
		b.Branch(ok, next, fault)
		b, i = next, j
	}
}

// sameFault reports whether the fault blocks a and b record the same fault, perhaps with
// different arguments.
func sameFault(a, b *ir.Block) bool {
	return len(a.Insts) == 1 && len(b.Insts) == 1 && a.Insts[0].Aux == b.Insts[0].Aux
}

// selectFirstFault selects the arguments of check i's fault, so that the fault describes the first failing check
// among the checks i to j. The checks i to j must record the same fault, perhaps with different arguments.
func (c *gatherer) selectFirstFault(b *ir.Block, i, j int, oks []*ir.Value) {
	v := c.gathered[i].Fault.Insts[len(c.gathered[i].Fault.Insts)-1]
	if i == j {
		return
	}
	for n := range v.Args {
		x := c.gathered[j].Fault.Insts[0].Args[n]
		for k := j - 1; k >= i; k-- {
			y := c.gathered[k].Fault.Insts[0].Args[n]
			if x != y {
				x = b.Append(ir.OpSelect, y.Type, oks[k], x, y)
			}
		}
		v.Args[n] = x
	}
}
