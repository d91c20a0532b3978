package loops

// This file contains the pass polls, which lets work-items stop when the host asks for it. The pass
// runs before deadlanes, because deadlanes turns work-items that leave their group into dead lanes.

import (
	"math"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// Polls lets work-items read the cancel word from time to time, if the module can be cancelled. The
// cancel word is a 32-bit word of the fault record. The host writes the word to ask work-items to
// stop. Polls changes the back edges of loops that are not short. On these edges, work-items read
// the cancel word. The cancel word is in uncached memory, because the host may write it at any
// time. Reading uncached memory is slow on some devices. Each iteration counts the values that it
// computes, and a work-item reads the cancel word only when the count reaches maxUnasked. A
// work-item reads the cancel word for the first time after firstAsked values. Work-items that start
// after the cancellation therefore stop early.
//
// A work-item that stops records a fault of the kind FaultCancelled. In a loop with barriers, all
// work-items stop together. A reduction over the group determines whether some work-item was asked
// to stop, and whether any live work-item remains. Work-items that left the group earlier
// contribute 0 to the reduction.
func Polls(m *ir.Module) diag.List {
	if !m.Target.Cancel {
		return nil
	}
	f := m.Kernel
	f.RemoveUnreachable()
	rewrite.SplitTwins(f)
	if m.UsesGroup {
		rewrite.SingleLatches(f)
	}
	costs := CostOfLoops(f)
	p := &poller{m: m, f: f}
	for _, l := range f.Dominators().Loops().All {
		if costs.Short[l.Head] {
			continue
		}
		for _, latch := range l.Latches {
			p.addPoll(latch, l.Head, costs.roundCost[l.Head], costs.hasSync[l.Head])
		}
	}
	if len(f.Vars) == 0 || p.site == nil {
		return nil
	}
	return rewrite.Mem2Reg(m)
}

// CanLeave reports whether a module that can be cancelled contains code that reads the cancel word.
func CanLeave(m *ir.Module) bool {
	return slices.ContainsFunc(m.Sites, func(s *ir.Site) bool { return s.Kind == abi.FaultCancelled })
}

const firstAsked = 1 << 12

// poller changes the back edges of a kernel's loops, so that work-items read the cancel word there.
type poller struct {
	m    *ir.Module
	f    *ir.Func
	site *ir.Site
	// countVars contains two variables that count the values computed since the cancel word was
	// last read. The second of the two counting variables is for loops with Sync ops, and has the
	// same value in all work-items.
	countVars [2]*ir.Ref
}

// countVar returns the variable that counts computed values, and creates it if necessary.
// If meets is true, the variable is for loops with Sync ops.
func (p *poller) countVar(meets bool) *ir.Ref {
	i := 0
	if meets {
		i = 1
	}
	if p.countVars[i] == nil {
		p.countVars[i] = &ir.Ref{Var: p.m.NewVar(p.f, ir.Function, "computed", ir.TypeI32)}
		entry := p.f.Blocks[0]
		v := p.f.NewValue(ir.OpStore, ir.TypeVoid, p.m.Int(ir.TypeI32, maxUnasked-firstAsked))
		v.Aux, v.Block = p.countVars[i], entry
		entry.Insts = append([]*ir.Value{v}, entry.Insts...)
	}
	return p.countVars[i]
}

// addPoll adds a check of the cancel word to the edge from latch to head. The number n
// counts the values that an iteration of the loop computes.
func (p *poller) addPoll(latch, head *ir.Block, n int, meets bool) {
	if p.site == nil {
		p.site = p.m.NewSite(abi.FaultCancelled, ir.Pos{}, "", false)
	}
	b, look, next, leave := p.f.NewBlock(), p.f.NewBlock(), p.f.NewBlock(), p.f.NewBlock()
	args := make([]*ir.Value, len(head.Phis))
	for i, from := range head.Preds {
		if from == latch {
			for k, phi := range head.Phis {
				args[k] = phi.Args[i]
			}
		}
	}
	latch.Retarget(head, b)
	c := p.countVar(meets)
	store := func(b *ir.Block, v *ir.Value) { b.Append(ir.OpStore, ir.TypeVoid, v).Aux = c }
	num := func(n int) *ir.Value { return p.m.Int(ir.TypeI32, int64(n)) }
	old := b.Append(ir.OpLoad, ir.TypeI32)
	old.Aux = c
	sum := b.Append(ir.OpIAdd, ir.TypeI32, old, num(max(n, 1)))
	store(b, sum)
	b.Branch(b.Append(ir.OpULt, ir.TypeBool, sum, num(maxUnasked)), next, look)

	store(look, num(0))
	record := look.Append(ir.OpArg, ir.TypeAddr)
	record.Bits = abi.OffsetFault
	word := look.Append(ir.OpAtomicLoadVolatile, ir.TypeI32, record, num(abi.OffsetLeave/4))
	word.Aux = &ir.Ref{Elem: ir.TypeI32}
	stay := look.Append(ir.OpIEq, ir.TypeBool, word, num(0))
	if meets {
		sum := p.countStaying(look, stay)
		none, end := p.f.NewBlock(), p.f.NewBlock()
		zero := p.m.Const(ir.TypeF32, 0)
		look.Branch(look.Append(ir.OpFLt, ir.TypeBool, zero, sum), next, none)
		none.Branch(none.Append(ir.OpFLt, ir.TypeBool, sum, zero), leave, end)
		end.SetTerm(ir.Term{Kind: ir.Return})
	} else {
		look.Branch(stay, next, leave)
	}

	fault := []*ir.Value{p.m.Int(ir.TypeI64, 0), p.m.Int(ir.TypeI64, 0)}
	for d := range 3 {
		id := num(0)
		if d < p.m.Rank {
			id = leave.Append(ir.OpBuiltIn, ir.TypeI32)
			id.Aux = ir.GlobalInvocationIDX + ir.BuiltIn(d)
		}
		fault = append(fault, id)
	}
	leave.Append(ir.OpFault, ir.TypeVoid, fault...).Aux = p.site
	leave.Cold = true
	leave.SetTerm(ir.Term{Kind: ir.Return})

	next.Jump(head)
	for k, phi := range head.Phis {
		phi.Args = append(phi.Args, args[k])
	}
}

// countStaying appends to b the code that computes the number of work-items that remain in the
// group. The number is negative if isStaying is false for at least one work-item that remains in
// the group. The code does not use sub-groups, because a device might not support them.
func (p *poller) countStaying(b *ir.Block, isStaying *ir.Value) *ir.Value {
	num := func(x float32) *ir.Value { return p.m.Const(ir.TypeF32, uint64(math.Float32bits(x))) }
	// Each work-item that stops adds -1<<24, so the sum is negative for any number of other
	// work-items. The float32 sum of these numbers is exact.
	one := b.Append(ir.OpSelect, ir.TypeF32, isStaying, num(1), num(-1<<24))
	sum := b.Append(ir.OpGroupReduce, ir.TypeF32, one, num(0))
	sum.Aux = ir.Combine{Scope: ir.ScopeWorkGroup, By: ir.CombineFAdd, Alone: true}
	return sum
}
