package lower

import (
	"go/ast"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/internal/gotypes"
	"github.com/kgen-go/kgen/codegen/ir"
)

// findConverted finds the numbers that are explicitly converted to a type of the same
// form, which pass fuse must round (Go specification, "Floating-point operators"). To
// the type that they have, go/ssa drops the conversion: a reference for debuggers is
// left, at the call's parenthesis, as is one for a real call.
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
			case *ssa.Convert: // nothing was dropped
			case *ssa.Call:
				f.converted[x] = f.converted[x] || x.Pos() != call.Lparen
			default:
				f.converted[x] = true
			}
		}
	}
}

// define gives v its value in f.
func (l *lowerer) define(f *frame, v ssa.Value, x val) {
	if f.converted[v] {
		switch y := x.(type) {
		case *ir.Value:
			x = l.rounded(y)
		case tuple: // a complex number
			parts := tuple{}
			for _, e := range y.elems {
				parts.elems = append(parts.elems, l.rounded(e.(*ir.Value)))
			}
			x = parts
		}
	}
	f.vals[v] = x
}

// rounded returns x, a number that is rounded before a sum takes it.
func (l *lowerer) rounded(x *ir.Value) *ir.Value {
	if !l.fuse || x.IsConst() || !x.Type.IsFloat() {
		return x
	}
	return l.op(ir.OpFRounded, x.Type, x)
}
