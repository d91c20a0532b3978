package lower

// This file lowers functions of the standard library that depend on the host.

import (
	"go/types"
	"unicode/utf8"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/internal/gotypes"
	"github.com/kgen-go/kgen/codegen/ir"
)

// These functions of the standard library have Go bodies that depend on the memory or stack of the
// host. So an intrinsic with the same results replaces the Go body of each listed function.
func init() {
	add("slices.overlaps", lowerOverlaps)
	add("slices.startIdx", lowerStartIdx)
	for _, pkg := range []string{"crypto/internal/fips140/alias", "golang.org/x/crypto/internal/alias"} {
		add(pkg+".AnyOverlap", func(l *lowerer, _ *ssa.Call, _ *ssa.Function, args []val) val {
			return l.emitOverlap(args, types.Typ[types.Byte])
		})
		add(pkg+".InexactOverlap", lowerInexactOverlap)
	}
	add("crypto/internal/constanttime.boolToUint8", func(l *lowerer, in *ssa.Call, _ *ssa.Function, args []val) val {
		t := regType(in.Type())
		return l.op(ir.OpSelect, t, scalarArgs(args)[0], l.m.Int(t, 1), l.m.Int(t, 0))
	})
	add("internal/bytealg.MakeNoZero", func(l *lowerer, in *ssa.Call, _ *ssa.Function, args []val) val {
		n, ok := args[0].(*ir.Value)
		if !ok {
			return l.reportLost(in.Type())
		}
		return l.makeOf(in, n, n, false)
	})
	add("bytes.growSlice", func(l *lowerer, in *ssa.Call, _ *ssa.Function, args []val) val {
		l.outOfCapacity()
		return args[0]
	})
	add("unicode/utf8.RuneCount", lowerRuneCount)
	add("unicode/utf8.ValidString", stringIntrinsic(func(l *lowerer, s string) val { return l.m.Bool(utf8.ValidString(s)) }))
	add("unicode/utf8.DecodeLastRuneInString", stringIntrinsic(func(l *lowerer, s string) val {
		r, size := utf8.DecodeLastRuneInString(s)
		return tuple{[]val{l.m.Int(ir.TypeI32, int64(r)), l.m.Int(ir.TypeI64, int64(size))}}
	}))
}

// startPos returns the position of a slice's first byte. For device memory, the position is an
// address. For other memory, the position is an offset in a variable. Two positions can be compared
// only if mayShare returns true for their slices.
func (w *builder) startPos(s slice, elem types.Type) *ir.Value {
	if s.at.device() {
		return w.op(ir.OpBitcast, ir.TypeI64, s.at.addr)
	}
	return w.op(ir.OpIMul, ir.TypeI64, s.off, w.m.Int(ir.TypeI64, sizes.Sizeof(elem)))
}

// mayShare reports whether two slices may refer to the same memory.
func mayShare(a, b slice) bool {
	if a.at.device() || b.at.device() {
		return a.at.device() && b.at.device()
	}
	return a.at.v == b.at.v
}

// lowerOverlaps lowers slices.overlaps, whose Go body compares addresses.
func lowerOverlaps(l *lowerer, _ *ssa.Call, fn *ssa.Function, args []val) val {
	return l.emitOverlap(args, fn.TypeArgs()[0])
}

// emitOverlap emits the condition that two slices have elements in common.
func (w *builder) emitOverlap(args []val, elem types.Type) *ir.Value {
	a, ok1 := args[0].(slice)
	b, ok2 := args[1].(slice)
	if !ok1 || !ok2 || !mayShare(a, b) || sizes.Sizeof(elem) == 0 {
		return w.m.Bool(false)
	}
	size := w.m.Int(ir.TypeI64, sizes.Sizeof(elem))
	p, q := w.startPos(a, elem), w.startPos(b, elem)
	end := func(p, n *ir.Value) *ir.Value {
		return w.op(ir.OpIAdd, ir.TypeI64, p, w.op(ir.OpIMul, ir.TypeI64, n, size))
	}
	before := w.op(ir.OpULt, ir.TypeBool, p, end(q, b.len))
	after := w.op(ir.OpULt, ir.TypeBool, q, end(p, a.len))
	zero := w.m.Int(ir.TypeI64, 0)
	some := w.op(ir.OpLAnd, ir.TypeBool, w.op(ir.OpINe, ir.TypeBool, a.len, zero), w.op(ir.OpINe, ir.TypeBool, b.len, zero))
	return w.op(ir.OpLAnd, ir.TypeBool, some, w.op(ir.OpLAnd, ir.TypeBool, before, after))
}

