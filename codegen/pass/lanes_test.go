package pass

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
)

// laneMachine runs the work-items of one group, from Sync op to Sync op.
type laneMachine struct {
	f     *ir.Func
	out   *ir.Var // every store to it is an event
	in    *ir.Var // every load from it gives a new value, another for each lane
	args  []uint64
	size  int
	limit int // steps of each lane
	// most, if not 0, is the number of events after which a lane ends.
	most  int
	state uint64 // what the values from in depend on
	// strict asks that all lanes meet at every Sync op; else those that have
	// returned are not waited for, as on the host.
	strict bool
	hits   map[string]int // if not nil, the number of stores by path
}

type lane struct {
	id        int
	b, prev   *ir.Block
	at, steps int
	loads     uint64
	val       map[*ir.Value]uint64
	vars      map[*ir.Var]map[string]uint64 // by path
	events    []uint64
	done      bool
	second    bool // it came by its branch's second edge
}

// run returns the events of each lane.
func (m *laneMachine) run() (events [][]uint64, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	lanes := make([]*lane, m.size)
	for i := range lanes {
		lanes[i] = &lane{id: i, b: m.f.Blocks[0], val: map[*ir.Value]uint64{}, vars: map[*ir.Var]map[string]uint64{}}
	}
	for {
		var meet *ir.Value
		returned := 0
		for _, l := range lanes {
			if l.done {
				returned++
				continue
			}
			at := m.advance(l)
			switch {
			case at == nil:
				returned++
			case meet == nil:
				meet = at
			case meet != at:
				return nil, fmt.Errorf("lanes meet at different Sync ops")
			}
		}
		if meet == nil {
			break
		}
		if m.strict && returned > 0 {
			return nil, fmt.Errorf("%d lanes have returned while others wait", returned)
		}
		m.combine(meet, lanes)
	}
	for _, l := range lanes {
		events = append(events, l.events)
	}
	return events, nil
}

// combine gives the lanes that are left the result of a group op.
func (m *laneMachine) combine(v *ir.Value, lanes []*lane) {
	if v.Op != ir.OpGroupUniform && v.Op != ir.OpGroupAny {
		return
	}
	x := uint64(0)
	for _, l := range lanes {
		if !l.done {
			x |= m.get(l, v.Args[0])
		}
	}
	for _, l := range lanes {
		l.val[v] = x
	}
}

func (m *laneMachine) get(l *lane, v *ir.Value) uint64 {
	if v.IsConst() {
		return v.Bits
	}
	if v.Op == ir.OpSpecConst { // the group's size, or the test's
		if s := v.Aux.(*ir.Spec); s.ID < abi.SpecReserved {
			return s.Default
		}
		return uint64(m.size)
	}
	if v.Op == ir.OpIMul && v.Block == nil {
		return m.get(l, v.Args[0]) * m.get(l, v.Args[1])
	}
	x, ok := l.val[v]
	if !ok {
		panic(fmt.Sprintf("%v is used before it has a value", v.Op))
	}
	return x
}

// advance runs the lane until after the next Sync op, or to its end.
func (m *laneMachine) advance(l *lane) *ir.Value {
	for {
		if l.at == 0 && len(l.b.Phis) > 0 {
			i := slices.Index(l.b.Preds, l.prev)
			if l.second && slices.Contains(l.b.Preds[i+1:], l.prev) {
				i += 1 + slices.Index(l.b.Preds[i+1:], l.prev)
			}
			var xs []uint64
			for _, v := range l.b.Phis {
				xs = append(xs, m.get(l, v.Args[i]))
			}
			for j, v := range l.b.Phis {
				l.val[v] = xs[j]
			}
		}
		for l.at < len(l.b.Insts) {
			v := l.b.Insts[l.at]
			l.at++
			if v.Op.Has(ir.FlagSync) {
				return v
			}
			m.exec(l, v)
			if m.most > 0 && len(l.events) == m.most {
				l.done = true
				return nil
			}
		}
		if l.steps++; l.steps > m.limit {
			panic("too many steps")
		}
		t := l.b.Term
		if t.Kind == ir.Return {
			l.done = true
			return nil
		}
		next := t.Succs[0]
		if l.second = t.Kind == ir.Branch && m.get(l, t.Cond) == 0; l.second {
			next = t.Succs[1]
		}
		l.prev, l.b, l.at = l.b, next, 0
	}
}

