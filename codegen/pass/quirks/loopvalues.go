package quirks

// This file contains the pass loopvalues, which avoids the quirk loop-values of lavapipe. With
// lavapipe, values computed in a loop are wrong after the loop if work-items leave the loop in
// different iterations. The pass outlive, in loopvalues_again.go, handles the values that
// loopvalues does not change.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// LoopValues handles loops that work-items may leave in different iterations. A value that is
// computed in the loop and used after the loop becomes a phi of the loop's header.
//
// Some drivers run several work-items as the lanes of a vector. A driver that runs work-items as
// lanes continues a loop until the last lane has left, and computes the loop's values for all
// lanes. For lanes that have left a loop, lavapipe (Mesa 22.3) preserves only the registers that
// nir_convert_from_ssa creates from phis. After the loop, a value outside the registers of phis is
// the value that the last iteration computed for all lanes. For a lane that left earlier, the value
// of the last iteration may be wrong. The value is correct only if its operands have not changed
// since the lane left. A phi of the loop's header changes for lanes that have left if the phi and
// its next value share a register. The phi and its next value share a register if nothing reads the
// phi after the next value is computed:
//
//	for {
//		x := s >> 8    // reads the register s
//		s = next(s)    // writes it, also for a work-item that leaves below
//		if s&3 == 0 {
//			break
//		}
//	}                  // later iterations compute x from the new s
//	use(x).
//
// A phi of the loop's header keeps its value for lanes that have left if the phi is used after the
// loop. If the phi is used after the loop, its next value stays in another register until the end
// of the iteration. Lanes that have left do not write registers at the end of the iteration. An
// argument of a phi after the loop also keeps its value, because the register of this phi is
// written before the break.
//
// LoopValues turns a break out of the loop into a jump to the header, which then ends the loop:
//
//	done, y := false, 0
//	for !done {
//		x := load()
//		done, y = x < 3, x     instead of if x < 3 { break }
//	}
//	use(y)                     instead of use(x)
func LoopValues(m *ir.Module) diag.List {
	if !facts.Avoids(m, "loop-values") {
		return nil
	}
	for _, f := range rewrite.Bodies(m) {
		routeThroughHeader(f, maxRecomputed, false)
	}
	return nil
}

// routeThroughHeader changes each loop whose live-out values lavapipe may lose. The loop's exits
// move to the header, and the live-out values become phis of the header. The exits do not move if
// the live-out values can be computed from the header's phis by at most atMost operations. For a
// loop whose exits do not move, routeThroughHeader computes the live-out values again after the
// loop if recompute is set. If recompute is not set, the loop does not change.
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
		if ops, phis, ok := l.recomputeOps(xs, atMost); !ok {
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

// loopBlocks describes a loop in a structured function.
type loopBlocks struct {
	h      *ir.Block // header
	dom    *ir.DomTree
	blocks []*ir.Block // blocks that are executed in the loop's iterations, including the header
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

// containsBlock reports whether b is executed in the iterations of the loop.
func (l *loopBlocks) containsBlock(b *ir.Block) bool {
	return b != nil && l.dom.Reachable(b) && l.dom.Dominates(l.h, b) && !l.dom.Dominates(l.h.Merge, b)
}

// leftAtOnce reports whether all work-items that enter the loop together also leave it in the same
// iteration. If a loop contains a Sync op, all work-items leave the loop in the same iteration. The
// same holds if each exit condition of a loop is the same for all work-items.
func (l *loopBlocks) leftAtOnce() bool {
	for _, b := range l.blocks {
		if slices.ContainsFunc(b.Insts, func(v *ir.Value) bool { return v.Op.Has(ir.FlagSync) }) {
			return true
		}
	}
	headers := map[*ir.Block]*ir.Block{} // maps a merge block to the header of its selection or loop
	for _, b := range l.blocks {
		if b.Merge != nil {
			headers[b.Merge] = b
		}
	}
	s := &sameValues{l: l, known: map[*ir.Value]bool{}}
	for _, b := range l.blocks {
		if !slices.ContainsFunc(b.Term.Succs, func(t *ir.Block) bool { return t == l.h.Merge || t == l.h.Continue }) {
			continue
		}
		for d := b; ; {
			if len(d.Term.Succs) > 1 && !s.isSame(d.Term.Cond) {
				return false // only some work-items may reach b
			}
			for headers[d] != nil {
				d = headers[d] // work-items that diverged after the header have converged at d
			}
			if d == l.h {
				break
			}
			d = l.dom.Idom(d)
		}
	}
	return true
}

// sameValues finds values that are the same for all work-items in an iteration of the loop l.
// sameValues assumes that the work-items are also in the same iteration of the loops around l.
type sameValues struct {
	l     *loopBlocks
	known map[*ir.Value]bool // results so far; while a value is being examined, it is assumed to be the same for all work-items
}

func (s *sameValues) isSame(v *ir.Value) bool {
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
	case v.Block == nil: // v is a parameter
	default:
		is = v.Op.Has(ir.FlagPure)
	}
	s.known[v] = is
	s.known[v] = is && !slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return !s.isSame(a) })
	return s.known[v]
}

