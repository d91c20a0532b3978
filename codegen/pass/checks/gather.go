package checks

// This file is the pass gather, for straight-line code. It runs after unroll and narrow, since it
// moves values ahead of the checks that bound them.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
	"github.com/kgen-go/kgen/codegen/pass/uniform"
)

// maxGathered bounds the number of checks that are combined.
const maxGathered = 32

// Gather combines the checks of straight-line code in one branch, ahead of the code between them.
// So loads need not wait for each other's checks. If the combined check fails, a copy of the code
// runs that has the checks in their old places. It faults at the first check that fails.
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

// failTogether returns the blocks with a check that either all work-items of a group pass or none
// does. Such a check keeps a branch of its own. If it were combined with checks that only some
// work-items pass, dead lanes would ignore it. They would then execute the loads, divisions and
// loops of the skeleton that the check protects.
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

// gatherer gathers the checks of one piece of straight-line code. Each block after the first has
// only the block before it as predecessor.
type gatherer struct {
	f        *ir.Func
	together map[*ir.Block]bool // result of failTogether
	list     []rewrite.Check
	hoisted  []*ir.Value // operands of the checks, to be computed before the first check
	placed   map[*ir.Value]bool
	effects  bool // whether the code between the checks has other instructions than loads and pure ops
}

// collect finds the checks from b on that can be made at b's end.
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

// between reports whether v is computed after the first check.
func (c *gatherer) between(v *ir.Value) bool {
	return v.Block != nil && slices.ContainsFunc(c.list, func(k rewrite.Check) bool { return k.On == v.Block })
}

// need appends to list the values that must be hoisted to compute values at the first check. It
// reports whether that is possible.
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

// merge combines all checks into one.
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
		// Only the first check keeps two successors.
		rewrite.DropEdge(k.Block, k.Fault)
		k.Block.Term.Succs = append(k.Block.Term.Succs, cold)
		cold.Preds = append(cold.Preds, k.Block)
		k.Block.Term.Kind, k.Block.Term.Cond, k.Block.Term.Pos = ir.Branch, all, pos
	}
	c.fail(cold, oks)
}

// fail adds code that repeats the checks and reaches the first fault, starting at block b.
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

// alike reports whether two faults differ only in their arguments.
func alike(a, b *ir.Block) bool {
	return len(a.Insts) == 1 && len(b.Insts) == 1 && a.Insts[0].Aux == b.Insts[0].Aux
}

// selectFirstFault makes the fault of check i report the first failing check of the checks i to j,
// all of which are alike.
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
