package lower

// This file lowers the group algorithms of package dsl.

import (
	"go/token"
	"go/types"
	"math"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/internal/gotypes"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/load"
)

func init() {
	recv := "(" + dslPath + ".Group)."
	index := scalarIntrinsic(func(l *lowerer) *ir.Value { return l.builtIn(ir.LocalInvocationIndex) })
	add(recv+"LocalID", index)
	for _, name := range []string{"LocalRange", "MaxLocalRange"} {
		add(recv+name, scalarIntrinsic(func(l *lowerer) *ir.Value { return l.groupSize(ir.ScopeWorkGroup) }))
	}
	add(recv+"GroupID", func(l *lowerer, in *ssa.Call, fn *ssa.Function, args []val) val {
		return linearIntrinsic(l.m.Rank, groupID, groupRange)(l, in, fn, args)
	})
	add(recv+"GroupRange", func(l *lowerer, _ *ssa.Call, _ *ssa.Function, _ []val) val {
		n := l.toInt(groupRange(l, 0))
		for d := 1; d < l.m.Rank; d++ {
			n = l.op(ir.OpIMul, ir.TypeI64, n, l.toInt(groupRange(l, d)))
		}
		return n
	})

	add(dslPath+".ReduceOverGroup", reduceOrScan(ir.OpGroupReduce))
	add(dslPath+".InclusiveScanOverGroup", reduceOrScan(ir.OpGroupInclusiveScan))
	add(dslPath+".ExclusiveScanOverGroup", reduceOrScan(ir.OpGroupExclusiveScan))
	add(dslPath+".GroupBallot", laneSet(func(_ *lowerer, args []*ir.Value) (ir.Op, []*ir.Value) { return ir.OpGroupBallot, args }))
	add(dslPath+".Uniform", func(l *lowerer, in *ssa.Call, _ *ssa.Function, args []val) val {
		v, ok := args[0].(*ir.Value)
		if !ok {
			return badVal{}
		}
		if l.k.Form != abi.NDRange {
			return v
		}
		return l.viaWord(v, func(v *ir.Value) *ir.Value {
			return l.emitGroupOp(ir.OpGroupUniform, ir.ScopeWorkGroup, ir.ScopeWorkGroup, v)
		})
	})
	add(dslPath+".AnyOfGroup", voting(ir.OpGroupAny, false))
	add(dslPath+".AllOfGroup", voting(ir.OpGroupAll, false))
	add(dslPath+".NoneOfGroup", voting(ir.OpGroupAny, true))
	for name, row := range combinerRows {
		add(dslPath+"."+name, func(l *lowerer, in *ssa.Call, fn *ssa.Function, args []val) val {
			if code := load.HalfCode(l.prog.SSA, fn); code != nil {
				return l.inlineCall(code, args, nil, in.Pos())
			}
			return l.lowerCombiner(row.of(in.Type()), args, in.Type())
		})
	}
	for name, f := range map[string]func(l *lowerer, x *ir.Value) *ir.Value{
		"GroupBroadcast":    func(_ *lowerer, x *ir.Value) *ir.Value { return x },
		"SelectFromGroup":   func(_ *lowerer, x *ir.Value) *ir.Value { return x },
		"ShiftGroupLeft":    func(l *lowerer, x *ir.Value) *ir.Value { return l.op(ir.OpIAdd, x.Type, l.laneIndex(), x) },
		"ShiftGroupRight":   func(l *lowerer, x *ir.Value) *ir.Value { return l.op(ir.OpISub, x.Type, l.laneIndex(), x) },
		"PermuteGroupByXor": func(l *lowerer, x *ir.Value) *ir.Value { return l.op(ir.OpXor, x.Type, l.laneIndex(), x) },
	} {
		add(dslPath+"."+name, func(l *lowerer, in *ssa.Call, _ *ssa.Function, args []val) val {
			scope, v, ok := l.groupArgs(args)
			x, ok2 := args[2].(*ir.Value)
			if !ok || !ok2 {
				return badVal{}
			}
			return l.selectFrom(scope, v, f(l, x))
		})
	}
}

