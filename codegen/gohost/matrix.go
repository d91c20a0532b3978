package gohost

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/internal/matrix"
)

// This file writes the code of matrix ops. A host form keeps the complete matrices of each
// sub-group in work-group memory. Every matrix op is a cut, where the host form executes the op
// once per sub-group. Work-items that have returned are ignored, and a matrix op uses the arguments
// of the first other work-item of the sub-group.

// matrixOp writes the code of one matrix op.
func (w *formWriter) matrixOp(x *regionBody, v *ir.Value) {
	if p, ok := v.Aux.(*ir.Product); ok {
		a, b := p.A.Type.Matrix, p.B.Type.Matrix
		w.f("%s(&g.HostGroup, %s, %s, %s, %s, %s)\n", w.implName("HostMulAdd"), x.variableExpr(p.To), x.variableExpr(p.A), x.variableExpr(p.B), x.variableExpr(p.C),
			fmt.Sprintf("%s{Rows: %d, Inner: %d, Cols: %d, Elem: %s}", w.implName("HostProduct"), a.Rows, a.Cols, b.Cols, w.matrixElem(p.To)))
		return
	}
	t := v.Aux.(*ir.Tile)
	s := t.Matrix.Type.Matrix
	x.sharing = true
	place, stride := x.locationExpr(v), x.plainExpr(v.Args[0])
	var same []string
	for _, a := range v.Args {
		if s := w.v(a); a.Block != nil && !x.inTop(a) && !slices.Contains(same, s) {
			same = append(same, s)
		}
	}
	alike, differ := "", &ir.Site{Kind: abi.FaultPanic, Pos: v.Pos, Message: matrix.NotSame}
	for _, s := range same {
		alike += fmt.Sprintf(" || !%s(&g.HostGroup, sub, g.%s, %d)", w.implName("HostAlike"), s, w.siteIndex(differ))
	}
	begin := x.item.String()
	x.items = x.items || len(same) > 0
	verb := "Load"
	if v.Op == ir.OpMatrixStore {
		verb = "Store"
	}
	leader := fmt.Sprintf("li := g.Leader(sub)\nif li < 0%s", alike)
	if !namesIdentifier(begin, "li") {
		leader = "if g.Leader(sub) < 0" + alike
	}
	w.f("for sub := range g.SubGroups() {\n%s {\ncontinue\n}\n%s%s(%s, %s, int(%s), %s)\n}\n", leader, begin, w.implName("Host"+verb+"Matrix"),
		fmt.Sprintf("unsafe.Add(%s, sub*%d)", x.variableExpr(t.Matrix), 4*s.Len()), place, stride,
		fmt.Sprintf("%s{%s}", w.implName("HostMatrix"), strings.Join([]string{
			fmt.Sprintf("Rows: %d, Cols: %d, Elem: %s", s.Rows, s.Cols, w.matrixElem(t.Matrix)),
			fmt.Sprintf("Bits: %v, Columns: %v, Words: %v", t.Matrix.Type.Elem == ir.TypeI32, t.Columns, t.Mem.Var != nil)}, ", ")))
}

// matrixElem returns the name that package kernelimpl gives to the element type of matrix m.
func (w *formWriter) matrixElem(m *ir.Var) string {
	e := strings.TrimPrefix(m.Type.Matrix.Elem.String(), "half.")
	return w.implName("Host" + strings.ToUpper(e[:1]) + e[1:])
}
