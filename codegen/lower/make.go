package lower

// This file lowers make, and appends that need a new array.

import (
	"go/types"
	"math"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
)

// makeSlice lowers make([]T, n, c) with a capacity c that is not constant in the source. If the
// capacity is constant, go/ssa makes an array instead. A capacity that is not constant in the
// source may still be constant in one inlined call. If the current lowering does not fold integers
// that are computed from constants, makeSlice requests another lowering of the kernel. The new
// lowering folds integers that are computed from constants, and skips code excluded by constant
// conditions.
func (l *lowerer) makeSlice(in *ssa.MakeSlice) val {
	n, ok1 := l.valueOf(in.Len).(*ir.Value)
	c, ok2 := l.valueOf(in.Cap).(*ir.Value)
	if !ok1 || !ok2 {
		return l.reportLost(in.Type())
	}
	return l.makeOf(in, l.toI64(n, in.Len.Type()), l.toI64(c, in.Cap.Type()), isUint64(in.Len.Type()))
}

// makeOf makes a slice of length n and capacity c as the result of an instruction.
func (l *lowerer) makeOf(in ssa.Value, n, c *ir.Value, unsigned bool) val {
	if k, known := l.foldedInt(n); known {
		n = l.m.Int(ir.TypeI64, k)
	}
	most, known := l.foldedInt(c)
	switch {
	case !known && allocatesBeyond(l.frame.fn):
		l.outOfCapacity()
		return l.zeroValue(in.Type())
	case l.foresight.foldsAgain():
		return l.zeroValue(in.Type())
	case !known:
		l.unknownSize(in, c)
		return badVal{}
	}
	elem := in.Type().Underlying().(*types.Slice).Elem()
	l.checkMake(n, most, elem, unsigned)
	if most < 0 || most > allocLimit(elem) || n.IsConst() && uint64(n.Int()) > uint64(most) {
		return l.zeroValue(in.Type()) // the check above fails in every execution
	}
	return l.newSlice(in, elem, n, most)
}

// foldsAgain requests another lowering of the kernel, which folds integers computed from constants.
// foldsAgain returns false if the current lowering already folds integers computed from constants.
func (fs *foresight) foldsAgain() bool {
	if fs.carried.folds {
		return false
	}
	fs.carried.folds, fs.repeat = true, true
	return true
}

// unknownSize reports an error for a make whose capacity is not known when the kernel is generated.
func (r *reporter) unknownSize(in ssa.Value, c *ir.Value) {
	hint := "give make a constant capacity, or use a slice that the host passes"
	if _, ofSpecs := r.constExprOf(c); ofSpecs {
		hint = "reserve it with dsl.PrivateAlloca, whose length may be a specialization constant"
	}
	r.errorf(diag.Alloc, in.Pos(), hint, "a kernel cannot allocate memory whose size is not known when it is built")
}

// newSlice makes the array that an instruction allocates, zeroes it, and returns its first n
// elements as a slice.
func (l *lowerer) newSlice(in ssa.Value, elem types.Type, n *ir.Value, most int64) val {
	f, t := l.frame, types.NewArray(elem, most)
	inst := l.foresight.pathOf(f.path, in)
	if old, ok := l.foresight.carried.made[inst]; ok && old.Len() != most {
		l.foresight.repeat = true // the shapes from the previous lowering refer to an array of another length
	}
	l.foresight.carried.made[inst] = t
	c := l.foresight.declared[inst]
	if c == nil || c.typ.(*types.Array).Len() != most {
		c = l.newCell(t, "makeslice")
		l.setInst(c, inst)
	}
	at := in.(ssa.Instruction)
	c.recordDecl(frameBlock{f, at.Block(), l.alternatives.in}, at)
	c.anew = f.inRound(at.Block())
	l.setKey(c, in)
	c.setPending(false)
	c.setBorn(l.foresight.advanceClock())
	if c.bad {
		return badVal{}
	}
	l.zeroCell(c)
	if c.mem.v != nil {
		return slice{at: c.mem, off: l.m.Int(ir.TypeI64, 0), len: n, cap: l.m.Int(ir.TypeI64, most)}
	}
	if !n.IsConst() {
		l.errorf(diag.Type, in.Pos(), "make it with a constant length", "how many elements this %v has must be known when the kernel is generated", in.Type())
		return badVal{}
	}
	p := partsOf(c.fields)
	p.n = int(n.Int())
	return p
}

// maxAlloc is the size in bytes above which gc's make panics.
const maxAlloc = 1 << 48

// allocLimit returns the largest number of elements that gc's make allocates.
func allocLimit(elem types.Type) int64 {
	if size := sizes.Sizeof(elem); size > 0 {
		return maxAlloc / size
	}
	return math.MaxInt64
}

