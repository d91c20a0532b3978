package simplify

// This file contains the pass simplify, which applies rules to values and simplifies the control
// flow until nothing changes.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// Run folds constants and applies identities in every function. At level Built, Run also simplifies
// the control flow. At later levels of the module, Run does not change control flow, because the
// module then declares its selections and loops.
func Run(m *ir.Module) diag.List {
	for _, f := range rewrite.Bodies(m) {
		s := &Simplifier{Module: m, Func: f, Repl: map[*ir.Value]*ir.Value{}}
		s.run()
	}
	return nil
}

// Simplifier simplifies one function.
type Simplifier struct {
	Module *ir.Module
	Func   *ir.Func // nil if rules must not insert new values
	// Repl maps removed values to their replacements. The simplifier needs no lists of uses,
	// because the next iteration over all values replaces the uses of removed values.
	Repl map[*ir.Value]*ir.Value
	// madeValues contains the values that a rule inserts before the value to which the rule is
	// applied.
	madeValues []*ir.Value
}

func (s *Simplifier) run() {
	built := s.Module.Level == ir.Built
	if built {
		s.Func.RemoveUnreachable()
	}
	for changed := true; changed; {
		changed = s.applyRules(built)
		if built && s.simplifyCFG() {
			changed = true
		}
	}
}

// Resolve returns the value that currently replaces v, or v itself.
func (s *Simplifier) Resolve(v *ir.Value) *ir.Value {
	for {
		w := s.Repl[v]
		if w == nil {
			return v
		}
		v = w
	}
}

// applyRules applies the rules to each value once and reports whether any value changed. If
// branches is true, applyRules also turns branches with constant conditions into jumps. When
// applyRules removes an edge, it immediately removes the edge's phi arguments, too. So a single
// iteration is enough, even if each branch determines the condition of the next branch.
func (s *Simplifier) applyRules(branches bool) bool {
	changed, cut := false, false
	rewrite := func(v *ir.Value) {
		for i, a := range v.Args {
			v.Args[i] = s.Resolve(a)
		}
	}
	for i, b := range s.Func.Blocks {
		if branches && i > 0 && len(b.Preds) == 0 {
			continue // block b has become unreachable
		}
		phis := b.Phis[:0]
		for _, v := range b.Phis {
			rewrite(v)
			if w := trivialPhi(v); w != nil {
				s.Repl[v] = w
				changed = true
				continue
			}
			phis = append(phis, v)
		}
		clear(b.Phis[len(phis):])
		b.Phis = phis

		insts, own := b.Insts[:0], false
		for _, v := range b.Insts {
			rewrite(v)
			if !v.Op.Has(ir.FlagPure) {
				insts = append(insts, v)
				continue
			}
			w, c := s.Pure(v)
			changed = changed || c
			if len(s.madeValues) > 0 {
				if !own { // insts still shares its array with b.Insts, and this loop iterates over b.Insts
					insts, own = slices.Clone(insts), true
				}
				insts = append(insts, s.madeValues...)
				s.madeValues = s.madeValues[:0]
			}
			if w != v {
				s.Repl[v] = w
				continue
			}
			insts = append(insts, v)
		}
		if !own {
			clear(b.Insts[len(insts):])
		}
		b.Insts = insts
		if c := b.Term.Cond; c != nil {
			b.Term.Cond = s.Resolve(c)
		}
		succs := b.Term.Succs
		if branches && s.foldBranch(b) {
			cut = true
			for _, to := range succs {
				s.dropEdges(to)
			}
		}
	}
	if cut {
		s.Func.RemoveUnreachable()
	}
	return changed || cut
}

// dropEdges removes the outgoing edges of b if b has no predecessors. If a removed edge was the
// last incoming edge of a block, dropEdges also removes the block's outgoing edges.
func (s *Simplifier) dropEdges(b *ir.Block) {
	for todo := []*ir.Block{b}; len(todo) > 0; {
		b, todo = todo[len(todo)-1], todo[:len(todo)-1]
		if len(b.Preds) == 0 && b != s.Func.Blocks[0] {
			todo = append(todo, b.Term.Succs...)
			b.ClearTerm()
		}
	}
}

// trivialPhi returns the only value that the phi v can have, or nil if v can have several values.
func trivialPhi(v *ir.Value) *ir.Value {
	var w *ir.Value
	for _, a := range v.Args {
		if a == v || a == w {
			continue
		}
		if w != nil {
			return nil
		}
		w = a
	}
	return w
}

