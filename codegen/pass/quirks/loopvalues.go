package quirks

// This file is the pass loopvalues, which avoids lavapipe's quirk loop-values: values computed in a
// loop are wrong after it if lanes leave the loop in different rounds. Outlive, in
// loopvalues_again.go, handles the rest after quirks and split64.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// LoopValues handles loops that work-items may leave in different rounds. Values that are computed
// in such a loop and used after it become phis of the loop's header.
//
// Some drivers run several work-items as the lanes of a vector. Such a driver continues a loop
// until the last lane has left, and computes the loop's values for all lanes. For lanes that have
// left, lavapipe (Mesa 22.3) preserves only the registers that nir_convert_from_ssa creates from
// phis. Any other value has the value of the last round. That is still the value of the round in
// which the work-item left if its operands do not change after that. A phi of the header does
// change if its register also holds the phi's next value. This happens if nothing reads the phi
// after the next value is computed:
//
//	for {
//		x := s >> 8    // reads the register s
//		s = next(s)    // writes it, also for a work-item that leaves below
//		if s&3 == 0 {
//			break
//		}
//	}                  // other rounds follow, in which x is made of the new s
//	use(x)
//
// A header's phi that is itself used after the loop is safe. Since it is read there, its next value
// has another register until the end of the round, where lanes that have left write nothing. The
// argument that a phi of the block after the loop gets from a break is safe, too: its register is
// written before the break.
//
// A break out of such a loop becomes a jump to the next round, which the header ends at once:
//
//	for {                    for done, y := false, 0; !done; {
//		x := load()              x := load()
//		if x < 3 {               done, y = x < 3, x
//			break            }
//		}                        use(y)
//	}
//	use(x)
func LoopValues(m *ir.Module) diag.List {
	if !facts.Avoids(m, "loop-values") {
		return nil
	}
	for _, f := range rewrite.Bodies(m) {
		routeThroughHeader(f, maxRecomputed, false)
	}
	return nil
}

// routeThroughHeader handles each loop whose live-out values lavapipe may lose. It moves the loop's
// exits to the header, and carries the values as phis of the header. There is an exception: values
// that can be computed from the header's phis with at most atMost operations. These are recomputed
// after the loop if recompute is set, and otherwise not changed.
func routeThroughHeader(f *ir.Func, atMost int, recompute bool) {
	dropCopies(f)
	dom := f.Dominators()
	uses := findUses(f, dom)
	for i := len(f.Blocks) - 1; i >= 0; i-- { // inner loops first
		h := f.Blocks[i]
		if h.Continue == nil || len(h.Merge.Preds) == 0 {
			continue
		}
		l := loopOf(h, dom)
		xs := l.liveOut(uses)
		if !slices.ContainsFunc(xs, func(v *ir.Value) bool { return v.Op != ir.OpPhi || v.Block != h }) || l.keptInHeader(xs, uses) || l.leftAtOnce() {
			continue
		}
		if ops, phis, ok := l.recomputed(xs, atMost); !ok {
			breakLater(f, h, xs)
		} else if recompute {
			l.computeAgain(f, xs, ops, phis)
		} else {
			continue
		}
		dom = f.Dominators()
		uses = findUses(f, dom)
	}
	for i, b := range f.Blocks {
		b.ID = i
	}
}

// loopBlocks is a loop in a structured function.
type loopBlocks struct {
	h      *ir.Block // header
	dom    *ir.DomTree
	blocks []*ir.Block // blocks that are executed in the loop's rounds, including the header
}

func loopOf(h *ir.Block, dom *ir.DomTree) *loopBlocks {
	l := &loopBlocks{h: h, dom: dom}
	for work := []*ir.Block{h}; len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		l.blocks = append(l.blocks, b)
		for _, c := range dom.Children(b) {
			if c != h.Merge {
				work = append(work, c)
			}
		}
	}
	return l
}

// contains reports whether b is executed in rounds of the loop.
func (l *loopBlocks) contains(b *ir.Block) bool {
	return b != nil && l.dom.Reachable(b) && l.dom.Dominates(l.h, b) && !l.dom.Dominates(l.h.Merge, b)
}

