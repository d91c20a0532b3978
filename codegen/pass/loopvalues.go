package pass

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
)

// loopValues makes values that loops compute, and that are used behind them, phis
// of the loop's header. lavapipe goes on computing a loop's values for work-items
// that have left it, with what loads give those: zeros. What it keeps are phis of
// headers, and what is computed from them alone.
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
func loopValues(m *ir.Module) diag.List {
	for _, f := range bodies(m) {
		handOut(f, func(_ *ir.Block, _ []*ir.Value, care bool) bool { return care })
	}
	return nil
}

// wordsLoopValues is loopValues of a module without integers of 64 bits: SwiftShader
// computes for work-items that have left a loop what the header's phis become, too.
func wordsLoopValues(m *ir.Module) {
	for _, f := range bodies(m) {
		handOut(f, func(h *ir.Block, xs []*ir.Value, care bool) bool {
			return care || slices.ContainsFunc(xs, func(v *ir.Value) bool { return v.Op != ir.OpPhi || v.Block != h }) && !leftAtOnce(h)
		})
		countedFlags(f)
	}
}

// handOut lets the headers of those loops do their breaks that must, by what outliving
// returns for them.
func handOut(f *ir.Func, must func(h *ir.Block, xs []*ir.Value, care bool) bool) {
	dom := f.Dominators()
	uses := findUses(f, dom)
	for i := len(f.Blocks) - 1; i >= 0; i-- { // inner loops first
		if h := f.Blocks[i]; h.Continue != nil {
			if xs, care := outliving(h, dom, uses); must(h, xs, care) {
				breakLater(f, h, xs)
				dom = f.Dominators()
				uses = findUses(f, dom)
			}
		}
	}
	for i, b := range f.Blocks {
		b.ID = i
	}
}

// leftAtOnce reports whether the loop of h has one way out, in its header or where its
// rounds end, and runs as often for all work-items.
func leftAtOnce(h *ir.Block) bool {
	if len(h.Merge.Preds) != 1 {
		return false
	}
	from := h.Merge.Preds[0]
	if from != h && !slices.Equal(h.Continue.Preds, []*ir.Block{from}) {
		return false
	}
	seen := map[*ir.Value]bool{} // by assumption, such as what a phi becomes
	var same func(v *ir.Value) bool
	same = func(v *ir.Value) bool {
		switch {
		case v == nil || seen[v] || v.IsConstExpr() || v.Op == ir.OpArg:
			return v != nil
		case v.Op == ir.OpPhi && v.Block == h, v.Op != ir.OpPhi && v.Op != ir.OpBuiltIn && v.Op.Has(ir.FlagPure):
			seen[v] = true
			return !slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return !same(a) })
		}
		return false
	}
	return same(from.Term.Cond)
}

// users has for each value the blocks at whose ends, or in which, it is used, and the
// place of each block in its function.
type users struct {
	of    map[*ir.Value][]*ir.Block
	place map[*ir.Block]int
}

func findUses(f *ir.Func, dom *ir.DomTree) *users {
	u := &users{of: map[*ir.Value][]*ir.Block{}, place: map[*ir.Block]int{}}
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

// outliving returns the values that are computed in the loop of h and used behind
// it, in order, and whether lavapipe must be kept from losing them, as it does not lose
// the phis of h.
func outliving(h *ir.Block, dom *ir.DomTree, uses *users) (out []*ir.Value, care bool) {
	if len(h.Merge.Preds) == 0 {
		return nil, false
	}
	inside := func(b *ir.Block) bool {
		return b != nil && dom.Reachable(b) && dom.Dominates(h, b) && !dom.Dominates(h.Merge, b)
	}
	var blocks []*ir.Block
	for work := []*ir.Block{h}; len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if slices.ContainsFunc(b.Insts, func(v *ir.Value) bool { return v.Op.Has(ir.FlagSync) }) {
			return nil, false // all work-items leave at once
		}
		blocks = append(blocks, b)
		for _, c := range dom.Children(b) {
			if c != h.Merge {
				work = append(work, c)
			}
		}
	}
	slices.SortFunc(blocks, func(a, b *ir.Block) int { return uses.place[a] - uses.place[b] })
	safe := map[*ir.Value]bool{}
	for _, p := range h.Phis {
		safe[p] = true
		// Drivers keep a phi and what it becomes in one place.
		for _, a := range p.Args {
			safe[a] = true
		}
	}
	var frozen func(v *ir.Value) bool
	frozen = func(v *ir.Value) bool {
		if ok, known := safe[v]; known {
			return ok
		}
		ok := !inside(v.Block)
		if !ok && v.Op != ir.OpPhi && v.Op.Has(ir.FlagPure) {
			ok = !slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return !frozen(a) })
		}
		safe[v] = ok
		return ok
	}
	outside := func(b *ir.Block) bool { return !inside(b) }
	for _, b := range blocks {
		for _, v := range slices.Concat(b.Phis, b.Insts) {
			if slices.ContainsFunc(uses.of[v], outside) {
				out = append(out, v) // the header's phis as well: breakLater sets them anew
				care = care || !frozen(v)
			}
		}
	}
	return out, care
}

// breakLater lets the header of a loop do its breaks, and hands the values xs out
// through it.
func breakLater(f *ir.Func, h *ir.Block, xs []*ir.Value) {
	m, c := h.Merge, h.Continue
	splitHeader(f, h)
	back := slices.Index(h.Preds, c)
	// What goes into the next round then comes from the breaks as well.
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
