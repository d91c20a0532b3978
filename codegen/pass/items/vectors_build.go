package items

// This file writes the code of work-groups that access memory by vectors; see vectors.go.

import (
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
)

// vectorBytes is what the address of a vector has to be a multiple of.
const vectorBytes = 16

// vectorBuilder writes code for coarseItems items that run in lockstep.
type vectorBuilder struct {
	*vectors
	ahead *ir.Block                            // where what is the same for all items is computed
	cur   *ir.Block                            // where code goes
	exit  *ir.Block                            // where the items end
	had   map[*ir.Value]*ir.Value              // what is the same for all items
	items [coarseItems]map[*ir.Value]*ir.Value // what it is for each
	ids   [coarseItems]*ir.Value               // the items' ids
	index []*ir.Value                          // of the vectors that are their elements
}

// build writes the code, from a new block on that it returns, and at the end of block start the
// condition under which a work-group runs it. group is the work-group's id, size the number of its
// invocations, and local the invocation's id in it.
func (x *vectors) build(start, exit *ir.Block, group, size, local *ir.Value) (fast *ir.Block, ok *ir.Value) {
	b := &vectorBuilder{vectors: x, ahead: start, exit: exit, had: map[*ir.Value]*ir.Value{}}
	before := start.Append(ir.OpIMul, ir.TypeI32, group, size)
	ok = b.condition(before, size)
	fast = x.f.NewBlock()
	b.ahead, b.cur = fast, fast
	b.number(before, size, local)
	b.body()
	return fast, ok
}

// number computes the indices of the invocation's vectors and the ids of its items. With four
// elements to a vector there is one vector for each invocation; with two there are two, a
// work-group's size apart, as items are without vectors.
func (b *vectorBuilder) number(before, size, local *ir.Value) {
	op := func(op ir.Op, x, y *ir.Value) *ir.Value { return b.cur.Append(op, ir.TypeI32, x, y) }
	num := func(n int) *ir.Value { return b.m.Int(ir.TypeI32, int64(n)) }
	n := coarseItems / b.lanes
	if n > 1 {
		before = op(ir.OpIMul, before, num(n))
	}
	index := op(ir.OpIAdd, before, local)
	for h := range n {
		if h > 0 {
			index = op(ir.OpIAdd, index, size)
		}
		b.index = append(b.index, index)
		id := op(ir.OpIMul, index, num(b.lanes))
		for k := range b.lanes {
			if k > 0 {
				id = op(ir.OpIAdd, b.ids[h*b.lanes], num(k))
			}
			b.ids[h*b.lanes+k], b.items[h*b.lanes+k] = id, map[*ir.Value]*ir.Value{}
		}
	}
}

// condition computes whether all items of the work-group exist and pass their checks, and the
// slices are aligned. before is the number of invocations of the work-groups before this one.
func (b *vectorBuilder) condition(before, size *ir.Value) *ir.Value {
	s, m := b.ahead, b.m
	i32 := func(op ir.Op, args ...*ir.Value) *ir.Value { return s.Append(op, ir.TypeI32, args...) }
	last := i32(ir.OpISub, i32(ir.OpIMul, i32(ir.OpIAdd, before, size), m.Int(ir.TypeI32, coarseItems)), m.Int(ir.TypeI32, 1))
	all := m.Bool(true)
	and := func(v *ir.Value) {
		if facts.IsOne(all) {
			all = v
		} else {
			all = s.Append(ir.OpLAnd, ir.TypeBool, all, v)
		}
	}
	for _, t := range b.tests {
		and(b.test(t, last))
	}
	var low *ir.Value
	for _, base := range b.bases {
		x := i32(ir.OpLow, b.fixedValue(base))
		if low != nil {
			x = i32(ir.OpOr, low, x)
		}
		low = x
	}
	and(s.Append(ir.OpIEq, ir.TypeBool, i32(ir.OpAnd, low, m.Int(ir.TypeI32, vectorBytes-1)), m.Int(ir.TypeI32, 0)))
	return all
}