// laneSet returns the intrinsic for a sub-group function whose result is a set of lanes, a
// [4]uint32. One op is emitted for each of the four 32-bit words. Function f gets all arguments of
// the call except the sub-group. f returns the op and all arguments of the op except the last
// argument, which is the number of the word.
func laneSet(f func(l *lowerer, args []*ir.Value) (ir.Op, []*ir.Value)) intrinsic {
	return func(l *lowerer, in *ssa.Call, _ *ssa.Function, args []val) val {
		xs := scalarArgs(args[1:])
		c := l.newCell(in.Type(), "ballot")
		if len(xs) != len(args)-1 || c.mem.v == nil {
			return badVal{}
		}
		op, xs := f(l, xs)
		l.barrier(ir.ScopeSubGroup) // the ops below need no barriers of their own, because all work-items meet at this barrier
		var words [4]*ir.Value
		for i := range words {
			words[i] = l.op(op, ir.TypeI32, append(slices.Clone(xs), l.m.Int(ir.TypeI32, int64(i)))...)
			words[i].Aux = ir.ScopeSubGroup
		}
		for i, v := range words {
			l.storeScalar(c.mem.atIndex(l.m.Int(ir.TypeI32, int64(i))), v, types.Typ[types.Uint32])
		}
		return array{c.mem}
	}
}

// laneIndex returns the work-item's index in its sub-group, as an int.
func (w *builder) laneIndex() *ir.Value { return w.toInt(w.builtIn(ir.SubgroupLocalInvocationID)) }

// groupArgs returns the scope of the group and the value to combine, for a call of a group
// algorithm.
func (w *builder) groupArgs(args []val) (ir.Scope, *ir.Value, bool) {
	v, ok := args[1].(*ir.Value)
	switch args[0].(type) {
	case group:
		return ir.ScopeWorkGroup, v, ok
	case subGroup:
		return ir.ScopeSubGroup, v, ok
	}
	return 0, nil, false
}

// groupSize returns the number of work-items in a group of scope s.
func (l *lowerer) groupSize(s ir.Scope) *ir.Value {
	if s == ir.ScopeSubGroup {
		return l.builtIn(ir.SubgroupLocalRange)
	}
	n := localRange(l, 0)
	for d := 1; d < l.m.Rank; d++ {
		n = l.op(ir.OpIMul, ir.TypeI32, n, localRange(l, d))
	}
	return n
}

// emitGroupOp emits a group op. For a sub-group, emitGroupOp also emits a barrier before the op.
// For a work-group, no barrier is needed, because the group op itself orders memory.
func (w *builder) emitGroupOp(op ir.Op, s ir.Scope, aux any, args ...*ir.Value) *ir.Value {
	if s == ir.ScopeSubGroup {
		w.barrier(s)
	}
	v := w.op(op, args[0].Type, args...)
	v.Aux = aux
	return v
}

// viaWord applies function f to the value v. If v is a bool, f is applied to v as a 32-bit integer,
// and the result of f is converted back to a bool.
func (w *builder) viaWord(v *ir.Value, f func(v *ir.Value) *ir.Value) *ir.Value {
	if v.Type != ir.TypeBool {
		return f(v)
	}
	zero := w.m.Int(ir.TypeI32, 0)
	v = f(w.op(ir.OpSelect, ir.TypeI32, v, w.m.Int(ir.TypeI32, 1), zero))
	return w.op(ir.OpINe, ir.TypeBool, v, zero)
}