// checkMake adds the checks of gc's make for the length n and the capacity maxCap. An unsigned
// length is never below zero.
func (l *lowerer) checkMake(n *ir.Value, maxCap int64, elem types.Type, unsigned bool) {
	check := func(upTo int64, what string) {
		l.emitCheck(l.atMost(n, upTo), abi.FaultPanic, nil, nil, "runtime error: makeslice: "+what+" out of range")
	}
	if limit := allocLimit(elem); maxCap > limit {
		check(limit, "len")
		check(-1, "cap")
		return
	}
	if !unsigned {
		check(math.MaxInt64, "len")
	}
	check(maxCap, "cap")
}

// atMost emits the condition 0 <= n <= most.
func (w *builder) atMost(n *ir.Value, limit int64) *ir.Value {
	if n.IsConst() || limit < 0 {
		return w.m.Bool(limit >= 0 && n.Bits <= uint64(limit))
	}
	return w.op(ir.OpULe, ir.TypeBool, n, w.m.Int(ir.TypeI64, limit))
}

// appendGrown lowers a call append(s, more...) that must allocate, inside a function of the
// standard library. The lengths of both slices must be known. The new array has the length of both
// slices together.
func (l *lowerer) appendGrown(in *ssa.Call, s, more slice, elem types.Type) (val, bool) {
	n, ok1 := l.foldedInt(s.len)
	c, ok2 := l.foldedInt(s.cap)
	k, ok3 := l.foldedInt(more.len)
	if !ok1 || !ok2 || !ok3 || n+k <= c || !l.isFlat(elem) {
		return nil, false
	}
	if _, fresh := in.Call.Args[1].(*ssa.MakeSlice); fresh && n == 0 {
		return more, true
	}
	out, ok := l.newSlice(in, elem, l.m.Int(ir.TypeI64, n+k), n+k).(slice)
	if !ok {
		return badVal{}, true
	}
	l.moveElems(out, s, l.m.Int(ir.TypeI64, n), elem)
	rest := out
	rest.off = l.m.Int(ir.TypeI64, n)
	l.moveElems(rest, more, l.m.Int(ir.TypeI64, k), elem)
	return out, true
}

// maxKnown bounds the number of operations that one call of foldedInt evaluates. A small limit
// suffices, because most operands have been replaced by their values before.
const maxKnown = 64

// foldedInt returns the value of an integer that is computed only from constants.
func (w *builder) foldedInt(v *ir.Value) (int64, bool) {
	if v.IsConst() {
		return v.Int(), true
	}
	if left := maxKnown; !ofConstants(v, &left) {
		return 0, false
	}
	n, err := exprText(v, specID).Eval(func(uint32) (uint64, bool) { return 0, false })
	return n, err == nil
}

func ofConstants(v *ir.Value, left *int) bool {
	*left--
	if v.IsConst() {
		return true
	}
	if *left < 0 || !v.Op.Has(ir.FlagFold) || v.Op.Has(ir.FlagCoded) {
		return false
	}
	for _, a := range v.Args {
		if !ofConstants(a, left) {
			return false
		}
	}
	return true
}

// withFolded evaluates the integers and bools in x that are computed from constants, and returns x
// with their values. If no sizes depend on folded values, withFolded returns x unchanged.
func (fs *foresight) withFolded(x val) val {
	if !fs.carried.folds {
		return x
	}
	switch x := x.(type) {
	case *ir.Value:
		if x.IsConst() || x.Type != ir.TypeI32 && x.Type != ir.TypeI64 && x.Type != ir.TypeBool {
			return x
		}
		if n, ok := fs.foldedInt(x); ok {
			if x.Type == ir.TypeBool {
				return fs.m.Bool(n&1 != 0)
			}
			return fs.m.Int(x.Type, n)
		}
	case tuple:
		elems := make([]val, len(x.elems))
		for i, e := range x.elems {
			elems[i] = fs.withFolded(e)
		}
		return tuple{elems}
	}
	return x
}

// recordReturn records the results t of a return statement, if sizes may depend on the function's
// results.
func (f *frame) recordReturn(t tuple) {
	if f.returns++; f.returns == 1 {
		f.common = slices.Clone(t.elems)
		return
	}
	for i, x := range t.elems {
		v, ok := x.(*ir.Value)
		if was, _ := f.common[i].(*ir.Value); !ok || !v.IsConst() || was != v {
			f.common[i] = nil
		}
	}
}

// constantResults returns a function's results t. If all reached return statements return the same
// constant for a result, the constant replaces the result.
func (f *frame) constantResults(t tuple) tuple {
	for i, x := range f.common {
		if x != nil {
			t.elems[i] = x
		}
	}
	return t
}

// madeOf returns the capacity of a make([]T, n, c) whose capacity is constant in the source. If the
// capacity c is constant, go/ssa replaces the call by new([c]T)[:n].
func madeOf(in *ssa.Slice) (most int64, ok bool) {
	a, ok := in.X.(*ssa.Alloc)
	if !ok || a.Comment != "makeslice" {
		return 0, false
	}
	return a.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array).Len(), true
}
