package smith

import "math/rand/v2"

// products writes code of the group, at the beginning of a kernel, that multiplies matrices of its sub-groups. All of these
// have the same, and each stores its sum for itself, so that the result does not depend on the size of sub-groups. It
// returns the variables that it has declared, which all work-items have alike. Like calm it takes from a generator of its own.
func (g *gen) products(r *rand.Rand) []string {
	defer func(old *rand.Rand) { g.r = old }(g.r)
	g.r = r
	if !g.chance(6) {
		return nil
	}
	elem, sum := "int8", "int32"
	if g.chance(2) {
		elem, sum = "uint8", "uint32"
	}
	rows, inner, cols := 1+g.n(9), 1+g.n(9), 1+g.n(9)
	if g.chance(3) {
		rows, inner, cols = 16, 32, 16
	}
	// place returns the stride, the layout, and how many elements of memory a matrix lies in.
	place := func(rows, cols int) (stride int, layout string, size int) {
		lines, length, layout := rows, cols, "dsl.RowMajor"
		if g.chance(2) {
			lines, length, layout = cols, rows, "dsl.ColumnMajor"
		}
		stride = length + g.n(3)
		return stride, layout, (lines-1)*stride + length
	}
	strideA, layoutA, sizeA := place(rows, inner)
	strideB, layoutB, sizeB := place(inner, cols)
	strideC, layoutC, sizeC := place(rows, cols)
	first := g.n(3)
	factors := first + sizeA + sizeB
	g.line("mulX := dsl.LocalSlice[%s](it, %d)", elem, factors)
	g.line("for i := it.LocalLinearID(); i < %d; i += %d {", factors, g.group.items)
	g.line("\tmulX[i] = %s(i*%d + int(k.N))", elem, 1+g.n(100))
	g.line("}")
	g.line("it.Barrier()")
	g.line("mulA := dsl.LoadA[[%d][%d]%s](it.SubGroup(), mulX[%d:], %d, %s)", rows, inner, elem, first, strideA, layoutA)
	g.line("mulB := dsl.LoadB[[%d][%d]%s](it.SubGroup(), mulX[%d:], %d, %s)", inner, cols, elem, first+sizeA, strideB, layoutB)
	g.line("mulC := dsl.Fill[[%d][%d]%s](it.SubGroup(), %s(%d))", rows, cols, sum, sum, g.n(1000))
	g.line("for range %d {", 1+g.n(3))
	g.line("\tmulC = dsl.MulAdd(it.SubGroup(), mulA, mulB, mulC)")
	switch g.n(4) {
	case 0:
		g.line("\tmulC = dsl.Scale(it.SubGroup(), mulC, %s(%d))", sum, 1+g.n(9))
	case 1:
		g.line("\tmulC = dsl.Add(it.SubGroup(), mulC, mulC)")
	case 2:
		g.line("\tmulC = dsl.MapAccumulator(it.SubGroup(), mulC, func(e %s) %s { return e ^ %d })", sum, sum, g.n(1000))
	}
	g.line("}")
	each := sizeC + g.n(2)
	g.line("mulY := dsl.LocalSlice[%s](it, %d)", sum, each*(g.group.items+3)/4+each)
	g.line("dsl.StoreAccumulator(it.SubGroup(), mulC, mulY[it.SubGroup().GroupID()*%d:], %d, %s)", each, strideC, layoutC)
	g.line("it.Barrier()")
	g.line("mulSum := 0")
	g.line("for _, y := range mulY[:%d] {", sizeC)
	g.line("\tmulSum = mulSum*31 + int(y)")
	g.line("}")
	g.line("it.Barrier()")
	return []string{"mulSum"}
}
