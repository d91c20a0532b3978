package gohost

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/codegen/ir"
)

// This file writes the code of regions with lockstep loops. An example of the generated code:
//
//	all := true
//	for li := range n {
//		// the prefix sets h8[li] = 0, or sets all = false if the work-item does not reach the loop
//	}
//	if all {
//		b9 := int64(basex)
//		active := n
//		for {
//			if active = min(active, int(v1-b9)); active <= 0 {
//				break
//			}
//			for li := range active {
//				// one iteration of a work-item, which changes h8[li]
//			}
//			b9 += v16
//		}
//		for li := range n {
//			// the rest
//		}
//	} else {
//		// the region's own code
//	}

// fullRegion returns the body's region or, if that region is only a part, the complete region that contains the part.
func (w *body) fullRegion() *region {
	if w.r.of != nil {
		return w.r.of
	}
	return w.r
}

// succs returns the successors of node n within the region or part.
func (w *body) succs(n *node) []*node {
	if n.tail != noTail {
		return nil
	}
	if s, ok := w.r.succs[n]; ok {
		return s
	}
	return w.flow.succs(n)
}

// inLoop reports whether the body is for the iterations of a lockstep loop.
func (w *body) inLoop() bool { return w.r.ls != nil && w.r == w.r.ls.rounds }

// isInduction reports whether v is an induction variable of the lockstep loop.
func (w *body) isInduction(v *ir.Value) bool { return w.inLoop() && w.r.ls.inductions[v] != nil }

// vary writes code that computes a work-item's value of an induction variable.
func (w *body) vary(v *ir.Value) {
	if w.r.ls.inductions[v].scale != 0 {
		fmt.Fprintf(&w.item, "%s := %s + int64(li)\n", w.v(v), name("b", w.index[v]))
	}
}

// inRound reports whether v is the same for all work-items in an iteration of the lockstep loop, and may be computed
// before the loop over them. v may be a load that every work-item executes, because the loop contains no stores.
func (w *body) inRound(v *ir.Value) bool {
	if !w.inLoop() || !w.r.defs[v] {
		return false
	}
	is, ok := w.inRounds[v]
	if ok {
		return is
	}
	args := v.Args
	if mm, ok := w.minmax[v]; ok {
		args = []*ir.Value{mm.x, mm.y}
	}
	is = (harmless(v) && v.Op != ir.OpBuiltIn || v.Op == ir.OpLoad && w.always(w.where[v])) &&
		!slices.ContainsFunc(args, func(a *ir.Value) bool {
			i := w.r.ls.inductions[a]
			return !w.invariant(a) && (i == nil || i.scale != 0)
		})
	w.inRounds[v] = is
	return is
}

// always reports whether every work-item reaches node n in each iteration of the lockstep loop.
func (w *body) always(n *node) bool {
	for m := w.r.entry; ; {
		if m == n {
			return true
		}
		s := w.succs(m)
		if len(s) != 1 || s[0].tail != noTail || len(s[0].block.Preds) != 1 {
			return false
		}
		m = s[0]
	}
}

// carried is an assignment at the end of a part. At the end of the part each work-item stores value v in the home of
// another value, which is in field home.
type carried struct{ v, home *ir.Value }

func (w *body) carried(n *node) (out []carried) {
	ls := w.r.ls
	for _, phi := range ls.arrays {
		init, next := ls.edges(phi)
		switch n.tail {
		case arrive:
			out = append(out, carried{init, phi})
		case endRound:
			out = append(out, carried{next, phi})
		}
	}
	if n.tail == arrive {
		for _, v := range ls.through {
			out = append(out, carried{v, v})
		}
	}
	return out
}

// carriedHome reports whether the home of v contains v when the rest of the region begins.
func (w *body) carriedHome(v *ir.Value) bool {
	return !w.r.defs[v] && !w.ahead(v) && w.r.ls.next[v] == nil
}

// finish writes the code of an edge that leaves a part of the region.
func (w *body) finish(b *bytes.Buffer, n *node) {
	if n.tail == turnBack {
		b.WriteString("all = false\nbreak\n")
		return
	}
	var text strings.Builder
	var to, from []string
	for _, c := range w.carried(n) {
		if v := w.plain(c.v); c.v != c.home || n.tail == arrive {
			fmt.Fprintf(&text, "%s[li] = %s\n", w.homeSlice(c.home), v)
			to, from = append(to, w.v(c.home)), append(from, v)
		}
	}
	if n.tail == endRound {
		w.tail, w.goesOn = text.String(), fmt.Sprintf("%s = %s\n", strings.Join(to, ", "), strings.Join(from, ", "))
	}
	b.WriteString(text.String() + "continue\n")
}

// enter writes code that computes the phis at the start of the rest of a lockstep region.
func (w *body) enter() {
	if w.r.ls == nil {
		return
	}
	for _, phi := range w.r.entry.phis {
		if a := w.r.args[phi]; a != nil && w.needed[phi] {
			text := ""
			if slices.Contains(w.r.ls.arrays, a) {
				text = w.homeSlice(a) + "[li]" // carry has checked that the home contains the right value
			} else {
				text = w.value(a)
			}
			w.done[phi] = true
			fmt.Fprintf(&w.item, "%s := %s\n", w.v(phi), text)
		}
	}
}

