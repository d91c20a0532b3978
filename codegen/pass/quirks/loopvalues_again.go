package quirks

// This file contains the pass outlive, which avoids the same bug as the pass loopvalues.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// These constants limit the number of operations that recompute a loop's live-out values after the
// loop. Live-out values that need more operations become phis of the loop's header.
const (
	maxRecomputed = 8  // limit for loopvalues, when each operation of the source is one op
	maxExpanded   = 64 // limit for outlive, when quirks and split64.Lower have expanded the operations
)

// Outlive recomputes live-out values of a loop after the loop, if the pass loopvalues has not
// changed the loop. The recomputation starts from the phis of the loop's header. For example:
//
//	for {
//		x := s >> 8
//		s = next(s)
//		if s&3 == 0 { break }
//	}
//	use((s at the header) ^ zero >> 8)     instead of use(x).
//
// Outlive runs after the pass quirks, because the pass quirks replaces phis of loop headers by
// hidden values.
func Outlive(m *ir.Module) diag.List {
	for _, f := range rewrite.Bodies(m) {
		if facts.Avoids(m, "carried-flag") {
			countedFlags(f)
		}
		if facts.Avoids(m, "loop-values") {
			routeThroughHeader(f, maxExpanded, true)
		}
		if facts.Avoids(m, "carried-flag") {
			countedFlags(f) // routeThroughHeader may have added phis of bools
		}
	}
	return nil
}

// recomputeOps returns the operations that compute the values xs, in order. recomputeOps also
// returns the header's phis that these operations use. recomputeOps returns false if there are more
// than atMost operations, or if an operation is expensive or not pure. recomputeOps also returns
// false if the operations need values of the loop other than the header's phis.
func (l *loopBlocks) recomputeOps(xs []*ir.Value, atMost int) (ops, phis []*ir.Value, ok bool) {
	if l.h.Merge.Continue != nil {
		return nil, nil, false // the merge block starts another loop, which would execute the operations in each iteration
	}
	seen := map[*ir.Value]bool{}
	var visit func(v *ir.Value) bool
	visit = func(v *ir.Value) bool {
		switch {
		case seen[v] || !l.containsBlock(v.Block):
			return true
		case v.Op == ir.OpPhi:
			if v.Block == l.h {
				seen[v] = true
				phis = append(phis, v)
			}
			return seen[v] && canHidePhi(v.Type)
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

// canHidePhi reports whether hidePhi supports phis of type t.
func canHidePhi(t *ir.Type) bool {
	return t.IsInt() || t == ir.TypeF32 || t == ir.TypeF16
}

// isSimple reports whether op is pure, cheap and not a phi.
func isSimple(op ir.Op) bool {
	return op.Has(ir.FlagPure) && !op.Has(ir.FlagCostly) && op != ir.OpPhi
}

// computeAgain adds copies of the instructions in ops after the loop. The copies compute the values
// xs from phis. The phis are hidden, so that no driver recognizes that the copies compute the same
// values as the loop.
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
			replaceAfter(f, l.dom, m, x, w)
		}
	}
	for _, v := range made {
		v.Block = m
	}
	m.Insts = append(made, m.Insts...)
}

// hidePhi returns instructions that hide the phi p. The last instruction that hidePhi returns
// computes the bits of p ^ zero.
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

// keptInHeader reports whether lavapipe preserves the live-out values xs without a workaround. The
// values xs are preserved if the loop's only exit is in its header. The header must also compute
// each value of xs from its phis. When a work-item leaves the loop at the header, the registers of
// the header's phis have not been overwritten. In addition, no phi may have an instruction of the
// header as an argument. A phi with such an argument might share a register with a phi of the
// header.
func (l *loopBlocks) keptInHeader(xs []*ir.Value, uses *usersOf) bool {
	h := l.h
	if !slices.Equal(h.Merge.Preds, []*ir.Block{h}) || slices.ContainsFunc(h.Insts, func(v *ir.Value) bool { return uses.phiArgs[v] }) {
		return false
	}
	var pure func(v *ir.Value) bool
	pure = func(v *ir.Value) bool {
		if v.Op == ir.OpPhi || !l.containsBlock(v.Block) {
			return v.Op != ir.OpPhi || v.Block == h || !l.containsBlock(v.Block)
		}
		return v.Block == h && v.Op.Has(ir.FlagPure) && !slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return !pure(a) })
	}
	return !slices.ContainsFunc(xs, func(x *ir.Value) bool { return !pure(x) })
}

// dropCopies removes a phi of a loop's merge block if all arguments of the phi are the same value,
// which then replaces the phi. Drivers also remove phis with equal arguments.
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
