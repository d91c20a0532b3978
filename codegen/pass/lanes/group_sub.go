package lanes

// This file generates the code that combines values within sub-groups, for group.go.

import "github.com/kgen-go/kgen/codegen/ir"

// subGroup generates the code for the op v of a sub-group if v's type is not a 32-bit integer.
func (g *groupOps) subGroup(v *ir.Value) {
	if v.Op == ir.OpGroupSelect {
		g.replaceOp(v, ir.OpBitcast, nil, g.fromLane(v.Args[0], v.Args[1]))
		return
	}
	k, back := g.combinationFor(v)
	s := g.newSub()
	switch v.Op {
	case ir.OpGroupInclusiveScan:
		back(s.inclusiveScan(k))
	case ir.OpGroupExclusiveScan:
		back(s.exclusiveScan(k))
	default:
		back(s.reducePairs(k))
	}
}

// subGroupIDs describes a sub-group of n invocations. The value id is the invocation's own id in
// the sub-group.
type subGroupIDs struct {
	*groupOps
	id, n *ir.Value
}

func (g *groupOps) newSub() *subGroupIDs {
	return &subGroupIDs{g, g.builtIn(ir.SubgroupLocalInvocationID), g.builtIn(ir.SubgroupLocalRange)}
}

// appendNative appends SPIR-V's instruction for the combination in sub-groups.
func (s *subGroupIDs) appendNative(op ir.Op, c combination) *ir.Value {
	v := s.word(op, c.x, c.identity)
	v.Aux = ir.Combine{Scope: ir.ScopeSubGroup, By: c.by}
	return v
}

// reducePairs combines the values of the first n invocations, pair by pair, and returns the
// result in all invocations.
func (s *subGroupIDs) reducePairs(c combination) *ir.Value {
	if c.isNative() {
		return s.appendNative(ir.OpGroupReduce, c)
	}
	x := s.doublingLoop(s.n, []*ir.Value{c.x}, func(d *ir.Value, vs []*ir.Value) []*ir.Value {
		x, at := vs[0], s.word(ir.OpIAdd, s.id, d)
		has := s.cond(ir.OpULt, at, s.n)
		other := s.fromLane(x, s.word(ir.OpSelect, has, at, s.id))
		return []*ir.Value{s.op(ir.OpSelect, x.Type, has, s.appendCombine(c.by, x, other), x)}
	})
	return s.fromLane(x[0], s.i32(0))
}

func (s *subGroupIDs) inclusiveScan(c combination) *ir.Value {
	if c.isNative() {
		return s.appendNative(ir.OpGroupInclusiveScan, c)
	}
	return s.doublingLoop(s.n, []*ir.Value{c.x}, func(d *ir.Value, vs []*ir.Value) []*ir.Value {
		x := vs[0]
		has := s.cond(ir.OpULe, d, s.id)
		other := s.fromLane(x, s.word(ir.OpSelect, has, s.word(ir.OpISub, s.id, d), s.id))
		return []*ir.Value{s.op(ir.OpSelect, x.Type, has, s.appendCombine(c.by, other, x), x)}
	})[0]
}

// exclusiveScan combines, for each invocation, the values of all previous invocations. For the
// first invocation, the result of the scan is the combiner's identity.
func (s *subGroupIDs) exclusiveScan(c combination) *ir.Value {
	if c.isNative() {
		return s.appendNative(ir.OpGroupExclusiveScan, c)
	}
	x := s.inclusiveScan(c)
	first := s.cond(ir.OpIEq, s.id, s.i32(0))
	x = s.fromLane(x, s.word(ir.OpSelect, first, s.id, s.word(ir.OpISub, s.id, s.i32(1))))
	return s.op(ir.OpSelect, x.Type, first, c.identity, x)
}