// selectFrom lowers dsl.GroupBroadcast and similar functions. If laneIdx is out of range, the
// result is zero, not the work-item's own value. So the result is uniform if laneIdx is uniform.
func (l *lowerer) selectFrom(s ir.Scope, v, laneIdx *ir.Value) *ir.Value {
	zero := l.m.Int(ir.TypeI32, 0)
	return l.viaWord(v, func(v *ir.Value) *ir.Value {
		if laneIdx.IsConst() && laneIdx.Bits == 0 {
			return l.emitGroupOp(ir.OpGroupSelect, s, s, v, zero) // index 0 needs no check, because every group has a first work-item
		}
		in := l.op(ir.OpULt, ir.TypeBool, laneIdx, l.toInt(l.groupSize(s)))
		index := l.op(ir.OpSelect, ir.TypeI32, in, l.op(ir.OpUConvert, ir.TypeI32, laneIdx), zero)
		r := l.emitGroupOp(ir.OpGroupSelect, s, s, v, index)
		return l.op(ir.OpSelect, v.Type, in, r, l.m.Const(v.Type, 0))
	})
}

func voting(op ir.Op, not bool) intrinsic {
	return func(l *lowerer, in *ssa.Call, _ *ssa.Function, args []val) val {
		scope, v, ok := l.groupArgs(args)
		if !ok {
			return badVal{}
		}
		if v = l.emitGroupOp(op, scope, scope, v); not {
			v = l.op(ir.OpLNot, ir.TypeBool, v)
		}
		return v
	}
}

// combinerRows maps the name of a function, such as Plus, to the combiners for signed integers,
// unsigned integers and floats. Reductions accept some functions of package dsl, such as dsl.Plus.
var combinerRows = map[string]combinerRow{
	"Plus":       {ir.CombineIAdd, ir.CombineIAdd, ir.CombineFAdd},
	"Multiplies": {ir.CombineIMul, ir.CombineIMul, ir.CombineFMul},
	"Minimum":    {ir.CombineSMin, ir.CombineUMin, ir.CombineFMin},
	"Maximum":    {ir.CombineSMax, ir.CombineUMax, ir.CombineFMax},
	"BitAnd":     {ir.CombineAnd, ir.CombineAnd},
	"BitOr":      {ir.CombineOr, ir.CombineOr},
	"BitXor":     {ir.CombineXor, ir.CombineXor},
	"LogicalAnd": {ir.CombineAnd, ir.CombineAnd},
	"LogicalOr":  {ir.CombineOr, ir.CombineOr},
}

// combiner returns the combiner for a function value and operands of type t.
func (w *builder) combiner(op val, t types.Type) (ir.Combiner, bool) {
	f, ok := op.(function)
	if !ok || f.fn == nil {
		return 0, false
	}
	fn := f.fn
	if o := fn.Origin(); o != nil {
		fn = o
	}
	name, _ := strings.CutPrefix(fn.RelString(nil), dslPath+".")
	row, ok := combinerRows[name]
	return row.of(t), ok
}

type combinerRow [3]ir.Combiner

func (row combinerRow) of(t types.Type) ir.Combiner {
	switch {
	case gotypes.IsFloat(t):
		return row[2]
	case gotypes.IsUnsigned(t):
		return row[1]
	}
	return row[0]
}

// lowerCombiner lowers a direct call of a combiner function, such as dsl.Plus.
func (l *lowerer) lowerCombiner(by ir.Combiner, args []val, t types.Type) val {
	xs := scalarArgs(args)
	if len(xs) != 2 {
		return l.zeroValue(t)
	}
	x, y := xs[0], xs[1]
	switch by {
	case ir.CombineIAdd:
		return l.intOp(token.ADD, x, y, t)
	case ir.CombineIMul:
		return l.intOp(token.MUL, x, y, t)
	case ir.CombineFAdd:
		return l.op(ir.OpFAdd, x.Type, x, y)
	case ir.CombineFMul:
		return l.op(ir.OpFMul, x.Type, x, y)
	case ir.CombineSMin, ir.CombineUMin, ir.CombineFMin:
		return l.minMax("min", args, t)
	case ir.CombineSMax, ir.CombineUMax, ir.CombineFMax:
		return l.minMax("max", args, t)
	case ir.CombineXor:
		return l.op(ir.OpXor, x.Type, x, y)
	}
	op := ir.OpAnd
	switch {
	case gotypes.IsBoolean(t) && by == ir.CombineOr:
		op = ir.OpLOr
	case gotypes.IsBoolean(t):
		op = ir.OpLAnd
	case by == ir.CombineOr:
		op = ir.OpOr
	}
	return l.op(op, x.Type, x, y)
}

