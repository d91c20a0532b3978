package pass

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
)

// runGroups replaces the group ops that SPIR-V lacks: those of work-groups by
// code over work-group memory, and those of sub-groups that are not of words by
// selections of words. Both combine values in the order that package dsl states,
// which depends on the group's size alone. It stands after the dead lanes, which
// take part, and before structurize, since it makes loops.
func runGroups(m *ir.Module) diag.List {
	g := &groupOps{m: m, tiles: map[*ir.Type]*ir.Ref{}}
	f := m.Kernel
	for i := 0; i < len(f.Blocks); i++ {
		b := f.Blocks[i]
		at := slices.IndexFunc(b.Insts, func(v *ir.Value) bool { return v.IsGroupOp() && !v.LegalGroupOp() })
		if at < 0 {
			continue
		}
		v := b.Insts[at]
		rest := splitAfter(b, at+1) // a later round finds what else is in there
		b.Insts = b.Insts[:at]
		b.ClearTerm()
		g.zeroer = zeroer{m: m, f: f, b: b, pos: v.Pos}
		if v.GroupScope() == ir.ScopeWorkGroup {
			g.workGroup(v)
		} else {
			g.subGroup(v)
		}
		g.b.Jump(rest)
	}
	return nil
}

// groupOps writes the code for one group op after the other.
type groupOps struct {
	zeroer
	m     *ir.Module
	tiles map[*ir.Type]*ir.Ref // an element per invocation; all ops share them
}

func (g *groupOps) op(op ir.Op, t *ir.Type, args ...*ir.Value) *ir.Value {
	v := g.b.Append(op, t, args...)
	v.Pos = g.pos
	return v
}

func (g *groupOps) i32(n int64) *ir.Value { return g.m.Int(ir.TypeI32, n) }

func (g *groupOps) word(op ir.Op, args ...*ir.Value) *ir.Value { return g.op(op, ir.TypeI32, args...) }

func (g *groupOps) builtIn(b ir.BuiltIn) *ir.Value {
	v := g.word(ir.OpBuiltIn)
	v.Aux = b
	return v
}

// result makes v what the given op returns, at the current place.
func (g *groupOps) result(v *ir.Value, op ir.Op, aux any, args ...*ir.Value) {
	v.Op, v.Aux, v.Args, v.Block = op, aux, args, g.b
	g.b.Insts = append(g.b.Insts, v)
}

// workGroup writes code in which the invocations put their values into work-group
// memory and combine them there. It ends with a barrier after the last load, so
// that the memory serves all ops.
func (g *groupOps) workGroup(v *ir.Value) {
	x := v.Args[0]
	by := ir.CombineOr
	if c, ok := v.Aux.(ir.Combine); ok {
		by = c.By
	} else if v.Op == ir.OpGroupAll {
		by = ir.CombineAnd
	}
	if x.Type == ir.TypeBool {
		x = g.word(ir.OpSelect, x, g.i32(1), g.i32(0))
	} else if v.Op == ir.OpGroupUniform && x.Type.IsFloat() {
		x = g.op(ir.OpBitcast, intOf(x.Type), x)
	}
	t := &tile{groupOps: g, ref: g.tile(x.Type), elem: x.Type, id: g.builtIn(ir.LocalInvocationIndex), n: groupSize(g.m)}
	t.store(x)
	barrier(g.b, g.pos)
	switch v.Op {
	case ir.OpGroupSelect:
		g.result(v, ir.OpLoad, t.ref, v.Args[1])
	case ir.OpGroupAny, ir.OpGroupAll:
		t.reduce(by)
		g.result(v, ir.OpINe, nil, t.load(g.i32(0)), g.i32(0))
	case ir.OpGroupUniform:
		t.reduce(by)
		g.result(v, ir.OpBitcast, nil, t.load(g.i32(0)))
	case ir.OpGroupReduce:
		t.reduce(by)
		g.result(v, ir.OpLoad, t.ref, g.i32(0))
	case ir.OpGroupInclusiveScan:
		t.scan(by, x)
		g.result(v, ir.OpLoad, t.ref, t.id)
	case ir.OpGroupExclusiveScan:
		t.scan(by, x)
		first := g.op(ir.OpIEq, ir.TypeBool, t.id, g.i32(0))
		before := g.word(ir.OpSelect, first, t.id, g.word(ir.OpISub, t.id, g.i32(1)))
		g.result(v, ir.OpLoad, t.ref, before)
	}
	barrier(g.b, g.pos)
}

// tile returns the work-group memory for values of type t.
func (g *groupOps) tile(t *ir.Type) *ir.Ref {
	r := g.tiles[t]
	if r == nil {
		r = &ir.Ref{Var: g.m.NewVar(nil, ir.Workgroup, "group", g.m.ArrayOf(t, groupSize(g.m)))}
		g.tiles[t] = r
	}
	return r
}