// path returns the indices of an access, which are in range.
func (m *laneMachine) path(l *lane, v *ir.Value) string {
	var path []uint64
	t := v.Ref().Var.Type
	for _, a := range v.Path() {
		x := m.get(l, a)
		if n, known := t.ArrayLen(); t.Kind == ir.Array && known && x >= uint64(n) {
			panic(fmt.Sprintf("%v has index %d of %d", v.Op, x, n))
		}
		if path = append(path, x); t.Kind == ir.Struct {
			t = t.Fields[x].Type
		} else {
			t = t.Elem
		}
	}
	return fmt.Sprint(path)
}

func (m *laneMachine) exec(l *lane, v *ir.Value) {
	switch v.Op {
	case ir.OpBuiltIn:
		l.val[v] = uint64(l.id)
	case ir.OpArg:
		if l.val[v] = 0; v.Bits == abi.OffsetReserved {
			return
		}
		l.val[v] = m.args[(v.Bits-abi.OffsetArgs)/4]
	case ir.OpLoad:
		x := v.Ref().Var
		if x == m.in {
			l.loads++
			h := (l.loads*31 + uint64(l.id) + m.state<<32) * 0x9e3779b97f4a7c15
			l.val[v] = h >> 40
			return
		}
		l.val[v] = l.vars[x][m.path(l, v)]
	case ir.OpStore:
		x := m.get(l, v.Args[0])
		path := m.path(l, v)
		if m.hits != nil {
			m.hits[path]++
		}
		if v.Ref().Var == m.out {
			l.events = append(l.events, x)
			return
		}
		if l.vars[v.Ref().Var] == nil {
			l.vars[v.Ref().Var] = map[string]uint64{}
		}
		l.vars[v.Ref().Var][path] = x
	case ir.OpZero:
		delete(l.vars, v.Ref().Var)
	case ir.OpCopyVar:
		c := v.Aux.(*ir.Copy)
		l.vars[c.Dst] = maps.Clone(l.vars[c.Src])
	case ir.OpFault, ir.OpCall:
		a := v.Args[0]
		if v.Op == ir.OpCall {
			a = v.Args[1]
		}
		l.events = append(l.events, 1<<32|m.get(l, a))
	default:
		w := *v
		w.Args = nil
		for _, a := range v.Args {
			w.Args = append(w.Args, m.f.Module.Const(a.Type, m.get(l, a)))
		}
		c := facts.FoldConst(m.f.Module, &w)
		if c == nil {
			panic(fmt.Sprintf("%v is undefined", v.Op))
		}
		l.val[v] = c.Bits
	}
}

// laneGen makes random kernels with Sync ops.
type laneGen struct {
	r        *rand.Rand
	m        *ir.Module
	f        *ir.Func
	b        *ir.Block
	out, in  *ir.Var
	tile     *ir.Var
	vars     []*ir.Var // a work-item's own
	counters []*ir.Var // of the enclosing loops with uniform bounds
	loops    [][2]*ir.Block
	left     int
	events   int64
	// common, if not nil, is a variable that all have alike; there are loops with checks
	// of what grows in them then.
	common *ir.Var
	// arrays, if any, are a work-item's own. The first two get values that all have alike, where all
	// are; the next one gets that anywhere.
	arrays []*ir.Var
}

func newLaneGen(seed uint64) *laneGen { return newLaneGenOf(seed, false, false) }

func newLaneGenOf(seed uint64, nests, arrays bool) *laneGen {
	m := ir.NewModule("t")
	m.UsesGroup, m.Form, m.Rank, m.ArgSize = true, abi.NDRange, 1, 16
	g := &laneGen{r: rand.New(rand.NewPCG(seed, 3)), m: m, f: m.NewFunc("main"), left: 6 + int(seed%30)}
	m.Kernel, g.b = g.f, g.f.Blocks[0]
	g.out = m.NewVar(nil, ir.Workgroup, "out", ir.TypeI32)
	g.in = m.NewVar(nil, ir.Workgroup, "in", ir.TypeI32)
	g.tile = m.NewVar(nil, ir.Workgroup, "tile", ir.TypeI32)
	for range 3 {
		g.vars = append(g.vars, m.NewVar(g.f, ir.Function, "v", ir.TypeI32))
	}
	if nests {
		x := g.uniform()
		g.common = m.NewVar(g.f, ir.Function, "c", ir.TypeI32)
		g.store(g.common, x)
	}
	for range 4 * ofBool(arrays) {
		g.arrays = append(g.arrays, m.NewVar(g.f, ir.Function, "a", m.ArrayOf(ir.TypeI32, g.n(arrayLen))))
	}
	for g.left > 0 {
		g.stmt(true)
	}
	g.event()
	g.b.SetTerm(ir.Term{Kind: ir.Return})
	g.f.RemoveUnreachable()
	return g
}

