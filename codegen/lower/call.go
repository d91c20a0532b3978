package lower

// This file lowers calls of builtins and intrinsics, and inlines calls of other functions.

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/internal/gotypes"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/properties"
)

// callInstr lowers the call of a builtin or an intrinsic, or inlines the called function.
func (l *lowerer) callInstr(in *ssa.Call) val {
	c := &in.Call
	var args []val
	for _, a := range c.Args {
		args = append(args, l.valueOf(a))
	}
	x := l.valueOf(c.Value)
	f, args, ok := l.calleeOf(c, x, args)
	switch {
	case !ok && isNilCallee(x):
		return l.zeroValue(in.Type()) // the call panics, but the code after the call is still lowered
	case !ok:
		return badVal{}
	case f.builtin != nil:
		return l.lowerBuiltin(in, f.builtin, args)
	}
	return l.callFunc(in, f.fn, args, f.bindings)
}

// calleeOf returns the function that a call of the function value x executes, and the arguments of
// the call.
func (l *lowerer) calleeOf(c *ssa.CallCommon, x val, args []val) (function, []val, bool) {
	if isBad(x) {
		return function{}, nil, false
	}
	if isNilCallee(x) {
		l.emitCheck(l.m.Bool(false), abi.FaultNil, nil, nil, "")
		return function{}, nil, false
	}
	if c.IsInvoke() {
		x, ok := x.(iface)
		if !ok {
			l.addDiag(diag.DynamicCall, c.Pos(), "use a type parameter",
				"which method this call reaches is not known when the kernel is generated")
			return function{}, nil, false
		}
		fn := l.prog.SSA.LookupMethod(x.typ, c.Method.Pkg(), c.Method.Name())
		if fn == nil {
			l.addDiag(diag.DynamicCall, c.Pos(), "declare the method in Go", "%v has no method %s that kgen could compile", x.typ, c.Method.Name())
			return function{}, nil, false
		}
		return function{fn: fn}, append([]val{x.v}, args...), true
	}
	f, ok := x.(function)
	if !ok {
		l.addDiag(diag.DynamicCall, c.Pos(), "call a function directly, or pass it to a function that is inlined",
			"which function this call reaches is not known when the kernel is generated")
		return function{}, nil, false
	}
	return f, args, true
}

// isNilCallee reports whether x is a nil function, or a nil interface value.
func isNilCallee(x val) bool {
	switch x := x.(type) {
	case function:
		return x.fn == nil && x.builtin == nil
	case iface:
		return x.typ == nil
	}
	return false
}

func origin(fn *ssa.Function) *ssa.Function {
	if o := fn.Origin(); o != nil {
		return o
	}
	return fn
}

func (l *lowerer) callFunc(in *ssa.Call, fn *ssa.Function, args, bindings []val) val {
	if p := in.Pos(); p.IsValid() { // go/ssa's calls for a range-over-func loop have no position
		l.pos = p
	}
	if h, ok := intrinsics[origin(fn).RelString(nil)]; ok {
		if len(args) > 0 && args[0] == (val)(subGroup{}) {
			l.noteAspect(properties.SubGroups)
		}
		args, ok := l.replaceBad(&in.Call, args)
		if !ok || l.mixedCall(fn, args) {
			return badVal{}
		}
		return h(l, in, fn, args)
	}
	return l.inlineCall(fn, args, bindings, l.pos)
}