// lockstep writes the code of a region with a lockstep loop.
func (w *writer) lockstep(ls *lockstep, before []*region) {
	p := w.generate(ls.prefix, before, nil)
	l := w.generate(ls.rounds, before, p)
	head, guards, loop := ls.write(l)
	c := w.generate(ls.rest, before, l)
	parts := []*body{p, l, c}
	// The region's original code is needed if work-items may have returned or may not reach the loop.
	absent := ls.r.dead || slices.ContainsFunc(ls.prefix.tails, func(n *node) bool { return n.tail == turnBack })
	if absent {
		guards = append([]string{"all"}, guards...)
	}
	if ls.r.dead {
		p.once(&p.top, "dead", "g.Dead[:n]")
	}
	var own *body // body of the region's original code; nil if that code can never run
	if len(guards) > 0 {
		own = w.generate(ls.r, before, c)
		parts = append(parts, own)
	}
	u := w.newBody(ls.r)
	if w.ranged() {
		w.f("const n = %d\n", blockItems)
	}
	for _, x := range parts {
		w.b.Write(x.top.Bytes())
		u.row.Write(x.row.Bytes())
		u.x, u.y, u.z = true, u.y || x.y, u.z || x.z
		for _, s := range x.after {
			u.afterLoop("%s", s)
		}
	}
	if u.leftMatters() {
		u.declareNext()
	}
	w.f("// The work-items go through the loop together.\n")
	u.blocks(p)
	if absent {
		w.f("all := true\n")
	}
	p.everyItem(ls.r.dead)
	if own != nil {
		w.f("if %s {\n", strings.Join(guards, " && "))
	}
	w.f("%s", head)
	w.b.Write(loop)
	if c.item.Len()+c.code.Len() > 0 {
		c.everyItem(false)
	}
	if own != nil {
		w.f("} else {\n")
		if w.ranged() {
			w.f("for x, end := x, x+count; x < end; x++ {\n%s}\n", own.each())
		} else {
			w.over("n", own.each())
		}
		w.f("}\n")
	}
	u.endBlocks()
	u.close()
}

// everyItem writes the loop of a part over all work-items of the block. If dead is true, the loop also checks
// whether a work-item has returned. If a work-item has returned, the region's original code runs instead.
func (w *body) everyItem(dead bool) {
	text := w.ownX(w.each())
	if dead {
		text = "if dead[li] {\nall = false\nbreak\n}\n" + text
	}
	w.over(w.block(), text)
}

// block returns the Go expression for the number of work-items of the block.
func (w *writer) block() string {
	if w.ranged() {
		return "count"
	}
	return "n"
}

// If the code reads variable x, ownX adds a declaration that sets x to the id of the work-item. Outside the loop over
// the work-items, the Go variable x is the id of the block's first work-item.
func (w *body) ownX(each string) string {
	if w.ranged() && names(each, "x") {
		return "x := x + li\n" + each
	}
	return each
}

// blocks writes the header of the loop over the blocks of a range.
func (w *body) blocks(p *body) {
	switch {
	case !w.ranged():
		w.f("{\n")
		return
	case w.m.Rank <= 1:
		w.f("for x := g.Lo; x < g.Hi; {\ncount := min(g.Hi-x, n)\n")
	default:
		w.rangeRows()
		w.f("for x < end {\ncount := min(end-x, n)\n")
	}
	p.leave(&w.writer.b)
}

// endBlocks writes the end of the loop over the blocks of a range.
func (w *body) endBlocks() {
	if w.ranged() {
		w.f("x += count\n")
	}
	w.f("}\n")
	if w.rows() {
		w.nextRow()
	}
}

// write returns the code of a lockstep loop in three pieces. head is the code before the loop, and guards are the
// conditions under which the loop may run. Parameter w is the body of the iterations.
func (ls *lockstep) write(w *body) (head string, guards []string, loop []byte) {
	var h, b bytes.Buffer
	own := map[*induction]bool{} // induction variables that the code uses
	counted := false
	for _, e := range ls.ends() {
		for _, c := range e.conds {
			own[c.i] = true
			if c.i.scale != 0 {
				counted = true
				guards = ls.guard(w, guards, c)
			}
		}
	}
	count := w.block()
	if counted {
		fmt.Fprintf(&h, "active := %s\n", count)
		count = "active"
	}
	b.WriteString("for {\n")
	for _, e := range ls.tops {
		w.stay(&b, e)
	}
	w.leave(&b)
	keep := w.flush()
	ls.cutHomes(w, count)
	w.over(count, w.ownX(w.each()))
	one := w.outline(string(w.flush()))
	w.writer.b.Write(keep)
	steps := "" // Go code that increments the induction variables
	for _, i := range ls.steps {
		if !own[i] && !w.done[i.phi] {
			continue
		}
		init := ""
		if i.scale == 0 {
			init = w.value(i.init)
		} else {
			init = ls.base(w, i)
		}
		fmt.Fprintf(&h, "%s := %s\n", w.first(i), init)
		steps += fmt.Sprintf("%s += %s\n", w.first(i), w.plain(i.step))
	}
	b.WriteString(ls.several(w, count, one, steps))
	if ls.bottom != nil {
		w.stay(&b, ls.bottom)
	}
	b.WriteString("}\n")
	return h.String(), guards, b.Bytes()
}

