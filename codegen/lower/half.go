package lower

import (
	"go/types"
	"math"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/internal/gotypes"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/dsl/half"
)

// This file lowers operations of package dsl on numbers of package half. A register holds the bits
// of a number of package half. The methods of package half are inlined like other functions.

func init() {
	add(gotypes.HalfPath+".get", func(l *lowerer, _ *ssa.Call, _ *ssa.Function, args []val) val {
		v := l.op(ir.OpLoad, ir.TypeI32, scalarArgs(args)...)
		v.Aux = &ir.Ref{Var: l.halfTile()}
		return v
	})
	add(gotypes.HalfPath+".put", func(l *lowerer, _ *ssa.Call, _ *ssa.Function, args []val) val {
		xs := scalarArgs(args)
		l.op(ir.OpStore, ir.TypeVoid, xs[2], xs[0], xs[1]).Aux = &ir.Ref{Var: l.halfTile()}
		return nil
	})
	for name, scope := range map[string]ir.Scope{"meetInGroup": ir.ScopeWorkGroup, "meetInSubGroup": ir.ScopeSubGroup} {
		add(gotypes.HalfPath+"."+name, func(l *lowerer, _ *ssa.Call, _ *ssa.Function, _ []val) val {
			return l.barrier(scope)
		})
	}
}

// halfTile returns a work-group variable that holds two 32-bit words for each work-item.
func (l *lowerer) halfTile() *ir.Var {
	for _, v := range l.m.Vars {
		if v.Name == halfTileName {
			return v
		}
	}
	n := l.m.Int(ir.TypeI32, 1)
	for d := range l.m.Rank {
		size := localRange(l, d)
		if d == 0 {
			n = size
		} else {
			n = l.m.ConstExpr(ir.OpIMul, ir.TypeI32, n, size)
		}
	}
	return l.m.NewVar(nil, ir.Workgroup, halfTileName, l.m.ArrayOf(l.m.ArrayOf(ir.TypeI32, l.m.Int(ir.TypeI32, 2)), n))
}

// halfTileName is the name of the work-group variable in which work-items exchange numbers of
// package half. No Go variable can have the same name, because the name contains a space.
const halfTileName = "half tile"

// combineHalves lowers a reduction or scan of numbers of type t. The parameter `op` is the Go
// function that combines two numbers. The parameter `by` is the corresponding combiner. Each NaN
// becomes the canonical NaN of type t.
func (l *lowerer) combineHalves(in *ssa.Call, t types.Type, alg ir.Op, op val, by ir.Combiner, scope ir.Scope, x *ir.Value) val {
	isNaN, ok := l.inlineCall(load.HalfMethod(l.prog.SSA, t, "IsNaN"), []val{x}, nil, in.Pos()).(*ir.Value)
	if !ok {
		return badVal{}
	}
	k := halfNumbers(t)
	e := l.m.Const(ir.TypeI32, uint64(k.identityElem(by)))
	if by == ir.CombineUMin || by == ir.CombineUMax {
		return l.leastHalf(alg, by, scope, k, x, isNaN, e)
	}
	x = l.op(ir.OpSelect, x.Type, isNaN, l.m.Const(x.Type, uint64(k.nan)), x)
	one, zero := l.m.Int(ir.TypeI32, 1), l.m.Int(ir.TypeI32, 0)
	sum := func(op ir.Op) *ir.Value {
		return l.emitGroupOp(op, scope, ir.Combine{Scope: scope, By: ir.CombineIAdd}, one, zero)
	}
	meet := "meetInGroup"
	base, id := zero, l.builtIn(ir.LocalInvocationIndex)
	n := l.groupSize(scope)
	size := n
	if scope == ir.ScopeSubGroup {
		lane := l.builtIn(ir.SubgroupLocalInvocationID)
		base, id = l.op(ir.OpISub, ir.TypeI32, id, lane), lane
		meet = "meetInSubGroup"
		size = l.builtIn(ir.SubgroupSize) // the last sub-group may be smaller, but all sub-groups need the same number of barriers
	}
	args := []val{x, base, id, n, size, sum(ir.OpGroupExclusiveScan), sum(ir.OpGroupReduce)}
	pkg := l.prog.SSA.ImportedPackage(gotypes.HalfPath)
	if alg == ir.OpGroupReduce {
		r, ok := l.inlineCall(pkg.Func("reduced"), append(args, function{fn: pkg.Func(meet)}, op), nil, in.Pos()).(*ir.Value)
		if ok && scope == ir.ScopeWorkGroup {
			return l.emitGroupOp(ir.OpGroupUniform, scope, scope, r)
		} else if ok {
			return r
		}
		return badVal{}
	}
	return l.inlineCall(pkg.Func("scanned"), append(args, e, l.m.Bool(alg == ir.OpGroupExclusiveScan), function{fn: pkg.Func(meet)}, op), nil, in.Pos())
}