// lowerBuiltin lowers a call of a predeclared function.
func (l *lowerer) lowerBuiltin(in *ssa.Call, b *ssa.Builtin, args []val) val {
	if slices.ContainsFunc(args, isBad) {
		return badVal{}
	}
	switch b.Name() {
	case "len", "cap":
		return l.lenOrCap(b.Name(), args[0], in.Call.Args[0].Type())
	case "min", "max":
		return l.minMax(b.Name(), args, in.Type())
	case "real", "imag":
		if c, ok := args[0].(tuple); ok {
			return c.elems[map[string]int{"real": 0, "imag": 1}[b.Name()]]
		}
	case "complex":
		return tuple{args}
	case "copy":
		return l.copySlice(in, args)
	case "append":
		return l.appendSlice(in, args)
	case "clear":
		return l.clearSlice(in, args)
	case "print", "println":
		l.predPrint(&in.Call, b.Name(), args)
		return nil
	case "ssa:deferstack": // the reason is reported by package check
		return l.zeroValue(in.Type())
	case "ssa:wrapnilchk":
		return args[0]
	default:
		l.errorf(diag.HostOnly, in.Pos(), "call it on the host and pass the result", "%s runs only on the host", b.Name())
	}
	return l.reportLost(in.Type())
}

func (l *lowerer) lenOrCap(name string, x val, t types.Type) val {
	switch x := x.(type) {
	case slice:
		if name == "cap" {
			return x.cap
		}
		return x.len
	case str:
		return l.m.Int(ir.TypeI64, int64(len(x.s)))
	case dynText:
		return x.n
	case bytesView:
		return x.s.len
	case resolvedSlice:
		if name == "cap" {
			return l.m.Int(ir.TypeI64, int64(len(x.refs)))
		}
		return l.m.Int(ir.TypeI64, int64(x.n))
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if a, ok := t.Underlying().(*types.Array); ok {
		return l.m.Int(ir.TypeI64, a.Len())
	}
	return l.reportLost(types.Typ[types.Int])
}

func (l *lowerer) minMax(name string, args []val, t types.Type) val {
	isText := func(v val) bool { _, ok := v.(dynChars); return ok }
	if slices.ContainsFunc(args, isText) {
		return l.textMinMax(name, args)
	}
	if s, ok := args[0].(str); ok {
		for _, a := range args[1:] {
			if b, ok := a.(str); ok && (b.s < s.s) == (name == "min") {
				s = b
			}
		}
		return s
	}
	acc, ok := args[0].(*ir.Value)
	for _, a := range args[1:] {
		b, ok2 := a.(*ir.Value)
		if !ok || !ok2 {
			return l.reportLost(t)
		}
		if gotypes.IsFloat(t) {
			acc = l.floatMinMax(name == "min", acc, b)
			continue
		}
		lt := ir.OpSLt
		if gotypes.IsUnsigned(t) {
			lt = ir.OpULt
		}
		p, q := acc, b
		if name == "max" {
			p, q = b, acc
		}
		acc = l.op(ir.OpSelect, acc.Type, l.op(lt, ir.TypeBool, p, q), acc, b)
	}
	return acc
}

// floatMinMax lowers Go's min or max of floats. The min or max is NaN if either operand is NaN, and
// -0 is less than +0.
func (w *builder) floatMinMax(isMin bool, x, y *ir.Value) *ir.Value {
	t := x.Type
	bits := ir.TypeI32
	if t == ir.TypeF64 {
		bits = ir.TypeI64
	}
	p, q, join := x, y, ir.OpOr
	if !isMin {
		p, q, join = y, x, ir.OpAnd
	}
	// If x and y are equal, they can differ only in the sign of zero.
	eq := w.op(ir.OpBitcast, t, w.op(join, bits, w.op(ir.OpBitcast, bits, x), w.op(ir.OpBitcast, bits, y)))
	r := w.op(ir.OpSelect, t, w.op(ir.OpFEq, ir.TypeBool, x, y), eq, y)
	r = w.op(ir.OpSelect, t, w.op(ir.OpFLt, ir.TypeBool, p, q), x, r)
	return w.op(ir.OpSelect, t, w.op(ir.OpFNe, ir.TypeBool, x, x), x, r)
}

// elemMem returns the memory of element i of a slice, without a bounds check.
func (w *builder) elemMem(s slice, i *ir.Value) mem {
	if s.at.device() {
		return s.at.atIndex(i)
	}
	return s.at.atIndex(w.addOffset(s.off, i))
}

// copySlice lowers copy(dst, src). The slices may overlap.
func (l *lowerer) copySlice(in *ssa.Call, args []val) val {
	p, ok1 := args[0].(resolvedSlice)
	q, ok2 := args[1].(resolvedSlice)
	switch {
	case ok1 && ok2:
		return l.copyParts(p, q)
	case ok1 && isNilShape(args[1]), ok2 && isNilShape(args[0]):
		return l.m.Int(ir.TypeI64, 0)
	}
	dst, ok1 := args[0].(slice)
	src, ok2 := l.bytesOf(args[1]).(slice)
	if !ok1 || !ok2 {
		return l.reportLost(in.Type())
	}
	elem := in.Call.Args[0].Type().Underlying().(*types.Slice).Elem()
	less := l.op(ir.OpSLt, ir.TypeBool, src.len, dst.len)
	n := l.op(ir.OpSelect, ir.TypeI64, less, src.len, dst.len)
	l.moveElems(dst, src, n, elem)
	return n
}

// moveElems copies n elements from src to dst. If the slices overlap, the direction of the copy
// ensures that no element is overwritten before it is read.
func (l *lowerer) moveElems(dst, src slice, n *ir.Value, elem types.Type) {
	if n.IsConst() && n.Bits*uint64(sizes.Sizeof(elem)) <= 8*4 {
		var xs []val
		for i := range int64(n.Bits) {
			xs = append(xs, l.loadMem(l.elemMem(src, l.m.Int(ir.TypeI64, i)), elem))
		}
		for i, x := range xs {
			l.storeMem(l.elemMem(dst, l.m.Int(ir.TypeI64, int64(i))), x, elem)
		}
		return
	}
	// A copy in ascending order of indices is correct unless the first element of dst is inside src.
	down := l.m.Bool(false)
	if dst.at.device() && src.at.device() {
		p := l.op(ir.OpBitcast, ir.TypeI64, dst.at.addr)
		q := l.op(ir.OpBitcast, ir.TypeI64, src.at.addr)
		down = l.op(ir.OpULt, ir.TypeBool, q, p)
	} else if dst.at.v == src.at.v && !dst.at.device() {
		down = l.op(ir.OpSLt, ir.TypeBool, src.off, dst.off)
	}
	last := l.op(ir.OpISub, ir.TypeI64, n, l.m.Int(ir.TypeI64, 1))
	l.emitLoop(n, func(i *ir.Value) {
		if !down.IsConst() {
			i = l.op(ir.OpSelect, ir.TypeI64, down, l.op(ir.OpISub, ir.TypeI64, last, i), i)
		}
		l.storeMem(l.elemMem(dst, i), l.loadMem(l.elemMem(src, i), elem), elem)
	})
}

// appendSlice lowers append(s, more...) within the capacity of s. Exceeding the capacity is a
// fault, since a device cannot allocate.
func (l *lowerer) appendSlice(in *ssa.Call, args []val) val {
	if p, ok := args[0].(resolvedSlice); ok {
		if q, ok := args[1].(resolvedSlice); ok {
			return l.appendParts(in, p, q)
		}
		if isNilShape(args[1]) {
			return p
		}
		return l.reportLost(in.Type())
	}
	s, ok1 := args[0].(slice)
	if q, ok := args[1].(resolvedSlice); ok {
		return l.appendParts(in, resolvedSlice{}, q)
	}
	more, ok2 := l.bytesOf(args[1]).(slice)
	if !ok1 || !ok2 {
		return l.reportLost(in.Type())
	}
	elem := in.Type().Underlying().(*types.Slice).Elem()
	if allocatesBeyond(l.frame.fn) || load.Clones(l.frame.fn) {
		if v, ok := l.appendGrown(in, s, more, elem); ok {
			return v
		}
	}
	if load.Clones(l.frame.fn) && (!more.len.IsConst() || more.len.Bits > 0) {
		if l.foresight.foldsAgain() {
			return l.zeroValue(in.Type())
		}
		l.errorf(diag.Alloc, in.Pos(), "clone a slice of a constant length: slices.Clone(s[:8])",
			"a kernel cannot allocate memory whose size is not known when it is built")
		return badVal{}
	}
	allocates := func() {
		if l.foresight.foldsAgain() {
			return
		}
		l.errorf(diag.Alloc, in.Pos(), "give the slice a capacity: s := make([]T, 0, 16), or s[:0] of one that the host passes",
			"append has to allocate here, since the slice is as long as its capacity, and a kernel cannot")
	}
	full := s.len == s.cap || s.len.IsConst() && s.cap.IsConst() && s.len.Bits == s.cap.Bits
	if full && more.len.IsConst() && more.len.Bits > 0 && !allocatesBeyond(l.frame.fn) && !l.alternatives.oneSlice {
		if allocates(); l.foresight.repeat {
			return l.zeroValue(in.Type())
		}
		return l.reportLost(in.Type())
	}
	if s.at.device() && !l.alternatives.oneSlice {
		l.atEnd(func() {
			if l.readonly.onlyNil(s.at.addr) {
				allocates()
			}
		})
	}
	n := l.op(ir.OpIAdd, ir.TypeI64, s.len, more.len)
	l.emitCheck(l.op(ir.OpULe, ir.TypeBool, n, s.cap), abi.FaultPanic, nil, nil, "append: out of capacity, and a kernel cannot allocate")
	dst := s
	if s.at.device() {
		a := l.op(ir.OpAddrOf, ir.TypeAddr, s.at.addr, s.len)
		a.Aux = s.at.auxRef()
		dst.at.addr = a
	} else {
		dst.off = l.op(ir.OpIAdd, ir.TypeI64, s.off, s.len)
	}
	l.moveElems(dst, more, more.len, elem)
	s.len = n
	return s
}

// onlyNil reports whether addr can only be the address of a nil slice. onlyNil may be called only
// after all code is lowered.
func (ro *writeChecker) onlyNil(addr *ir.Value) bool {
	seen := map[*ir.Value]bool{}
	work := []*ir.Value{addr}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		r, _ := v.Aux.(*ir.Ref)
		switch {
		case seen[v] || v.IsConst() && v.Bits == 0:
		case v.Op == ir.OpLoad && r.Var != nil && len(v.Args) == 0:
			work = append(work, ro.storesTo(r.Var)...)
		default:
			return false
		}
		seen[v] = true
	}
	return true
}