// identityOf returns the identity element of the combiner c for values of type t. The identity of
// float addition is -0, because adding +0 changes -0 to +0.
func (w *builder) identityOf(c ir.Combiner, t types.Type, reg *ir.Type) *ir.Value {
	n := uint(gotypes.Width(t))
	switch c {
	case ir.CombineIMul:
		return w.m.Int(reg, 1)
	case ir.CombineAnd:
		if gotypes.IsUnsigned(t) && n < 32 {
			return w.m.Int(reg, 1<<n-1)
		}
		return w.m.Int(reg, -1)
	case ir.CombineSMin:
		return w.m.Int(reg, math.MaxInt64>>(64-n))
	case ir.CombineSMax:
		return w.m.Int(reg, math.MinInt64>>(64-n))
	case ir.CombineUMin:
		return w.m.Const(reg, math.MaxUint64>>(64-n))
	case ir.CombineFAdd:
		return w.float(reg, math.Copysign(0, -1))
	case ir.CombineFMul:
		return w.float(reg, 1)
	case ir.CombineFMin:
		return w.float(reg, math.Inf(1))
	case ir.CombineFMax:
		return w.float(reg, math.Inf(-1))
	}
	return w.m.Const(reg, 0)
}

// reduceOrScan lowers a reduction or scan.
func reduceOrScan(op ir.Op) intrinsic {
	return func(l *lowerer, in *ssa.Call, fn *ssa.Function, args []val) val {
		scope, v, ok := l.groupArgs(args)
		if !ok {
			return badVal{}
		}
		t := in.Type()
		by, ok := l.combiner(args[2], t)
		if !ok {
			l.errorf(diag.DynamicCall, in.Pos(), "use dsl.Plus, Multiplies, Minimum, Maximum, BitAnd, BitOr, BitXor, LogicalAnd or LogicalOr",
				"reductions and scans take the functions of package dsl alone, which devices know")
			return badVal{}
		}
		if h := load.HalfArg(fn); h != nil {
			return l.combineHalves(in, h, op, args[2], by, scope, v)
		}
		return l.viaWord(v, func(v *ir.Value) *ir.Value {
			e := l.m.Int(v.Type, 1) // constant true as an integer
			if !gotypes.IsBoolean(t) {
				e = l.identityOf(by, t, v.Type)
			} else if by == ir.CombineOr {
				e = l.m.Int(v.Type, 0)
			}
			r := l.emitGroupOp(op, scope, ir.Combine{Scope: scope, By: by}, v, e)
			if by == ir.CombineIAdd || by == ir.CombineIMul {
				r = l.fitWidth(r, t)
			}
			if op != ir.OpGroupExclusiveScan {
				return r
			}
			if by == ir.CombineFAdd {
				e = l.float(v.Type, 0)
				r = l.op(ir.OpFAdd, v.Type, r, e)
			}
			first := l.builtIn(ir.LocalInvocationIndex)
			if scope == ir.ScopeSubGroup {
				first = l.builtIn(ir.SubgroupLocalInvocationID)
			}
			isFirst := l.op(ir.OpIEq, ir.TypeBool, first, l.m.Int(ir.TypeI32, 0))
			return l.op(ir.OpSelect, v.Type, isFirst, e, r)
		})
	}
}