const arrayLen = 4 // of a laneGen's arrays

func ofBool(b bool) int {
	if b {
		return 1
	}
	return 0
}

// sameArrays is how many of a laneGen's arrays all have alike.
const sameArrays = 2

// element returns an access of an array.
func (g *laneGen) element(op ir.Op, a *ir.Var, args ...*ir.Value) *ir.Value {
	t := ir.TypeI32
	if op == ir.OpStore {
		t = ir.TypeVoid
	}
	v := g.b.Append(op, t, args...)
	v.Aux = &ir.Ref{Var: a}
	return v
}

// index returns an index of an array: one that is in range anyhow, or one that is checked.
func (g *laneGen) index(x func() *ir.Value) *ir.Value {
	if g.r.IntN(3) > 0 {
		return g.op(ir.OpAnd, x(), g.n(arrayLen-1))
	}
	i := g.op(ir.OpAnd, x(), g.n(7))
	yes, no := g.f.NewBlock(), g.f.NewBlock()
	g.b.Branch(g.op(ir.OpULt, i, g.n(arrayLen)), yes, no)
	g.b = no
	g.leave()
	g.b = yes
	return i
}

// array changes an array; even says that all lanes reach it together.
func (g *laneGen) array(even bool) {
	k, x := g.r.IntN(len(g.arrays)), g.any
	if k <= sameArrays {
		if x = g.uniform; k < sameArrays && !even {
			return
		}
	}
	switch a := g.arrays[k]; g.r.IntN(8) {
	case 0:
		g.element(ir.OpZero, a).Type = ir.TypeVoid
	case 1:
		c := g.b.Append(ir.OpCopyVar, ir.TypeVoid)
		c.Aux = &ir.Copy{Dst: a, Src: g.arrays[g.r.IntN(max(1, min(k+1, sameArrays)))]}
	default:
		y := x()
		g.element(ir.OpStore, a, y, g.index(x))
	}
}

func (g *laneGen) n(i int64) *ir.Value { return g.m.Int(ir.TypeI32, i) }

func (g *laneGen) op(op ir.Op, args ...*ir.Value) *ir.Value {
	t := ir.TypeI32
	if op == ir.OpULt || op == ir.OpINe {
		t = ir.TypeBool
	}
	return g.b.Append(op, t, args...)
}

func (g *laneGen) load(x *ir.Var) *ir.Value {
	v := g.op(ir.OpLoad)
	v.Aux = &ir.Ref{Var: x}
	return v
}

func (g *laneGen) store(x *ir.Var, v *ir.Value) {
	g.b.Append(ir.OpStore, ir.TypeVoid, v).Aux = &ir.Ref{Var: x}
}

// event stores a number of its own, so that each lane's way is seen.
func (g *laneGen) event() {
	g.events++
	g.store(g.out, g.n(g.events+1000))
}

func (g *laneGen) uniform() *ir.Value {
	if n := len(g.counters); n > 0 && g.r.IntN(2) == 0 {
		return g.load(g.counters[g.r.IntN(n)])
	}
	if g.common != nil && g.r.IntN(3) == 0 {
		return g.load(g.common)
	}
	if g.arrays != nil && g.r.IntN(3) == 0 {
		i := g.op(ir.OpAnd, g.uniform(), g.n(arrayLen-1))
		k := g.r.IntN(sameArrays)
		if g.r.IntN(24) == 0 {
			k = g.r.IntN(len(g.arrays)) // which may be wrong
		}
		return g.element(ir.OpLoad, g.arrays[k], i)
	}
	v := g.op(ir.OpArg)
	v.Bits = abi.OffsetArgs + 4*uint64(g.r.IntN(4))
	return v
}

