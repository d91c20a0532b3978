package quirks

// This file is the pass outlive, the second part of loopvalues.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// Live-out values that take this many operations at most are computed again behind a loop,
// and not routed through its header.
const (
	computedAgain = 8  // as loopvalues counts them, in the program's operations
	writtenAgain  = 64 // as outlive does, after quirks and split64.Lower have written them in others
)

// Outlive computes live-out values of loops again behind the loop, where loopvalues left that
// to it, from the phis of the loop's header:
//
//	for {                         for {
//		x := s >> 8                   x := s >> 8
//		s = next(s)                   s = next(s)
//		if s&3 == 0 { break }         if s&3 == 0 { break }
//	}                             }
//	use(x)                        use((s before the round) ^ zero >> 8)
//
// It stands after quirks, because quirks puts hidden values in the place of those phis.
func Outlive(m *ir.Module) diag.List {
	for _, f := range rewrite.Bodies(m) {
		if facts.Avoids(m, "carried-flag") {
			countedFlags(f)
		}
		if facts.Avoids(m, "loop-values") {
			routeThroughHeader(f, writtenAgain, true)
		}
		if facts.Avoids(m, "carried-flag") {
			countedFlags(f) // those that routeThroughHeader has loops carry
		}
	}
	return nil
}

// again returns the operations that compute the values xs behind the loop, in order, and the
// header's phis that they start from. It reports false if they are more than atMost, if one of
// them is expensive or not pure, or if they need more than the header's phis and values from
// before the loop.
func (l *loopBlocks) again(xs []*ir.Value, atMost int) (ops, phis []*ir.Value, ok bool) {
	if l.h.Merge.Continue != nil {
		return nil, nil, false // what is computed there would be in the rounds of the next loop
	}
	seen := map[*ir.Value]bool{}
	var visit func(v *ir.Value) bool
	visit = func(v *ir.Value) bool {
		switch {
		case seen[v] || !l.contains(v.Block):
			return true
		case v.Op == ir.OpPhi:
			if v.Block == l.h {
				seen[v] = true
				phis = append(phis, v)
			}
			return seen[v] && hidable(v.Type)
		case !isSimple(v.Op) || slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return !visit(a) }):
			return false
		}
		seen[v] = true
		ops = append(ops, v)
		return len(ops) <= atMost
	}
	for _, x := range xs {
		if (x.Op != ir.OpPhi || x.Block != l.h) && !visit(x) {
			return nil, nil, false
		}
	}
	return ops, phis, true
}

// hidable reports whether phis of a type can be hidden by hidePhi.
func hidable(t *ir.Type) bool {
	return t.IsInt() || t == ir.TypeF32 || t == ir.TypeF16
}

// isSimple reports whether an operation is pure, and cheap.
func isSimple(op ir.Op) bool {
	return op.Has(ir.FlagPure) && !op.Has(ir.FlagCostly) && op != ir.OpPhi
}

// computeAgain computes the values xs behind the loop by ops, which start from phis. The phis
// are hidden, so that no driver finds out that these are the values of the last round.
func (l *loopBlocks) computeAgain(f *ir.Func, xs, ops, phis []*ir.Value) {
	m := l.h.Merge
	copies := map[*ir.Value]*ir.Value{}
	var made []*ir.Value
	for _, p := range phis {
		hidden := hidePhi(f, p)
		made = append(made, hidden...)
		copies[p] = hidden[len(hidden)-1]
	}
	for _, v := range ops {
		w := f.NewValue(v.Op, v.Type)
		w.Bits, w.Aux, w.Pos = v.Bits, v.Aux, v.Pos
		for _, a := range v.Args {
			if c := copies[a]; c != nil {
				a = c
			}
			w.Args = append(w.Args, a)
		}
		copies[v] = w
		made = append(made, w)
	}
	for _, x := range xs {
		if w := copies[x]; w != nil && x.Op != ir.OpPhi {
			replaceBehind(f, l.dom, m, x, w)
		}
	}
	for _, v := range made {
		v.Block = m
	}
	m.Insts = append(made, m.Insts...)
}

// hidePhi returns the phi p by its bits ^ 0, and what that takes.
func hidePhi(f *ir.Func, p *ir.Value) []*ir.Value {
	m := &rewrite.Maker{Func: f, At: p}
	x, z := p, m.Zeros(1<<31)
	t := p.Type
	switch t {
	case ir.TypeF32:
		t = ir.TypeI32
	case ir.TypeF16:
		t = ir.TypeI16
	}
	if t != p.Type {
		x = m.Op(ir.OpBitcast, t, x)
	}
	switch {
	case t == ir.TypeI64:
		z = m.Op(ir.OpUConvert, t, z)
	case t != ir.TypeI32:
		z = m.Op(ir.OpUConvert, t, m.Zero(ir.TypeI32))
	}
	x = m.Op(ir.OpXor, t, x, z)
	if t != p.Type {
		m.Op(ir.OpBitcast, p.Type, x)
	}
	return m.Made
}

// keptInHeader reports whether the loop's only exit is in its header, and the header computes
// each of xs from its own phis: when a work-item leaves there, nothing has written to the
// registers of these phis yet. No phi elsewhere may take a value of the header, since it might
// share a register with one of the header's phis.
func (l *loopBlocks) keptInHeader(xs []*ir.Value, uses *users) bool {
	h := l.h
	if !slices.Equal(h.Merge.Preds, []*ir.Block{h}) || slices.ContainsFunc(h.Insts, func(v *ir.Value) bool { return uses.phis[v] }) {
		return false
	}
	var pure func(v *ir.Value) bool
	pure = func(v *ir.Value) bool {
		if v.Op == ir.OpPhi || !l.contains(v.Block) {
			return v.Op != ir.OpPhi || v.Block == h || !l.contains(v.Block)
		}
		return v.Block == h && v.Op.Has(ir.FlagPure) && !slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return !pure(a) })
	}
	return !slices.ContainsFunc(xs, func(x *ir.Value) bool { return !pure(x) })
}

// dropCopies replaces phis behind loops that get the same value from every break by that value,
// as drivers do.
func dropCopies(f *ir.Func) {
	same := map[*ir.Value]*ir.Value{}
	for _, h := range f.Blocks {
		if h.Continue == nil {
			continue
		}
		h.Merge.Phis = slices.DeleteFunc(h.Merge.Phis, func(p *ir.Value) bool {
			if len(p.Args) == 0 || slices.ContainsFunc(p.Args, func(a *ir.Value) bool { return a != p.Args[0] || a == p }) {
				return false
			}
			same[p] = p.Args[0]
			return true
		})
	}
	if len(same) == 0 {
		return
	}
	rewrite.ReplaceUses(f, func(v *ir.Value) *ir.Value {
		for same[v] != nil {
			v = same[v]
		}
		return v
	})
}