// test computes whether a condition is what it has to be for the item with an id.
func (b *vectorBuilder) test(t bound, id *ir.Value) *ir.Value {
	var as func(v *ir.Value) *ir.Value
	as = func(v *ir.Value) *ir.Value {
		if v.Op == ir.OpBuiltIn {
			return id
		}
		return b.ahead.Append(v.Op, v.Type, as(v.Args[0]))
	}
	v := t.cond
	if t.id == none {
		v = b.fixedValue(v)
	} else {
		args := make([]*ir.Value, 2)
		args[t.id], args[1-t.id] = as(v.Args[t.id]), b.fixedValue(v.Args[1-t.id])
		v = b.ahead.Append(v.Op, ir.TypeBool, args...)
	}
	if !t.want {
		v = b.ahead.Append(ir.OpLNot, ir.TypeBool, v)
	}
	return v
}

// fixedValue returns v, which is the same for all items, as computed ahead.
func (b *vectorBuilder) fixedValue(v *ir.Value) *ir.Value {
	if v.Block == nil {
		return v
	}
	if w := b.had[v]; w != nil {
		return w
	}
	args := make([]*ir.Value, len(v.Args))
	for i, a := range v.Args {
		args[i] = b.fixedValue(a)
	}
	b.had[v] = copyTo(b.ahead, v, args)
	return b.had[v]
}

// copyTo appends a copy of v with other arguments.
func copyTo(b *ir.Block, v *ir.Value, args []*ir.Value) *ir.Value {
	w := b.Append(v.Op, v.Type, args...)
	w.Bits, w.Aux, w.Pos = v.Bits, v.Aux, v.Pos
	return w
}

// value returns what v is for item k.
func (b *vectorBuilder) value(v *ir.Value, k int) *ir.Value {
	switch {
	case v.Op == ir.OpBuiltIn && v.Aux == ir.GlobalInvocationIDX:
		return b.ids[k]
	case b.same(v):
		return b.fixedValue(v)
	case b.had[v] != nil:
		return b.had[v]
	}
	return b.items[k][v]
}

func (b *vectorBuilder) values(list []*ir.Value, k int) []*ir.Value {
	out := make([]*ir.Value, len(list))
	for i, v := range list {
		out[i] = b.value(v, k)
	}
	return out
}

// body writes the blocks that all items come to, one behind the other. The code between two of
// them, where items may go different ways, is written for each item.
func (b *vectorBuilder) body() {
	for i := 0; i < len(b.order); {
		at := b.order[i]
		for _, v := range at.Insts {
			b.inst(v)
		}
		i++
		end := i // behind the blocks between
		for end < len(b.order) && !b.spine[b.order[end]] {
			end++
		}
		between := b.order[i:end]
		i = end
		switch n, sure := b.only(at); {
		case at.Term.Kind == ir.Return:
			b.cur.Jump(b.exit)
			return
		case sure:
			to := at.Term.Succs[n]
			for k := range b.items {
				for _, phi := range to.Phis {
					b.items[k][phi] = b.value(phi.Args[edge(at, n)], k)
				}
			}
		default:
			var to *ir.Block
			if end < len(b.order) {
				to = b.order[end]
			}
			for k := range b.items {
				b.region(at, to, between, k)
			}
			if to == nil {
				b.cur.Jump(b.exit)
			}
		}
	}
}

// only returns by which edge a block is left, if that is sure.
func (b *vectorBuilder) only(at *ir.Block) (int, bool) {
	if at.Term.Kind == ir.Jump {
		return 0, true
	}
	n, ok := b.taken[at]
	return n, ok
}

