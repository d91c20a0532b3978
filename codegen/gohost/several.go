package gohost

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/codegen/ir"
)

// This file unrolls lockstep loops. Unrolled code has one loop over the work-items of a
// block, which executes several iterations of the kernel's loop for each work-item. The unrolled code runs as long as every active
// work-item executes all unrolled iterations. The advantage of unrolled code is that values in
// homes are loaded and stored only once for several iterations.

// atOnce is the number of iterations in the unrolled code.
const atOnce = 4

// homeLoads matches lines of code that load a value from the home of the value.
var homeLoads = regexp.MustCompile(`(?m)^v[0-9]+ := h[0-9]+\[li\]\n`)

// unrollLoop returns the body of the lockstep loop, unrolled if possible. Parameter `iteration` is
// the code of a single iteration. Parameter `steps` is the code that increments the induction
// variables.
func (ls *lockstep) unrollLoop(w *regionBody, count, iteration, steps string) string {
	round := w.round.String()
	single := round + iteration + steps
	code, end := strings.CutSuffix(w.code.String(), w.tail)
	conds, ok := ls.unrollConds(w, count)
	if !end || !ok || len(w.jumped) > 0 || strings.Contains(code, "continue") || len(code) > 400 {
		return single
	}
	// In the second and later copies of an iteration, the variables have names with a suffix.
	var own []string
	for _, d := range definition.FindAllString(round, -1) {
		own = append(own, identifier.FindAllString(d, 1)...)
	}
	for _, i := range ls.steps {
		own = append(own, w.firstValue(i))
	}
	in := func(k int, text string) string {
		return identifier.ReplaceAllStringFunc(text, func(s string) string {
			if k > 0 && slices.Contains(own, s) {
				return fmt.Sprintf("%sr%d", s, k)
			}
			return s
		})
	}
	keep := w.takeOutput()
	ls.cutHomes(w, count)
	item := w.item.String()
	loads := homeLoads.FindAllString(item, -1)
	for _, phi := range ls.arrays {
		if s := fmt.Sprintf("%s := %s[li]\n", w.v(phi), w.homeSlice(phi)); !slices.Contains(loads, s) {
			loads = append(loads, s)
		}
	}
	vars := func() string {
		before := w.takeOutput()
		w.writeDecls("var ", w.vars, w.typeOf)
		out := w.takeOutput()
		w.formWriter.b.Write(before)
		return string(out)
	}()
	each := strings.Join(loads, "")
	for k := range atOnce {
		each += fmt.Sprintf("{\n%s}\n", in(k, homeLoads.ReplaceAllString(item, "")+vars+code+w.goesOn))
	}
	for _, phi := range ls.arrays {
		each += fmt.Sprintf("%s[li] = %s\n", w.homeSlice(phi), w.v(phi))
	}
	w.writeItemLoop(count, w.ownX(each))
	call := w.outlineLoop(string(w.takeOutput()))
	w.formWriter.b.Write(keep)

	var b strings.Builder
	fmt.Fprintf(&b, "if %s {\n%s", strings.Join(conds, " && "), round)
	for k := 1; k < atOnce; k++ {
		for _, i := range ls.steps {
			if s := w.firstValue(i); strings.Contains(steps, s+" +=") {
				fmt.Fprintf(&b, "%s := %s + %s\n", in(k, s), in(k-1, s), w.plainExpr(i.step))
			}
		}
		b.WriteString(in(k, round))
	}
	b.WriteString(call)
	for _, i := range ls.steps {
		if s := w.firstValue(i); strings.Contains(steps, s+" +=") {
			fmt.Fprintf(&b, "%s = %s + %s\n", s, in(atOnce-1, s), w.plainExpr(i.step))
		}
	}
	fmt.Fprintf(&b, "} else {\n%s}\n", single)
	return b.String()
}

// unrollConds returns the Go conditions under which all active work-items execute all unrolled iterations.
func (ls *lockstep) unrollConds(w *regionBody, count string) (conds []string, ok bool) {
	for _, e := range ls.exits() {
		for _, c := range e.conds {
			step := c.i.step
			const behind = atOnce - 1 // number of steps from the first to the last unrolled iteration
			least := "0"
			if c.i.scale != 0 {
				least = fmt.Sprintf("int64(%s)", count)
			}
			below := c.upperBoundOp()
			switch {
			case below == "" || c.bound.Type != ir.TypeI64 && c.i.scale != 0:
				return nil, false
			case c.i.scale == 0 && (!step.IsConst() || step.Int() <= 0 || step.Int() > 1<<20 || c.bound.Type != ir.TypeI64):
				return nil, false
			case c.i.scale == 0:
				least = fmt.Sprint(1)
				if below == "<=" {
					least = "0"
				}
			case below == "<=":
				c.plus--
			}
			text := fmt.Sprintf("%s-%s", w.valueExpr(c.bound), w.firstValue(c.i))
			if c.plus != 0 {
				text += fmt.Sprintf("%+d", -c.plus)
			}
			if step.IsConst() {
				text += fmt.Sprintf("-%d", behind*step.Int())
			} else {
				text += fmt.Sprintf("-%d*%s", behind, w.valueExpr(step))
			}
			if c.i.scale == 0 {
				// The first appended condition ensures that the bound is at least the induction
				// variable. Under this condition, a difference that overflows an int64 becomes
				// negative. The second appended condition is then false.
				conds = append(conds, fmt.Sprintf("%s %s %s", w.firstValue(c.i), below, w.valueExpr(c.bound)))
			}
			conds = append(conds, fmt.Sprintf("%s >= %s", text, least))
		}
	}
	return conds, len(conds) > 0
}
