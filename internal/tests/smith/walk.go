package smith

import "fmt"

// writeWalk writes a loop that adds up elements. Neighbouring work-items load neighbouring elements, and
// the step is at least the work-group's size. Host forms run the loop in lockstep if there is no effect
// between the last barrier and the loop. In most programs a barrier comes directly before the loop.
func (g *progGen) writeWalk() {
	items := g.group.items
	if g.group.times > 4 || g.work > maxWork/2 {
		return
	}
	if !g.oneIn(4) {
		g.line("it.Barrier()")
	}
	g.work += 40 * g.times
	sum, before, i := g.newName("v"), g.newName("v"), g.newName("i")
	g.line("%s, %s := %s, uint64(%d)", sum, before, g.itemValue(uint64T), g.n(9))
	from := g.one("lid", "lid", "id", fmt.Sprintf("lid+%d", g.n(9)), fmt.Sprintf("id+%d", 1+g.n(40)))
	step := g.one(fmt.Sprint(items), fmt.Sprint(max(items, 8)), fmt.Sprint(max(items, 8)), fmt.Sprint(max(2*items+1, 9)),
		fmt.Sprintf("%d+int(uint(%s)%%5)", max(items, 8), g.uniformExpr(intT, 1)))
	bound := g.one("len(k.In)", "len(k.In)", fmt.Sprintf("min(len(k.In), %d)", 2+g.n(16*items)), "min(int(k.N&127), len(k.In)-1)")
	if g.mayFault(3) {
		bound = fmt.Sprintf("len(k.In)+%d", g.n(items))
	}
	also := ""
	if g.oneIn(4) {
		also = fmt.Sprintf(" && %s", g.uniformExpr(boolType, 2))
	}
	g.line("for %s := %s; %s < %s%s; %s += %s {", i, from, i, bound, also, i, step)
	g.indent++
	if g.oneIn(3) {
		g.line("if %s > %d {", i, g.n(16*items))
		g.line("\tbreak")
		g.line("}")
	}
	if g.oneIn(2) {
		g.line("%s = %s", before, sum)
	}
	g.line("%s = %s", sum, fmt.Sprintf(g.one("%s*31 + k.In[%s]", "%s ^ k.In[%s]>>3", "%s - uint64(len(k.In)) - k.In[%s]"), sum, i))
	switch g.n(4) {
	case 0:
		g.line("if %s%%%d == 1 {", sum, 2+g.n(5))
		g.line("\t%s, %s = %s, %s", sum, before, before, sum)
		g.line("}")
	case 1:
		g.line("%s += uint64(%s) * %s", before, i, toWord(int32T, "k.N"))
	}
	g.indent--
	g.line("}")
	for _, v := range []string{sum, before} {
		g.line("_ = %s", v)
		g.declare(&progVar{name: v, typ: uint64T})
	}
}