// leastHalf lowers a reduction or scan for the minimum or maximum. leastHalf maps each number to an
// integer, so that the integers have the order of the numbers. leastHalf maps NaN to the least or
// the greatest integer.
func (l *lowerer) leastHalf(alg ir.Op, by ir.Combiner, scope ir.Scope, k halfKind, x, isNaN, e *ir.Value) val {
	nan, none, to := l.m.Int(ir.TypeI32, math.MinInt32), l.m.Int(ir.TypeI32, math.MaxInt32), ir.CombineSMin
	if by == ir.CombineUMax {
		nan, none, to = none, nan, ir.CombineSMax
	}
	shift := l.m.Int(ir.TypeI32, int64(32-k.bits))
	flip := func(x *ir.Value) *ir.Value { // inverts the order of negative numbers
		return l.i32(ir.OpXor, x, l.i32(ir.OpShrL, l.i32(ir.OpShrA, x, l.m.Int(ir.TypeI32, 31)), l.m.Int(ir.TypeI32, 1)))
	}
	key := l.i32(ir.OpSelect, isNaN, nan, flip(l.i32(ir.OpShl, x, shift)))
	r := l.emitGroupOp(alg, scope, ir.Combine{Scope: scope, By: to}, key, none)
	is := func(k *ir.Value) *ir.Value { return l.op(ir.OpIEq, ir.TypeBool, r, k) }
	v := l.i32(ir.OpSelect, is(nan), l.m.Const(ir.TypeI32, uint64(k.nan)), l.i32(ir.OpShrL, flip(r), shift))
	return l.i32(ir.OpSelect, is(none), e, v) // the result of an exclusive scan is the identity for the first live lane
}

// halfKind holds the width of a type of package half, and the bits of special numbers.
type halfKind struct {
	bits               int
	one, nan, inf, neg uint16 // bits of special numbers; inf is infinity, or the greatest number if the type has no infinity; neg is -inf
}

// halfNumbers returns the width and the special numbers of a type of package half.
func halfNumbers(t types.Type) halfKind {
	switch gotypes.Half(t) {
	case "Float16":
		return halfKindOf[half.Float16](16)
	case "BFloat16":
		return halfKindOf[half.BFloat16](16)
	case "Float8E4M3":
		return halfKindOf[half.Float8E4M3](8)
	}
	return halfKindOf[half.Float8E5M2](8)
}

func halfKindOf[T half.Float[T]](bits int) halfKind {
	most := half.Inf[T](1)
	if most.IsNaN() {
		most = half.Largest[T]()
	}
	return halfKind{bits, half.FromFloat32[T](1).Bits(), half.NaN[T]().Bits(), most.Bits(), most.Neg().Bits()}
}

// identityElem returns the combiner's identity element, which is the first result of an exclusive
// scan.
func (k halfKind) identityElem(by ir.Combiner) uint16 {
	switch by {
	case ir.CombineIMul:
		return k.one
	case ir.CombineUMin:
		return k.inf
	case ir.CombineUMax:
		return k.neg
	}
	return 0
}

// halfAtomic lowers an atomic function on a number of package half. halfAtomic emits a
// compare-and-swap loop. The loop ends when no other work-item has changed the number since the
// load.
func (l *lowerer) halfAtomic(in *ssa.Call, method *ssa.Function, t types.Type, args []val) val {
	p, ok := args[0].(pointer)
	y, ok2 := args[1].(*ir.Value)
	if !ok || !ok2 {
		return badVal{}
	}
	compute := func(x *ir.Value) *ir.Value {
		r, _ := l.inlineCall(method, []val{x, y}, nil, in.Pos()).(*ir.Value)
		return r
	}
	r := l.deref(p)
	m, ok := r.(mem)
	if !ok || m.v != nil && m.v.Storage != ir.Workgroup { // other work-items cannot access private memory
		old, ok := l.loadRef(r, t).(*ir.Value)
		if !ok {
			return badVal{}
		}
		x := compute(old)
		l.storeRef(r, x, t)
		return x
	}
	l.readonly.recordWrite(m)
	mt := ir.TypeI32
	if m.device() {
		mt = deviceScalar(t.Underlying().(*types.Basic))
		l.noteStorage(mt)
	}
	convert := func(x *ir.Value, to *ir.Type) *ir.Value {
		if x.Type == to {
			return x
		}
		return l.op(ir.OpUConvert, to, x)
	}
	result := l.m.NewVar(l.f, ir.Function, "new", ir.TypeI32)
	again, done := l.newBlock(), l.newBlock()
	l.b.Jump(again)
	l.b = again
	old := l.op(ir.OpAtomicLoad, mt, m.args()...)
	old.Aux = m.auxRef()
	x := compute(convert(old, ir.TypeI32))
	l.storeVar(result, x)
	swapped := l.op(ir.OpAtomicCompareAndSwap, ir.TypeBool, append([]*ir.Value{convert(x, mt), old}, m.args()...)...)
	swapped.Aux = m.auxRef()
	l.b.Branch(swapped, done, again)
	l.b = done
	return l.loadVar(result)
}
