package lanes

// This file is the pass deadlanes. It runs after the passes that remove checks, since each
// remaining check may make a lane dead.

import (
	"math"
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/uniform"
)

// DeadLanes checks that every Sync op is in uniform flow, and turns work-items that return early or
// fault into dead lanes. A dead lane still executes the skeleton, which is the part of the code
// that all work-items of the group have in common. So the others do not wait for it for ever.
//
// The skeleton consists of the blocks in uniform flow, with their Sync ops, uniform values and
// uniform branches. All other code in these blocks is placed under "if not dead". At a branch that
// is not uniform, a dead lane goes directly to the block where the two sides join. The code does
// not change if no work-item leaves the kernel while others still have a Sync op before them.
func DeadLanes(m *ir.Module) diag.List {
	if !m.UsesGroup {
		return nil
	}
	f := m.Kernel
	f.RemoveUnreachable()
	rewrite.SingleLatches(f)
	rewrite.OnePred(f)
	u := uniform.Of(f)
	if ds := u.Check(); len(ds) > 0 {
		return ds
	}
	given := u.Provisos()
	u.BypassLoops()
	d := &deadLanes{f: f, u: u, given: given, dying: map[*ir.Block]*ir.Block{}, skeleton: map[*ir.Value]bool{}, undef: &rewrite.Undefs{}}
	for _, b := range u.Order {
		// If all work-items leave together, they may simply return.
		if e, ok := u.Way(b); ok && u.Leaving[e] && !u.Together(b) {
			d.dying[b] = e.To
		}
	}
	if len(d.dying) > 0 {
		d.run()
	} else {
		believe(f)
	}
	return nil
}

// believe replaces each GroupUniform by its operand: without dead lanes, every work-item has the
// value, and users state that it is uniform.
func believe(f *ir.Func) {
	repl := map[*ir.Value]*ir.Value{}
	for _, b := range f.Blocks {
		for _, v := range b.Insts {
			if v.Op == ir.OpGroupUniform {
				repl[v] = v.Args[0]
			}
		}
		b.Insts = slices.DeleteFunc(b.Insts, func(v *ir.Value) bool { return repl[v] != nil })
	}
	rewrite.ReplaceUses(f, (&rewrite.Promoter{Repl: repl}).Resolve)
}

type deadLanes struct {
	f *ir.Func
	u *uniform.Info
	// dying maps a block to the successor on which its work-items leave.
	dying    map[*ir.Block]*ir.Block
	given    map[*ir.Block]*uniform.Proviso // provisos of the loops, by the loops' heads
	skeleton map[*ir.Value]bool             // values that dead lanes also compute, and stores that they also make
	wanted   map[*ir.Var]bool               // variables on which the skeleton's branches depend
	dead     *ir.Ref
	undef    *rewrite.Undefs
	allLive  map[*ir.Value]bool // loads and stores of matrices that no dead lane reaches
	cells    []*ir.Var          // variables that replace phis
	own      []*ir.Var          // those of cells that dead lanes do not need

	// word is the last word of a result with several words, and inputs are its inputs before the
	// dead lanes' inputs became neutral.
	word   *ir.Value
	inputs []*ir.Value
}

func (d *deadLanes) run() {
	d.findAllLive()
	for _, b := range d.u.Order {
		if d.dying[b] != nil {
			d.ownRegion(b)
		}
	}
	d.computeAgain()
	d.findSkeleton()
	blocks := slices.Clone(d.u.Order)
	for _, b := range blocks {
		if d.staying(b) {
			d.splitTail(b)
		}
	}
	d.demote()

	dead := d.f.Module.NewVar(d.f, ir.Function, "dead", ir.TypeBool)
	d.dead = &ir.Ref{Var: dead}
	for _, b := range blocks {
		switch {
		case d.uniform(b):
			d.rebuild(b)
		case d.dying[b] != nil:
			d.redirect(b, d.u.Join(b))
		}
	}
	entry := d.f.Blocks[0]
	init := d.f.NewValue(ir.OpStore, ir.TypeVoid, d.f.Module.Bool(false))
	init.Aux, init.Block = d.dead, entry
	entry.Insts = slices.Insert(entry.Insts, 0, init)

	d.f.RemoveUnreachable()
	d.thread()
	rewrite.RepairSSA(d.f, d.undef)
	d.undef.Promote(d.f, d.cells)
}

// staying reports whether b is a block of the original function from which a Sync op is reachable.
func (d *deadLanes) staying(b *ir.Block) bool {
	i, ok := d.u.Index[b]
	return ok && d.u.Before[i]
}

