package quirks

// This file is the pass loopvalues, which works around lavapipe's quirk loop-values: a loop's
// values are wrong behind it where lanes leave in different rounds. Outlive, in
// loopvalues_again.go, does what is left to be done after quirks and words.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// LoopValues makes values that loops compute, and that are used behind them, phis of the
// loop's header, where work-items may leave the loop in different rounds.
//
// A driver that runs several work-items as the lanes of a vector goes on with a loop until
// the last one has left, and computes for all. lavapipe (Mesa 22.3) keeps from those that
// have left only what it writes to registers, which are what nir_convert_from_ssa makes of
// phis; any other value is what it was in the last round. It is as in the round in which
// the work-item left if it is computed from what does not change. A phi of the header does
// change if its register also has the phi's next value, as it does where no one reads the
// phi once that is computed:
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
// A header's phi that is itself used behind the loop is safe: as it is read there, its next
// value has another register until the round's end, where lanes that have left write
// nothing. So is what a phi of the block behind the loop gets from a break, before which its
// register is written.
//
// A break out of such a loop becomes a jump to the next round, which the header
// ends at once:
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
		routeThroughHeader(f, computedAgain, false)
	}
	return nil
}

// routeThroughHeader has the header of each loop whose live-out values lavapipe may lose end
// the loop, and carry those values as phis. Live-out values that can be computed from the header's
// phis with at most atMost operations are recomputed behind the loop if again is set, and left
// alone otherwise.
func routeThroughHeader(f *ir.Func, atMost int, again bool) {
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
		if ops, phis, ok := l.again(xs, atMost); !ok {
			breakLater(f, h, xs)
		} else if again {
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

// loopBlocks is a loop in a function with structure.
type loopBlocks struct {
	h      *ir.Block // its header
	dom    *ir.DomTree
	blocks []*ir.Block // those that are executed in its rounds, the header among them
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

// leftAtOnce reports whether all work-items that come to the loop together leave it in the
// same round: barriers are in it, where they meet, or all its rounds end, and go on, by
// conditions that are the same for all.
func (l *loopBlocks) leftAtOnce() bool {
	for _, b := range l.blocks {
		if slices.ContainsFunc(b.Insts, func(v *ir.Value) bool { return v.Op.Has(ir.FlagSync) }) {
			return true
		}
	}
	headers := map[*ir.Block]*ir.Block{} // of constructs in the loop, by where these end
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
				return false // it leads some work-items here and others past
			}
			for headers[d] != nil {
				d = headers[d] // who parted behind it has met here
			}
			if d == l.h {
				break
			}
			d = l.dom.Idom(d)
		}
	}
	return true
}

// sameness finds values that are the same for all work-items which are in the same round
// of a loop, and of those around it.
type sameness struct {
	l     *loopBlocks
	known map[*ir.Value]bool // true by assumption as well, such as for what a phi becomes
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

// users has for each value the blocks at whose ends, or in which, it is used, whether phis
// use it, and the place of each block in its function.
type users struct {
	of    map[*ir.Value][]*ir.Block
	phis  map[*ir.Value]bool
	place map[*ir.Block]int
}

func findUses(f *ir.Func, dom *ir.DomTree) *users {
	u := &users{of: map[*ir.Value][]*ir.Block{}, phis: map[*ir.Value]bool{}, place: map[*ir.Block]int{}}
	add := func(v *ir.Value, b *ir.Block) {
		if v != nil && v.Block != nil && v.Block != b { // those in its own block do not matter
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

// liveOut returns the values that are computed in the loop and used behind it, in order.
func (l *loopBlocks) liveOut(uses *users) (out []*ir.Value) {
	blocks := slices.Clone(l.blocks)
	slices.SortFunc(blocks, func(a, b *ir.Block) int { return uses.place[a] - uses.place[b] })
	outside := func(b *ir.Block) bool { return !l.contains(b) }
	for _, b := range blocks {
		for _, v := range slices.Concat(b.Phis, b.Insts) {
			if slices.ContainsFunc(uses.of[v], outside) {
				out = append(out, v) // the header's phis as well: breakLater sets them anew
			}
		}
	}
	return out
}

// breakLater lets the header of a loop do its breaks, and hands the values xs out
// through it.
func breakLater(f *ir.Func, h *ir.Block, xs []*ir.Value) {
	m, c := h.Merge, h.Continue
	splitHeader(f, h)
	back := slices.Index(h.Preds, c)
	// Values of the next round then come from the breaks as well.
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
		if at >= 0 { // one way goes on, the other leaves
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
	old *ir.Value   // what it replaces
	at  []*ir.Value // what it is at each break
	phi *ir.Value
}

// throughHeader returns a phi of the header h that is v when h is reached from its
// back edge.
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

// splitHeader leaves nothing in the header h but phis.
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

// moveAfter moves f's last block to behind b.
func moveAfter(f *ir.Func, b *ir.Block) {
	last := len(f.Blocks) - 1
	n := f.Blocks[last]
	f.Blocks = slices.Insert(f.Blocks[:last], slices.Index(f.Blocks, b)+1, n)
}

// joined returns the value v, which comes from block c, as a phi of c, unless it is
// the same everywhere, or is made there.
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

// replaceBehind replaces old by new in m and in what m dominates.
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
