package pass

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// How many operations are computed again behind a loop rather than handed out through its
// header: as the program has them, and once they have been written in other ways for
// drivers and for words.
const (
	computedAgain = 8
	writtenAgain  = 64
)

// outlive computes behind loops again what they hand out and what their headers' phis say,
// where loopvalues has left that to it. What it hands out are the headers' phis, which it
// must not do before quirks and others, since those put other values in their places.
func outlive(m *ir.Module) diag.List {
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

// again returns what it takes to compute the values xs behind the loop, in order, and the
// header's phis that it takes. It reports false where that are more operations than
// so many, some that are no simple ones, or others than of what the header's phis and the
// code ahead of the loop say.
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
	switch op {
	case ir.OpSDiv, ir.OpUDiv, ir.OpUMod, ir.OpFDiv, ir.OpFSqrt, ir.OpFSin, ir.OpFCos, ir.OpFTan, ir.OpFExp, ir.OpFExp2,
		ir.OpFLog, ir.OpFLog2, ir.OpFPow, ir.OpFRsqrt, ir.OpCall, ir.OpPhi:
		return false
	}
	return op.Has(ir.FlagPure)
}

// computeAgain computes the values xs behind the loop as what again returned says. A
// driver must not find out that these are the values of the loop's last round: the phis
// are hidden behind zeros.
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

// keptInHeader reports whether what of xs is no phi of the header is computed in it, where
// the loop has its only way out, from its phis: nothing has been written to their registers
// yet when a work-item leaves. No value of the header may be a phi elsewhere, which might
// have one register with the header's.
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

// dropCopies replaces the phis behind loops by what they are from every break alike, which
// drivers do, too.
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