func (g *laneGen) any() *ir.Value {
	if g.arrays != nil && g.r.IntN(4) == 0 {
		i := g.op(ir.OpAnd, g.any(), g.n(arrayLen-1))
		return g.element(ir.OpLoad, g.arrays[g.r.IntN(len(g.arrays))], i)
	}
	switch g.r.IntN(6) {
	case 0:
		return g.uniform()
	case 1:
		v := g.op(ir.OpBuiltIn)
		v.Aux = ir.LocalInvocationIDX
		return v
	case 2:
		v := g.load(g.in)
		g.store(g.out, v)
		return v
	case 3:
		return g.op([]ir.Op{ir.OpIAdd, ir.OpXor}[g.r.IntN(2)], g.any(), g.any())
	}
	return g.load(g.vars[g.r.IntN(len(g.vars))])
}

// cond returns a condition that holds about one time in n.
func (g *laneGen) cond(uniform bool, n int64) *ir.Value {
	x := g.uniform
	if !uniform {
		x = g.any
	}
	k := int64(g.r.IntN(int(n)))
	return g.op(ir.OpULt, g.op(ir.OpIAdd, g.op(ir.OpAnd, x(), g.n(n-1)), g.n(k)), g.n(k+1))
}

func (g *laneGen) leave() {
	g.event()
	if g.arrays != nil && g.r.IntN(16) == 0 {
		g.element(ir.OpStore, g.arrays[g.r.IntN(len(g.arrays))], g.n(g.events), g.n(1))
	}
	if g.r.IntN(2) == 0 {
		v := g.b.Append(ir.OpFault, ir.TypeVoid, g.m.Int(ir.TypeI64, g.events), g.m.Int(ir.TypeI64, 0), g.n(0), g.n(0), g.n(0))
		v.Aux = g.m.NewSite(1, ir.Pos{File: "k.go", Line: int(g.events)}, "", false)
	}
	g.b.SetTerm(ir.Term{Kind: ir.Return, Early: true})
}

// stmt makes a statement; even says that all lanes reach it together.
func (g *laneGen) stmt(even bool) {
	g.left--
	block := g.f.NewBlock
	if g.common != nil && g.r.IntN(4) == 0 {
		g.nest(even, 0)
		return
	}
	if g.arrays != nil && g.r.IntN(4) == 0 {
		g.array(even)
		return
	}
	switch k := g.r.IntN(16); {
	case k < 2:
		g.store(g.vars[g.r.IntN(len(g.vars))], g.any())
	case k < 4:
		g.event()
		g.store(g.out, g.any())
	case k < 8:
		if !even && g.r.IntN(50) > 0 {
			g.event()
			return
		}
		if g.r.IntN(4) == 0 {
			g.b.Append(ir.OpZeroLocal, ir.TypeVoid).Aux = &ir.Ref{Var: g.tile}
			return
		}
		g.b.Append(ir.OpBarrier, ir.TypeVoid).Aux = ir.ScopeWorkGroup
	case k < 10: // a check, and what it is for
		d := g.op(ir.OpAnd, g.any(), g.n(7))
		yes, no := block(), block()
		g.b.Branch(g.op(ir.OpINe, d, g.n(0)), yes, no)
		g.b = no
		g.leave()
		g.b = yes
		g.store(g.vars[0], g.op(ir.OpUDiv, g.any(), d))
	case k < 12: // an early return, now and then with two conditions
		yes, no := block(), block()
		if g.r.IntN(3) == 0 {
			or := block()
			g.b.Branch(g.cond(g.r.IntN(3) == 0, 8), yes, or)
			g.b = or
		}
		g.b.Branch(g.cond(g.r.IntN(3) == 0, 8), yes, no)
		g.b = yes
		g.leave()
		g.b = no
	case k < 14:
		u := g.r.IntN(2) == 0
		yes, no, join := block(), block(), block()
		g.b.Branch(g.cond(u, 2), yes, no)
		for _, b := range []*ir.Block{yes, no} {
			g.b = b
			for range g.r.IntN(4) {
				g.stmt(even && u)
			}
			g.b.Jump(join)
		}
		g.b = join
	case k == 14 && len(g.loops) > 0:
		l := g.loops[len(g.loops)-1]
		out, next := block(), block()
		g.b.Branch(g.cond(g.r.IntN(3) == 0, 4), out, next)
		g.b = out
		g.event()
		g.b.Jump(l[g.r.IntN(2)])
		g.b = next
	default:
		g.loop(even)
	}
}

