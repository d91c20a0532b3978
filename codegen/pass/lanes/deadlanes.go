package lanes

// This file contains the pass deadlanes, which turns work-items that leave early into dead lanes.
// Deadlanes runs after the passes that remove checks, since each remaining check may turn a
// work-item into a dead lane.

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
// that all work-items of the group have in common. Since dead lanes still execute the barriers, the
// other work-items do not wait at a barrier for ever.
//
// The skeleton consists of the blocks in uniform flow, with their Sync ops, uniform values and
// uniform branches. Only live lanes execute the other code in the skeleton's blocks. At a branch
// that is not uniform, a dead lane goes directly to the block where the two sides join. DeadLanes
// does not change a kernel in which no work-item leaves the group before a Sync op of other
// work-items.
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
	d := &deadLanes{f: f, u: u, loopProvisos: given, exitSuccessor: map[*ir.Block]*ir.Block{}, skeleton: map[*ir.Value]bool{}, undef: &rewrite.Undefs{}}
	for _, b := range u.Order {
		// If all work-items leave the group together, they return and do not become dead lanes.
		if e, ok := u.Way(b); ok && u.Leaving[e] && !u.Together(b) {
			d.exitSuccessor[b] = e.To
		}
	}
	if len(d.exitSuccessor) > 0 {
		d.run()
	} else {
		dropGroupUniform(f)
	}
	return nil
}

// dropGroupUniform replaces each GroupUniform op by its operand. Without dead lanes, every
// work-item has computed the operand of a GroupUniform op, and the kernel's author has declared the
// operand uniform.
func dropGroupUniform(f *ir.Func) {
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
	// exitSuccessor maps a block to the successor through which some work-items leave the group.
	exitSuccessor map[*ir.Block]*ir.Block
	loopProvisos  map[*ir.Block]*uniform.Proviso // maps the head of a loop to the condition under which the loop is known to end
	skeleton      map[*ir.Value]bool             // values and stores that dead lanes also execute
	branchVars    map[*ir.Var]bool               // variables on which the skeleton's branches depend
	dead          *ir.Ref
	undef         *rewrite.Undefs
	allLive       map[*ir.Value]bool // loads and stores of matrices that dead lanes never reach
	phiVars       []*ir.Var          // variables that temporarily replace phis
	liveOnly      []*ir.Var          // variables of phiVars that dead lanes do not need

	// lastWord is the most recent value that is a single 32-bit word of a longer result. wordInputs
	// contains the operands that lastWord had before neutralOperands replaced them.
	lastWord   *ir.Value
	wordInputs []*ir.Value
}

func (d *deadLanes) run() {
	d.findAllLive()
	for _, b := range d.u.Order {
		if d.exitSuccessor[b] != nil {
			d.ownRegion(b)
		}
	}
	d.computeAgain()
	d.findSkeleton()
	blocks := slices.Clone(d.u.Order)
	for _, b := range blocks {
		if d.reachesSync(b) {
			d.splitTail(b)
		}
	}
	d.demotePhis()

	dead := d.f.Module.NewVar(d.f, ir.Function, "dead", ir.TypeBool)
	d.dead = &ir.Ref{Var: dead}
	for _, b := range blocks {
		switch {
		case d.inSkeleton(b):
			d.splitBlock(b)
		case d.exitSuccessor[b] != nil:
			d.redirectReturns(b, d.u.Join(b))
		}
	}
	entry := d.f.Blocks[0]
	init := d.f.NewValue(ir.OpStore, ir.TypeVoid, d.f.Module.Bool(false))
	init.Aux, init.Block = d.dead, entry
	entry.Insts = slices.Insert(entry.Insts, 0, init)

	d.f.RemoveUnreachable()
	d.threadJumps()
	rewrite.RepairSSA(d.f, d.undef)
	d.undef.Promote(d.f, d.phiVars)
}

// reachesSync reports whether b is a block of the original function and a Sync op is
// reachable from b.
func (d *deadLanes) reachesSync(b *ir.Block) bool {
	i, ok := d.u.Index[b]
	return ok && d.u.Before[i]
}

// inSkeleton reports whether b is a block of the original function and belongs to the skeleton (the
// code that dead lanes also execute).
func (d *deadLanes) inSkeleton(b *ir.Block) bool { return d.reachesSync(b) && d.u.Block(b) }