// uniform reports whether b is a block of the original function and part of the skeleton.
func (d *deadLanes) uniform(b *ir.Block) bool { return d.staying(b) && d.u.Block(b) }

// ownRegion makes sure that the code from b to the return of the work-items that leave there is
// executed by no others: it copies the code if necessary.
func (d *deadLanes) ownRegion(b *ir.Block) {
	to := d.dying[b]
	region := uniform.Reachable(to)
	in := map[*ir.Block]bool{}
	for _, x := range region {
		in[x] = true
	}
	own := true
	for _, x := range region {
		for _, p := range x.Preds {
			own = own && (in[p] || p == b && x == to)
		}
	}
	if own {
		return
	}
	c := rewrite.NewCloner(d.f)
	c.Copy(region)
	c.Entered(to, b)
	c.End(region, c.Block)
	c.Phis(region)
	d.dying[b] = c.Block(to)
	d.f.RemoveUnreachable()
}

// findSkeleton finds the values that dead lanes can compute, too: the values in uniform flow that
// do not depend on values which only live lanes have. All uniform values in uniform flow are among
// them.
func (d *deadLanes) findSkeleton() {
	u := d.u
	fits := func(v *ir.Value) bool {
		switch {
		case v.Op == ir.OpPhi:
			b := v.Block
			for i, p := range b.Preds {
				if !d.uniform(p) || slices.Contains(b.Preds[:i], p) {
					return false
				}
			}
			return true
		case v.Op.Has(ir.FlagSync):
			return true
		case v.Op == ir.OpLoad:
			return u.Value(v)
		case u.Fills(v):
			return true
		case v.Op.Has(ir.FlagPure):
			// Shifts by constants are defined for all values, but only the positions of matrices
			// need this exception.
			return u.Value(v) || !v.Op.Has(ir.FlagPartial) || d.f.Module.Target.Tuples != nil && facts.Speculative(v)
		}
		return false
	}
	var all []*ir.Value
	for _, b := range u.Order {
		if d.uniform(b) {
			for _, v := range slices.Concat(b.Phis, b.Insts) {
				if fits(v) {
					d.skeleton[v] = true
					all = append(all, v)
				}
			}
		}
	}
	d.drop(all)
	asked, after := d.asked(all), map[*ir.Block]bool{}
	d.keepWanted(all)
	for b := range d.dying {
		for _, s := range b.Term.Succs {
			for _, x := range uniform.Reachable(s) {
				after[x] = true
			}
		}
	}
	for _, v := range all {
		if after[v.Block] && !asked[v] && hazardous(v) {
			delete(d.skeleton, v)
		}
	}
	d.drop(all)
}

// drop removes values from the skeleton whose operands are not in it, until there are none.
func (d *deadLanes) drop(all []*ir.Value) {
	for changed := true; changed; {
		changed = false
		for _, v := range all {
			// For group ops dead lanes have neutral operands instead.
			if d.skeleton[v] && !v.IsGroupOp() && slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return a.Block != nil && !d.skeleton[a] }) {
				delete(d.skeleton, v)
				changed = true
			}
		}
	}
}

// asked returns the values on which the skeleton's branches depend, and those that must be equal in
// all lanes.
func (d *deadLanes) asked(all []*ir.Value) map[*ir.Value]bool {
	asked := map[*ir.Value]bool{}
	d.wanted = map[*ir.Var]bool{}
	stores := d.storesTo(all)
	var ask func(v *ir.Value)
	ask = func(v *ir.Value) {
		if !d.skeleton[v] || asked[v] {
			return
		}
		asked[v] = true
		for _, a := range v.Args {
			ask(a)
		}
		if x := ownSource(v); x != nil && !d.wanted[x] {
			d.wanted[x] = true
			for _, s := range stores[x] {
				ask(s)
			}
		}
	}
	for _, b := range d.u.Order {
		if c := b.Term.Cond; c != nil && d.u.Value(c) {
			ask(c)
		}
	}
	for _, v := range all {
		if v.Op == ir.OpGroupSelect {
			ask(v.Args[1])
		}
	}
	return asked
}

// hazardous reports whether dead lanes alone must not compute v: the memory that it accesses, or
// its divisor, was checked only by live lanes, and all lanes may be dead.
func hazardous(v *ir.Value) bool {
	if v.Op == ir.OpLoad {
		return v.Ref().Var == nil || len(v.Path()) > 0
	}
	return v.Op.Has(ir.FlagDivides) && !facts.Speculative(v)
}

// splitTail splits b after its last Sync op, if no Sync op is reachable after it.
func (d *deadLanes) splitTail(b *ir.Block) {
	for _, s := range b.Term.Succs {
		if d.staying(s) {
			return
		}
	}
	last := len(b.Insts) - 1
	for !b.Insts[last].Op.Has(ir.FlagSync) {
		last--
	}
	rewrite.SplitAfter(b, last+1)
}

