package smith

import "math/rand/v2"

// productKind describes the element types of a matrix product. The fields elemFormat, sumFormat, changeFormat and
// bitsFormat are formats of expressions. elemFormat computes an element from its index i. sumFormat is a constant
// of type sum. changeFormat computes a number from a sum e. It rounds only once, since devices may fuse operations.
// bitsFormat converts a sum y to an integer. The floats in matrix products are so small that no sum is infinite.
type productKind struct{ elem, sum, elemFormat, sumFormat, changeFormat, bitsFormat string }

var productKinds = []productKind{
	{"int8", "int32", "int8(i*%d + int(k.N))", "int32(%d)", "e ^ %d", "y"},
	{"uint8", "uint32", "uint8(i*%d + int(k.N))", "uint32(%d)", "e ^ %d", "y"},
	{"half.Float16", "float32", "half.FromFloat32[half.Float16](float32(int8(i*%d+int(k.N))) / 16)", "float32(%d)/8", "max(e, %d)", "math.Float32bits(y)"},
	{"half.BFloat16", "float32", "half.FromFloat32[half.BFloat16](float32(int8(i*%d+int(k.N))) / 64)", "float32(%d)/8", "e - %d", "math.Float32bits(y)"},
	{"half.Float16", "half.Float16", "half.FromFloat32[half.Float16](float32(int8(i*%d+int(k.N))) / 512)", "half.FromFloat32[half.Float16](float32(%d) / 512)", "e.Neg().Add(half.FromFloat32[half.Float16](float32(%d) / 512))", "y.Bits()"},
}

// writeProducts writes code at the beginning of a kernel. In this code each sub-group multiplies two matrices. All
// sub-groups have the same matrices, and each stores its own sum. Therefore the result does not depend on the size
// of sub-groups. writeProducts returns the uniform variables that it declared. Like writeCalm, writeProducts uses
// its own generator of random numbers.
func (g *progGen) writeProducts(r *rand.Rand) []string {
	defer func(old *rand.Rand) { g.r = old }(g.r)
	g.r = r
	if !g.oneIn(6) {
		return nil
	}
	k := pick(g, productKinds)
	elem, sum := k.elem, k.sum
	rows, inner, cols := 1+g.n(9), 1+g.n(9), 1+g.n(9)
	if g.oneIn(3) {
		rows, inner, cols = 16, 32, 16
	}
	// placeMatrix chooses a stride and a layout for a matrix. placeMatrix also returns the number
	// of elements that the matrix occupies in memory.
	placeMatrix := func(rows, cols int) (stride int, layout string, size int) {
		lines, length, layout := rows, cols, "dsl.RowMajor"
		if g.oneIn(2) {
			lines, length, layout = cols, rows, "dsl.ColumnMajor"
		}
		stride = length + g.n(3)
		return stride, layout, (lines-1)*stride + length
	}
	strideA, layoutA, sizeA := placeMatrix(rows, inner)
	strideB, layoutB, sizeB := placeMatrix(inner, cols)
	strideC, layoutC, sizeC := placeMatrix(rows, cols)
	first := g.n(3)
	factors := first + sizeA + sizeB
	g.line("mulX := dsl.LocalSlice[%s](it, %d)", elem, factors)
	g.line("for i := it.LocalLinearID(); i < %d; i += %d {", factors, g.group.items)
	g.line("\tmulX[i] = "+k.elemFormat, 1+g.n(100))
	g.line("}")
	g.line("it.Barrier()")
	g.line("mulA := dsl.LoadA[[%d][%d]%s](it.SubGroup(), mulX[%d:], %d, %s)", rows, inner, elem, first, strideA, layoutA)
	g.line("mulB := dsl.LoadB[[%d][%d]%s](it.SubGroup(), mulX[%d:], %d, %s)", inner, cols, elem, first+sizeA, strideB, layoutB)
	g.line("mulC := dsl.Fill[[%d][%d]%s](it.SubGroup(), "+k.sumFormat+")", rows, cols, sum, g.n(1000))
	g.line("for range %d {", 1+g.n(3))
	g.line("\tmulC = dsl.MulAdd(it.SubGroup(), mulA, mulB, mulC)")
	switch g.n(4) {
	case 0:
		g.line("\tmulC = dsl.Scale(it.SubGroup(), mulC, "+k.sumFormat+")", 1+g.n(9))
	case 1:
		g.line("\tmulC = dsl.Add(it.SubGroup(), mulC, mulC)")
	case 2:
		g.line("\tmulC = dsl.MapAccumulator(it.SubGroup(), mulC, func(e %s) %s { return "+k.changeFormat+" })", sum, sum, g.n(1000))
	}
	g.line("}")
	each := sizeC + g.n(2)
	g.line("mulY := dsl.LocalSlice[%s](it, %d)", sum, each*(g.group.items+3)/4+each)
	g.line("dsl.StoreAccumulator(it.SubGroup(), mulC, mulY[it.SubGroup().GroupID()*%d:], %d, %s)", each, strideC, layoutC)
	g.line("it.Barrier()")
	g.line("mulSum := 0")
	g.line("for _, y := range mulY[:%d] {", sizeC)
	g.line("\tmulSum = mulSum*31 + int(%s)", k.bitsFormat)
	g.line("}")
	g.line("it.Barrier()")
	return []string{"mulSum"}
}
