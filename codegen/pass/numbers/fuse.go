package numbers

// This file contains the pass fuse, which combines products and sums. The pass runs after the
// simplification of products and sums, and before passes that copy products and sums.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
	"github.com/kgen-go/kgen/properties"
)

// Fuse combines a product and the sum that uses it into one operation. Fuse changes code only if
// the Go specification ("Floating-point operators") allows fusion and the kernel's mode requests
// it. So Fuse does not fuse across an FRounded op, which marks an explicit rounding in the source.
// All uses of the product must be sums that Fuse combines with the product, so that the product
// itself becomes unused. At the end, Fuse removes all FRounded ops.
func Fuse(m *ir.Module) diag.List {
	for _, f := range rewrite.Bodies(m) {
		if m.Float != properties.FloatExact {
			subtractNegated(f)
			fuseProducts(f)
		}
		dropRounded(f)
	}
	return simplify.Run(m)
}

func isSum(v *ir.Value) bool { return v.Op == ir.OpFAdd || v.Op == ir.OpFSub }

// subtractNegated replaces x + -(y*z) by x - y*z, and x - -(y*z) by x + y*z. The results remain the
// same.
func subtractNegated(f *ir.Func) {
	isNegated := func(v *ir.Value) bool { return v.Op == ir.OpFNegate && v.Args[0].Op == ir.OpFMul }
	used := map[*ir.Value]bool{}
	for _, b := range f.Blocks {
		for _, v := range slices.Concat(b.Phis, b.Insts) {
			switch {
			case isSum(v) && isNegated(v.Args[1]):
				v.Args[1] = v.Args[1].Args[0]
				if v.Op == ir.OpFAdd {
					v.Op = ir.OpFSub
				} else {
					v.Op = ir.OpFAdd
				}
			case v.Op == ir.OpFAdd && isNegated(v.Args[0]):
				v.Op, v.Args[0], v.Args[1] = ir.OpFSub, v.Args[1], v.Args[0].Args[0]
			}
			for _, a := range v.Args {
				used[a] = true
			}
		}
	}
	for _, b := range f.Blocks {
		b.Insts = slices.DeleteFunc(b.Insts, func(v *ir.Value) bool { return isNegated(v) && !used[v] })
	}
}

// fuseProducts fuses the products of f. In a sum of two products, fuseProducts fuses the first
// product.
func fuseProducts(f *ir.Func) {
	fused := fusibleProducts(f)
	for _, b := range f.Blocks {
		for _, v := range b.Insts {
			if isSum(v) && fused[v.Args[0]] {
				delete(fused, v.Args[1])
			}
		}
	}
	if len(fused) == 0 {
		return
	}
	for _, b := range f.Blocks {
		out := make([]*ir.Value, 0, len(b.Insts))
		negated := func(v, x *ir.Value) *ir.Value {
			n := f.NewValue(ir.OpFNegate, x.Type, x)
			n.Block, n.Pos = b, v.Pos
			out = append(out, n)
			return n
		}
		for _, v := range b.Insts {
			switch {
			case fused[v]:
				continue
			case !isSum(v):
			case fused[v.Args[0]]:
				p, z := v.Args[0].Args, v.Args[1]
				if v.Op == ir.OpFSub {
					z = negated(v, z)
				}
				v.Op, v.Args = ir.OpFma, []*ir.Value{p[0], p[1], z}
			case fused[v.Args[1]]:
				p, z := v.Args[1].Args, v.Args[0]
				x := p[0]
				if v.Op == ir.OpFSub {
					x = negated(v, x)
				}
				v.Op, v.Args = ir.OpFma, []*ir.Value{x, p[1], z}
			}
			out = append(out, v)
		}
		b.Insts = out
	}
}

// fusibleProducts returns the products whose uses are all sums in the same loop as the product. A
// product before a loop is not fused with a sum in the loop, because each iteration would compute
// the product again.
func fusibleProducts(f *ir.Func) map[*ir.Value]bool {
	loops := f.Dominators().Loops()
	all := map[*ir.Value]bool{}
	for _, b := range f.Blocks {
		for _, v := range b.Insts {
			all[v] = v.Op == ir.OpFMul
		}
	}
	for _, b := range f.Blocks {
		for _, v := range slices.Concat(b.Phis, b.Insts) {
			for _, a := range v.Args {
				if all[a] && (!isSum(v) || v.Args[0] == v.Args[1] || loops.Of(a.Block) != loops.Of(b)) {
					all[a] = false
				}
			}
		}
	}
	return all
}

// dropRounded replaces each FRounded op by its operand.
func dropRounded(f *ir.Func) {
	repl := map[*ir.Value]*ir.Value{}
	for _, b := range f.Blocks {
		b.Insts = slices.DeleteFunc(b.Insts, func(v *ir.Value) bool {
			if v.Op == ir.OpFRounded {
				repl[v] = v.Args[0]
			}
			return v.Op == ir.OpFRounded
		})
	}
	if len(repl) > 0 {
		rewrite.ReplaceUses(f, (&rewrite.Promoter{Repl: repl}).Resolve)
	}
}
