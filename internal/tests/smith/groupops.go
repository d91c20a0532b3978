package smith

import (
	"fmt"

	"github.com/kgen-go/kgen/internal/tests/smith/shape"
)

// inGroups lists statements that work-items execute only in kernels with work-groups.
var inGroups = []statement{{2, (*progGen).writeTally}}

// groupOperator returns a type and a function that combines values of the type. If the result depends on the order of
// the combinations, package dsl defines the order.
func (g *progGen) groupOperator() (t *typ, op string) {
	switch g.n(8) {
	case 0:
		return boolType, g.one("LogicalAnd", "LogicalOr")
	case 1:
		return float32T, g.one("Plus", "Minimum", "Maximum")
	case 2:
		return float64T, g.one("Plus", "Minimum", "Maximum", "Multiplies")
	}
	return g.intType(), g.one("Plus", "Minimum", "Maximum", "Multiplies", "BitAnd", "BitOr", "BitXor")
}

// idempotentOp returns a type and a function that combines values of the type, for
// algorithms that may combine a value twice.
func (g *progGen) idempotentOp() (t *typ, op string) {
	switch g.n(6) {
	case 0:
		return boolType, g.one("LogicalAnd", "LogicalOr")
	case 1:
		return pick(g, []*typ{float32T, float64T}), g.one("Minimum", "Maximum")
	}
	return g.intType(), g.one("Minimum", "Maximum", "BitAnd", "BitOr")
}

// itemValue returns an argument for a group algorithm. The argument may differ between work-items.
func (g *progGen) itemValue(t *typ) string { return g.varExpr(t, min(2, g.size.expr)) }

// writeReduction writes a declaration of a uniform variable that contains the result of a reduction.
func (g *progGen) writeReduction() {
	switch g.n(5) {
	case 0:
		g.declareUniform(boolType, fmt.Sprintf("dsl.%sOfGroup(it.Group(), %s)", g.one("Any", "All", "None"), g.itemValue(boolType)))
	case 1:
		t := g.randomScalar()
		lane := fmt.Sprint(g.n(g.group.items))
		if g.oneIn(2) {
			lane = fmt.Sprintf("int(uint(%s)%%%d)", g.uniformExpr(intT, 1), g.group.items+g.n(2))
		}
		g.declareUniform(t, fmt.Sprintf("dsl.GroupBroadcast(it.Group(), %s, %s)", g.itemValue(t), lane))
	default:
		t, op := g.groupOperator()
		g.declareUniform(t, g.roundedExpr(t, fmt.Sprintf("dsl.ReduceOverGroup(it.Group(), %s, dsl.%s)", g.itemValue(t), op)))
	}
}

func (g *progGen) scan() {
	t, op := g.groupOperator()
	g.declareLocal(t, g.roundedExpr(t, fmt.Sprintf("dsl.%sScanOverGroup(it.Group(), %s, dsl.%s)", g.one("Inclusive", "Exclusive"), g.itemValue(t), op)))
}

// ofQuads writes sub-group operations that combine values of four neighbouring work-items. These
// work-items are in one sub-group, whatever the size of sub-groups is.
func (g *progGen) ofQuads() {
	if g.group.items%4 != 0 {
		return
	}
	t := g.randomScalar()
	e := g.itemValue(t)
	switch g.n(4) {
	case 0:
		g.declareLocal(t, fmt.Sprintf("dsl.PermuteGroupByXor(it.SubGroup(), %s, %d)", e, g.n(4)))
	case 1:
		g.declareLocal(t, fmt.Sprintf("dsl.SelectFromGroup(it.SubGroup(), %s, it.SubGroup().LocalID()&^3|%s&3)", e, g.placeExpr(intT)))
	case 2:
		d, dir, has := g.n(4), "Left", "lid&3+%d < 4"
		if g.oneIn(2) {
			dir, has = "Right", "lid&3 >= %d"
		}
		g.declareLocal(t, fmt.Sprintf("shape.Pick("+has+", dsl.ShiftGroup%s(it.SubGroup(), %s, %d), %s)", d, dir, e, d, g.placeExpr(t)))
	default:
		s, m := g.newName("lane"), g.newName("m")
		g.line("%s, %s := it.SubGroup().LocalID()&^3, dsl.GroupBallot(it.SubGroup(), %s)", s, m, g.itemValue(boolType))
		g.declareLocal(ints[7], fmt.Sprintf("%s[%s/32] >> (%s %% 32) & 15", m, s, s))
	}
}

// ofSubGroups writes statements that combine results of sub-group operations.
func (g *progGen) ofSubGroups() {
	t, op := g.idempotentOp()
	e := g.itemValue(t)
	if t == boolType && g.oneIn(2) {
		which := g.one("Any", "All")
		g.declareUniform(t, fmt.Sprintf("dsl.%sOfGroup(it.Group(), dsl.%sOfGroup(it.SubGroup(), %s))", which, which, e))
		return
	}
	e = fmt.Sprintf("dsl.%s(it.SubGroup(), %s, dsl.%s)", g.one("ReduceOverGroup", "InclusiveScanOverGroup"), e, op)
	g.declareUniform(t, g.roundedExpr(t, fmt.Sprintf("dsl.ReduceOverGroup(it.Group(), %s, dsl.%s)", e, op)))
}

// writeUniformCall writes a call of dsl.Uniform, which declares that a value in shared memory is uniform.
func (g *progGen) writeUniformCall() {
	for _, t := range g.group.tiles {
		if t.state == shared && t.elem.scalar() {
			g.declareUniform(t.elem, fmt.Sprintf("dsl.Uniform(%s[%s%d])", t.name, t.base, g.n(t.n)))
			return
		}
	}
}

// writeTally writes atomic operations on elements that all work-items change. The order of the
// operations has no effect on the result. writeTally writes nothing inside loops of item code,
// because lavapipe miscompiles ordered atomic operations in loops.
func (g *progGen) writeTally() {
	if g.times > g.group.times || len(g.loops) > 0 || g.closed > 0 {
		return
	}
	of, ops, t, n := "k.Counts", shape.CountOps[:], ints[7], shape.Counts
	for _, c := range g.group.tiles {
		if c.counter && c.state == owned && g.oneIn(2) {
			of, n = c.name, c.n
		}
	}
	if of == "k.Counts" && g.oneIn(4) {
		of, ops, t, n = "k.Longs", shape.LongOps[:], ints[3], shape.Longs
	}
	i := g.n(len(ops))
	index := fmt.Sprint(i)
	if n > len(ops) && g.oneIn(2) {
		index = fmt.Sprintf("int(uint(%s)%%%d)*%d+%d", g.placeExpr(intT), n/len(ops), len(ops), i)
	}
	bits := "Uint32"
	if t.bits == 64 {
		bits = "Int64"
	}
	e := g.varExpr(t, 2)
	switch op := ops[i]; {
	case op == shape.Plus && g.oneIn(2):
		g.line("atomic.Add%s(&%s[%s], %s)", bits, of, index, e)
	case op <= shape.Max:
		g.line("dsl.Atomic%s(&%s[%s], %s)", []string{"Add", "Min", "Max"}[op], of, index, e)
	default:
		g.line("atomic.%s%s(&%s[%s], %s)", []string{"And", "Or"}[op-shape.And], bits, of, index, e)
	}
}
