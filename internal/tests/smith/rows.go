package smith

import (
	"fmt"
	"math/rand/v2"

	"github.com/kgen-go/kgen/internal/tests/smith/shape"
)

// rowRanges lists the ranges from which NewRows chooses. In host forms, up to 256 work-items of a
// row execute a loop in lockstep.
var rowRanges = [][]int{{3, 5}, {4, 8}, {2, 260}, {5, 3}, {1, 19}, {7, 3}, {2, 3, 5}, {2, 2, 9}, {1, 2, 257}, {16, 1}, {40}}

// NewRows returns the program for a seed. The program runs over a range, which has two dimensions
// in most cases. Its only statements are loops that add up elements of matrices, as in matrix
// products and their gradients. The loops run along rows, along columns, and over the transposed
// matrix. Before each row, host forms compute the values that are uniform in the row. Before each
// iteration, host forms compute the values that are uniform in the iteration.
func NewRows(seed uint64, prefix string, n int) *Program {
	g := &rowGen{progGen: &progGen{r: rand.New(rand.NewPCG(seed, 47)), prefix: prefix}}
	g.global = pick(g.progGen, rowRanges)
	g.writeHeader()
	g.line("")
	g.line("type %sK struct{ shape.GroupArgs }", prefix)
	g.line("")
	g.line("func (%sK) Properties() properties.List {", prefix)
	g.line("\treturn properties.List{properties.Float(properties.FloatExact)}")
	g.line("}")
	g.line("")
	g.line("func (k %sK) Kernel(it dsl.Item%d) {", prefix, len(g.global))
	g.indent++
	g.writeIDs()
	for i := range 1 + g.n(max(1, min(n, 3))) {
		g.writeRowSum(i)
	}
	g.indent--
	g.line("}")
	return &Program{Seed: seed, Prefix: prefix, Source: g.out.String(), Faulty: true, Global: g.global}
}

// rowGen generates programs of loops over rows.
type rowGen struct {
	*progGen
	global []int
	row    []string // variables that are uniform in a row
}

// writeIDs writes declarations of the ids of a work-item.
func (g *rowGen) writeIDs() {
	switch len(g.global) {
	case 1:
		g.line("x, nx := it.GlobalID(), it.GlobalRange()")
		g.row = []string{"2", "int(k.N&3)"}
	case 2:
		g.line("y, x := it.GlobalID()")
		g.line("ny, nx := it.GlobalRange()")
		g.row = []string{"y", "y", "y+1", "2*y", "ny-1-y", "int(k.Small[1]&3)+y"}
	default:
		g.line("z, y, x := it.GlobalID()")
		g.line("_, ny, nx := it.GlobalRange()")
		g.row = []string{"y", "z", "z*ny+y", "y+2*z", "ny-1-y"}
	}
	id := "it.GlobalLinearID()"
	if len(g.global) == 2 && g.oneIn(2) {
		id = "y*nx + x"
	}
	g.line("id := %s", id)
	for _, name := range []string{"x", "nx", "y", "ny", "z"}[:[]int{2, 4, 5}[len(g.global)-1]] {
		g.line("_ = %s", name)
	}
	if g.oneIn(3) {
		g.line("if %s {", g.one(fmt.Sprintf("x >= %d", 1+g.n(g.global[len(g.global)-1])), pick(g.progGen, g.row)+" > 4", "id%7 == 3", "k.N == 5"))
		g.line("\treturn")
		g.line("}")
	}
}

// maxRows is the largest number of iterations of a loop. rowStep is the distance between rows.
const maxRows, rowStep = 4, 8