// demote turns phis into variables, so that edges can be moved. The variable of a phi in the
// skeleton belongs to the skeleton.
func (d *deadLanes) demote() {
	var phis []*ir.Value
	for _, b := range d.f.Blocks {
		for _, v := range b.Phis {
			if d.skeleton[v] {
				phis = append(phis, v)
			}
		}
	}
	d.cells = rewrite.DemotePhis(d.f, d.undef)
	vars := map[*ir.Var]bool{}
	for _, v := range phis {
		vars[v.Ref().Var] = true
	}
	for _, b := range d.f.Blocks {
		for _, v := range b.Insts {
			if v.Op == ir.OpStore && vars[v.Ref().Var] {
				d.skeleton[v] = true
			}
		}
	}
	d.own = slices.DeleteFunc(slices.Clone(d.cells), func(v *ir.Var) bool { return vars[v] })
}

// skip ends b with a branch that sends dead lanes to the block dead, and live lanes to the block
// live.
func (d *deadLanes) skip(b, dead, live *ir.Block) {
	e := d.f.NewBlock()
	b.Branch(d.load(b), e, live)
	d.forget(e)
	e.Jump(dead)
}

// forget marks, at the end of b, the variables that dead lanes do not need as undefined.
func (d *deadLanes) forget(b *ir.Block) { b.Insts = append(b.Insts, d.undef.Forget(b, d.own)...) }

// rebuild puts the instructions of b that do not belong to the skeleton under "if not dead". b must
// be in uniform flow.
func (d *deadLanes) rebuild(b *ir.Block) {
	insts := b.Insts
	b.Insts = nil
	end := d.f.NewBlock() // temporarily holds the terminator
	rewrite.MoveTerm(b, end)
	cur := b
	if d.u.AsksAt(b) {
		cur = d.ask(b)
	}
	var live []*ir.Value
	put := func(to *ir.Block, vs ...*ir.Value) {
		for _, v := range vs {
			v.Block = to
			to.Insts = append(to.Insts, v)
		}
	}
	flush := func() {
		if !slices.ContainsFunc(live, d.matters) {
			put(cur, live...)
			live = nil
			return
		}
		body, next := d.f.NewBlock(), d.f.NewBlock()
		d.skip(cur, next, body)
		put(body, live...)
		body.Jump(next)
		cur, live = next, nil
	}
	for _, v := range insts {
		switch {
		case v.Op.Has(ir.FlagSync):
			flush()
			d.neutral(v, cur)
			d.wholeSubGroup(v, cur)
			put(cur, v)
		case d.skeleton[v]:
			if x := ownTarget(v); x != nil && slices.ContainsFunc(live, func(w *ir.Value) bool { return ownSource(w) == x }) {
				flush() // live lanes must load the variable before dead lanes store to it
			}
			put(cur, v) // before the live lanes' part, on which it never depends
		default:
			live = append(live, v)
		}
	}
	t := end.Term
	if t.Kind == ir.Branch && !d.u.Value(t.Cond) {
		// Only the live lanes have the condition.
		body := d.f.NewBlock()
		to := d.u.Join(b)
		if out := d.dying[b]; out != nil {
			stay := t.Succs[0]
			if stay == out {
				stay = t.Succs[1]
			}
			if stay == to {
				// The live lanes get an edge of their own, since other edges may lead to the join.
				to = d.f.NewBlock()
				end.Retarget(stay, to)
				to.Jump(stay)
			}
			d.redirect(b, to)
		}
		d.skip(cur, to, body)
		put(body, live...)
		rewrite.MoveTerm(end, body)
	} else {
		if t.Cond != nil && t.Cond.Block != nil && !d.skeleton[t.Cond] {
			panic("BUG: a uniform condition that dead lanes lack")
		}
		flush()
		rewrite.MoveTerm(end, cur)
		d.guard(cur)
	}
	// The temporary block is unreachable now.
	end.SetTerm(ir.Term{Kind: ir.Unreachable})
}

// ask adds code at the end of b that ends the kernel for the group if no live lane remains. It
// returns the block in which the kernel continues. The code skips the question if the loop's
// proviso holds.
func (d *deadLanes) ask(b *ir.Block) *ir.Block {
	next, out := d.f.NewBlock(), d.f.NewBlock()
	p := d.given[b]
	if p != nil {
		step, m := p.Step, d.f.Module
		if p.Opposite {
			step = b.Append(ir.OpISub, step.Type, m.Int(step.Type, 0), step)
		}
		before := b.Append(ir.OpISub, step.Type, step, m.Int(step.Type, 1))
		vote := d.f.NewBlock()
		b.Branch(b.Append(ir.OpULt, ir.TypeBool, before, m.Const(step.Type, p.Most)), next, vote)
		b = vote
	}
	b.Branch(d.left(b, p != nil), next, out)
	out.SetTerm(ir.Term{Kind: ir.Return})
	return next
}

