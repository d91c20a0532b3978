package structurize

// This file removes empty blocks that structurize has created, so that drivers can recognize simple
// selections.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// tidyArms removes an arm of a selection if the arm only jumps. tidyArms also replaces selections
// that contain no code except phis.
func tidyArms(f *ir.Func) {
	t := &tidier{exits: map[*ir.Block]bool{}, merges: map[*ir.Block]bool{},
		gone: map[*ir.Block]bool{}, repl: map[*ir.Value]*ir.Value{}}
	for _, b := range f.Blocks {
		if b.Merge != nil {
			t.merges[b.Merge] = true
		}
		if b.Continue != nil {
			t.exits[b.Merge], t.exits[b.Continue] = true, true
		}
	}
	for changed := true; changed; {
		changed = false
		// The loop runs backward to process inner selections before outer ones.
		for i := len(f.Blocks) - 1; i >= 0; i-- {
			p := f.Blocks[i]
			for !t.gone[p] && p.Term.Kind == ir.Branch && (t.skipArm(p) || t.foldSelection(p)) {
				changed = true
			}
		}
	}
	f.Blocks = slices.DeleteFunc(f.Blocks, func(b *ir.Block) bool { return t.gone[b] })
	if len(t.repl) > 0 {
		rewrite.DropTrivialPhis(f, t.repl)
		rewrite.ReplaceUses(f, (&rewrite.Promoter{Repl: t.repl}).Resolve)
	}
	for i, b := range f.Blocks {
		b.ID = i
	}
}

type tidier struct {
	exits  map[*ir.Block]bool // merge and continue blocks of loops
	merges map[*ir.Block]bool
	gone   map[*ir.Block]bool
	repl   map[*ir.Value]*ir.Value
}

// onlyJumps reports whether e is an arm that only jumps.
func (t *tidier) onlyJumps(e *ir.Block) bool {
	return len(e.Phis)+len(e.Insts) == 0 && e.Term.Kind == ir.Jump && len(e.Preds) == 1 &&
		e.Merge == nil && !t.merges[e] && !t.exits[e]
}

// skipArm bypasses an empty arm of p's branch. The branch then leads directly to the target of the
// arm's jump. This target is p's merge block, or the merge or continue block of a loop.
func (t *tidier) skipArm(p *ir.Block) bool {
	for i, e := range p.Term.Succs {
		if !t.onlyJumps(e) {
			continue
		}
		to, other := e.Term.Succs[0], p.Term.Succs[1-i]
		switch {
		case to == other:
			continue
		case p.Merge != nil && to == p.Merge:
		case !t.exits[to]:
			continue
		case p.Merge == nil:
		case other == p.Merge && len(other.Preds) == 1:
			// A branch of p that leaves the loop is not a selection, so p needs no merge block.
			delete(t.merges, p.Merge)
			p.Merge = nil
		default:
			continue
		}
		to.Preds[slices.Index(to.Preds, e)] = p
		p.Term.Succs[i] = to
		t.gone[e] = true
		return true
	}
	return false
}

// foldSelection replaces a selection with empty arms by Select ops, one for each phi of the merge
// block. foldSelection then appends the merge block to p.
func (t *tidier) foldSelection(p *ir.Block) bool {
	m := p.Merge
	if m == nil || len(m.Preds) != 2 {
		return false
	}
	var arms [2]int // for each arm, the index of its edge in m.Preds
	for i, s := range p.Term.Succs {
		switch {
		case s == m:
			arms[i] = slices.Index(m.Preds, p)
		case t.onlyJumps(s) && s.Term.Succs[0] == m:
			arms[i] = slices.Index(m.Preds, s)
		default:
			return false
		}
	}
	for _, s := range p.Term.Succs {
		t.gone[s] = true // s is an arm or the merge block m
	}
	t.gone[m] = true
	for _, phi := range m.Phis {
		t.repl[phi] = Choose(p, p.Term.Cond, phi.Args[arms[0]], phi.Args[arms[1]])
	}
	for _, v := range m.Insts {
		v.Block = p
	}
	p.Insts = append(p.Insts, m.Insts...)
	p.Term, p.Merge, p.Continue = m.Term, m.Merge, m.Continue
	for _, s := range p.Term.Succs {
		s.Preds[slices.Index(s.Preds, m)] = p
	}
	return true
}

// Choose returns a value that equals ifTrue if c is true, and ifFalse if not. Choose appends the
// necessary ops to p.
func Choose(p *ir.Block, c, ifTrue, ifFalse *ir.Value) *ir.Value {
	m := p.Func.Module
	t := m.Bool(true)
	not := func() *ir.Value { return p.Append(ir.OpLNot, ir.TypeBool, c) }
	switch {
	case ifTrue == ifFalse:
		return ifTrue
	case ifTrue.Type != ir.TypeBool:
		return p.Append(ir.OpSelect, ifTrue.Type, c, ifTrue, ifFalse)
	case ifTrue == t && ifFalse.IsConst():
		return c
	case ifTrue.IsConst() && ifFalse == t:
		return not()
	case ifTrue == t:
		return p.Append(ir.OpLOr, ir.TypeBool, c, ifFalse)
	case ifFalse == t:
		return p.Append(ir.OpLOr, ir.TypeBool, not(), ifTrue)
	case ifTrue.IsConst():
		return p.Append(ir.OpLAnd, ir.TypeBool, not(), ifFalse)
	case ifFalse.IsConst():
		return p.Append(ir.OpLAnd, ir.TypeBool, c, ifTrue)
	}
	return p.Append(ir.OpSelect, ir.TypeBool, c, ifTrue, ifFalse)
}