// ownRegion ensures that only work-items that leave the group at b execute the code from b to their
// return. If other work-items may also execute the code after b, ownRegion copies the code.
func (d *deadLanes) ownRegion(b *ir.Block) {
	to := d.exitSuccessor[b]
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
	d.exitSuccessor[b] = c.Block(to)
	d.f.RemoveUnreachable()
}

// findSkeleton finds the values that dead lanes can also compute. Dead lanes can compute a value if
// it is in uniform flow and does not depend on values that only live lanes have computed.
func (d *deadLanes) findSkeleton() {
	u := d.u
	fits := func(v *ir.Value) bool {
		switch {
		case v.Op == ir.OpPhi:
			b := v.Block
			for i, p := range b.Preds {
				if !d.inSkeleton(p) || slices.Contains(b.Preds[:i], p) {
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
			// Dead lanes need shifts by constants only to compute the addresses of matrices in
			// memory.
			return u.Value(v) || !v.Op.Has(ir.FlagPartial) || d.f.Module.Target.Tuples != nil && facts.Speculative(v)
		}
		return false
	}
	var all []*ir.Value
	for _, b := range u.Order {
		if d.inSkeleton(b) {
			for _, v := range slices.Concat(b.Phis, b.Insts) {
				if fits(v) {
					d.skeleton[v] = true
					all = append(all, v)
				}
			}
		}
	}
	d.dropIncomplete(all)
	asked, after := d.neededValues(all), map[*ir.Block]bool{}
	d.keepWanted(all)
	for b := range d.exitSuccessor {
		for _, s := range b.Term.Succs {
			for _, x := range uniform.Reachable(s) {
				after[x] = true
			}
		}
	}
	for _, v := range all {
		if after[v.Block] && !asked[v] && isHazardous(v) {
			delete(d.skeleton, v)
		}
	}
	d.dropIncomplete(all)
}

// dropIncomplete removes a value from the skeleton (the code that dead lanes also execute) if an
// operand of the value is not in the skeleton.
func (d *deadLanes) dropIncomplete(all []*ir.Value) {
	for changed := true; changed; {
		changed = false
		for _, v := range all {
			// Group ops stay in the skeleton, because dead lanes use other operands for them (see
			// neutralOperands).
			if d.skeleton[v] && !v.IsGroupOp() && slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return a.Block != nil && !d.skeleton[a] }) {
				delete(d.skeleton, v)
				changed = true
			}
		}
	}
}

