package lower

// This file contains the table of intrinsics, and lowers the methods of items and groups.

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
)

// An intrinsic is a function that lowers calls of a Go function without the Go function's body.
type intrinsic func(l *lowerer, in *ssa.Call, fn *ssa.Function, args []val) val

// intrinsics contains all intrinsics. The keys are the full names of the Go functions that the
// intrinsics lower. The full name is the result of RelString(nil). An instance of a generic
// function has the full name of the generic function.
var intrinsics = map[string]intrinsic{}

// Known reports whether the function with the given full name is lowered
// without its body.
func Known(fullName string) bool {
	_, ok := intrinsics[fullName]
	return ok
}

func init() {
	for rank := 1; rank <= 3; rank++ {
		for _, typ := range []string{"Item", "NDItem"} {
			recv := "(" + dslPath + "." + typ + string(rune('0'+rank)) + ")."
			addItem(recv, rank)
			if typ == "NDItem" {
				addNDItem(recv, rank)
			}
		}
	}
	for _, recv := range []string{"(" + dslPath + ".Group).", "(" + dslPath + ".SubGroup)."} {
		sub := recv == "("+dslPath+".SubGroup)."
		scope := ir.ScopeWorkGroup
		if sub {
			scope = ir.ScopeSubGroup
		}
		add(recv+"Barrier", func(l *lowerer, _ *ssa.Call, _ *ssa.Function, _ []val) val { return l.barrier(scope) })
		if sub {
			for name, b := range map[string]ir.BuiltIn{
				"LocalID": ir.SubgroupLocalInvocationID, "GroupID": ir.SubgroupID,
				"MaxLocalRange": ir.SubgroupSize, "LocalRange": ir.SubgroupLocalRange,
			} {
				add(recv+name, scalarIntrinsic(func(l *lowerer) *ir.Value { return l.builtIn(b) }))
			}
			add(recv+"GroupRange", scalarIntrinsic(subGroups))
		}
	}
	add(dslPath+".Local", lowerLocal)
	add(dslPath+".LocalSlice", lowerLocalSlice)
	add("("+dslPath+".LocalAccessor[T]).Slice", lowerAccessorSlice)
	add("("+dslPath+".LocalAccessor).Slice", lowerAccessorSlice)
}

// subGroups returns the number of sub-groups in a work-group. The number is computed, because
// lavapipe's built-in NumSubgroups may be wrong. Package quirks describes the bug of NumSubgroups
// under the name partial-sub-group.
func subGroups(l *lowerer) *ir.Value {
	size := l.builtIn(ir.SubgroupSize)
	last := l.op(ir.OpISub, ir.TypeI32, l.groupSize(ir.ScopeWorkGroup), l.m.Int(ir.TypeI32, 1))
	return l.op(ir.OpIAdd, ir.TypeI32, l.op(ir.OpUDiv, ir.TypeI32, last, size), l.m.Int(ir.TypeI32, 1))
}

func add(name string, f intrinsic) {
	if _, ok := intrinsics[name]; ok {
		panic("BUG: two intrinsics named " + name)
	}
	intrinsics[name] = f
}

// scalarIntrinsic returns an intrinsic that computes an i32 and widens the i32 to an int.
func scalarIntrinsic(f func(l *lowerer) *ir.Value) intrinsic {
	return func(l *lowerer, _ *ssa.Call, _ *ssa.Function, _ []val) val { return l.toInt(f(l)) }
}

// toInt converts an unsigned i32 to an int.
func (w *builder) toInt(v *ir.Value) *ir.Value { return w.op(ir.OpUConvert, ir.TypeI64, v) }

// perDim returns an intrinsic whose result is a tuple of ints, one for each dimension. The tuple
// has Go's index order, so its last element belongs to SPIR-V's dimension 0.
func perDim(rank int, f func(l *lowerer, d int) *ir.Value) intrinsic {
	return func(l *lowerer, _ *ssa.Call, _ *ssa.Function, _ []val) val {
		t := tuple{make([]val, rank)}
		for d := range rank {
			t.elems[rank-1-d] = l.toInt(f(l, d))
		}
		if rank == 1 {
			return t.elems[0]
		}
		return t
	}
}

// linearIntrinsic returns an intrinsic whose result is the row-major index of a work-item in a box
// of work-items. Functions id and size return the index and the length in dimension d.
func linearIntrinsic(rank int, id, size func(l *lowerer, d int) *ir.Value) intrinsic {
	return func(l *lowerer, _ *ssa.Call, _ *ssa.Function, _ []val) val {
		acc := l.toInt(id(l, rank-1))
		for d := rank - 2; d >= 0; d-- {
			acc = l.op(ir.OpIMul, ir.TypeI64, acc, l.toInt(size(l, d)))
			acc = l.op(ir.OpIAdd, ir.TypeI64, acc, l.toInt(id(l, d)))
		}
		return acc
	}
}

func globalID(l *lowerer, d int) *ir.Value { return []*ir.Value{l.gx, l.gy, l.gz}[d] }

func globalRange(l *lowerer, d int) *ir.Value { return l.rangeArg(d) }

func localID(l *lowerer, d int) *ir.Value { return l.builtIn(ir.LocalInvocationIDX + ir.BuiltIn(d)) }

func groupID(l *lowerer, d int) *ir.Value { return l.builtIn(ir.WorkgroupIDX + ir.BuiltIn(d)) }

func localRange(l *lowerer, d int) *ir.Value { return l.reservedSpec(abi.SpecLocalSizeX + uint32(d)) }

