package lanes

// This file contains the pass groups, which replaces the group ops that SPIR-V lacks. Groups runs
// after deadlanes, since dead lanes also execute group operations.

import (
	"math"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// Groups replaces the group ops that SPIR-V lacks. The code for ops of work-groups combines values
// within each sub-group first, then across sub-groups through work-group memory. The code for ops
// of sub-groups on types other than 32-bit integers shuffles 32-bit words. The code for sub-groups
// and for work-groups combines values in the order that package dsl defines. The order of
// combinations depends only on the group's size. Groups runs after deadlanes, since dead lanes also
// execute the added code, and before structurize, since it adds loops.
func Groups(m *ir.Module) diag.List {
	g := &groupOps{m: m, tiles: map[tileKey]*ir.Ref{}}
	f := m.Kernel
	rewrite.WriteOut(f, func(v *ir.Value) bool { return v.IsGroupOp() && !v.LegalGroupOp() }, func(b *ir.Block, v *ir.Value) *ir.Block {
		g.zeroer = zeroer{m: m, f: f, b: b, pos: v.Pos}
		if v.GroupScope() == ir.ScopeWorkGroup {
			g.workGroup(v)
		} else {
			g.subGroup(v)
		}
		return g.b
	})
	return nil
}

// groupOps generates the code that replaces group ops.
type groupOps struct {
	zeroer
	m     *ir.Module
	tiles map[tileKey]*ir.Ref // work-group memory that all ops share
}

// tileKey identifies a variable in work-group memory by its element type and its use. If staged is
// set, the memory passes values between the stages of inStages. If staged is not set, a barrier
// follows the last load of each op that uses the memory.
type tileKey struct {
	elem   *ir.Type
	staged bool
}

func (g *groupOps) op(op ir.Op, t *ir.Type, args ...*ir.Value) *ir.Value {
	v := g.b.Append(op, t, args...)
	v.Pos = g.pos
	return v
}

func (g *groupOps) i32(n int64) *ir.Value { return g.m.Int(ir.TypeI32, n) }

func (g *groupOps) word(op ir.Op, args ...*ir.Value) *ir.Value { return g.op(op, ir.TypeI32, args...) }

func (g *groupOps) cond(op ir.Op, x, y *ir.Value) *ir.Value { return g.op(op, ir.TypeBool, x, y) }

func (g *groupOps) builtIn(b ir.BuiltIn) *ir.Value {
	v := g.word(ir.OpBuiltIn)
	v.Aux = b
	return v
}

// replaceOp replaces the op and operands of v and appends v to the current block.
func (g *groupOps) replaceOp(v *ir.Value, op ir.Op, aux any, args ...*ir.Value) {
	v.Op, v.Aux, v.Args, v.Block = op, aux, args, g.b
	g.b.Insts = append(g.b.Insts, v)
}

// tileRef returns a variable in work-group memory with one element of type t for each invocation.
func (g *groupOps) tileRef(t *ir.Type, staged bool) *ir.Ref {
	k := tileKey{t, staged}
	r := g.tiles[k]
	if r == nil {
		r = &ir.Ref{Var: g.m.NewVar(nil, ir.Workgroup, "group", g.m.ArrayOf(t, groupSize(g.m)))}
		g.tiles[k] = r
	}
	return r
}

// groupTile is a variable in work-group memory with an element for each of n invocations.
type groupTile struct {
	*groupOps
	ref   *ir.Ref
	elem  *ir.Type
	id, n *ir.Value
}

func (g *groupOps) newTile(t *ir.Type, staged bool) *groupTile {
	return &groupTile{groupOps: g, ref: g.tileRef(t, staged), elem: t, id: g.builtIn(ir.LocalInvocationIndex), n: groupSize(g.m)}
}

func (t *groupTile) load(i *ir.Value) *ir.Value {
	v := t.op(ir.OpLoad, t.elem, i)
	v.Aux = t.ref
	return v
}

func (t *groupTile) store(x, i *ir.Value) { t.op(ir.OpStore, ir.TypeVoid, x, i).Aux = t.ref }

// workGroup generates the code for the op v of a work-group.
func (g *groupOps) workGroup(v *ir.Value) {
	switch c, _ := v.Aux.(ir.Combine); {
	case v.Op == ir.OpGroupSelect:
		t := g.newTile(v.Type, false)
		t.store(v.Args[0], t.id)
		Barrier(g.b, g.pos)
		g.replaceOp(v, ir.OpLoad, t.ref, v.Args[1])
		Barrier(g.b, g.pos)
	case (v.Op == ir.OpGroupInclusiveScan || v.Op == ir.OpGroupExclusiveScan) && inOrder(c.By):
		t := g.newTile(v.Type, false)
		t.store(v.Args[0], t.id)
		Barrier(g.b, g.pos)
		t.scanTile(c.By, v.Args[0])
		at := t.id
		if v.Op == ir.OpGroupExclusiveScan {
			at = g.word(ir.OpSelect, g.cond(ir.OpIEq, t.id, g.i32(0)), t.id, g.word(ir.OpISub, t.id, g.i32(1)))
		}
		g.replaceOp(v, ir.OpLoad, t.ref, at)
		Barrier(g.b, g.pos)
	case g.m.Target.NoSubGroups || c.Alone:
		k, back := g.combinationFor(v)
		back(g.withoutSubGroups(v.Op, k))
	default:
		k, back := g.combinationFor(v)
		g.subBarrier()
		r := g.inStages(v.Op, k)
		back(r)
	}
}

// inOrder reports whether the result of the combiner depends on the order in which values are
// combined.
func inOrder(by ir.Combiner) bool { return by == ir.CombineFAdd || by == ir.CombineFMul }

// subBarrier appends a barrier of sub-groups. The barrier is needed to order memory if the
// work-group has only one sub-group, because inStages then executes no other barrier.
func (g *groupOps) subBarrier() { g.op(ir.OpBarrier, ir.TypeVoid).Aux = ir.ScopeSubGroup }

// A combination describes a reduction or scan by its combiner, the value to combine and the
// combiner's identity.
type combination struct {
	by       ir.Combiner
	x        *ir.Value
	identity *ir.Value
}

// isNative reports whether SPIR-V has instructions for the combination in sub-groups.
func (c combination) isNative() bool { return c.x.Type == ir.TypeI32 }

// combinationFor returns the combination for the group op v, and a function. Given the combined
// value, the function replaces v by an op that computes v's result. Votes, minimums and maximums of
// float32 become combinations of 32-bit integers.
func (g *groupOps) combinationFor(v *ir.Value) (combination, func(r *ir.Value)) {
	same := func(r *ir.Value) { g.replaceOp(v, ir.OpBitcast, nil, r) }
	x := v.Args[0]
	switch v.Op {
	case ir.OpGroupAny, ir.OpGroupAll:
		c := combination{ir.CombineOr, g.word(ir.OpSelect, x, g.i32(1), g.i32(0)), g.i32(0)}
		if v.Op == ir.OpGroupAll {
			c.by, c.identity = ir.CombineAnd, g.i32(1)
		}
		return c, func(r *ir.Value) { g.replaceOp(v, ir.OpINe, nil, r, g.i32(0)) }
	case ir.OpGroupUniform:
		if t := IntOf(x.Type); t != x.Type {
			x = g.op(ir.OpBitcast, t, x)
		}
		return combination{ir.CombineOr, x, g.m.Const(x.Type, 0)}, same
	}
	c := combination{v.Aux.(ir.Combine).By, x, v.Args[1]}
	if x.Type != ir.TypeF32 || inOrder(c.by) {
		return c, same
	}
	return g.orderedInts(c), func(r *ir.Value) {
		g.replaceOp(v, ir.OpBitcast, nil, g.word(ir.OpXor, r, g.word(ir.OpAnd, g.word(ir.OpShrA, r, g.i32(31)), g.i32(math.MaxInt32))))
	}
}

// orderedInts turns Go's minimum or maximum of float32 into a minimum or maximum of integers. The
// integers have the same order as the floats. The integers for negative numbers have inverted bits,
// and NaN becomes the least or greatest integer.
func (g *groupOps) orderedInts(c combination) combination {
	by, nan := ir.CombineSMin, g.i32(math.MinInt32)
	if c.by == ir.CombineFMax {
		by, nan = ir.CombineSMax, g.i32(math.MaxInt32)
	}
	bits := g.word(ir.OpBitcast, c.x)
	key := g.word(ir.OpXor, bits, g.word(ir.OpAnd, g.word(ir.OpShrA, bits, g.i32(31)), g.i32(math.MaxInt32)))
	key = g.word(ir.OpSelect, g.cond(ir.OpFNe, c.x, c.x), nan, key)
	least := int32(uint32(c.identity.Bits))
	return combination{by, key, g.i32(int64(least ^ least>>31&math.MaxInt32))}
}

// withoutSubGroups combines the values of a work-group without using sub-groups. For a group of 2^k
// work-items, a reduction needs k steps with one barrier each. A scan needs k steps with two
// barriers each.
func (g *groupOps) withoutSubGroups(op ir.Op, c combination) *ir.Value {
	t := g.newTile(c.x.Type, false)
	t.store(c.x, t.id)
	Barrier(g.b, g.pos)
	var r *ir.Value
	switch op {
	case ir.OpGroupInclusiveScan, ir.OpGroupExclusiveScan:
		t.scanTile(c.by, c.x)
		if r = t.load(t.id); op == ir.OpGroupExclusiveScan {
			first := g.cond(ir.OpIEq, t.id, g.i32(0))
			r = g.op(ir.OpSelect, c.x.Type, first, c.identity, t.load(g.word(ir.OpSelect, first, t.id, g.word(ir.OpISub, t.id, g.i32(1)))))
		}
	default:
		t.reduceTile(c.by)
		r = t.load(g.i32(0))
	}
	Barrier(g.b, g.pos)
	return r
}

// reduceTile appends code that stores the combination of all elements in the first element.
func (t *groupTile) reduceTile(by ir.Combiner) {
	t.doublingLoop(t.n, nil, func(d *ir.Value, _ []*ir.Value) []*ir.Value {
		other := t.word(ir.OpIAdd, t.id, d)
		low := t.word(ir.OpAnd, t.id, t.word(ir.OpISub, t.word(ir.OpShl, d, t.i32(1)), t.i32(1)))
		pair := t.op(ir.OpLAnd, ir.TypeBool, t.cond(ir.OpIEq, low, t.i32(0)), t.cond(ir.OpULt, other, t.n))
		t.ifThen(pair, nil, func() *ir.Value {
			t.store(t.appendCombine(by, t.load(t.id), t.load(other)), t.id)
			return nil
		})
		Barrier(t.b, t.pos)
		return nil
	})
}

// scanTile appends code that stores in each element the combination of this element and all
// elements before it. The argument x is the work-item's own element.
func (t *groupTile) scanTile(by ir.Combiner, x *ir.Value) {
	t.doublingLoop(t.n, []*ir.Value{x}, func(d *ir.Value, vs []*ir.Value) []*ir.Value {
		x, y := vs[0], vs[0]
		sum := t.ifThen(t.cond(ir.OpULe, d, t.id), x, func() *ir.Value {
			return t.appendCombine(by, t.load(t.word(ir.OpISub, t.id, d)), y)
		})
		Barrier(t.b, t.pos)
		t.store(sum, t.id)
		Barrier(t.b, t.pos)
		return []*ir.Value{sum}
	})
}

// doublingLoop appends a loop that executes body for d = 1, 2, 4, and so on, while d < n. In the
// first iteration, the other arguments of body are the values in vs. In later iterations, the other
// arguments are the results of the previous iteration. doublingLoop returns the results of the last
// iteration.
func (g *groupOps) doublingLoop(n *ir.Value, vs []*ir.Value, body func(d *ir.Value, vs []*ir.Value) []*ir.Value) []*ir.Value {
	return g.repeatLoop(append([]*ir.Value{g.i32(1)}, vs...), func(vs []*ir.Value) *ir.Value {
		return g.cond(ir.OpULt, vs[0], n)
	}, func(vs []*ir.Value) []*ir.Value {
		next := body(vs[0], vs[1:])
		return append([]*ir.Value{g.word(ir.OpShl, vs[0], g.i32(1))}, next...)
	})[1:]
}

// repeatLoop appends a loop that executes body while cond holds. In the first iteration, the
// arguments of body and cond are the values in vs. In later iterations, the arguments are the
// results of the previous iteration. repeatLoop returns the results of the last iteration.
func (g *groupOps) repeatLoop(vs []*ir.Value, cond func(vs []*ir.Value) *ir.Value, body func(vs []*ir.Value) []*ir.Value) []*ir.Value {
	head, in, out := g.f.NewBlock(), g.f.NewBlock(), g.f.NewBlock()
	g.b.Jump(head)
	phis := make([]*ir.Value, len(vs))
	for i, v := range vs {
		phis[i] = head.NewPhi(v.Type, v)
	}
	g.b = head
	g.b.Branch(cond(phis), in, out)
	g.b = in
	next := body(phis)
	g.b.Jump(head)
	for i, v := range next {
		phis[i].Args = append(phis[i].Args, v)
	}
	g.b = out
	return phis
}

// ifElse appends a branch on cond. If cond is true, the branch executes the code of the function
// "yes", and otherwise the code of the function "no". ifElse returns the result of the executed
// code as a value of type t, or nil if t is nil.
func (g *groupOps) ifElse(cond *ir.Value, t *ir.Type, yes, no func() *ir.Value) *ir.Value {
	then, other, join := g.f.NewBlock(), g.f.NewBlock(), g.f.NewBlock()
	g.b.Branch(cond, then, other)
	g.b = then
	a := yes()
	g.b.Jump(join)
	g.b = other
	b := no()
	g.b.Jump(join)
	g.b = join
	if t == nil {
		return nil
	}
	return join.NewPhi(t, a, b)
}

// ifThen appends a branch that executes body only if cond is true. If cond is true, the value that
// ifThen returns is the result of body. If cond is false, ifThen returns the argument "otherwise".
// If the argument "otherwise" is nil, ifThen returns nil.
func (g *groupOps) ifThen(cond, otherwise *ir.Value, body func() *ir.Value) *ir.Value {
	from := g.b
	then, join := g.f.NewBlock(), g.f.NewBlock()
	from.Branch(cond, then, join)
	g.b = then
	v := body()
	end := g.b
	end.Jump(join)
	g.b = join
	if otherwise == nil {
		return nil
	}
	phi := join.NewPhi(otherwise.Type)
	for _, p := range join.Preds {
		if p == from {
			phi.Args = append(phi.Args, otherwise)
		} else {
			phi.Args = append(phi.Args, v)
		}
	}
	return phi
}