func (g *laneGen) loop(even bool) {
	i := g.m.NewVar(g.f, ir.Function, "i", ir.TypeI32)
	u := g.r.IntN(3) > 0
	g.store(i, g.n(0))
	bound := g.uniform
	if !u {
		bound = g.any
	}
	n := g.op(ir.OpAnd, bound(), g.n(3))
	head, body, next, out := g.f.NewBlock(), g.f.NewBlock(), g.f.NewBlock(), g.f.NewBlock()
	g.b.Jump(head)
	g.b = head
	g.b.Branch(g.op(ir.OpULt, g.load(i), n), body, out)
	g.b = body
	g.loops = append(g.loops, [2]*ir.Block{out, next})
	if u && even {
		g.counters = append(g.counters, i)
	}
	for range 1 + g.r.IntN(4) {
		g.stmt(u && even)
	}
	if u && even {
		g.counters = g.counters[:len(g.counters)-1]
	}
	g.loops = g.loops[:len(g.loops)-1]
	g.b.Jump(next)
	g.b = next
	g.store(i, g.op(ir.OpIAdd, g.load(i), g.n(1)))
	g.b.Jump(head)
	g.b = out
}

// nest makes a loop without Sync ops, with checks of numbers that grow in it.
func (g *laneGen) nest(even bool, depth int) {
	g.left--
	u := g.r.IntN(3) > 0
	few := func(n int64) *ir.Value {
		x := g.any
		if u || g.r.IntN(2) == 0 {
			x = g.uniform
		}
		return g.op(ir.OpAnd, x(), g.n(n))
	}
	j := g.m.NewVar(g.f, ir.Function, "j", ir.TypeI32)
	g.store(j, []*ir.Value{g.n(0), few(3)}[g.r.IntN(2)])
	end, by := few(3), g.op(ir.OpAnd, g.any(), g.n(7))
	head, body, next, out := g.f.NewBlock(), g.f.NewBlock(), g.f.NewBlock(), g.f.NewBlock()
	test := func() { g.b.Branch(g.op(ir.OpULt, g.load(j), end), body, out) }
	last := g.r.IntN(2) == 0
	g.b.Jump(head)
	if g.b = head; last {
		head.Jump(body)
	} else {
		test()
	}
	g.b = body
	leaveUnless := func(c *ir.Value) {
		yes, no := g.f.NewBlock(), g.f.NewBlock()
		g.b.Branch(c, yes, no)
		g.b = no
		g.leave()
		g.b = yes
	}
	for range 1 + g.r.IntN(3) {
		switch k := g.r.IntN(10); {
		case k < 4:
			x := by
			if g.r.IntN(3) == 0 {
				x = g.op(ir.OpAnd, g.uniform(), g.n(3))
			}
			leaveUnless(g.op(ir.OpULt, g.op(ir.OpIAdd, g.op(ir.OpIMul, g.load(j), x), g.n(int64(g.r.IntN(3)-1))), g.n(int64(8+g.r.IntN(16)))))
		case k < 6:
			d := g.op(ir.OpAnd, g.uniform(), g.n(7))
			leaveUnless(g.op(ir.OpINe, d, g.n(0)))
			if even && (u || last) {
				g.store(g.common, g.op(ir.OpUDiv, g.n(29), d))
			}
		case k < 7:
			yes, join := g.f.NewBlock(), g.f.NewBlock()
			g.b.Branch(g.cond(g.r.IntN(2) == 0, 2), yes, join)
			g.b = yes
			leaveUnless(g.op(ir.OpULt, g.op(ir.OpIMul, g.load(j), by), g.op(ir.OpAnd, g.uniform(), g.n(31))))
			g.b.Jump(join)
			g.b = join
		case k < 8 && depth < 2:
			g.nest(even && u, depth+1)
		default:
			g.event()
			g.store(g.out, g.load(j))
		}
	}
	g.b.Jump(next)
	g.b = next
	g.store(j, g.op(ir.OpIAdd, g.load(j), g.n(1)))
	if last {
		next.Branch(g.op(ir.OpULt, g.load(j), end), head, out)
	} else {
		next.Jump(head)
	}
	g.b = out
}