// bytesOf converts a string to a slice of the string's bytes, and returns other values unchanged.
func (l *lowerer) bytesOf(v val) val {
	if t, ok := v.(dynText); ok {
		return l.textBytes(t)
	}
	if v, ok := v.(bytesView); ok {
		l.recordReads(v) // the copied memory may overlap with the string's bytes
		return v.s
	}
	s, ok := v.(str)
	if !ok {
		return v
	}
	n := l.m.Int(ir.TypeI64, int64(len(s.s)))
	if len(s.s) == 0 {
		return l.zeroValue(types.NewSlice(types.Typ[types.Byte]))
	}
	return slice{at: l.stringTable(s.s), off: l.m.Int(ir.TypeI64, 0), len: n, cap: n}
}

func (l *lowerer) clearSlice(in *ssa.Call, args []val) val {
	if p, ok := args[0].(resolvedSlice); ok {
		elem := in.Call.Args[0].Type().Underlying().(*types.Slice).Elem()
		for _, r := range p.refs[:p.n] {
			l.storeRef(r, l.zeroValue(elem), nil)
		}
		return nil
	}
	s, ok := args[0].(slice)
	if !ok {
		l.errorf(diag.Map, in.Pos(), "use a slice", "kernels have no maps")
		return nil
	}
	elem := in.Call.Args[0].Type().Underlying().(*types.Slice).Elem()
	zero := l.zeroValue(elem)
	l.emitLoop(s.len, func(i *ir.Value) { l.storeMem(l.elemMem(s, i), zero, elem) })
	return nil
}