// neededValues returns the values on which the skeleton's branches depend, and the values that must be equal in
// all lanes. neededValues also computes d.branchVars.
func (d *deadLanes) neededValues(all []*ir.Value) map[*ir.Value]bool {
	asked := map[*ir.Value]bool{}
	d.branchVars = map[*ir.Var]bool{}
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
		if x := ownSource(v); x != nil && !d.branchVars[x] {
			d.branchVars[x] = true
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

// isHazardous reports whether computing v is unsafe if all lanes are dead. A load is unsafe if only
// live lanes have checked its address. A division is unsafe if only live lanes have checked its
// divisor.
func isHazardous(v *ir.Value) bool {
	if v.Op == ir.OpLoad {
		return v.Ref().Var == nil || len(v.Path()) > 0
	}
	return v.Op.Has(ir.FlagDivides) && !facts.Speculative(v)
}

// splitTail splits b after its last Sync op, unless another Sync op is reachable from the end of b.
func (d *deadLanes) splitTail(b *ir.Block) {
	for _, s := range b.Term.Succs {
		if d.reachesSync(s) {
			return
		}
	}
	last := len(b.Insts) - 1
	for !b.Insts[last].Op.Has(ir.FlagSync) {
		last--
	}
	rewrite.SplitAfter(b, last+1)
}

// demotePhis turns phis into variables, so that edges can be moved. If a phi belongs to the
// skeleton, the stores to the phi's variable also belong to the skeleton.
func (d *deadLanes) demotePhis() {
	var phis []*ir.Value
	for _, b := range d.f.Blocks {
		for _, v := range b.Phis {
			if d.skeleton[v] {
				phis = append(phis, v)
			}
		}
	}
	d.phiVars = rewrite.DemotePhis(d.f, d.undef)
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
	d.liveOnly = slices.DeleteFunc(slices.Clone(d.phiVars), func(v *ir.Var) bool { return vars[v] })
}

// branchOnDead ends block b with a branch. Dead lanes continue at block "dead", and live lanes continue at
// block "live".
func (d *deadLanes) branchOnDead(b, dead, live *ir.Block) {
	e := d.f.NewBlock()
	b.Branch(d.loadDead(b), e, live)
	d.appendUndef(e)
	e.Jump(dead)
}

// appendUndef adds instructions at the end of b that set the variables in d.liveOnly to undefined
// values.
func (d *deadLanes) appendUndef(b *ir.Block) {
	b.Insts = append(b.Insts, d.undef.Forget(b, d.liveOnly)...)
}

// splitBlock moves instructions of b into blocks that only live lanes execute, if the instructions
// do not belong to the skeleton. All work-items of the group must reach b together.
func (d *deadLanes) splitBlock(b *ir.Block) {
	insts := b.Insts
	b.Insts = nil
	end := d.f.NewBlock() // temporarily contains the terminator of b
	rewrite.MoveTerm(b, end)
	cur := b
	if d.u.AsksAt(b) {
		cur = d.testAnyLive(b)
	}
	var live []*ir.Value
	put := func(to *ir.Block, vs ...*ir.Value) {
		for _, v := range vs {
			v.Block = to
			to.Insts = append(to.Insts, v)
		}
	}
	flush := func() {
		if !slices.ContainsFunc(live, d.hasEffect) {
			put(cur, live...)
			live = nil
			return
		}
		body, next := d.f.NewBlock(), d.f.NewBlock()
		d.branchOnDead(cur, next, body)
		put(body, live...)
		body.Jump(next)
		cur, live = next, nil
	}
	for _, v := range insts {
		switch {
		case v.Op.Has(ir.FlagSync):
			flush()
			d.neutralOperands(v, cur)
			d.wholeSubGroup(v, cur)
			put(cur, v)
		case d.skeleton[v]:
			if x := ownTarget(v); x != nil && slices.ContainsFunc(live, func(w *ir.Value) bool { return ownSource(w) == x }) {
				flush() // live lanes must load the variable before dead lanes store to it
			}
			put(cur, v) // placed before the live lanes' instructions, on which v never depends
		default:
			live = append(live, v)
		}
	}
	t := end.Term
	if t.Kind == ir.Branch && !d.u.Value(t.Cond) {
		// Only live lanes compute the condition of a divergent branch.
		body := d.f.NewBlock()
		to := d.u.Join(b)
		if out := d.exitSuccessor[b]; out != nil {
			stay := t.Succs[0]
			if stay == out {
				stay = t.Succs[1]
			}
			if stay == to {
				// Live lanes enter the join by a new block, because the branch needs two distinct
				// successors.
				to = d.f.NewBlock()
				end.Retarget(stay, to)
				to.Jump(stay)
			}
			d.redirectReturns(b, to)
		}
		d.branchOnDead(cur, to, body)
		put(body, live...)
		rewrite.MoveTerm(end, body)
	} else {
		if t.Cond != nil && t.Cond.Block != nil && !d.skeleton[t.Cond] {
			panic("BUG: a uniform condition that dead lanes lack")
		}
		flush()
		rewrite.MoveTerm(end, cur)
		d.guardEnd(cur)
	}
	// The block that temporarily contained b's terminator is no longer reachable.
	end.SetTerm(ir.Term{Kind: ir.Unreachable})
}

// testAnyLive appends a test to b. The test ends the kernel for the whole group if all its
// work-items have returned or faulted. A loop may have a proviso, which is a condition that ensures
// that the loop ends. If b is the head of a loop and the loop's proviso holds, the code skips the
// test. testAnyLive returns the block in which the kernel continues.
func (d *deadLanes) testAnyLive(b *ir.Block) *ir.Block {
	next, out := d.f.NewBlock(), d.f.NewBlock()
	p := d.loopProvisos[b]
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
	b.Branch(d.anyLive(b, p != nil), next, out)
	out.SetTerm(ir.Term{Kind: ir.Return})
	return next
}

// anyLive appends to b the code that computes whether a live lane remains in the group. If the
// argument `rarely` is true or the module can be cancelled, the code does not use sub-groups. In
// these cases, the rest of the kernel may work without sub-groups.
func (d *deadLanes) anyLive(b *ir.Block, rarely bool) *ir.Value {
	m := d.f.Module
	if !rarely && !m.Target.Cancel {
		v := b.Append(ir.OpGroupAny, ir.TypeBool, b.Append(ir.OpLNot, ir.TypeBool, d.loadDead(b)))
		v.Aux = ir.ScopeWorkGroup
		return v
	}
	zero, one := m.Const(ir.TypeF32, 0), m.Const(ir.TypeF32, uint64(math.Float32bits(1)))
	sum := b.Append(ir.OpGroupInclusiveScan, ir.TypeF32, b.Append(ir.OpSelect, ir.TypeF32, d.loadDead(b), zero, one), zero)
	sum.Aux = ir.Combine{Scope: ir.ScopeWorkGroup, By: ir.CombineFAdd}
	last := b.Append(ir.OpISub, ir.TypeI32, groupSize(m), m.Int(ir.TypeI32, 1))
	all := b.Append(ir.OpGroupSelect, ir.TypeF32, sum, last)
	all.Aux = ir.ScopeWorkGroup
	return b.Append(ir.OpFLt, ir.TypeBool, zero, all)
}

// neutralOperands replaces the operands of the group op v in dead lanes by operands that do not
// affect the results of live lanes. neutralOperands appends the necessary code to b, and the caller
// then appends v.
func (d *deadLanes) neutralOperands(v *ir.Value, b *ir.Block) {
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
		// Dead lanes keep the lane operand of a GroupSelect, because all lanes must select the same
		// lane.
		if v.Op == ir.OpGroupSelect && i == 1 && (a.Block == nil || d.skeleton[a]) {
			continue
		}
		s := b.Append(ir.OpSelect, a.Type, d.loadDead(b), n, a)
		s.Pos = v.Pos
		v.Args[i] = s
	}
}

// anotherWord reports whether v and the last instruction of b compute two 32-bit words of one
// longer result. The caller then appends v to b. If the result is true, v gets the same operands as
// the last instruction, so that one instruction can compute both words.
func (d *deadLanes) anotherWord(v *ir.Value, b *ir.Block) bool {
	last, inputs := d.lastWord, d.wordInputs
	d.lastWord, d.wordInputs = v, slices.Clone(v.Inputs())
	if last == nil || last.Op != v.Op || !slices.Equal(inputs, d.wordInputs) || len(b.Insts) == 0 || b.Insts[len(b.Insts)-1] != last {
		return false
	}
	copy(v.Inputs(), last.Inputs())
	return true
}

// loadDead appends a load of the dead flag to b. The dead flag is set if the work-item has returned
// early or faulted.
func (d *deadLanes) loadDead(b *ir.Block) *ir.Value {
	v := b.Append(ir.OpLoad, ir.TypeBool)
	v.Aux = d.dead
	return v
}

// guardEnd makes dead lanes skip code after block b, which is in uniform flow and has a uniform
// terminator. Dead lanes skip a loop that work-items leave in different iterations. Dead lanes
// return after the last Sync op.
func (d *deadLanes) guardEnd(b *ir.Block) {
	for _, s := range slices.Clone(b.Term.Succs) {
		var to *ir.Block
		switch {
		case !d.reachesSync(s):
			to = d.f.NewBlock()
			to.SetTerm(ir.Term{Kind: ir.Return})
		case !d.u.Block(s):
			to = d.u.Join(s)
		default:
			continue
		}
		g := d.f.NewBlock()
		b.Retarget(s, g)
		d.branchOnDead(g, to, s)
	}
}

// redirectReturns replaces the returns of work-items that leave the group at b. Instead of
// returning, the work-items set the dead flag and jump to block "to" of the skeleton.
func (d *deadLanes) redirectReturns(b, to *ir.Block) {
	for _, x := range uniform.Reachable(d.exitSuccessor[b]) {
		if x.Term.Kind != ir.Return {
			continue
		}
		st := x.Append(ir.OpStore, ir.TypeVoid, d.f.Module.Bool(true))
		st.Aux = d.dead
		d.appendUndef(x)
		x.ClearTerm()
		x.Jump(to)
	}
}