// tile is work-group memory with an element for each of n invocations.
type tile struct {
	*groupOps
	ref   *ir.Ref
	elem  *ir.Type
	id, n *ir.Value
}

func (t *tile) load(i *ir.Value) *ir.Value {
	v := t.op(ir.OpLoad, t.elem, i)
	v.Aux = t.ref
	return v
}

func (t *tile) store(x *ir.Value) { t.op(ir.OpStore, ir.TypeVoid, x, t.id).Aux = t.ref }

// reduce leaves the combination of all elements in the first.
func (t *tile) reduce(by ir.Combiner) {
	t.halve(t.n, func(h, rest *ir.Value) {
		t.when(t.op(ir.OpULt, ir.TypeBool, t.id, rest), func() {
			t.store(t.combine(by, t.load(t.id), t.load(t.word(ir.OpIAdd, t.id, h))))
		})
		barrier(t.b, t.pos)
	})
}

// scan leaves in each element the combination of those up to it; x is the own.
func (t *tile) scan(by ir.Combiner, x *ir.Value) {
	t.double(t.n, x, func(d, x *ir.Value) *ir.Value {
		from, has := t.b, t.op(ir.OpULe, ir.TypeBool, d, t.id)
		var y *ir.Value
		end := t.when(has, func() {
			y = t.combine(by, t.load(t.word(ir.OpISub, t.id, d)), x)
		})
		sum := t.b.NewPhi(x.Type)
		for _, p := range t.b.Preds {
			if p == from {
				sum.Args = append(sum.Args, x)
			} else if p == end {
				sum.Args = append(sum.Args, y)
			}
		}
		barrier(t.b, t.pos)
		t.store(sum)
		barrier(t.b, t.pos)
		return sum
	})
}

// halve runs body for n = n0 with h = (n+1)/2 and n-h, then for n = h and so on
// while n > 1.
func (g *groupOps) halve(n0 *ir.Value, body func(h, rest *ir.Value)) {
	head, in, out := g.f.NewBlock(), g.f.NewBlock(), g.f.NewBlock()
	g.b.Jump(head)
	n := head.NewPhi(ir.TypeI32, n0)
	head.Branch(head.Append(ir.OpULt, ir.TypeBool, g.i32(1), n), in, out)
	g.b = in
	h := g.word(ir.OpShrL, g.word(ir.OpIAdd, n, g.i32(1)), g.i32(1))
	body(h, g.word(ir.OpISub, n, h))
	g.b.Jump(head)
	n.Args = append(n.Args, h)
	g.b = out
}

// double runs body for d = 1, 2, 4 and so on below n with the value that it
// returned the last time, x at first, and returns the last value.
func (g *groupOps) double(n, x *ir.Value, body func(d, x *ir.Value) *ir.Value) *ir.Value {
	head, in, out := g.f.NewBlock(), g.f.NewBlock(), g.f.NewBlock()
	g.b.Jump(head)
	d, v := head.NewPhi(ir.TypeI32, g.i32(1)), head.NewPhi(x.Type, x)
	head.Branch(head.Append(ir.OpULt, ir.TypeBool, d, n), in, out)
	g.b = in
	next := body(d, v)
	twice := g.word(ir.OpShl, d, g.i32(1))
	g.b.Jump(head)
	d.Args, v.Args = append(d.Args, twice), append(v.Args, next)
	g.b = out
	return v
}

// when runs body if cond is true, and returns the block where body ends.
func (g *groupOps) when(cond *ir.Value, body func()) *ir.Block {
	then, join := g.f.NewBlock(), g.f.NewBlock()
	g.b.Branch(cond, then, join)
	g.b = then
	body()
	end := g.b
	g.b.Jump(join)
	g.b = join
	return end
}

// subGroup writes code that selects words from other invocations.
func (g *groupOps) subGroup(v *ir.Value) {
	x := v.Args[0]
	if v.Op == ir.OpGroupSelect {
		g.result(v, ir.OpBitcast, nil, g.from(x, v.Args[1]))
		return
	}
	by := v.Aux.(ir.Combine).By
	id, n := g.builtIn(ir.SubgroupLocalInvocationID), g.builtIn(ir.SubgroupLocalRange)
	if v.Op == ir.OpGroupReduce {
		g.result(v, ir.OpBitcast, nil, g.subReduce(by, x, id, n))
		return
	}
	x = g.double(n, x, func(d, x *ir.Value) *ir.Value {
		has := g.op(ir.OpULe, ir.TypeBool, d, id)
		other := g.from(x, g.word(ir.OpSelect, has, g.word(ir.OpISub, id, d), id))
		return g.op(ir.OpSelect, x.Type, has, g.combine(by, other, x), x)
	})
	if v.Op == ir.OpGroupExclusiveScan {
		first := g.op(ir.OpIEq, ir.TypeBool, id, g.i32(0))
		x = g.from(x, g.word(ir.OpSelect, first, id, g.word(ir.OpISub, id, g.i32(1))))
	}
	g.result(v, ir.OpBitcast, nil, x)
}

