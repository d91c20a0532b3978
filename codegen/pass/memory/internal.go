package memory

// This file contains the pass internal, which replaces internal slices by variables. Slices marked by
// //kgen:internal become variables of the work-items, if each work-item uses only its own elements. An internal
// slice is no longer an argument of the kernel. For example, a store to k.Tmp becomes a store to the variable
// Tmp, and the length of k.Tmp is computed from the launch's range.
//
// The pass mem2reg then turns loads of the variables into values if possible. For example, the
// following kernel accesses no memory besides In and Out:
//
//	Affine{k.In, k.Tmp}.Kernel(it)
//	Affine{k.Tmp, k.Out}.Kernel(it)
//
// Internal runs after fuse (the pass that combines products and sums), because a product that the
// source stores must be rounded.

import (
	"fmt"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
)

// maxInternal is the largest size in bytes of the variable that contains a work-item's elements of
// one slice.
const maxInternal = 1 << 20

// Internal replaces the internal slices of module m by variables.
func Internal(m *ir.Module) diag.List {
	marked := false
	for i := range m.Params {
		marked = marked || isInternal(&m.Params[i])
	}
	if !marked {
		return nil
	}
	prints := facts.Footprints(m)
	var diags diag.List
	for i := range m.Params {
		if p := &m.Params[i]; isInternal(p) {
			addRefusal(&diags, m, p, &prints[i])
		}
	}
	if len(diags) > 0 {
		return diags
	}
	replaceLengths(m, prints)
	own := func(i int) Own {
		if isInternal(&m.Params[i]) && prints[i].Reach == abi.ReachOwn {
			return Own{PerItem: prints[i].PerItem}
		}
		return Own{}
	}
	if OwnElements(m, own) {
		// The index into the variable is a difference, which must be folded to a constant before
		// the variable can be split.
		if diags := simplify.Clean(m); len(diags) > 0 {
			return diags
		}
		if diags := append(SRoA(m), rewrite.Mem2Reg(m)...); len(diags) > 0 {
			return diags
		}
	}
	for range 2 { // the second iteration uses constants that the first has found
		if diags := simplify.Clean(m); len(diags) > 0 {
			return diags
		}
	}
	for i := range m.Params {
		if p := &m.Params[i]; isInternal(p) {
			p.Internal = max(1, int(prints[i].PerItem))
			addressLeft(&diags, m, p)
		}
	}
	if len(diags) > 0 {
		return diags
	}
	return Params(m)
}

// isInternal reports whether the parameter p is marked internal and is still used.
func isInternal(p *abi.Param) bool { return p.Internal > 0 && p.Offset >= 0 }

// whyNotInternal contains a description and a hint for each reason why a slice cannot be internal.
var whyNotInternal = map[facts.Why][2]string{
	facts.WhyAtomic:  {"this access is atomic, and so for elements that work-items share", "use plain loads and stores, or pass memory that work-items share as an argument: leave //kgen:internal out"},
	facts.WhyAddress: {"this may be an element of another slice, too, or has a computed address", "index the field itself; where one of several slices is meant, use it in each branch"},
	facts.WhyIndex:   {"nothing says that this element is the work-item's own", "use the elements with the work-item's own index, such as i := it.GlobalID() or 4*i to 4*i+3; what other work-items use is an argument: leave //kgen:internal out"},
	facts.WhyDiffer:  {"this divides the slice among the work-items in another way than an access before it", "use as many elements for each work-item everywhere, such as 4*i to 4*i+3"},
	facts.WhyElem:    {"this has another type than an access before it", "use one type for the elements"},
	facts.WhyForm:    {"this is in code that several work-items share", "use the elements in the kernel's own code"},
}

// addRefusal adds a diagnostic to diags if the slice of the parameter p cannot be internal. The
// diagnostic contains the reason why the slice cannot be internal.
func addRefusal(diags *diag.List, m *ir.Module, p *abi.Param, f *facts.Footprint) {
	add := func(hint, format string, args ...any) {
		diags.Add(diag.Internal, diag.Pos{File: f.Pos.File, Line: f.Pos.Line, Col: f.Pos.Col}, hint,
			"field %s cannot be internal: %s", p.Name, fmt.Sprintf(format, args...))
	}
	switch {
	case f.Reach == abi.ReachNone:
	case f.Reach > abi.ReachOwn:
		why := whyNotInternal[f.Why]
		add(why[1], "%s", why[0])
	case len(f.Strides) > 0:
		add("multiply by the sizes that it.GlobalRange() returns, or use it.GlobalLinearID()",
			"this is the work-item's own element only in launches where what a coordinate is multiplied by is the range's size along %c", "xyz"[f.Strides[0].Dim])
	case f.Limited(m.Rank):
		add("compute the index in int", "the index wraps in launches with more than %d work-items", f.Most)
	case f.PerItem > maxInternal/int64(f.Elem.Size):
		add("use fewer elements, or leave //kgen:internal out", "%d elements of %d bytes are too many for a work-item's own memory", f.PerItem, f.Elem.Size)
	}
}

// replaceLengths replaces the length of each internal slice by the number of the launch's
// work-items times the number of elements for each work-item. With the new length, the checks of a
// work-item's own elements always pass, so replaceLengths replaces these checks by true.
func replaceLengths(m *ir.Module, prints []facts.Footprint) {
	for i := range m.Params {
		if !isInternal(&m.Params[i]) {
			continue
		}
		if prints[i].Reach == abi.ReachOwn {
			for _, v := range facts.OwnChecks(m, i, &prints[i]) {
				yes := m.Bool(true)
				v.Op, v.Args = ir.OpLOr, []*ir.Value{yes, yes} // simplify folds this to a constant
			}
		}
		for _, b := range m.Kernel.Blocks {
			for n := 0; n < len(b.Insts); n++ {
				v := b.Insts[n]
				if !facts.IsLen(m, v, i) {
					continue
				}
				at := &inserter{b: b, at: n}
				all := m.Int(ir.TypeI64, max(1, prints[i].PerItem))
				for d := range m.Rank {
					all = at.add(ir.OpIMul, ir.TypeI64, all, at.toInt64(at.launchValue(ir.OpArg, nil, uint64(abi.OffsetRange+4*d))))
				}
				n = at.at
				v.Op, v.Bits, v.Args = ir.OpIAdd, 0, []*ir.Value{all, m.Int(ir.TypeI64, 0)} // simplify folds this sum with 0
			}
		}
	}
}

// addressLeft adds a diagnostic if the address of an internal slice is still used, because a
// variable has no address.
func addressLeft(diags *diag.List, m *ir.Module, p *abi.Param) {
	isAddress := func(v *ir.Value) bool {
		return v.Op == ir.OpArg && v.Bits == uint64(abi.OffsetArgs+p.Offset)
	}
	for _, b := range m.Kernel.ReversePostorder() {
		for _, vs := range [2][]*ir.Value{b.Phis, b.Insts} {
			for _, v := range vs {
				for _, a := range v.Args {
					if isAddress(a) {
						diags.Add(diag.Internal, diag.Pos{File: v.Pos.File, Line: v.Pos.Line, Col: v.Pos.Col}, "compare indices and lengths instead",
							"field %s cannot be internal: this uses the address of its memory, of which it has none", p.Name)
						return
					}
				}
			}
		}
	}
}