// writeRowSum writes a loop that computes a sum, and stores the sum in a word of Out.
func (g *rowGen) writeRowSum(i int) {
	items := 1
	for _, n := range g.global {
		items *= n
	}
	from, length, typ := "k.In", items*shape.Words, "uint64"
	if g.oneIn(3) {
		from, length, typ = "k.Reals", items*shape.Reals, "float32"
	}
	nx := g.global[len(g.global)-1]
	step := pick(g.progGen, []struct {
		expr string
		most int
	}{{"nx", nx}, {fmt.Sprint(rowStep), rowStep}, {fmt.Sprint(rowStep + 5), rowStep + 5}, {"int(k.N&7)+8", 15}, {"nx+8", nx + 8}})
	g.line("cols%d := %s", i, step.expr)
	cols := fmt.Sprintf("cols%d", i)
	g.line("_ = %s", cols)
	sum, b := fmt.Sprintf("s%d", i), fmt.Sprintf("b%d", i)
	g.line("%s := %s(%s)", sum, typ, g.one("0", "0", "x", pick(g.progGen, g.row)))
	most := min(maxRows, max(1, (length-24)/step.most)) // largest number of rows for which the slice has elements
	bound := g.one(fmt.Sprint(most), fmt.Sprintf("min(%d, int(k.N&3)+1)", most), fmt.Sprintf("min(%d, nx)", most))
	if g.oneIn(6) {
		bound = fmt.Sprint(1 + g.n(maxRows))
	}
	g.line("m%d := %s", i, bound)
	m := fmt.Sprintf("m%d", i)
	g.line("%s {", g.one(
		fmt.Sprintf("for %s := 0; %s < %s; %s++", b, b, m, b), fmt.Sprintf("for %s := 0; %s < %s; %s++", b, b, m, b),
		fmt.Sprintf("for %s := range %s", b, m), fmt.Sprintf("for %s := %s - 1; %s >= 0; %s--", b, m, b, b),
		fmt.Sprintf("for %s := 0; %s < %s; %s += 2", b, b, m, b), fmt.Sprintf("for %s := %s; %s < %s; %s++", b, pick(g.progGen, g.row), b, m, b)))
	g.indent++
	if g.oneIn(4) {
		g.line("if %s {", g.one(fmt.Sprintf("%s[%s*%s+x] > 3", from, b, cols), fmt.Sprintf("%s == %s", b, pick(g.progGen, g.row)), fmt.Sprintf("(%s+x)%%3 == 1", b)))
		g.line("\t%s", g.one("continue", "continue", "break"))
		g.line("}")
	}
	load := func() string { return fmt.Sprintf("%s[%s]", from, g.matrixIndex(from, b, cols)) }
	term := g.one(load()+" * "+load(), load()+" * "+load(), load(), fmt.Sprintf("%s(%s) * %s", typ, g.uniformInRow(b), load()))
	if typ == "uint64" && g.oneIn(2) {
		term = fmt.Sprintf("(%s^%s(%s))", load(), typ, g.uniformInRow(b))
	}
	g.line("%s %s %s", sum, g.one("+=", "+=", "-="), term)
	g.indent--
	g.line("}")
	if typ == "float32" {
		sum = fmt.Sprintf("shape.Bits32(%s)", sum)
	}
	g.line("k.Out[id*16+%d] = %s", i, sum)
}

// uniformInRow returns an expression whose value is the same in a row, in an iteration, or in both.
func (g *rowGen) uniformInRow(b string) string {
	row := pick(g.progGen, g.row)
	return g.one(row, b, fmt.Sprintf("%s*%s", b, b), fmt.Sprintf("%s*(%s)", b, row), fmt.Sprintf("%s+%s", b, row), fmt.Sprintf("(%s+1)*(%s)", b, row))
}

// matrixIndex returns an index of an element of a matrix.
func (g *rowGen) matrixIndex(from, b, cols string) string {
	row := pick(g.progGen, g.row)
	col := g.one("x", "x", "x", "x+1", "x+"+row, "nx-1-x", "2*x")
	e := g.one(
		fmt.Sprintf("%s*%s+x", b, cols), fmt.Sprintf("%s*%s+%s", b, cols, col), // elements along a column
		fmt.Sprintf("%s*%s+%s", b, cols, row), fmt.Sprintf("%s*%s+%s", b, cols, row), // elements of the transposed matrix
		fmt.Sprintf("(%s)*%s+%s", row, cols, b), fmt.Sprintf("(%s+%s)*%s+%s", b, row, cols, col), fmt.Sprintf("%s+%s", b, row),
		fmt.Sprintf("%s*%s+%s", cols, b, row))
	if g.oneIn(5) {
		return fmt.Sprintf("int(uint(%s)%%uint(len(%s)))", e, from)
	}
	return e
}