// leftAtOnce reports whether all work-items that enter the loop together leave it in the same
// round. That is so if barriers are in the loop, where they meet. It is also so if conditions that
// are the same for all decide in each round whether the loop continues.
func (l *loopBlocks) leftAtOnce() bool {
	for _, b := range l.blocks {
		if slices.ContainsFunc(b.Insts, func(v *ir.Value) bool { return v.Op.Has(ir.FlagSync) }) {
			return true
		}
	}
	headers := map[*ir.Block]*ir.Block{} // headers of the constructs in the loop, by their merge blocks
	for _, b := range l.blocks {
		if b.Merge != nil {
			headers[b.Merge] = b
		}
	}
	s := &sameness{l: l, known: map[*ir.Value]bool{}}
	for _, b := range l.blocks {
		if !slices.ContainsFunc(b.Term.Succs, func(t *ir.Block) bool { return t == l.h.Merge || t == l.h.Continue }) {
			continue
		}
		for d := b; ; {
			if len(d.Term.Succs) > 1 && !s.same(d.Term.Cond) {
				return false // some work-items may reach b and others not
			}
			for headers[d] != nil {
				d = headers[d] // work-items that diverged after the header have joined here
			}
			if d == l.h {
				break
			}
			d = l.dom.Idom(d)
		}
	}
	return true
}

// sameness finds values that are the same for all work-items in the same round of a loop and of the
// loops around it.
type sameness struct {
	l     *loopBlocks
	known map[*ir.Value]bool // results; true also as an assumption, for example for a phi's next value
}

func (s *sameness) same(v *ir.Value) bool {
	if is, ok := s.known[v]; ok {
		return is
	}
	is := v.IsConstExpr() || v.Op == ir.OpArg
	switch {
	case is:
	case v.Op == ir.OpPhi:
		b := v.Block
		is = b.Continue != nil && s.l.dom.Dominates(b, s.l.h) && !s.l.dom.Dominates(b.Merge, s.l.h)
	case v.Op == ir.OpBuiltIn:
	case v.Block == nil: // a parameter
	default:
		is = v.Op.Has(ir.FlagPure)
	}
	s.known[v] = is
	s.known[v] = is && !slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return !s.same(a) })
	return s.known[v]
}

// users has, for each value, the blocks in which it is used, or at whose ends a phi uses it. phis
// tells whether phis use the value, and place is the index of each block in its function.
type users struct {
	of    map[*ir.Value][]*ir.Block
	phis  map[*ir.Value]bool
	place map[*ir.Block]int
}

func findUses(f *ir.Func, dom *ir.DomTree) *users {
	u := &users{of: map[*ir.Value][]*ir.Block{}, phis: map[*ir.Value]bool{}, place: map[*ir.Block]int{}}
	add := func(v *ir.Value, b *ir.Block) {
		if v != nil && v.Block != nil && v.Block != b { // uses in the same block do not matter
			u.of[v] = append(u.of[v], b)
		}
	}
	for i, b := range f.Blocks {
		if u.place[b] = i; !dom.Reachable(b) {
			continue
		}
		for _, p := range b.Phis {
			for i, a := range p.Args {
				add(a, b.Preds[i])
				u.phis[a] = true
			}
		}
		for _, v := range b.Insts {
			for _, a := range v.Args {
				add(a, b)
			}
		}
		add(b.Term.Cond, b)
	}
	return u
}

// liveOut returns the values that are computed in the loop and used after it, in order.
func (l *loopBlocks) liveOut(uses *users) (out []*ir.Value) {
	blocks := slices.Clone(l.blocks)
	slices.SortFunc(blocks, func(a, b *ir.Block) int { return uses.place[a] - uses.place[b] })
	outside := func(b *ir.Block) bool { return !l.contains(b) }
	for _, b := range blocks {
		for _, v := range slices.Concat(b.Phis, b.Insts) {
			if slices.ContainsFunc(uses.of[v], outside) {
				out = append(out, v) // including phis of the header, which breakLater replaces
			}
		}
	}
	return out
}