// inStages combines the values of a work-group in stages. The first stage combines the values
// within each sub-group. Each later stage combines the results of the previous stage, until one
// value remains. A stage passes its results to the first invocations of the work-group through
// work-group memory, with one barrier. After a last barrier, all invocations load the final values.
// The first half of the work-group memory contains the results of all stages in order. The second
// half of the work-group memory contains the final values for all invocations. So no stage
// overwrites a value in work-group memory that another invocation may still read. Combining in
// stages is correct only for sub-groups of four or more invocations (see the aspect SubGroups).
func (g *groupOps) inStages(op ir.Op, c combination) *ir.Value {
	s, size := g.newSub(), g.builtIn(ir.SubgroupSize)
	t := g.newTile(c.x.Type, true)
	scans := op == ir.OpGroupInclusiveScan || op == ir.OpGroupExclusiveScan
	var own *ir.Value
	switch op {
	case ir.OpGroupInclusiveScan:
		own = s.inclusiveScan(c)
	case ir.OpGroupExclusiveScan:
		own = s.exclusiveScan(c)
	}
	total := s.reducePairs(c)
	groups := func(n *ir.Value) *ir.Value {
		last := g.word(ir.OpUDiv, g.word(ir.OpISub, n, g.i32(1)), size)
		return g.word(ir.OpIAdd, last, g.i32(1))
	}
	count, other := groups(t.n), total
	if scans {
		other = c.identity
	}
	half := g.word(ir.OpShrL, t.n, g.i32(1))
	first := g.cond(ir.OpIEq, s.id, g.i32(0))
	id := g.builtIn(ir.SubgroupID)
	r := g.ifThen(g.cond(ir.OpULt, g.i32(1), count), other, func() *ir.Value {
		last := g.repeatLoop([]*ir.Value{count, g.i32(0), total}, func(vs []*ir.Value) *ir.Value {
			return g.cond(ir.OpULt, g.i32(1), vs[0])
		}, func(vs []*ir.Value) []*ir.Value {
			n, at, total := vs[0], vs[1], vs[2]
			g.ifThen(g.op(ir.OpLAnd, ir.TypeBool, first, g.cond(ir.OpULt, id, n)), nil, func() *ir.Value {
				t.store(total, g.word(ir.OpIAdd, at, id))
				return nil
			})
			Barrier(g.b, g.pos)
			has := g.cond(ir.OpULt, t.id, n)
			x := g.ifThen(has, c.identity, func() *ir.Value { return t.load(g.word(ir.OpIAdd, at, t.id)) })
			// All invocations of a sub-group exist if the sub-group loads some of the n results.
			left := g.word(ir.OpISub, n, g.word(ir.OpISub, t.id, s.id))
			round := &subGroupIDs{g, s.id, g.word(ir.OpSelect, g.cond(ir.OpULt, left, s.n), left, s.n)}
			cx := combination{c.by, x, c.identity}
			if scans {
				e := round.exclusiveScan(cx)
				g.ifThen(has, nil, func() *ir.Value {
					t.store(e, g.word(ir.OpIAdd, half, g.word(ir.OpIAdd, at, t.id)))
					return nil
				})
			}
			return []*ir.Value{groups(n), g.word(ir.OpIAdd, at, n), round.reducePairs(cx)}
		})
		if scans {
			Barrier(g.b, g.pos)
			return g.prefixOfStages(t, c, count, size, half, id, groups)
		}
		g.ifThen(g.cond(ir.OpIEq, t.id, g.i32(0)), nil, func() *ir.Value {
			t.store(last[2], half)
			return nil
		})
		Barrier(g.b, g.pos)
		return t.load(half)
	})
	if scans {
		return g.appendCombine(c.by, r, own)
	}
	return r
}

// prefixOfStages appends a loop that combines all values of earlier sub-groups. Each iteration uses
// the results of one stage of inStages. Each stage divides the results of the previous stage into
// runs of consecutive results. For each result, the stage has stored the combination of the earlier
// results in the same run.
func (g *groupOps) prefixOfStages(t *groupTile, c combination, count, size, half, id *ir.Value, groups func(n *ir.Value) *ir.Value) *ir.Value {
	return g.repeatLoop([]*ir.Value{count, half, id, c.identity}, func(vs []*ir.Value) *ir.Value {
		return g.cond(ir.OpULt, g.i32(1), vs[0])
	}, func(vs []*ir.Value) []*ir.Value {
		n, at, id := vs[0], vs[1], vs[2]
		before := g.appendCombine(c.by, t.load(g.word(ir.OpIAdd, at, id)), vs[3])
		return []*ir.Value{groups(n), g.word(ir.OpIAdd, at, n), g.word(ir.OpUDiv, id, size), before}
	})[3]
}

// fromLane returns the value x of the given lane of the sub-group. A 64-bit value is passed as two
// 32-bit words.
func (g *groupOps) fromLane(x, lane *ir.Value) *ir.Value {
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
		return g.op(ir.OpBitcast, x.Type, g.fromLane(g.op(ir.OpBitcast, ir.TypeI64, x), lane))
	case ir.I64:
		shift := g.m.Int(ir.TypeI64, 32)
		lo := sel(g.word(ir.OpUConvert, x))
		hi := sel(g.word(ir.OpUConvert, g.op(ir.OpShrL, x.Type, x, shift)))
		up := g.op(ir.OpShl, x.Type, g.op(ir.OpUConvert, x.Type, hi), shift)
		return g.op(ir.OpOr, x.Type, up, g.op(ir.OpUConvert, x.Type, lo))
	}
	panic("BUG: a group op of " + x.Type.String())
}

// appendCombine appends code that combines two values by the given combiner.
func (g *groupOps) appendCombine(by ir.Combiner, x, y *ir.Value) *ir.Value {
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

// floatMinMax appends code for Go's min or max. The minimum or maximum is NaN if either operand is
// NaN, and -0 is less than +0.
func (g *groupOps) floatMinMax(isMin bool, x, y *ir.Value) *ir.Value {
	t, bits := x.Type, ir.TypeI32
	if t == ir.TypeF64 {
		bits = ir.TypeI64
	}
	p, q, join := x, y, ir.OpOr
	if !isMin {
		p, q, join = y, x, ir.OpAnd
	}
	// The bits of equal operands differ only if the operands are +0 and -0.
	same := g.op(ir.OpBitcast, t, g.op(join, bits, g.op(ir.OpBitcast, bits, x), g.op(ir.OpBitcast, bits, y)))
	r := g.op(ir.OpSelect, t, g.op(ir.OpFEq, ir.TypeBool, x, y), same, y)
	r = g.op(ir.OpSelect, t, g.op(ir.OpFLt, ir.TypeBool, p, q), x, r)
	return g.op(ir.OpSelect, t, g.op(ir.OpFNe, ir.TypeBool, x, x), x, r)
}
