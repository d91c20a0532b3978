package gohost

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// hoist moves what does not change in a loop out of it, where work-items do not
// meet in the loop: gc does not. The values of loops with cuts would have to be
// kept from one round to the next.
func hoist(f *ir.Func) {
	dom := f.Dominators()
	for _, l := range loops(dom) {
		pre := dom.Idom(l.head)
		if pre == nil || l.sync || !slices.Contains(l.head.Preds, pre) {
			continue
		}
		for _, b := range dom.Order {
			if !l.body[b] {
				continue
			}
			b.Insts = slices.DeleteFunc(b.Insts, func(v *ir.Value) bool {
				if !harmless(v) || slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return l.body[a.Block] }) {
					return false
				}
				v.Block = pre
				pre.Insts = append(pre.Insts, v)
				return true
			})
		}
	}
}

type loop struct {
	head *ir.Block
	body map[*ir.Block]bool
	sync bool
}

// loops returns the natural loops, inner ones first.
func loops(dom *ir.DomTree) []*loop {
	var all []*loop
	for _, h := range dom.Order {
		l := &loop{head: h, body: map[*ir.Block]bool{h: true}}
		var work []*ir.Block
		add := func(b *ir.Block) {
			if !l.body[b] {
				l.body[b] = true
				work = append(work, b)
			}
		}
		back := false
		for _, p := range h.Preds {
			if dom.Dominates(h, p) {
				back = true
				add(p)
			}
		}
		if !back {
			continue
		}
		for len(work) > 0 {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			for _, p := range b.Preds {
				add(p)
			}
		}
		for b := range l.body {
			l.sync = l.sync || slices.ContainsFunc(b.Insts, cuts)
		}
		all = append(all, l)
	}
	slices.SortStableFunc(all, func(x, y *loop) int { return len(x.body) - len(y.body) })
	return all
}

// cuts reports whether the work-items of the group meet at v.
func cuts(v *ir.Value) bool { return v.Op.Has(ir.FlagSync) && v.Op != ir.OpGroupUniform }

// harmless reports whether v may be computed where it is not asked for.
func harmless(v *ir.Value) bool {
	switch v.Op {
	case ir.OpPhi:
		return false
	case ir.OpSDiv, ir.OpUDiv, ir.OpUMod:
		// Go panics if the divisor is zero.
		d := v.Args[1]
		return d.IsConst() && d.Bits != 0
	}
	return v.Op.Has(ir.FlagPure)
}
