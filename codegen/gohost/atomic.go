package gohost

import (
	"bytes"
	"fmt"

	"github.com/kgen-go/kgen/codegen/ir"
)

// atomicFuncs maps an atomic op to the function of sync/atomic that returns the old value. The
// names in the map do not contain the suffix for the type, such as Int32.
var atomicFuncs = map[ir.Op]string{ir.OpAtomicExchange: "Swap", ir.OpAtomicAnd: "And", ir.OpAtomicOr: "Or"}

// updateFuncs maps an atomic op to the function of package kernelimpl that computes the new value.
// The names in the map do not contain the prefix Host.
var updateFuncs = map[ir.Op]string{
	ir.OpAtomicSMin: "Min", ir.OpAtomicUMin: "UMin", ir.OpAtomicSMax: "Max", ir.OpAtomicUMax: "UMax",
	ir.OpAtomicFAdd: "Add", ir.OpAtomicFAddNative: "Add", ir.OpAtomicFMin: "Min", ir.OpAtomicFMax: "Max",
	ir.OpAtomicIAdd: "Add", ir.OpAtomicAnd: "And", ir.OpAtomicOr: "Or",
}

// writeAtomic writes an atomic op. Parameter `target` is the beginning of the statement that
// assigns the result, for example "v3 := ", or "" if the result is not used. The work-items of a
// group run one after another, so atomic ops on work-group memory become ordinary loads and stores.
func (w *regionBody) writeAtomic(b *bytes.Buffer, v *ir.Value, target string) {
	if v.Op == ir.OpAtomicFence {
		if v.Aux.(ir.Scope) == ir.ScopeDevice {
			fmt.Fprintf(b, "%s()\n", w.implName("HostFence"))
		}
		return
	}
	t := v.Type
	if v.Op == ir.OpAtomicStore || v.Op == ir.OpAtomicStoreRelaxed || v.Op == ir.OpAtomicCompareAndSwap {
		t = v.Args[0].Type
	}
	typ := goType(t)
	p := fmt.Sprintf("(*%s)(%s)", typ, w.locationExpr(v))
	var x string
	if v.Op != ir.OpAtomicLoad && v.Op != ir.OpAtomicLoadRelaxed {
		x = w.valueExpr(v.Args[0])
	}
	if v.Ref().Var != nil {
		w.ownAtomic(b, v, target, p, x)
		return
	}
	sync := func(name string) string { return w.importedName("sync/atomic", fmt.Sprintf("%sInt%d", name, t.Bits())) }
	switch {
	case t.Size < 4 && v.Op == ir.OpAtomicLoad:
		fmt.Fprintf(b, "%s%s(%s)\n", def(target, "_ = "), w.implName("HostLoadPart"), p)
		return
	case t.Size < 4 && v.Op == ir.OpAtomicCompareAndSwap:
		fmt.Fprintf(b, "%s%s(%s, %s, %s)\n", target, w.implName("HostSwapPart"), p, w.valueExpr(v.Args[1]), x)
		return
	}
	switch v.Op {
	case ir.OpAtomicLoad, ir.OpAtomicLoadRelaxed:
		if target != "" {
			fmt.Fprintf(b, "%s%s(%s)\n", target, sync("Load"), p)
		}
	case ir.OpAtomicStore, ir.OpAtomicStoreRelaxed:
		fmt.Fprintf(b, "%s(%s, %s)\n", sync("Store"), p, x)
	case ir.OpAtomicIAdd, ir.OpAtomicIAddRelaxed:
		if target == "" {
			fmt.Fprintf(b, "%s(%s, %s)\n", sync("Add"), p, x)
		} else {
			fmt.Fprintf(b, "%s%s(%s, %s) - %s\n", target, sync("Add"), p, x, x)
		}
	case ir.OpAtomicExchange, ir.OpAtomicAnd, ir.OpAtomicOr:
		fmt.Fprintf(b, "%s%s(%s, %s)\n", target, sync(atomicFuncs[v.Op]), p, x)
	case ir.OpAtomicCompareAndSwap:
		fmt.Fprintf(b, "%s%s(%s, %s, %s)\n", target, sync("CompareAndSwap"), p, w.valueExpr(v.Args[1]), x)
	default:
		f, ok := updateFuncs[v.Op]
		if !ok {
			fail("the op %v", v.Op)
		}
		fmt.Fprintf(b, "%s%s(%s, %s, %s[%s])\n", target, w.implName("HostUpdate"), p, x, w.implName("Host"+f), typ)
	}
}

// ownAtomic writes an atomic op on memory that only one goroutine uses.
func (w *regionBody) ownAtomic(b *bytes.Buffer, v *ir.Value, to, p, x string) {
	switch v.Op {
	case ir.OpAtomicLoad, ir.OpAtomicLoadRelaxed:
		if to != "" {
			fmt.Fprintf(b, "%s*%s\n", to, p)
		}
		return
	case ir.OpAtomicStore, ir.OpAtomicStoreRelaxed:
		fmt.Fprintf(b, "*%s = %s\n", p, x)
		return
	case ir.OpAtomicCompareAndSwap:
		fmt.Fprintf(b, "%s%s(%s, %s, %s)\n", to, w.implName("HostSwapIf"), p, w.valueExpr(v.Args[1]), x)
		return
	}
	q := name("at", w.index[v])
	fmt.Fprintf(b, "%s*%s\n", def(to, "_ = "), p)
	switch v.Op {
	case ir.OpAtomicIAdd, ir.OpAtomicIAddRelaxed, ir.OpAtomicAnd, ir.OpAtomicOr:
		op := map[ir.Op]string{ir.OpAtomicIAdd: "+", ir.OpAtomicIAddRelaxed: "+", ir.OpAtomicAnd: "&", ir.OpAtomicOr: "|"}[v.Op]
		fmt.Fprintf(b, "*%s %s= %s\n", p, op, x)
	case ir.OpAtomicExchange:
		fmt.Fprintf(b, "*%s = %s\n", p, x)
	default:
		f, ok := updateFuncs[v.Op]
		if !ok {
			fail("the op %v", v.Op)
		}
		fmt.Fprintf(b, "if %s := %s; true {\n*%s = %s(*%s, %s)\n}\n", q, p, q, w.implName("Host"+f), q, x)
	}
}

func def(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
