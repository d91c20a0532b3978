package pass

import (
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// ForHost readies a module, as narrow leaves it, for compilers that do little to
// loops, as gc: those that run a few times, as is known here, are written out, and
// small branches become selections. It analyses what is uniform then.
func ForHost(m *ir.Module) *Uniformity {
	f := m.Kernel
	withinRange(m)
	for range maxUnrollDepth {
		f.RemoveUnreachable()
		singleLatches(f)
		changed := false
		for _, l := range innerLoops(f) {
			changed = l.unroll() || changed
		}
		if !changed {
			break
		}
		mem2reg(m)
		runSimplify(m)
		runCSE(m)
		runDCE(m)
	}
	selectBranches(f)
	runSimplify(m)
	f.RemoveUnreachable()
	singleLatches(f)
	return uniformity(f)
}

// withinRange drops the checks of whether work-items of a range exist, as those do
// that no work-group makes up the number of.
func withinRange(m *ir.Module) {
	if m.Form != abi.Range {
		return
	}
	exists := func(v *ir.Value) bool {
		if v.Op != ir.OpULt || v.Args[0].Op != ir.OpBuiltIn || v.Args[1].Op != ir.OpArg {
			return false
		}
		d := v.Args[0].Aux.(ir.BuiltIn) - ir.GlobalInvocationIDX
		return d < 3 && v.Args[1].Bits == uint64(abi.OffsetRange+4*int(d))
	}
	repl := map[*ir.Value]*ir.Value{}
	for _, b := range m.Kernel.Blocks {
		for _, v := range b.Insts {
			if exists(v) {
				repl[v] = m.Bool(true)
			}
		}
	}
	replaceUses(m.Kernel, (&promoter{repl: repl}).resolve)
	runSimplify(m)
	runDCE(m)
}

// Bounds of what is written out: rounds of a loop, values that come of it, and loops
// within one another.
const (
	maxUnrollRounds = 16
	maxUnrollValues = 400
	maxUnrollDepth  = 3
)

// innerLoop is a loop without loops and Sync ops in it.
type innerLoop struct {
	f           *ir.Func
	dom         *ir.DomTree
	head, latch *ir.Block
	entry       int // among head's predecessors
	blocks      []*ir.Block
	in          map[*ir.Block]bool
}

// innerLoops returns the loops that may be written out.
func innerLoops(f *ir.Func) []*innerLoop {
	dom := f.Dominators()
	var out []*innerLoop
	for _, h := range dom.Order {
		if len(h.Preds) != 2 || h.Preds[0] == h.Preds[1] {
			continue
		}
		l := &innerLoop{f: f, dom: dom, head: h, in: map[*ir.Block]bool{h: true}}
		switch {
		case dom.Dominates(h, h.Preds[0]) && !dom.Dominates(h, h.Preds[1]):
			l.latch, l.entry = h.Preds[0], 1
		case dom.Dominates(h, h.Preds[1]) && !dom.Dominates(h, h.Preds[0]):
			l.latch = h.Preds[1]
		default:
			continue
		}
		work := []*ir.Block{l.latch}
		for len(work) > 0 {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			if !l.in[b] {
				l.in[b] = true
				work = append(work, b.Preds...)
			}
		}
		ok := true
		for _, b := range dom.Order {
			if l.in[b] {
				l.blocks = append(l.blocks, b)
				inner := b != h && slices.ContainsFunc(b.Preds, func(p *ir.Block) bool { return dom.Dominates(b, p) })
				ok = ok && !inner && !slices.ContainsFunc(b.Insts, func(v *ir.Value) bool { return v.Op.Has(ir.FlagSync) })
			}
		}
		if ok {
			out = append(out, l)
		}
	}
	return out
}

// unroll writes the loop out, if it is small and its rounds are known.
func (l *innerLoop) unroll() bool {
	n := 0
	for _, b := range l.blocks {
		n += len(b.Insts)
	}
	rounds := l.rounds()
	if rounds == 0 || rounds*n > maxUnrollValues {
		return false
	}
	l.demote()
	for range rounds {
		l.peel()
	}
	return true
}

// rounds returns how often the loop's head is run, or 0 if that is not known.
func (l *innerLoop) rounds() int {
	for _, b := range l.blocks {
		if b.Term.Kind != ir.Branch || !l.dom.Dominates(b, l.latch) {
			continue
		}
		stays := 0
		switch yes, no := l.in[b.Term.Succs[0]], l.in[b.Term.Succs[1]]; {
		case yes && !no:
			stays = 1
		case no && !yes:
		default:
			continue
		}
		if n := l.count(b.Term.Cond, stays == 1); n > 0 {
			return n
		}
	}
	return 0
}

// count returns in which round the condition is no longer what keeps the loop going.
func (l *innerLoop) count(cond *ir.Value, stays bool) int {
	if len(cond.Args) != 2 || !cond.Args[0].Type.IsInt() {
		return 0
	}
	compare, ok := comparisons[cond.Op]
	if !ok {
		return 0
	}
	var at [2]func(i int64) int64
	var phi *ir.Value
	for k, a := range cond.Args {
		if a.IsConst() {
			at[k] = func(int64) int64 { return a.Int() }
			continue
		}
		p, step := a, int64(0)
		if a.Op == ir.OpIAdd && a.Args[1].IsConst() {
			p, step = a.Args[0], a.Args[1].Int()
		}
		if p.Op != ir.OpPhi || p.Block != l.head || phi != nil && phi != p {
			return 0
		}
		phi = p
		at[k] = func(i int64) int64 { return wrap(a.Type, i+step) }
	}
	if phi == nil {
		return 0
	}
	start, next := phi.Args[l.entry], phi.Args[1-l.entry]
	if !start.IsConst() || next.Op != ir.OpIAdd || next.Args[0] != phi || !next.Args[1].IsConst() {
		return 0
	}
	i := start.Int()
	for n := 1; n <= maxUnrollRounds+1; n++ {
		if compare(at[0](i), at[1](i), phi.Type) != stays {
			return n
		}
		i = wrap(phi.Type, i+next.Args[1].Int())
	}
	return 0
}

// wrap drops what lies past the type's width.
func wrap(t *ir.Type, x int64) int64 {
	n := 64 - t.Bits()
	return x << n >> n
}

var comparisons = map[ir.Op]func(x, y int64, t *ir.Type) bool{
	ir.OpIEq: func(x, y int64, _ *ir.Type) bool { return x == y },
	ir.OpINe: func(x, y int64, _ *ir.Type) bool { return x != y },
	ir.OpSLt: func(x, y int64, _ *ir.Type) bool { return x < y },
	ir.OpSLe: func(x, y int64, _ *ir.Type) bool { return x <= y },
	ir.OpULt: func(x, y int64, t *ir.Type) bool { return uint64(x) < uint64(y) },
	ir.OpULe: func(x, y int64, t *ir.Type) bool { return uint64(x) <= uint64(y) },
}

// demote turns the loop's values that are used behind it, but for those that edges
// out of it hand on, into variables, so that each copy of the loop can set them.
func (l *innerLoop) demote() {
	vars := map[*ir.Value]*ir.Ref{}
	load := func(v *ir.Value) *ir.Value {
		ref := vars[v]
		if ref == nil {
			ref = &ir.Ref{Var: l.f.Module.NewVar(l.f, ir.Function, "loop", v.Type)}
			vars[v] = ref
		}
		x := l.f.NewValue(ir.OpLoad, v.Type)
		x.Aux = ref
		return x
	}
	own := func(v *ir.Value) bool { return v != nil && v.Block != nil && l.in[v.Block] }
	for _, b := range l.f.Blocks {
		if l.in[b] {
			continue
		}
		for _, phi := range b.Phis {
			for i, p := range b.Preds {
				if !l.in[p] && own(phi.Args[i]) {
					x := load(phi.Args[i])
					x.Block, phi.Args[i] = p, x
					p.Insts = append(p.Insts, x)
				}
			}
		}
		var insts []*ir.Value
		for _, v := range b.Insts {
			for i, a := range v.Args {
				if own(a) {
					x := load(a)
					x.Block, v.Args[i] = b, x
					insts = append(insts, x)
				}
			}
			insts = append(insts, v)
		}
		if c := b.Term.Cond; own(c) {
			x := load(c)
			x.Block, b.Term.Cond = b, x
			insts = append(insts, x)
		}
		b.Insts = insts
	}
	for _, b := range l.blocks {
		var insts []*ir.Value
		set := func(v *ir.Value) {
			if ref := vars[v]; ref != nil {
				x := l.f.NewValue(ir.OpStore, ir.TypeVoid, v)
				x.Aux, x.Block = ref, b
				insts = append(insts, x)
			}
		}
		for _, v := range b.Phis {
			set(v)
		}
		for _, v := range b.Insts {
			insts = append(insts, v)
			set(v)
		}
		b.Insts = insts
	}
}

// peel puts a copy of the loop's first round before it.
func (l *innerLoop) peel() {
	blocks, values := map[*ir.Block]*ir.Block{}, map[*ir.Value]*ir.Value{}
	value := func(v *ir.Value) *ir.Value {
		if w := values[v]; w != nil {
			return w
		}
		return v
	}
	for _, b := range l.blocks {
		c := l.f.NewBlock()
		blocks[b] = c
		add := func(v *ir.Value) *ir.Value {
			w := l.f.NewValue(v.Op, v.Type)
			w.Bits, w.Aux, w.Pos, w.Block = v.Bits, v.Aux, v.Pos, c
			values[v] = w
			return w
		}
		for _, v := range b.Phis {
			if b == l.head {
				values[v] = v.Args[l.entry]
			} else {
				c.Phis = append(c.Phis, add(v))
			}
		}
		for _, v := range b.Insts {
			c.Insts = append(c.Insts, add(v))
		}
	}
	entry := l.head.Preds[l.entry]
	for _, b := range l.blocks {
		c := blocks[b]
		for i, v := range c.Phis {
			for _, a := range b.Phis[i].Args {
				v.Args = append(v.Args, value(a))
			}
		}
		for i, v := range c.Insts {
			for _, a := range b.Insts[i].Args {
				v.Args = append(v.Args, value(a))
			}
		}
		if b == l.head {
			c.Preds = []*ir.Block{entry}
		} else {
			for _, p := range b.Preds {
				c.Preds = append(c.Preds, blocks[p])
			}
		}
		c.Term = b.Term
		if c.Term.Cond != nil {
			c.Term.Cond = value(c.Term.Cond)
		}
		c.Term.Succs = nil
		for k, s := range b.Term.Succs {
			switch {
			case s == l.head:
				c.Term.Succs = append(c.Term.Succs, s)
			case l.in[s]:
				c.Term.Succs = append(c.Term.Succs, blocks[s])
			default:
				c.Term.Succs = append(c.Term.Succs, s)
				at := nthPred(s, b, b.Term.Succs[:k])
				s.Preds = append(s.Preds, c)
				for _, phi := range s.Phis {
					phi.Args = append(phi.Args, value(phi.Args[at]))
				}
			}
		}
	}
	for i, s := range entry.Term.Succs {
		if s == l.head {
			entry.Term.Succs[i] = blocks[l.head]
		}
	}
	l.head.Preds[l.entry] = blocks[l.latch]
	var next []*ir.Value
	for _, phi := range l.head.Phis {
		next = append(next, value(phi.Args[1-l.entry]))
	}
	for i, phi := range l.head.Phis {
		phi.Args[l.entry] = next[i]
	}
}

// nthPred returns the place among s's predecessors of b's edge to it that comes
// after the given ones.
func nthPred(s, b *ir.Block, before []*ir.Block) int {
	skip := 0
	for _, x := range before {
		if x == s {
			skip++
		}
	}
	for i, p := range s.Preds {
		if p == b {
			if skip == 0 {
				return i
			}
			skip--
		}
	}
	panic("BUG: no such predecessor")
}