// Pure applies rules to the pure value v until none applies. Pure returns the value that replaces v.
// The result may be v itself, changed in place.
func (s *Simplifier) Pure(v *ir.Value) (w *ir.Value, changed bool) {
	// The loop ends because each rule makes the value simpler. If a rule failed to make the value
	// simpler, the limit on the number of iterations would end the loop.
	for range 32 {
		if c := facts.FoldConst(s.Module, v); c != nil {
			return c, true
		}
		if v.Op.Has(ir.FlagCommutative) && len(v.Args) == 2 && v.Args[0].IsConst() && !v.Args[1].IsConst() {
			v.Args[0], v.Args[1] = v.Args[1], v.Args[0]
		}
		w := s.applyRule(v)
		if w == nil {
			return v, changed
		}
		changed = true
		if w != v {
			return w, true
		}
	}
	return v, changed
}

// setOp changes v into another operation of the same type.
func (s *Simplifier) setOp(v *ir.Value, op ir.Op, args ...*ir.Value) *ir.Value {
	v.Op, v.Args, v.Aux, v.Bits = op, args, nil, 0
	return v
}

// applyRule applies the first matching identity to v. If no identity matches, applyRule returns
// nil. applyRule returns v if the identity changes v in place, and otherwise another value that
// equals v.
func (s *Simplifier) applyRule(v *ir.Value) *ir.Value {
	switch v.Op {
	case ir.OpIAdd, ir.OpISub, ir.OpIMul, ir.OpSDiv, ir.OpUDiv, ir.OpUMod:
		return s.arith(v)
	case ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpNot, ir.OpShl, ir.OpShrL, ir.OpShrA:
		return s.bits(v)
	case ir.OpIEq, ir.OpINe, ir.OpSLt, ir.OpSLe, ir.OpULt, ir.OpULe:
		return s.compareInts(v)
	case ir.OpLAnd, ir.OpLOr, ir.OpLNot, ir.OpLEq, ir.OpLNe:
		return s.logic(v)
	case ir.OpSelect:
		return s.selection(v)
	case ir.OpSConvert, ir.OpUConvert:
		return s.convertInt(v)
	case ir.OpBitcast:
		a := v.Args[0]
		if a.Type == v.Type {
			return a
		}
		if a.Op == ir.OpBitcast {
			return s.setOp(v, ir.OpBitcast, a.Args[0])
		}
	case ir.OpPair:
		if x, y := v.Args[0], v.Args[1]; x.Op == ir.OpLow && y.Op == ir.OpHigh && x.Args[0] == y.Args[0] {
			return x.Args[0]
		}
	case ir.OpLow, ir.OpHigh:
		if a := v.Args[0]; a.Op == ir.OpPair {
			return a.Args[int(v.Op-ir.OpLow)]
		}
	case ir.OpFFromHalf: // the op ignores the upper 16 bits of its operand
		if a := v.Args[0]; a.Op == ir.OpAnd && a.Args[1].IsConst() && a.Args[1].Bits&0xffff == 0xffff {
			return s.setOp(v, ir.OpFFromHalf, a.Args[0])
		}
	case ir.OpHalfDiv, ir.OpHalfSqrt, ir.OpHalfFma, ir.OpSDot, ir.OpUDot, ir.OpSUDot, ir.OpSDotAccSat, ir.OpUDotAccSat, ir.OpSUDotAccSat:
		if a := v.Args[0]; a.IsConst() {
			return a
		}
	case ir.OpFRounded:
		if a := v.Args[0]; !facts.MayBeProduct(a) {
			return a
		}
	case ir.OpFNegate:
		if a := v.Args[0]; a.Op == ir.OpFNegate {
			return a.Args[0]
		}
	case ir.OpFLt, ir.OpFLe:
		return s.compareAbs(v)
	case ir.OpFAbs:
		if a := v.Args[0]; a.Op == ir.OpFNegate || a.Op == ir.OpFAbs {
			return s.setOp(v, ir.OpFAbs, a.Args[0])
		}
	}
	return nil
}