func groupRange(l *lowerer, d int) *ir.Value {
	return l.op(ir.OpUDiv, ir.TypeI32, l.rangeArg(d), localRange(l, d))
}

func addItem(recv string, rank int) {
	add(recv+"GlobalID", perDim(rank, globalID))
	add(recv+"GlobalRange", perDim(rank, globalRange))
	add(recv+"GlobalLinearID", linearIntrinsic(rank, globalID, globalRange))
}

func addNDItem(recv string, rank int) {
	add(recv+"LocalID", perDim(rank, localID))
	add(recv+"GroupID", perDim(rank, groupID))
	add(recv+"LocalRange", perDim(rank, localRange))
	add(recv+"GroupRange", perDim(rank, groupRange))
	add(recv+"LocalLinearID", linearIntrinsic(rank, localID, localRange))
	add(recv+"GroupLinearID", linearIntrinsic(rank, groupID, groupRange))
	add(recv+"Barrier", func(l *lowerer, _ *ssa.Call, _ *ssa.Function, _ []val) val { return l.barrier(ir.ScopeWorkGroup) })
	add(recv+"Group", func(*lowerer, *ssa.Call, *ssa.Function, []val) val { return group{} })
	add(recv+"SubGroup", func(*lowerer, *ssa.Call, *ssa.Function, []val) val { return subGroup{} })
}

func (w *builder) barrier(s ir.Scope) val {
	w.op(ir.OpBarrier, ir.TypeVoid).Aux = s
	return nil
}

// lowerLocal lowers dsl.Local[T](it). The result is a pointer to a work-group variable, which is
// zeroed each time control reaches the call.
func lowerLocal(l *lowerer, in *ssa.Call, fn *ssa.Function, _ []val) val {
	t := fn.TypeArgs()[0]
	v := l.localVar(in, t, func() *ir.Type { return l.memType(t, false) })
	if v == nil {
		return badVal{}
	}
	return pointer{ref: mem{v: v}}
}

func (l *lowerer) localVar(in *ssa.Call, t types.Type, typ func() *ir.Type) *ir.Var {
	if l.k.Form != abi.NDRange {
		l.errorf(diag.WrongForm, in.Pos(), "make the kernel's item a dsl.NDItem1..3", "only nd-range kernels have work-group memory, since only their work-items are in groups")
		return nil
	}
	if !l.isFlat(t) {
		l.errorf(diag.Type, in.Pos(), "use numbers, bools, and structs and arrays of them",
			"work-group memory cannot hold values of type %v", t)
		return nil
	}
	if n := sizes.Sizeof(t); n < 0 || n > maxVar {
		l.errorf(diag.TooLarge, in.Pos(), "use slices that the host passes", "a value of type %v is too large for work-group memory", t)
		return nil
	}
	at := l.foresight.pathOf(l.frame.path, in)
	c := l.foresight.declared[at]
	if c == nil {
		c = &cell{typ: t, cls: classArray, mem: mem{v: l.m.NewVar(nil, ir.Workgroup, "local", typ())}, decl: in, name: assignedName(in)}
		l.foresight.registerMemory(c, at)
	}
	c.mem.v.Type = typ()
	l.op(ir.OpZeroLocal, ir.TypeVoid).Aux = &ir.Ref{Var: c.mem.v}
	return c.mem.v
}

func lowerLocalSlice(l *lowerer, in *ssa.Call, fn *ssa.Function, args []val) val {
	t := fn.TypeArgs()[0]
	n, length, ok := l.memoryLength(args[1], in.Call.Args[1].Type())
	if !ok || length.IsConst() && (length.Int() < 0 || length.Int() > 1<<28) {
		l.errorf(diag.LocalSize, in.Pos(), "use a constant, specialization constants, or a dsl.LocalAccessor that the host sizes",
			"the length of work-group memory must be made of constants, as it is reserved before a group starts")
		return badVal{}
	}
	if !length.IsConst() && !l.specs.validDefault(in, length) {
		return badVal{}
	}
	v := l.localVar(in, t, func() *ir.Type {
		if length.IsConst() {
			return l.m.ArrayOf(l.memType(t, false), l.m.Int(ir.TypeI32, max(length.Int(), 1)))
		}
		return l.m.ArrayOf(l.memType(t, false), l.narrowExpr(length))
	})
	if v == nil {
		return badVal{}
	}
	if !length.IsConst() {
		l.specs.lengths = append(l.specs.lengths, func() { v.Expr = exprText(length, specID) })
	}
	return slice{at: mem{v: v}, off: l.m.Int(ir.TypeI64, 0), len: n, cap: n}
}

func lowerAccessorSlice(l *lowerer, in *ssa.Call, _ *ssa.Function, args []val) val {
	a, ok := args[0].(accessor)
	if !ok || a.index < 0 {
		return badVal{}
	}
	n := l.toInt(l.reservedSpec(abi.SpecAccessor + uint32(a.index)))
	return slice{at: mem{v: l.accessors[a.index]}, off: l.m.Int(ir.TypeI64, 0), len: n, cap: n}
}

// Intrinsic reports whether a function is lowered without its body. The name is "Func" or
// "Type.Method". Intrinsic is called by package load.
func Intrinsic(pkgPath, name string) bool {
	if typ, method, ok := strings.Cut(name, "."); ok {
		return Known("(" + pkgPath + "." + typ + ")." + method)
	}
	return Known(pkgPath + "." + name)
}
