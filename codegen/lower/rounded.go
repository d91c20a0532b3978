package lower

// This file finds explicit conversions of floats, which prevent fusion.

import (
	"go/ast"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/internal/gotypes"
	"github.com/kgen-go/kgen/codegen/ir"
)

// findConverted finds the numbers that the source converts explicitly to a type of the same
// floating-point format. The pass `fuse` must not fuse the computation of an explicitly converted
// number with a following operation (Go specification, "Floating-point operators"). go/ssa drops a
// conversion to the type that the number already has. For a dropped conversion, the go/ssa code
// contains only a DebugRef at the conversion's parenthesis. A function call also has a DebugRef at
// its parenthesis, so findConverted compares the parenthesis with the position of the call.
func (f *frame) findConverted() {
	f.converted = map[ssa.Value]bool{}
	for _, b := range f.fn.Blocks {
		for _, in := range b.Instrs {
			if c, ok := in.(*ssa.ChangeType); ok && (gotypes.IsFloat(c.Type()) || gotypes.IsComplex(c.Type())) {
				f.converted[c] = true
			}
			d, ok := in.(*ssa.DebugRef)
			if !ok || d.IsAddr || !gotypes.IsFloat(d.X.Type()) && !gotypes.IsComplex(d.X.Type()) {
				continue
			}
			call, ok := ast.Unparen(d.Expr).(*ast.CallExpr)
			if !ok {
				continue
			}
			switch x := d.X.(type) {
			case *ssa.Convert: // go/ssa has kept the conversion
			case *ssa.Call:
				f.converted[x] = f.converted[x] || x.Pos() != call.Lparen
			default:
				f.converted[x] = true
			}
		}
	}
}

// setValue records x as the value of v in frame f, and marks x as rounded if the source converts v
// explicitly.
func (l *lowerer) setValue(f *frame, v ssa.Value, x val) {
	if f.converted[v] {
		switch y := x.(type) {
		case *ir.Value:
			x = l.markRounded(y)
		case tuple: // a complex number
			parts := tuple{}
			for _, e := range y.elems {
				parts.elems = append(parts.elems, l.markRounded(e.(*ir.Value)))
			}
			x = parts
		}
	}
	f.vals[v] = x
}

// markRounded marks the number x as rounded. The pass `fuse` does not fuse the computation of a
// rounded number with an addition of the number.
func (l *lowerer) markRounded(x *ir.Value) *ir.Value {
	if !l.fuse || x.IsConst() || !x.Type.IsFloat() {
		return x
	}
	return l.op(ir.OpFRounded, x.Type, x)
}