// subReduce combines the values of a sub-group's n invocations.
func (g *groupOps) subReduce(by ir.Combiner, x, id, n *ir.Value) *ir.Value {
	head, in, out := g.f.NewBlock(), g.f.NewBlock(), g.f.NewBlock()
	g.b.Jump(head)
	left, v := head.NewPhi(ir.TypeI32, n), head.NewPhi(x.Type, x)
	head.Branch(head.Append(ir.OpULt, ir.TypeBool, g.i32(1), left), in, out)
	g.b = in
	h := g.word(ir.OpShrL, g.word(ir.OpIAdd, left, g.i32(1)), g.i32(1))
	has := g.op(ir.OpULt, ir.TypeBool, id, g.word(ir.OpISub, left, h))
	other := g.from(v, g.word(ir.OpSelect, has, g.word(ir.OpIAdd, id, h), id))
	sum := g.op(ir.OpSelect, x.Type, has, g.combine(by, v, other), v)
	g.b.Jump(head)
	left.Args, v.Args = append(left.Args, h), append(v.Args, sum)
	g.b = out
	return g.from(v, g.i32(0))
}

// from selects the value x of another invocation of the sub-group, word by word.
func (g *groupOps) from(x, lane *ir.Value) *ir.Value {
	sel := func(w *ir.Value) *ir.Value {
		v := g.word(ir.OpGroupSelect, w, lane)
		v.Aux = ir.ScopeSubGroup
		return v
	}
	switch x.Type.Kind {
	case ir.I32:
		return sel(x)
	case ir.F32:
		return g.op(ir.OpBitcast, x.Type, sel(g.word(ir.OpBitcast, x)))
	case ir.F64:
		return g.op(ir.OpBitcast, x.Type, g.from(g.op(ir.OpBitcast, ir.TypeI64, x), lane))
	case ir.I64:
		shift := g.m.Int(ir.TypeI64, 32)
		lo := sel(g.word(ir.OpUConvert, x))
		hi := sel(g.word(ir.OpUConvert, g.op(ir.OpShrL, x.Type, x, shift)))
		up := g.op(ir.OpShl, x.Type, g.op(ir.OpUConvert, x.Type, hi), shift)
		return g.op(ir.OpOr, x.Type, up, g.op(ir.OpUConvert, x.Type, lo))
	}
	panic("BUG: a group op of " + x.Type.String())
}

// combine returns the combination of two values.
func (g *groupOps) combine(by ir.Combiner, x, y *ir.Value) *ir.Value {
	t := x.Type
	least := func(less ir.Op, p, q *ir.Value) *ir.Value {
		return g.op(ir.OpSelect, t, g.op(less, ir.TypeBool, p, q), x, y)
	}
	switch by {
	case ir.CombineIAdd:
		return g.op(ir.OpIAdd, t, x, y)
	case ir.CombineIMul:
		return g.op(ir.OpIMul, t, x, y)
	case ir.CombineAnd:
		return g.op(ir.OpAnd, t, x, y)
	case ir.CombineOr:
		return g.op(ir.OpOr, t, x, y)
	case ir.CombineXor:
		return g.op(ir.OpXor, t, x, y)
	case ir.CombineFAdd:
		return g.op(ir.OpFAdd, t, x, y)
	case ir.CombineFMul:
		return g.op(ir.OpFMul, t, x, y)
	case ir.CombineSMin:
		return least(ir.OpSLt, x, y)
	case ir.CombineUMin:
		return least(ir.OpULt, x, y)
	case ir.CombineSMax:
		return least(ir.OpSLt, y, x)
	case ir.CombineUMax:
		return least(ir.OpULt, y, x)
	}
	return g.floatMinMax(by == ir.CombineFMin, x, y)
}

// floatMinMax is Go's min or max: NaN if either is, and -0 below +0.
func (g *groupOps) floatMinMax(isMin bool, x, y *ir.Value) *ir.Value {
	t, bits := x.Type, ir.TypeI32
	if t == ir.TypeF64 {
		bits = ir.TypeI64
	}
	p, q, join := x, y, ir.OpOr
	if !isMin {
		p, q, join = y, x, ir.OpAnd
	}
	// Equal operands differ at most in the sign of zero.
	same := g.op(ir.OpBitcast, t, g.op(join, bits, g.op(ir.OpBitcast, bits, x), g.op(ir.OpBitcast, bits, y)))
	r := g.op(ir.OpSelect, t, g.op(ir.OpFEq, ir.TypeBool, x, y), same, y)
	r = g.op(ir.OpSelect, t, g.op(ir.OpFLt, ir.TypeBool, p, q), x, r)
	return g.op(ir.OpSelect, t, g.op(ir.OpFNe, ir.TypeBool, x, x), x, r)
}
