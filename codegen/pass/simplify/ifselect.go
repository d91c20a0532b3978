package simplify

// This file turns branches around a few operations into select ops, for host forms (Go code that
// kgen generates for the host).

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// maxSelectWork limits the number of operations on each side of a branch that becomes a selection,
// because a selection always computes both sides. maxSelects is the largest number of selections
// that replace one branch.
const (
	maxSelectWork = 3
	maxSelects    = 2
)

// SelectBranches replaces branches around a few integer operations by selections between the
// operations' results. Selections are faster because CPUs predict data-dependent branches badly,
// for example in a radix sort. A branch that computes a && b or a || b becomes a single op, which
// makes the host form easier to read. SelectBranches reports whether it has replaced any branch.
func SelectBranches(f *ir.Func) bool {
	changed := false
	for _, b := range f.ReversePostorder() {
		if b.Term.Kind != ir.Branch {
			continue
		}
		yes, no := b.Term.Succs[0], b.Term.Succs[1]
		var join *ir.Block
		switch {
		case yes == no:
			continue
		case cheapSide(yes, b) && yes.Term.Succs[0] == no:
			join = no
		case cheapSide(no, b) && no.Term.Succs[0] == yes:
			join = yes
		case cheapSide(yes, b) && cheapSide(no, b) && yes.Term.Succs[0] == no.Term.Succs[0]:
			join = yes.Term.Succs[0]
		default:
			continue
		}
		if n := len(join.Phis); join == b || n == 0 || n > maxSelects {
			continue
		}
		cond := b.Term.Cond
		var sides []*ir.Block
		from := func(s *ir.Block) *ir.Block {
			if s == join {
				return b
			}
			sides = append(sides, s)
			return s
		}
		y, n := slices.Index(join.Preds, from(yes)), slices.Index(join.Preds, from(no))
		if slices.ContainsFunc(join.Phis, func(phi *ir.Value) bool { return !canSelect(phi, y, n) }) {
			continue
		}
		changed = true
		for _, s := range sides {
			for _, v := range s.Insts {
				v.Block = b
				b.Insts = append(b.Insts, v)
			}
			s.Insts = nil
		}
		var args []*ir.Value
		for _, phi := range join.Phis {
			p, q := phi.Args[y], phi.Args[n]
			if p != q {
				p = b.Append(ir.OpSelect, phi.Type, cond, p, q)
			}
			args = append(args, p)
		}
		b.ClearTerm()
		for _, s := range sides {
			s.ClearTerm()
			s.SetTerm(ir.Term{Kind: ir.Unreachable})
		}
		b.Jump(join)
		for i, phi := range join.Phis {
			phi.Args = append(phi.Args, args[i])
		}
	}
	f.RemoveUnreachable()
	return changed
}

// canSelect reports whether a selection between the phi's arguments with indices y
// and n is worthwhile.
func canSelect(phi *ir.Value, y, n int) bool {
	switch phi.Type {
	case ir.TypeI32, ir.TypeI64:
		return true
	case ir.TypeBool:
		return phi.Args[y].IsConst() || phi.Args[n].IsConst()
	}
	return false
}

// cheapSide reports whether b is the only predecessor of s, and s contains only a few cheap ops
// that cannot fail.
func cheapSide(s, b *ir.Block) bool {
	if len(s.Preds) != 1 || s.Preds[0] != b || s.Term.Kind != ir.Jump || len(s.Insts) > maxSelectWork {
		return false
	}
	return !slices.ContainsFunc(s.Insts, func(v *ir.Value) bool {
		return !v.Op.Has(ir.FlagCheap) || v.Op.Has(ir.FlagPartial) && !v.Args[1].IsConst()
	})
}