// simplifyCFG applies each simplification of the control flow once, and reports whether the code
// has changed.
func (s *Simplifier) simplifyCFG() bool {
	changed := s.threadEdges()
	if changed {
		s.Func.RemoveUnreachable()
	}
	return s.mergeBlocks() || changed
}

// foldBranch turns a branch with one possible target into a jump.
func (s *Simplifier) foldBranch(b *ir.Block) bool {
	t := b.Term
	if t.Kind != ir.Branch {
		return false
	}
	if t.Succs[0] == t.Succs[1] {
		// If both edges of a branch lead to the same block, the edges become one. So each phi of
		// that block must have equal arguments for both edges.
		to := t.Succs[0]
		var edges []int
		for i, p := range to.Preds {
			if p == b {
				edges = append(edges, i)
			}
		}
		for _, phi := range to.Phis {
			if phi.Args[edges[0]] != phi.Args[edges[1]] {
				return false
			}
		}
		rewrite.JumpTo(b, 0)
		return true
	}
	if t.Cond.IsConst() {
		rewrite.JumpTo(b, 1-int(t.Cond.Bits))
		return true
	}
	if t.Cond.Op == ir.OpLNot {
		t.Cond = t.Cond.Args[0]
		t.Succs[0], t.Succs[1] = t.Succs[1], t.Succs[0]
		b.Term = t
		return true
	}
	return false
}

// threadEdges bypasses empty blocks. If an edge leads to an empty block, the new target of the edge
// is the block's successor. threadEdges does not bypass return blocks, because separate return
// blocks distinguish an early return from the end of an if (see package uniform).
func (s *Simplifier) threadEdges() bool {
	changed := false
	dom := s.Func.Dominators()
	for _, b := range s.Func.Blocks[1:] {
		if len(b.Phis) > 0 || len(b.Insts) > 0 || b.Term.Kind != ir.Jump || len(b.Preds) == 0 {
			continue
		}
		to := b.Term.Succs[0]
		// An empty latch is kept, because redirecting its incoming edges would give the loop
		// several back edges.
		if to == b || dom.IsBackEdge(b, to) || b.Merge != nil {
			continue
		}
		if len(to.Phis) > 0 && (len(b.Preds) != 1 || slices.Contains(to.Preds, b.Preds[0])) {
			continue
		}
		if len(b.Preds) > 1 && slices.ContainsFunc(b.Preds, func(p *ir.Block) bool { return slices.Contains(to.Preds, p) }) {
			continue
		}
		args := make([]*ir.Value, len(to.Phis))
		for j, phi := range to.Phis {
			args[j] = phi.Args[slices.Index(to.Preds, b)]
		}
		b.ClearTerm()
		for _, p := range slices.Clone(b.Preds) {
			if p.Term.Kind == ir.Invalid {
				continue // p was already threaded and is no longer reachable
			}
			for slices.Contains(p.Term.Succs, b) {
				p.Retarget(b, to)
			}
		}
		for len(to.Phis) > 0 && len(to.Phis[0].Args) < len(to.Preds) {
			for j, phi := range to.Phis {
				phi.Args = append(phi.Args, args[j])
			}
		}
		b.SetTerm(ir.Term{Kind: ir.Unreachable})
		changed = true
	}
	return changed
}

// mergeBlocks appends a block to its only predecessor, if the block is the predecessor's only
// successor.
func (s *Simplifier) mergeBlocks() bool {
	changed := false
	gone := map[*ir.Block]bool{}
	for _, b := range s.Func.Blocks {
		for !gone[b] && b.Term.Kind == ir.Jump {
			c := b.Term.Succs[0]
			if c == b || c == s.Func.Blocks[0] || len(c.Preds) != 1 {
				break
			}
			for _, phi := range c.Phis {
				s.Repl[phi] = s.Resolve(phi.Args[0])
			}
			for _, v := range c.Insts {
				v.Block = b
			}
			b.Insts = append(b.Insts, c.Insts...)
			b.Term = c.Term
			for _, t := range c.Term.Succs {
				for i, p := range t.Preds {
					if p == c {
						t.Preds[i] = b
					}
				}
			}
			c.Phis, c.Insts, c.Preds, c.Term = nil, nil, nil, ir.Term{}
			gone[c] = true
			changed = true
		}
	}
	if changed {
		s.Func.Blocks = slices.DeleteFunc(s.Func.Blocks, func(b *ir.Block) bool { return gone[b] })
	}
	return changed
}