// lowerInexactOverlap lowers alias.InexactOverlap. The emitted condition is true if two byte slices
// have bytes in common but do not start at the same byte.
func lowerInexactOverlap(l *lowerer, _ *ssa.Call, _ *ssa.Function, args []val) val {
	elem := types.Typ[types.Byte]
	both := l.emitOverlap(args, elem)
	a, ok1 := args[0].(slice)
	b, ok2 := args[1].(slice)
	if !ok1 || !ok2 || !mayShare(a, b) {
		return both
	}
	return l.op(ir.OpLAnd, ir.TypeBool, both, l.op(ir.OpINe, ir.TypeBool, l.startPos(a, elem), l.startPos(b, elem)))
}

// lowerStartIdx lowers slices.startIdx, which returns the index in haystack of the first element of
// needle. The slice needle must be a part of haystack.
func lowerStartIdx(l *lowerer, in *ssa.Call, fn *ssa.Function, args []val) val {
	haystack, ok1 := args[0].(slice)
	needle, ok2 := args[1].(slice)
	elem := fn.TypeArgs()[0]
	if !ok1 || !ok2 || !mayShare(haystack, needle) || sizes.Sizeof(elem) == 0 {
		return l.reportLost(in.Type())
	}
	d := l.op(ir.OpISub, ir.TypeI64, l.startPos(needle, elem), l.startPos(haystack, elem))
	return l.op(ir.OpUDiv, ir.TypeI64, d, l.m.Int(ir.TypeI64, sizes.Sizeof(elem)))
}

// lowerRuneCount lowers a call of utf8.RuneCount to a loop that calls DecodeRune. The Go body makes
// a string at run time, and kernels cannot make strings.
func lowerRuneCount(l *lowerer, in *ssa.Call, fn *ssa.Function, args []val) val {
	s, ok := args[0].(slice)
	if !ok {
		return l.reportLost(in.Type())
	}
	at := l.m.NewVar(l.f, ir.Function, "at", ir.TypeI64)
	n := l.m.NewVar(l.f, ir.Function, "n", ir.TypeI64)
	l.storeVar(at, l.m.Int(ir.TypeI64, 0))
	l.storeVar(n, l.m.Int(ir.TypeI64, 0))
	head, body, out := l.newBlock(), l.newBlock(), l.newBlock()
	l.b.Jump(head)
	l.b = head
	lo := l.loadVar(at)
	l.b.Branch(l.op(ir.OpSLt, ir.TypeBool, lo, s.len), body, out)
	l.b = body
	rest := l.reslice(s, sliceBounds{lo: lo})
	rune := l.inlineCall(fn.Pkg.Func("DecodeRune"), []val{rest}, nil, in.Pos()).(tuple)
	l.storeVar(at, l.op(ir.OpIAdd, ir.TypeI64, lo, rune.elems[1].(*ir.Value)))
	l.storeVar(n, l.op(ir.OpIAdd, ir.TypeI64, l.loadVar(n), l.m.Int(ir.TypeI64, 1)))
	l.b.Jump(head)
	l.b = out
	return l.loadVar(n)
}

// allocatesBeyond reports whether fn is a function of package slices that, like append, allocates
// only if the result exceeds the slice's capacity.
func allocatesBeyond(fn *ssa.Function) bool {
	switch origin(fn).RelString(nil) {
	case "slices.Grow", "slices.Insert", "slices.Replace":
		return true
	}
	return false
}

// outOfCapacity emits a fault in place of Go code that would allocate a longer slice.
func (l *lowerer) outOfCapacity() {
	l.emitFault(abi.FaultPanic, nil, nil, "append: out of capacity, and a kernel cannot allocate")
	l.startDead()
}

// simplerFuncs maps a function of the standard library to a function with less code and the same
// result. The simpler function must be a function that the replaced function calls.
//
// pdqsort calls heapsort if it finds no good pivots. For integers, the results of both algorithms
// are the same.
var simplerFuncs = map[string]string{"slices.pdqsortOrdered": "slices.heapSortOrdered"}

// simplerCall returns the function to call in place of fn, and its arguments. If no simpler
// function has the same result, simplerCall returns fn and args unchanged.
func (w *builder) simplerCall(fn *ssa.Function, args []val) (*ssa.Function, []val) {
	other := simplerFuncs[origin(fn).RelString(nil)]
	if other == "" || !gotypes.IsInteger(fn.TypeArgs()[0]) {
		return fn, args
	}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if c, ok := in.(*ssa.Call); ok && c.Call.StaticCallee() != nil && origin(c.Call.StaticCallee()).RelString(nil) == other {
				return c.Call.StaticCallee(), args[:3]
			}
		}
	}
	return fn, args
}
