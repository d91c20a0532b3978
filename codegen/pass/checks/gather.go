package checks

// This file contains the pass gather and its part for straight-line code. The pass runs after
// unroll and narrow, because it moves values ahead of the checks from which narrow derives their
// intervals.

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

// Gather combines the checks of straight-line code in one branch, ahead of the code between them.
// So a load does not need to wait for the checks of other loads. If the combined check fails, the
// work-item runs a copy of the code with the checks at their original positions. That copy faults
// at the first check that fails.
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
				c := &gatherer{f: f, together: together, placed: map[*ir.Value]bool{}}
				c.collect(b)
				for _, x := range c.list {
					done[x.Block] = true
				}
				if len(c.list) > 1 {
					c.merge()
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

// failTogether returns the blocks whose check has the same result for all work-items of a group.
// Such a check must not be combined with checks that only some work-items pass. Dead lanes would
// ignore the combined check, and would execute loads, divisions and loops that the check protects.
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

// gatherer combines the checks of a chain of blocks. The only predecessor of each block after the
// first is the block before it in the chain.
type gatherer struct {
	f        *ir.Func
	together map[*ir.Block]bool // blocks whose check has the same result for all work-items of a group
	list     []rewrite.Check
	hoisted  []*ir.Value // operands of the checks that move to the end of the first check's block
	placed   map[*ir.Value]bool
	effects  bool // whether the code between the checks contains instructions other than loads and pure ops
}

// The method collect finds the checks in b and the following blocks whose conditions can be
// computed at the end of b.
func (c *gatherer) collect(b *ir.Block) {
	for len(c.list) < maxGathered {
		k, ok := rewrite.CheckOf(b)
		if !ok {
			return
		}
		effects := c.effects
		if len(c.list) > 0 {
			if c.together[b] != c.together[c.list[0].Block] {
				return
			}
			for _, v := range b.Insts {
				if v.Op.Has(ir.FlagSync) {
					return
				}
				effects = effects || !v.Op.Has(ir.FlagPure) && v.Op != ir.OpLoad
			}
			need, ok := c.need([]*ir.Value{k.Holds}, nil)
			for _, v := range k.Fault.Insts {
				if ok {
					need, ok = c.need(v.Args, need)
				}
			}
			if !ok {
				return
			}
			for _, v := range need {
				c.placed[v] = true
			}
			c.hoisted = append(c.hoisted, need...)
		}
		c.list, c.effects = append(c.list, k), effects
		if len(k.On.Preds) != 1 || len(k.On.Phis) > 0 {
			return
		}
		b = k.On
	}
}

// The method between reports whether v is computed between the first check and the last.
func (c *gatherer) between(v *ir.Value) bool {
	return v.Block != nil && slices.ContainsFunc(c.list, func(k rewrite.Check) bool { return k.On == v.Block })
}

// The method need appends to list all values that must be hoisted so that the given values can be
// computed before the first check. It returns false if some value cannot be hoisted.
func (c *gatherer) need(values, list []*ir.Value) ([]*ir.Value, bool) {
	for _, v := range values {
		if !c.between(v) || c.placed[v] || slices.Contains(list, v) {
			continue
		}
		if !facts.Speculative(v) {
			return nil, false
		}
		var ok bool
		if list, ok = c.need(v.Args, list); !ok {
			return nil, false
		}
		list = append(list, v)
	}
	return list, true
}

// The method merge replaces all collected checks by one check in the first check's block.
func (c *gatherer) merge() {
	first := c.list[0].Block
	for _, k := range c.list[1:] {
		k.Block.Insts = slices.DeleteFunc(k.Block.Insts, func(v *ir.Value) bool { return c.placed[v] })
	}
	for _, v := range c.hoisted {
		v.Block = first
	}
	first.Insts = append(first.Insts, c.hoisted...)

	oks := make([]*ir.Value, len(c.list))
	all := (*ir.Value)(nil)
	for i, k := range c.list {
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
	for i, k := range c.list {
		pos := k.Block.Term.Pos
		if i > 0 {
			rewrite.DropEdge(k.Block, k.Fault)
			continue
		}
		// The first check becomes the combined check. The combined check branches to the code without checks or, if it
		// fails, to block cold.
		rewrite.DropEdge(k.Block, k.Fault)
		k.Block.Term.Succs = append(k.Block.Term.Succs, cold)
		cold.Preds = append(cold.Preds, k.Block)
		k.Block.Term.Kind, k.Block.Term.Cond, k.Block.Term.Pos = ir.Branch, all, pos
	}
	c.fail(cold, oks)
}

// The method fail adds code that repeats the checks and jumps to the fault of the first check that
// fails. This code is in block b and in new blocks.
func (c *gatherer) fail(b *ir.Block, oks []*ir.Value) {
	copies := rewrite.NewCloner(c.f)
	for i := 0; i < len(c.list); i++ {
		if c.effects && i > 0 {
			copies.Insts(c.list[i].Block, b)
		}
		j := i
		for !c.effects && j+1 < len(c.list) && alike(c.list[i].Fault, c.list[j+1].Fault) {
			j++
		}
		fault := c.list[i].Fault
		c.selectFirstFault(b, i, j, oks)
		if j == len(c.list)-1 {
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

// The function alike reports whether the fault blocks a and b record the same fault, perhaps with
// different arguments.
func alike(a, b *ir.Block) bool {
	return len(a.Insts) == 1 && len(b.Insts) == 1 && a.Insts[0].Aux == b.Insts[0].Aux
}

// selectFirstFault selects the arguments of check i's fault, so that it describes the first failing
// check among the checks i to j. These checks must record the same fault, perhaps with different arguments.
func (c *gatherer) selectFirstFault(b *ir.Block, i, j int, oks []*ir.Value) {
	v := c.list[i].Fault.Insts[len(c.list[i].Fault.Insts)-1]
	if i == j {
		return
	}
	for n := range v.Args {
		x := c.list[j].Fault.Insts[0].Args[n]
		for k := j - 1; k >= i; k-- {
			y := c.list[k].Fault.Insts[0].Args[n]
			if x != y {
				x = b.Append(ir.OpSelect, y.Type, oks[k], x, y)
			}
		}
		v.Args[n] = x
	}
}
