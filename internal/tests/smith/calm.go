package smith

import (
	"fmt"
	"math/rand/v2"
)

// writeCalm writes barriers, loops that begin with a barrier, and reductions of uniform values. The written code
// is the same for all work-items of the group. While no work-item can have returned, host forms run this code in
// loops over the work-items. The loop bodies do not use the work-item's number. writeCalm returns the variables
// that it declared. writeCalm uses its own random numbers, so that the rest of the program does not change.
func (g *progGen) writeCalm(r *rand.Rand) (vars []string) {
	defer func(old *rand.Rand) { g.r = old }(g.r)
	g.r = r
	if g.oneIn(3) {
		return nil
	}
	value := func() string {
		return g.one(append(vars, "1", "int(k.N)", "it.Group().LocalRange()", fmt.Sprint(g.n(9)))...)
	}
	for range 1 + g.n(3) {
		q := fmt.Sprintf("q%d%c", g.calms, 'a'+len(vars))
		switch g.n(8) {
		case 0, 1:
			g.line("it.Barrier()")
		case 2:
			g.line("for range %d {", 1+g.n(3))
			g.line("\tit.Barrier()")
			g.line("}")
		case 3:
			g.line("%s := %s", q, value())
			g.line("for i := 0; i < %d; i++ {", 1+g.n(3))
			g.line("\tit.Barrier()")
			g.line("\t%s += i * %s", q, value())
			g.line("}")
			vars = append(vars, q)
		case 4:
			g.line("if %s > %d {", value(), g.n(5))
			g.line("\tit.Barrier()")
			if g.oneIn(2) {
				g.line("} else {")
				g.line("\tit.Group().Barrier()")
				g.line("\tit.Barrier()")
			}
			g.line("}")
		case 5:
			g.line("%s := 0", q)
			g.line("if dsl.AnyOfGroup(it.Group(), %s > %d) {", value(), g.n(5))
			g.line("\t%s = %s", q, value())
			g.line("}")
			vars = append(vars, q)
		default:
			g.line("%s := dsl.ReduceOverGroup(it.Group(), %s, dsl.%s[int])", q, value(), g.one("Plus", "Plus", "Maximum", "Minimum"))
			vars = append(vars, q)
		}
	}
	g.calms++
	for _, v := range vars {
		g.line("_ = %s", v)
	}
	return vars
}