// left adds, at the end of b, the computation of whether a live lane remains in the group. If the
// question is asked rarely, or in a variant, the code uses no sub-groups, since the kernel may not
// need this feature otherwise.
func (d *deadLanes) left(b *ir.Block, rarely bool) *ir.Value {
	m := d.f.Module
	if !rarely && !m.Target.Cancel {
		v := b.Append(ir.OpGroupAny, ir.TypeBool, b.Append(ir.OpLNot, ir.TypeBool, d.load(b)))
		v.Aux = ir.ScopeWorkGroup
		return v
	}
	zero, one := m.Const(ir.TypeF32, 0), m.Const(ir.TypeF32, uint64(math.Float32bits(1)))
	sum := b.Append(ir.OpGroupInclusiveScan, ir.TypeF32, b.Append(ir.OpSelect, ir.TypeF32, d.load(b), zero, one), zero)
	sum.Aux = ir.Combine{Scope: ir.ScopeWorkGroup, By: ir.CombineFAdd}
	last := b.Append(ir.OpISub, ir.TypeI32, groupSize(m), m.Int(ir.TypeI32, 1))
	all := b.Append(ir.OpGroupSelect, ir.TypeF32, sum, last)
	all.Aux = ir.ScopeWorkGroup
	return b.Append(ir.OpFLt, ir.TypeBool, zero, all)
}

// neutral gives dead lanes neutral operands in the group op v, which will be appended to b.
func (d *deadLanes) neutral(v *ir.Value, b *ir.Block) {
	if !v.IsGroupOp() {
		return
	}
	if _, words := v.Word(); words && d.anotherWord(v, b) {
		return
	}
	for i, a := range v.Args {
		n := v.Neutral(d.f.Module, i)
		if a == n {
			continue
		}
		// All lanes must read from the same lane, or the values that they read would differ.
		if v.Op == ir.OpGroupSelect && i == 1 && (a.Block == nil || d.skeleton[a]) {
			continue
		}
		s := b.Append(ir.OpSelect, a.Type, d.load(b), n, a)
		s.Pos = v.Pos
		v.Args[i] = s
	}
}

// anotherWord reports whether v, which will be appended to b, is a further word of the previous
// result. If so, it gives v the same operands, so that both can be one instruction.
func (d *deadLanes) anotherWord(v *ir.Value, b *ir.Block) bool {
	last, inputs := d.word, d.inputs
	d.word, d.inputs = v, slices.Clone(v.Inputs())
	if last == nil || last.Op != v.Op || !slices.Equal(inputs, d.inputs) || len(b.Insts) == 0 || b.Insts[len(b.Insts)-1] != last {
		return false
	}
	copy(v.Inputs(), last.Inputs())
	return true
}

// load adds, at the end of b, a load of the flag that says whether the work-item is a dead lane.
func (d *deadLanes) load(b *ir.Block) *ir.Value {
	v := b.Append(ir.OpLoad, ir.TypeBool)
	v.Aux = d.dead
	return v
}

// guard sends dead lanes past the code after b, a block in uniform flow with a uniform terminator.
// They skip loops that work-items leave at different times. They go to the kernel's end once no
// Sync op is reachable.
func (d *deadLanes) guard(b *ir.Block) {
	for _, s := range slices.Clone(b.Term.Succs) {
		var to *ir.Block
		switch {
		case !d.staying(s):
			to = d.f.NewBlock()
			to.SetTerm(ir.Term{Kind: ir.Return})
		case !d.u.Block(s):
			to = d.u.Join(s)
		default:
			continue
		}
		g := d.f.NewBlock()
		b.Retarget(s, g)
		d.skip(g, to, s)
	}
}

// redirect sends the work-items that leave at b, at their return, to the block to of the skeleton
// as dead lanes.
func (d *deadLanes) redirect(b, to *ir.Block) {
	for _, x := range uniform.Reachable(d.dying[b]) {
		if x.Term.Kind != ir.Return {
			continue
		}
		st := x.Append(ir.OpStore, ir.TypeVoid, d.f.Module.Bool(true))
		st.Aux = d.dead
		d.forget(x)
		x.ClearTerm()
		x.Jump(to)
	}
}
