package rewrite

// This file splits, redirects and counts edges, and splits blocks in two. The functions also update
// the phis of the blocks that the changed edges enter.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// SingleLatches gives each loop one back edge, so that a divergent continue does not make the
// loop's phis divergent. SingleLatches also inserts a block on each edge that leads from one loop
// directly to another loop's header. The inserted block is needed because some work-items may stay
// in the first loop longer than others.
func SingleLatches(f *ir.Func) {
	SplitTwins(f)
	betweenLoops(f)
	nestJoins(f)
	for _, loop := range f.Dominators().Loops().All {
		h, backs := loop.Head, loop.Latches
		if len(backs) < 2 || slices.ContainsFunc(backs, func(p *ir.Block) bool { return CountPreds(h, p) > 1 }) {
			continue
		}
		NestJoin(h, backs)
	}
	f.RemoveUnreachable()
}

// SplitTwins finds each branch whose two edges lead to the same block, if that block has phis.
// SplitTwins inserts a block on one of the two edges, so that the edges come from different blocks.
func SplitTwins(f *ir.Func) {
	for _, b := range slices.Clone(f.Blocks) {
		if b.Term.Kind != ir.Branch || b.Term.Succs[0] != b.Term.Succs[1] || len(b.Term.Succs[0].Phis) == 0 {
			continue
		}
		to, e := b.Term.Succs[1], f.NewBlock()
		first := slices.Index(to.Preds, b)
		to.Preds[first+1+slices.Index(to.Preds[first+1:], b)] = e
		b.Term.Succs[1], e.Preds = e, []*ir.Block{b}
		e.Term = ir.Term{Kind: ir.Jump, Succs: []*ir.Block{to}, Pos: b.Term.Pos}
	}
}

// betweenLoops inserts a block on each edge that leads from a branch in one loop to the head of
// another loop.
func betweenLoops(f *ir.Func) {
	loops := f.Dominators().Loops()
	for _, l := range loops.All {
		for i, p := range l.Head.Preds {
			if from := loops.Of(p); from == nil || from.Contains(l.Head) || p.Term.Kind != ir.Branch {
				continue
			}
			b := f.NewBlock()
			args := make([]*ir.Value, len(l.Head.Phis))
			for k, phi := range l.Head.Phis {
				args[k] = phi.Args[i]
			}
			p.Retarget(l.Head, b)
			b.Jump(l.Head)
			for k, phi := range l.Head.Phis {
				phi.Args = append(phi.Args, args[k])
			}
			break // a block on one edge of the branch is enough
		}
	}
}

// SplitAfter moves b's instructions from index n on, and its terminator, to a new block. SplitAfter
// ends b with a jump to the new block, and returns the new block.
func SplitAfter(b *ir.Block, n int) *ir.Block {
	t := b.Func.NewBlock()
	t.Insts = append(t.Insts, b.Insts[n:]...)
	b.Insts = b.Insts[:n:n]
	for _, v := range t.Insts {
		v.Block = t
	}
	MoveTerm(b, t)
	b.Jump(t)
	return t
}

// CutOut removes instruction n of b, and leaves b without a terminator. The terminator of b and the
// instructions after instruction n move to a new block. CutOut returns the removed instruction and
// the new block.
func CutOut(b *ir.Block, n int) (*ir.Value, *ir.Block) {
	v := b.Insts[n]
	rest := SplitAfter(b, n+1)
	b.Insts = b.Insts[:n]
	b.ClearTerm()
	return v, rest
}

// WriteOut replaces each instruction of f for which isMatch returns true. For an instruction v of
// block b, WriteOut ends b before v and calls writeInst(b, v). The function writeInst appends code
// to b and returns the block in which this code ends. WriteOut ends the returned block with a jump
// to the instructions after v. The function writeInst may add blocks, but no instruction for which
// isMatch returns true.
func WriteOut(f *ir.Func, isMatch func(v *ir.Value) bool, writeInst func(b *ir.Block, v *ir.Value) *ir.Block) {
	for i := 0; i < len(f.Blocks); i++ {
		b := f.Blocks[i]
		if at := slices.IndexFunc(b.Insts, isMatch); at >= 0 {
			v, rest := CutOut(b, at) // a later iteration handles the instructions in rest
			writeInst(b, v).Jump(rest)
		}
	}
}

// MoveTerm moves the terminator of b to block c, which must not have a terminator.
func MoveTerm(b, c *ir.Block) {
	c.Term, b.Term = b.Term, ir.Term{}
	for _, s := range c.Term.Succs {
		for i, p := range s.Preds {
			if p == b {
				s.Preds[i] = c
			}
		}
	}
}

// CountPreds returns the number of edges from p to b.
func CountPreds(b, p *ir.Block) int {
	n := 0
	for _, q := range b.Preds {
		if q == p {
			n++
		}
	}
	return n
}

// JumpTo replaces b's branch by a jump to its i-th successor.
func JumpTo(b *ir.Block, i int) {
	t := b.Term
	to := t.Succs[i]
	at := slices.Index(to.Preds, b)
	args := make([]*ir.Value, len(to.Phis))
	for j, phi := range to.Phis {
		args[j] = phi.Args[at]
	}
	b.ClearTerm()
	b.SetTerm(ir.Term{Kind: ir.Jump, Succs: []*ir.Block{to}, Pos: t.Pos})
	for j, phi := range to.Phis {
		phi.Args = append(phi.Args, args[j])
	}
}