// usersOf records where values are used. usingBlocks maps each value to the blocks that use it,
// except the block that computes the value. An argument of a phi counts as used at the end of the
// corresponding predecessor. phiArgs contains the values that are arguments of phis. blockIndex
// maps each block to its index in the function.
type usersOf struct {
	usingBlocks map[*ir.Value][]*ir.Block
	phiArgs     map[*ir.Value]bool
	blockIndex  map[*ir.Block]int
}

func findUses(f *ir.Func, dom *ir.DomTree) *usersOf {
	u := &usersOf{usingBlocks: map[*ir.Value][]*ir.Block{}, phiArgs: map[*ir.Value]bool{}, blockIndex: map[*ir.Block]int{}}
	add := func(v *ir.Value, b *ir.Block) {
		if v != nil && v.Block != nil && v.Block != b { // a use in the value's own block is not recorded
			u.usingBlocks[v] = append(u.usingBlocks[v], b)
		}
	}
	for i, b := range f.Blocks {
		if u.blockIndex[b] = i; !dom.Reachable(b) {
			continue
		}
		for _, p := range b.Phis {
			for i, a := range p.Args {
				add(a, b.Preds[i])
				u.phiArgs[a] = true
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

// liveOut returns the values that are computed in the loop and used after the loop, in the order of
// the code.
func (l *loopBlocks) liveOut(uses *usersOf) (out []*ir.Value) {
	blocks := slices.Clone(l.blocks)
	slices.SortFunc(blocks, func(a, b *ir.Block) int { return uses.blockIndex[a] - uses.blockIndex[b] })
	outside := func(b *ir.Block) bool { return !l.containsBlock(b) }
	for _, b := range blocks {
		for _, v := range slices.Concat(b.Phis, b.Insts) {
			if slices.ContainsFunc(uses.usingBlocks[v], outside) {
				out = append(out, v) // v may be a phi of the header, which breakLater replaces
			}
		}
	}
	return out
}

// breakLater moves the breaks of the loop with header h to the header. The live-out values xs
// become phis of the header.
func breakLater(f *ir.Func, h *ir.Block, xs []*ir.Value) {
	m, c := h.Merge, h.Continue
	splitHeader(f, h)
	back := slices.Index(h.Preds, c)
	// Breaks now also lead to the continue block c, so the values that c uses become phis.
	for _, v := range c.Insts {
		for i, a := range v.Args {
			v.Args[i] = joinedPhi(c, a)
		}
	}
	for _, p := range h.Phis {
		p.Args[back] = joinedPhi(c, p.Args[back])
	}
	var all []*carriedValue
	for _, p := range m.Phis {
		all = append(all, &carriedValue{old: p, at: p.Args})
	}
	for _, x := range xs {
		at := make([]*ir.Value, len(m.Preds))
		for i := range at {
			at[i] = x
		}
		all = append(all, &carriedValue{old: x, at: at})
	}
	done := &carriedValue{phi: c.NewPhi(ir.TypeBool)}
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
		if at >= 0 { // one edge of b's branch continues the loop, and the other edge leaves the loop
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
		replaceAfter(f, dom, m, v.old, v.phi)
	}
}

// carriedValue describes a live-out value of a loop. The value becomes a phi of the header.
type carriedValue struct {
	old *ir.Value   // the original value; the value phi replaces it after the loop
	at  []*ir.Value // the value of `old` at each break
	phi *ir.Value
}

// throughHeader adds a phi to header h. The phi has the argument v on the back edge.
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

// splitHeader moves all code except phis from header h to a new block.
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

// moveAfter moves the last block of f to the position after b.
func moveAfter(f *ir.Func, b *ir.Block) {
	last := len(f.Blocks) - 1
	n := f.Blocks[last]
	f.Blocks = slices.Insert(f.Blocks[:last], slices.Index(f.Blocks, b)+1, n)
}

// joinedPhi returns a phi of block c. The phi has the argument v for all predecessors. If v is a
// constant or computed in c, joinedPhi returns v itself.
func joinedPhi(c *ir.Block, v *ir.Value) *ir.Value {
	if v.Block == nil || v.Block == c {
		return v
	}
	p := c.NewPhi(v.Type)
	for range c.Preds {
		p.Args = append(p.Args, v)
	}
	return p
}

// replaceAfter replaces the value `old` by the value `new`, in block m and in all blocks that m
// dominates.
func replaceAfter(f *ir.Func, dom *ir.DomTree, m *ir.Block, old, new *ir.Value) {
	inside := func(b *ir.Block) bool { return dom.Reachable(b) && dom.Dominates(m, b) }
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
				if a == old && inside(b.Preds[i]) {
					p.Args[i] = new
				}
			}
		}
		if !inside(b) {
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