// inst writes an op of a block that all items come to.
func (b *vectorBuilder) inst(v *ir.Value) {
	var x *ir.Value
	switch {
	case b.accesses[v] && v.Op == ir.OpLoad:
		t := ir.VectorOf(v.Type)
		for k := range b.items {
			h, lane := k/b.lanes, k%b.lanes
			if lane == 0 {
				x = b.vector(v, t, h, b.cur.Append(ir.OpLoad, t))
			}
			e := b.cur.Append(ir.OpVecExtract, v.Type, x)
			e.Bits, e.Pos = uint64(lane), v.Pos
			b.items[k][v] = e
		}
	case b.accesses[v]:
		t := ir.VectorOf(v.Args[0].Type)
		for h := range b.index {
			var parts []*ir.Value
			for k := range b.lanes {
				parts = append(parts, b.value(v.Args[0], h*b.lanes+k))
			}
			x = b.cur.Append(ir.OpVecMake, t, parts...)
			x.Pos = v.Pos
			b.vector(v, t, h, b.cur.Append(ir.OpStore, ir.TypeVoid, x))
		}
	case v.Op == ir.OpLoad && v.Ref().Var == nil: // the same for all items
		b.had[v] = copyTo(b.cur, v, b.values(v.Args, 0))
	default:
		b.scalar(v)
	}
}

// scalar writes an op for each item, unless it is the same for all.
func (b *vectorBuilder) scalar(v *ir.Value) {
	for k := range b.items {
		b.scalarOf(v, k, b.cur)
	}
}

// scalarOf writes an op for item k to the end of a block.
func (b *vectorBuilder) scalarOf(v *ir.Value, k int, to *ir.Block) {
	if v.Op.Has(ir.FlagPure) && (b.same(v) || v.Op == ir.OpBuiltIn && v.Aux == ir.GlobalInvocationIDX) {
		return // there already
	}
	b.items[k][v] = copyTo(to, v, b.values(v.Args, k))
}

// vector completes w, which loads or stores a vector of type t, with what it accesses: the elements
// that v accesses for the items of vector h.
func (b *vectorBuilder) vector(v *ir.Value, t *ir.Type, h int, w *ir.Value) *ir.Value {
	w.Args = append(w.Args, b.value(v.Path()[0], 0), b.index[h])
	w.Aux, w.Pos = &ir.Ref{Elem: t}, v.Pos
	return w
}

// region writes for item k the blocks between at, which ends with a branch, and to, which is nil
// where the kernel ends.
func (b *vectorBuilder) region(at, to *ir.Block, between []*ir.Block, k int) {
	join := b.f.NewBlock()
	copies := map[*ir.Block]*ir.Block{}
	phis := func(from, at *ir.Block) { // of from, for its copy at
		for _, phi := range from.Phis {
			w := at.NewPhi(phi.Type)
			w.Pos = phi.Pos
			b.items[k][phi] = w
		}
	}
	for _, x := range between {
		c := b.f.NewBlock()
		copies[x] = c
		phis(x, c)
		for _, v := range x.Insts {
			b.scalarOf(v, k, c)
		}
	}
	if to != nil {
		phis(to, join)
		copies[to] = join
	}
	end := func(from, c *ir.Block) {
		t := ir.Term{Kind: ir.Jump, Pos: from.Term.Pos}
		edges := []int{0, 1}
		switch n, sure := b.only(from); {
		case from.Term.Kind == ir.Return:
			t.Succs = []*ir.Block{join}
			c.SetTerm(t)
			return
		case sure:
			edges = []int{n}
		default:
			t.Kind, t.Cond = ir.Branch, b.value(from.Term.Cond, k)
		}
		for _, n := range edges {
			t.Succs = append(t.Succs, copies[from.Term.Succs[n]])
		}
		c.SetTerm(t)
		for _, n := range edges {
			s := from.Term.Succs[n]
			for _, phi := range s.Phis {
				w := b.items[k][phi]
				w.Args = append(w.Args, b.value(phi.Args[edge(from, n)], k))
			}
		}
	}
	end(at, b.cur)
	for _, x := range between {
		end(x, copies[x])
	}
	b.cur = join
}
