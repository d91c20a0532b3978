package interp

// This file runs the invocations of a work-group.

import (
	"encoding/binary"
	"fmt"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// itemState is the state of one invocation.
type itemState struct {
	x       *launchState
	group   [3]uint32  // id of the work-group
	local   [3]uint32  // id of the invocation in its work-group
	linear  uint32     // linear index of the invocation in its work-group
	frame   *callFrame // nil after the invocation has returned
	at      *ir.Value  // Sync op at which the invocation waits, or nil
	clock   []uint32   // vector clock of the invocation, with one element per work-item of the group
	faulted bool       // whether the work-item has executed a Fault op; Sync ops do not wait for a faulted work-item
}

// callFrame is the state of one call of a function.
type callFrame struct {
	caller *callFrame
	b      *ir.Block
	next   int      // index in b.Insts of the next value to execute
	vals   []uint64 // values of the function, indexed by launchState.slots
	known  []bool
	vars   map[*ir.Var]*varMemory
}

// failAt ends the run with an error about op v. If the error is about a terminator, v is nil.
func (w *itemState) failAt(v *ir.Value, format string, args ...any) {
	s := "terminator"
	if v != nil {
		s = v.LongString()
	}
	name := ""
	if w.frame != nil {
		name = w.frame.b.Func.Name + ": "
	}
	panic(runError{fmt.Errorf("%s%s: work-group %v, local id %v: %s", name, s, w.group, w.local, fmt.Sprintf(format, args...))})
}

func (x *launchState) newFrame(f *ir.Func, caller *callFrame) *callFrame {
	n := x.values[f]
	fr := &callFrame{caller: caller, b: f.Blocks[0], vals: make([]uint64, n), known: make([]bool, n), vars: make(map[*ir.Var]*varMemory, len(f.Vars))}
	for _, v := range f.Vars {
		fr.vars[v] = x.newStore(v)
	}
	return fr
}

// assignSlots assigns a frame slot to each value that function f computes.
func (x *launchState) assignSlots(f *ir.Func) {
	n := 0
	add := func(v *ir.Value) {
		for v.ID >= len(x.slots) {
			x.slots = append(x.slots, make([]int32, max(len(x.slots), 64, v.ID+1-len(x.slots)))...)
		}
		if x.slots[v.ID] != 0 {
			panic(fmt.Sprintf("BUG: two values are %%%d", v.ID))
		}
		n++
		x.slots[v.ID] = int32(n)
	}
	for _, p := range f.Params {
		add(p)
	}
	for _, b := range f.Blocks {
		for _, v := range b.Phis {
			add(v)
		}
		for _, v := range b.Insts {
			if v.Type != ir.TypeVoid {
				add(v)
			}
			if v.Type.IsVector() {
				n += v.Type.Lanes() - 1 // the elements of a vector have consecutive slots
			}
		}
	}
	x.values[f] = n
}

// setValue stores the value of v in the current frame.
func (w *itemState) setValue(v *ir.Value, bits uint64) { w.frame.setValue(w.x, v, bits) }

func (f *callFrame) setValue(x *launchState, v *ir.Value, bits uint64) {
	i := x.slots[v.ID] - 1
	f.vals[i], f.known[i] = bits, true
}

// runGroup runs a work-group. The work-items run one after another from one Sync op to the next.
func (x *launchState) runGroup(id [3]uint32) {
	x.group = map[*ir.Var]*varMemory{}
	for _, v := range x.m.Vars {
		if v.Storage == ir.Workgroup {
			x.group[v] = x.newStore(v)
		}
	}
	var items []*itemState
	for lz := range x.l.Local[2] {
		for ly := range x.l.Local[1] {
			for lx := range x.l.Local[0] {
				w := &itemState{x: x, group: id, local: [3]uint32{lx, ly, lz}, linear: uint32(len(items))}
				w.frame = x.newFrame(x.m.Kernel, nil)
				items = append(items, w)
			}
		}
	}
	if x.check != nil {
		x.check.beginGroup(items)
		defer func() { x.check.itemsBefore += len(items) }()
	}
	for {
		if x.check != nil {
			x.check.runRandomly(items)
		}
		for _, w := range items {
			for w.frame != nil && w.at == nil {
				w.runStep()
			}
		}
		if !x.completeSync(items) {
			if x.check != nil {
				for _, v := range x.m.Vars {
					if v.Storage == ir.Workgroup {
						x.check.reportUnwritten(x.group[v], items)
					}
				}
			}
			return
		}
	}
}

// completeSync completes the Sync op at which work-items wait, so that these work-items continue.
// completeSync returns false if no work-item was waiting.
func (x *launchState) completeSync(items []*itemState) bool {
	waiting := false
	n := int(x.l.SubGroupSize)
	for i := 0; i < len(items); i += n {
		sub := items[i:min(i+n, len(items))]
		for _, w := range sub {
			if w.at == nil {
				continue
			}
			waiting = true
			if w.at.GroupScope() == ir.ScopeSubGroup {
				x.combineItems(sub)
				passSync(sub)
				return true
			}
		}
	}
	if waiting {
		x.combineItems(items)
		v := passSync(items)
		if v.Op == ir.OpZeroLocal {
			if x.check != nil {
				x.check.reportUnwritten(x.group[v.Ref().Var], items)
			}
			x.group[v.Ref().Var].clearAll()
		}
	}
	return waiting
}

// passSync checks that all work-items wait at the same Sync op, makes the work-items continue, and
// returns the op. passSync ignores work-items that have returned after a Fault op.
func passSync(items []*itemState) *ir.Value {
	var first *itemState
	for _, w := range items {
		switch {
		case w.at == nil && (w.faulted || w.x.l.Leave):
		case first == nil:
			first = w
		case w.at != first.at:
			other := w
			if first.at == nil {
				first, other = w, first
			}
			if c := w.x.check; c != nil {
				f := Finding{Kind: Divergence, Pos: first.at.Pos, Message: fmt.Sprintf("divergent barriers: work-item %v waits here, and work-item %v of its group has returned", first.globalID(), other.globalID())}
				if other.at != nil {
					f.Other = other.at.Pos
					f.Message = fmt.Sprintf("divergent barriers: work-item %v waits here, and work-item %v of its group at %v", first.globalID(), other.globalID(), other.at.Pos)
				}
				c.stopRun(f)
			}
			where := "has returned"
			if other.at != nil {
				where = "is at " + other.at.LongString()
			}
			first.failAt(first.at, "divergent barrier: local id %v %s", other.local, where)
		}
	}
	v := first.at
	if c := first.x.check; c != nil && v.Matrices() == nil { // matrix ops do not order memory accesses
		c.recordBarrier(items)
	}
	for _, w := range items {
		w.at = nil
	}
	return v
}

// runStep executes the next op or the terminator.
func (w *itemState) runStep() {
	if w.x.steps++; w.x.steps > w.x.l.MaxSteps {
		panic(runError{fmt.Errorf("more than %d steps", w.x.l.MaxSteps)})
	}
	if w.x.steps == w.x.l.LeaveAfter {
		w.x.record[abi.OffsetLeave] = 1
	}
	if s := w.x.l.Stop; s != nil && s.Load() {
		panic(runError{ErrStopped})
	}
	f := w.frame
	if f.next < len(f.b.Insts) {
		v := f.b.Insts[f.next]
		f.next++
		w.runOp(v)
		return
	}
	t := &f.b.Term
	switch t.Kind {
	case ir.Jump:
		w.followEdge(0)
	case ir.Branch:
		if w.operandBits(t.Cond) != 0 {
			w.followEdge(0)
		} else {
			w.followEdge(1)
		}
	case ir.Return:
		w.frame = f.caller
	case ir.Unreachable:
		if !w.faulted {
			w.failAt(nil, "%v is reached", t.Kind)
		}
		w.frame = nil
	}
}

// followEdge goes to the target block of edge n out of the current block, and sets the phis of the
// target block.
func (w *itemState) followEdge(n int) {
	f := w.frame
	to := f.b.Term.Succs[n]
	// If both edges of a branch lead to the same block, the predecessors of that block contain the
	// current block twice. The first entry for the current block belongs to edge 0.
	skip := 0
	for _, s := range f.b.Term.Succs[:n] {
		if s == to {
			skip++
		}
	}
	edge := 0
	for i, p := range to.Preds {
		if p == f.b {
			edge = i
			if skip == 0 {
				break
			}
			skip--
		}
	}
	vals := w.x.scratch[:0]
	for _, phi := range to.Phis {
		vals = append(vals, w.operandBits(phi.Args[edge]))
	}
	for i, phi := range to.Phis {
		w.setValue(phi, vals[i])
	}
	w.x.scratch = vals
	f.b, f.next = to, 0
}

// operandBits returns the value of an operand.
func (w *itemState) operandBits(v *ir.Value) uint64 {
	if v.IsConstExpr() {
		return w.x.constantBits(v)
	}
	f := w.frame
	if v.ID < len(w.x.slots) {
		if i := int(w.x.slots[v.ID]) - 1; i >= 0 && i < len(f.known) && f.known[i] {
			return f.vals[i]
		}
	}
	w.failAt(v, "used before it was computed")
	return 0
}

// constantBits returns the value of a constant expression.
func (x *launchState) constantBits(v *ir.Value) uint64 {
	switch v.Op {
	case ir.OpConst:
		return v.Bits
	case ir.OpSpecConst:
		return x.specs[v.Aux.(*ir.Spec)]
	}
	bits, ok := x.consts[v]
	if !ok {
		args := make([]uint64, len(v.Args))
		for i, a := range v.Args {
			args[i] = x.constantBits(a)
		}
		var err error
		if bits, err = x.computePure(v, args); err != nil {
			panic(runError{fmt.Errorf("%s: %w", v.LongString(), err)})
		}
		x.consts[v] = bits
	}
	return bits
}

// runOp executes op v.
func (w *itemState) runOp(v *ir.Value) {
	f := w.frame
	switch v.Op {
	case ir.OpArg:
		end := v.Bits + uint64(v.Type.Size)
		if end > uint64(len(w.x.block)) {
			w.failAt(v, "the launch block has %d bytes", len(w.x.block))
		}
		bits := readBytes(w.x.block[v.Bits:end])
		if v.Type == ir.TypeBool && bits > 1 {
			w.failAt(v, "a bool of value %d in the launch block", bits)
		}
		w.setValue(v, bits)
	case ir.OpBuiltIn:
		w.setValue(v, uint64(w.builtIn(v.Aux.(ir.BuiltIn))))
	case ir.OpVecMake:
		for i, a := range v.Args {
			w.setElement(v, i, w.operandBits(a))
		}
	case ir.OpVecExtract:
		w.setValue(v, w.vectorElement(v.Args[0], int(v.Bits)))
	case ir.OpLoad:
		if v.Type.IsVector() {
			w.loadVector(v)
			return
		}
		w.setValue(v, w.load(v, v.Ref(), v.Path()))
	case ir.OpStore:
		if v.Args[0].Type.IsVector() {
			w.storeVector(v)
			return
		}
		w.store(v, v.Ref(), v.Path(), w.operandBits(v.Args[0]))
	case ir.OpAddrOf:
		bits, _ := w.deviceAddress(v, v.Ref(), v.Path())
		w.setValue(v, bits)
	case ir.OpZero:
		w.memoryOf(v.Ref().Var).clearAll()
	case ir.OpCopyVar:
		c := v.Aux.(*ir.Copy)
		copy(w.memoryOf(c.Dst).cells, w.memoryOf(c.Src).cells)
	case ir.OpMatrixLength:
		w.setValue(v, w.heldOf(v.Matrices()[0]))
	case ir.OpFault:
		w.recordFault(v)
	case ir.OpCall:
		callee := v.Aux.(*ir.Func)
		g := w.x.newFrame(callee, f)
		for i, p := range callee.Params {
			g.setValue(w.x, p, w.operandBits(v.Args[i]))
		}
		w.frame = g
	default:
		if v.Op.Has(ir.FlagSync) {
			w.at = v
			return
		}
		if v.Op.Has(ir.FlagAtomic) {
			w.runAtomic(v)
			return
		}
		args := w.x.scratch[:0]
		for _, a := range v.Args {
			args = append(args, w.operandBits(a))
		}
		w.x.scratch = args
		bits, err := w.x.computePure(v, args)
		if err != nil {
			w.failAt(v, "%v", err)
		}
		w.setValue(v, bits)
	}
}

// recordFault writes the fault record, unless the record already contains a fault.
func (w *itemState) recordFault(v *ir.Value) {
	w.faulted = true
	site := v.Aux.(*ir.Site)
	le, r := binary.LittleEndian, w.x.record[site.Part*abi.FaultRecordSize:]
	if le.Uint32(r) != 0 {
		return
	}
	le.PutUint32(r, 1)
	le.PutUint32(r[4:], uint32(site.Index))
	le.PutUint64(r[8:], w.operandBits(v.Args[0]))
	le.PutUint64(r[16:], w.operandBits(v.Args[1]))
	for i, a := range v.Args[2:] {
		le.PutUint32(r[24+4*i:], uint32(w.operandBits(a)))
	}
}

func (w *itemState) builtIn(b ir.BuiltIn) uint32 {
	local, sub := &w.x.l.Local, w.x.l.SubGroupSize
	switch {
	case b <= ir.GlobalInvocationIDZ:
		i := b - ir.GlobalInvocationIDX
		return w.group[i]*local[i] + w.local[i]
	case b <= ir.LocalInvocationIDZ:
		return w.local[b-ir.LocalInvocationIDX]
	case b <= ir.WorkgroupIDZ:
		return w.group[b-ir.WorkgroupIDX]
	}
	switch b {
	case ir.LocalInvocationIndex:
		return w.linear
	case ir.SubgroupSize:
		return sub
	case ir.NumSubgroups:
		return (local[0]*local[1]*local[2] + sub - 1) / sub
	case ir.SubgroupID:
		return w.linear / sub
	case ir.SubgroupLocalInvocationID:
		return w.linear % sub
	case ir.SubgroupLocalRange:
		return min(sub, local[0]*local[1]*local[2]-w.linear/sub*sub)
	}
	w.failAt(nil, "the built-in %v is unknown", b)
	return 0
}