// The method first returns the Go variable that contains induction variable i of the block's first work-item.
func (w *body) first(i *induction) string {
	if i.scale == 0 {
		return w.v(i.phi)
	}
	return name("b", w.index[i.phi])
}

// cutHomes writes code that reslices homes to the length of the block. gc then omits bounds checks.
func (ls *lockstep) cutHomes(w *body, count string) {
	for _, phi := range ls.arrays {
		s := w.homeSlice(phi)
		w.f("%s = %s[:%s]\n", s, s, count)
	}
}

// ends returns all exits of the lockstep loop.
func (ls *lockstep) ends() []*leaving {
	if ls.bottom == nil {
		return ls.tops
	}
	return append(slices.Clone(ls.tops), ls.bottom)
}

// The method base returns the Go expression for the initial value of induction variable i in the block's first
// work-item.
func (ls *lockstep) base(w *body, i *induction) string {
	var terms []string
	switch {
	case w.ranged():
		terms = append(terms, "int64(x)")
	case i.global:
		w.once(&w.top, "basex", "g.Base(0)")
		terms = append(terms, "int64(basex)")
	}
	if i.from != nil {
		terms = append(terms, w.value(i.from))
	}
	if i.offset != 0 || len(terms) == 0 {
		terms = append(terms, fmt.Sprintf("int64(%d)", i.offset))
	}
	return strings.Join(terms, " + ")
}

// farAway is the limit in guards for the bounds and steps of induction variables. Sums of values below this
// limit do not overflow an int64.
const farAway = "1<<60"

// guard appends Go conditions. If they all hold, the induction variable of c cannot overflow.
func (ls *lockstep) guard(w *body, guards []string, c condition) []string {
	add := func(s string) {
		if !slices.Contains(guards, s) {
			guards = append(guards, s)
		}
	}
	if s := c.i.step; !s.IsConst() && s.Op != ir.OpUConvert {
		l := w.value(s)
		add(fmt.Sprintf("%s >= 0 && %s <= %s", l, l, farAway))
	}
	for _, v := range []*ir.Value{c.bound, c.i.from} {
		if v != nil && !w.isLen(v) && !ls.near(w, c) {
			b := w.value(v)
			add(fmt.Sprintf("%s >= -%s && %s <= %s", b, farAway, b, farAway))
		}
	}
	return guards
}

// The method near reports whether the induction variable of condition c never overflows, because its start is not
// negative and its upper bound is small.
func (ls *lockstep) near(w *body, c condition) bool {
	from := span{}
	if c.i.from != nil {
		from = w.spanOf(c.i.from)
	}
	return c.below() == "<" && c.plus == 0 && from.lo >= 0 && from.hi <= 1<<60 && c.i.offset >= 0 && w.spanOf(c.bound).hi <= 1<<60
}

// isLen reports whether v is a small constant or the length of a slice.
func (w *writer) isLen(v *ir.Value) bool {
	if v.IsConst() {
		return v.Int() > -1<<59 && v.Int() < 1<<59
	}
	return v.Op == ir.OpArg && v.Type == ir.TypeI64 && w.lenOf(int(v.Bits))
}

// The method stay writes the code of loop exit e. The code of the exit breaks the lockstep loop, or reduces the number
// of active work-items.
func (w *body) stay(b *bytes.Buffer, e *leaving) {
	for _, c := range e.conds {
		if c.i.scale == 0 {
			x, y, op := w.v(c.i.phi), w.value(c.bound), opposites[c.op]
			if c.op == ir.OpULt || c.op == ir.OpULe {
				x, y = fmt.Sprintf("u%s(%s)", goType(c.bound.Type), x), w.unsigned(c.bound)
			}
			if !c.left {
				x, y = y, x
			}
			is := op[1]
			if c.not {
				is = op[0]
			}
			fmt.Fprintf(b, "if %s%s%s {\nbreak\n}\n", x, is, y)
			continue
		}
		if w.r.ls.near(w, c) && !w.isLen(c.bound) { // the difference overflows if the bound is the smallest int64
			fmt.Fprintf(b, "if %s <= %s {\nbreak\n}\n", w.value(c.bound), name("b", w.index[c.i.phi]))
		}
		left := fmt.Sprintf("%s-%s", w.value(c.bound), name("b", w.index[c.i.phi]))
		if c.below() == "<=" {
			c.plus--
		}
		if c.plus != 0 {
			left += fmt.Sprintf("%+d", -c.plus)
		}
		fmt.Fprintf(b, "if active = min(active, int(%s)); active <= 0 {\nbreak\n}\n", left)
	}
}