// breakLater moves the breaks of a loop to its header, and routes the live-out values xs through
// the header.
func breakLater(f *ir.Func, h *ir.Block, xs []*ir.Value) {
	m, c := h.Merge, h.Continue
	splitHeader(f, h)
	back := slices.Index(h.Preds, c)
	// From now on the values of the next round also come from the breaks.
	for _, v := range c.Insts {
		for i, a := range v.Args {
			v.Args[i] = joined(c, a)
		}
	}
	for _, p := range h.Phis {
		p.Args[back] = joined(c, p.Args[back])
	}
	var all []*carried
	for _, p := range m.Phis {
		all = append(all, &carried{old: p, at: p.Args})
	}
	for _, x := range xs {
		at := make([]*ir.Value, len(m.Preds))
		for i := range at {
			at[i] = x
		}
		all = append(all, &carried{old: x, at: at})
	}
	done := &carried{phi: c.NewPhi(ir.TypeBool)}
	for range c.Preds {
		done.phi.Args = append(done.phi.Args, f.Module.Bool(false))
	}
	for _, v := range all {
		v.phi = c.NewPhi(v.old.Type)
		for range c.Preds {
			v.phi.Args = append(v.phi.Args, f.Module.Const(v.old.Type, 0))
		}
	}
	m.Phis = nil
	for i, b := range slices.Clone(m.Preds) {
		leaves := f.Module.Bool(true)
		at := slices.Index(c.Preds, b)
		if at >= 0 { // one edge continues the loop, the other leaves it
			leaves = b.Term.Cond
			if b.Term.Succs[0] == c {
				leaves = b.Append(ir.OpLNot, ir.TypeBool, leaves)
			}
			b.Term.Kind, b.Term.Cond, b.Term.Succs = ir.Jump, nil, []*ir.Block{c}
			m.Preds = slices.Delete(m.Preds, 0, 1)
		} else {
			at = len(c.Preds)
			b.Retarget(m, c)
			for _, p := range c.Phis {
				p.Args = append(p.Args, f.Module.Const(p.Type, 0))
			}
		}
		done.phi.Args[at] = leaves
		for _, v := range all {
			v.phi.Args[at] = v.at[i]
		}
	}
	cond := throughHeader(h, back, done.phi)
	for _, v := range all {
		v.phi = throughHeader(h, back, v.phi)
	}
	body := h.Term.Succs[0]
	h.ClearTerm()
	h.Branch(cond, m, body)
	dom := f.Dominators()
	for _, v := range all {
		replaceBehind(f, dom, m, v.old, v.phi)
	}
}

// carried is a value that leaves a loop.
type carried struct {
	old *ir.Value   // the value that phi replaces
	at  []*ir.Value // the value at each break
	phi *ir.Value
}

// throughHeader returns a phi of header h that has the value v when control reaches h by its back
// edge.
func throughHeader(h *ir.Block, back int, v *ir.Value) *ir.Value {
	p := h.NewPhi(v.Type)
	for i := range h.Preds {
		if i == back {
			p.Args = append(p.Args, v)
		} else {
			p.Args = append(p.Args, h.Func.Module.Const(v.Type, 0))
		}
	}
	return p
}

// splitHeader moves all code except phis out of header h.
func splitHeader(f *ir.Func, h *ir.Block) {
	if len(h.Insts) == 0 && h.Term.Kind == ir.Jump {
		return
	}
	n := f.NewBlock()
	moveAfter(f, h)
	n.Insts, h.Insts = h.Insts, nil
	for _, v := range n.Insts {
		v.Block = n
	}
	n.Term, h.Term = h.Term, ir.Term{}
	for _, s := range n.Term.Succs {
		for i, p := range s.Preds {
			if p == h {
				s.Preds[i] = n
			}
		}
	}
	h.Jump(n)
}

// moveAfter moves f's last block to the position after b.
func moveAfter(f *ir.Func, b *ir.Block) {
	last := len(f.Blocks) - 1
	n := f.Blocks[last]
	f.Blocks = slices.Insert(f.Blocks[:last], slices.Index(f.Blocks, b)+1, n)
}

// joined returns value v, which comes from a predecessor of block c, as a phi of c. If v is a
// constant or computed in c, it returns v itself.
func joined(c *ir.Block, v *ir.Value) *ir.Value {
	if v.Block == nil || v.Block == c {
		return v
	}
	p := c.NewPhi(v.Type)
	for range c.Preds {
		p.Args = append(p.Args, v)
	}
	return p
}

// replaceBehind replaces old by new in m and in all blocks that m dominates.
func replaceBehind(f *ir.Func, dom *ir.DomTree, m *ir.Block, old, new *ir.Value) {
	behind := func(b *ir.Block) bool { return dom.Reachable(b) && dom.Dominates(m, b) }
	replace := func(args []*ir.Value) {
		for i, a := range args {
			if a == old {
				args[i] = new
			}
		}
	}
	for _, b := range f.Blocks {
		for _, p := range b.Phis {
			for i, a := range p.Args {
				if a == old && behind(b.Preds[i]) {
					p.Args[i] = new
				}
			}
		}
		if !behind(b) {
			continue
		}
		for _, v := range b.Insts {
			replace(v.Args)
		}
		if b.Term.Cond == old {
			b.Term.Cond = new
		}
	}
}
