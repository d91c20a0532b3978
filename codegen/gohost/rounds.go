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

// fullRegion returns the region of the body. If the region of the body is only a part of a larger
// region, fullRegion returns the larger region.
func (w *regionBody) fullRegion() *region {
	if w.r.of != nil {
		return w.r.of
	}
	return w.r
}

// partSuccs returns the successors of node n within the body's region, which may be a part of a
// larger region.
func (w *regionBody) partSuccs(n *node) []*node {
	if n.tail != noTail {
		return nil
	}
	if s, ok := w.r.succs[n]; ok {
		return s
	}
	return w.flow.succsOf(n)
}

// inLoop reports whether the body is the code of the iterations of a lockstep loop.
func (w *regionBody) inLoop() bool { return w.r.ls != nil && w.r == w.r.ls.rounds }

// isInduction reports whether v is an induction variable of the lockstep loop.
func (w *regionBody) isInduction(v *ir.Value) bool { return w.inLoop() && w.r.ls.inductions[v] != nil }

// computeInduction writes code that computes the value of an induction variable for the current
// work-item.
func (w *regionBody) computeInduction(v *ir.Value) {
	if w.r.ls.inductions[v].scale != 0 {
		fmt.Fprintf(&w.item, "%s := %s + int64(li)\n", w.v(v), name("b", w.index[v]))
	}
}

// inRound reports whether v may be computed at the beginning of an iteration of the lockstep loop,
// before the loop over work-items. A value that is computed at the beginning of an iteration must
// be the same for all work-items. v may be a load if every work-item executes the load, because the
// lockstep loop contains no stores.
func (w *regionBody) inRound(v *ir.Value) bool {
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
	is = (isHarmless(v) && v.Op != ir.OpBuiltIn || v.Op == ir.OpLoad && w.alwaysReached(w.where[v])) &&
		!slices.ContainsFunc(args, func(a *ir.Value) bool {
			i := w.r.ls.inductions[a]
			return !w.isInvariant(a) && (i == nil || i.scale != 0)
		})
	w.inRounds[v] = is
	return is
}

// alwaysReached reports whether every work-item that begins an iteration of the lockstep loop
// reaches node n.
func (w *regionBody) alwaysReached(n *node) bool {
	for m := w.r.entry; ; {
		if m == n {
			return true
		}
		s := w.partSuccs(m)
		if len(s) != 1 || s[0].tail != noTail || len(s[0].block.Preds) != 1 {
			return false
		}
		m = s[0]
	}
}

// A carriedAssign is an assignment that each work-item executes at the end of a part of a region.
// The assigned value is v. The target is the home that belongs to the value in field `home`.
type carriedAssign struct{ v, home *ir.Value }

func (w *regionBody) carriedValues(n *node) (out []carriedAssign) {
	ls := w.r.ls
	for _, phi := range ls.arrays {
		init, next := ls.phiEdges(phi)
		switch n.tail {
		case arrive:
			out = append(out, carriedAssign{init, phi})
		case endRound:
			out = append(out, carriedAssign{next, phi})
		}
	}
	if n.tail == arrive {
		for _, v := range ls.through {
			out = append(out, carriedAssign{v, v})
		}
	}
	return out
}

// carriedHome reports whether the home of v already contains v when the part after the lockstep
// loop begins.
func (w *regionBody) carriedHome(v *ir.Value) bool {
	return !w.r.defs[v] && !w.isAhead(v) && w.r.ls.next[v] == nil
}

// finishPart writes the code of extra node n, which represents an edge that leaves a part of the
// region.
func (w *regionBody) finishPart(b *bytes.Buffer, n *node) {
	if n.tail == turnBack {
		b.WriteString("all = false\nbreak\n")
		return
	}
	var text strings.Builder
	var to, from []string
	for _, c := range w.carriedValues(n) {
		if v := w.plainExpr(c.v); c.v != c.home || n.tail == arrive {
			fmt.Fprintf(&text, "%s[li] = %s\n", w.homeSlice(c.home), v)
			to, from = append(to, w.v(c.home)), append(from, v)
		}
	}
	if n.tail == endRound {
		w.tail, w.goesOn = text.String(), fmt.Sprintf("%s = %s\n", strings.Join(to, ", "), strings.Join(from, ", "))
	}
	b.WriteString(text.String() + "continue\n")
}

// enterRest writes code that computes the phis at the beginning of the part after a lockstep loop.
func (w *regionBody) enterRest() {
	if w.r.ls == nil {
		return
	}
	for _, phi := range w.r.entry.phis {
		if a := w.r.args[phi]; a != nil && w.neededValues[phi] {
			text := ""
			if slices.Contains(w.r.ls.arrays, a) {
				text = w.homeSlice(a) + "[li]" // findCarried has checked that the home of a contains the value of phi
			} else {
				text = w.valueExpr(a)
			}
			w.done[phi] = true
			fmt.Fprintf(&w.item, "%s := %s\n", w.v(phi), text)
		}
	}
}

// writeLockstep writes the code of a region with a lockstep loop.
func (w *formWriter) writeLockstep(ls *lockstep, before []*region) {
	p := w.generateBody(ls.prefix, before, nil)
	l := w.generateBody(ls.rounds, before, p)
	head, guards, loop := ls.loopCode(l)
	c := w.generateBody(ls.rest, before, l)
	parts := []*regionBody{p, l, c}
	// The region's original code is needed if some work-items may have returned, or may not reach
	// the loop.
	absent := ls.r.someReturned || slices.ContainsFunc(ls.prefix.tails, func(n *node) bool { return n.tail == turnBack })
	if absent {
		guards = append([]string{"all"}, guards...)
	}
	if ls.r.someReturned {
		p.declareOnce(&p.top, "dead", "g.Dead[:n]")
	}
	var own *regionBody // body of the region's original code; nil if the original code can never run
	if len(guards) > 0 {
		own = w.generateBody(ls.r, before, c)
		parts = append(parts, own)
	}
	u := w.newBody(ls.r)
	if w.isRanged() {
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
	u.blockLoop(p)
	if absent {
		w.f("all := true\n")
	}
	p.everyItem(ls.r.someReturned)
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
		if w.isRanged() {
			w.f("for x, end := x, x+count; x < end; x++ {\n%s}\n", own.itemCode())
		} else {
			w.writeItemLoop("n", own.itemCode())
		}
		w.f("}\n")
	}
	u.endBlocks()
	u.writeAfterLoop()
}

// everyItem writes a loop over all work-items of the block, which runs one part of a region. If
// dead is true, the loop over the work-items also checks whether a work-item has already returned.
// If a work-item has returned, the region's original code runs instead of the parts.
func (w *regionBody) everyItem(dead bool) {
	text := w.ownX(w.itemCode())
	if dead {
		text = "if dead[li] {\nall = false\nbreak\n}\n" + text
	}
	w.writeItemLoop(w.blockSize(), text)
}

// blockSize returns the Go expression for the number of work-items of the block.
func (w *formWriter) blockSize() string {
	if w.isRanged() {
		return "count"
	}
	return "n"
}

// ownX returns the code in parameter `each`. If the code reads the Go variable x, ownX adds a
// declaration that sets x to the id of the work-item. Outside of the loop over the work-items, x is
// the id of the block's first work-item.
func (w *regionBody) ownX(each string) string {
	if w.isRanged() && namesIdentifier(each, "x") {
		return "x := x + li\n" + each
	}
	return each
}

// blockLoop writes the header of the loop over the blocks of a range.
func (w *regionBody) blockLoop(p *regionBody) {
	switch {
	case !w.isRanged():
		w.f("{\n")
		return
	case w.m.Rank <= 1:
		w.f("for x := g.Lo; x < g.Hi; {\ncount := min(g.Hi-x, n)\n")
	default:
		w.rangeRows()
		w.f("for x < end {\ncount := min(end-x, n)\n")
	}
	p.checkCancel(&w.formWriter.b)
}

// endBlocks writes the end of the loop over the blocks of a range.
func (w *regionBody) endBlocks() {
	if w.isRanged() {
		w.f("x += count\n")
	}
	w.f("}\n")
	if w.hasRows() {
		w.nextRow()
	}
}

// loopCode returns the code of a lockstep loop. Result `head` is the code before the loop. The
// lockstep loop may run only under the Go conditions in result `guards`. Parameter w is the
// regionBody of the iterations.
func (ls *lockstep) loopCode(w *regionBody) (head string, guards []string, loop []byte) {
	var h, b bytes.Buffer
	own := map[*induction]bool{} // induction variables that the exit tests use
	counted := false
	for _, e := range ls.exits() {
		for _, c := range e.conds {
			own[c.i] = true
			if c.i.scale != 0 {
				counted = true
				guards = ls.addGuards(w, guards, c)
			}
		}
	}
	count := w.blockSize()
	if counted {
		fmt.Fprintf(&h, "active := %s\n", count)
		count = "active"
	}
	b.WriteString("for {\n")
	for _, e := range ls.tops {
		w.writeExitTest(&b, e)
	}
	w.checkCancel(&b)
	keep := w.takeOutput()
	ls.cutHomes(w, count)
	w.writeItemLoop(count, w.ownX(w.itemCode()))
	one := w.outlineLoop(string(w.takeOutput()))
	w.formWriter.b.Write(keep)
	steps := "" // Go code that increments the induction variables
	for _, i := range ls.steps {
		if !own[i] && !w.done[i.phi] {
			continue
		}
		init := ""
		if i.scale == 0 {
			init = w.valueExpr(i.init)
		} else {
			init = ls.baseValue(w, i)
		}
		fmt.Fprintf(&h, "%s := %s\n", w.firstValue(i), init)
		steps += fmt.Sprintf("%s += %s\n", w.firstValue(i), w.plainExpr(i.step))
	}
	b.WriteString(ls.unrollLoop(w, count, one, steps))
	if ls.bottom != nil {
		w.writeExitTest(&b, ls.bottom)
	}
	b.WriteString("}\n")
	return h.String(), guards, b.Bytes()
}

// firstValue returns the name of a Go variable. The variable contains the value of induction
// variable i in the block's first work-item.
func (w *regionBody) firstValue(i *induction) string {
	if i.scale == 0 {
		return w.v(i.phi)
	}
	return name("b", w.index[i.phi])
}

// cutHomes writes code that reslices the homes of values to the length of the block, so that gc
// omits bounds checks.
func (ls *lockstep) cutHomes(w *regionBody, count string) {
	for _, phi := range ls.arrays {
		s := w.homeSlice(phi)
		w.f("%s = %s[:%s]\n", s, s, count)
	}
}

// exits returns all exits of the lockstep loop.
func (ls *lockstep) exits() []*loopExit {
	if ls.bottom == nil {
		return ls.tops
	}
	return append(slices.Clone(ls.tops), ls.bottom)
}

// baseValue returns the Go expression for the initial value of induction variable i in the block's
// first work-item.
func (ls *lockstep) baseValue(w *regionBody, i *induction) string {
	var terms []string
	switch {
	case w.isRanged():
		terms = append(terms, "int64(x)")
	case i.global:
		w.declareOnce(&w.top, "basex", "g.Base(0)")
		terms = append(terms, "int64(basex)")
	}
	if i.from != nil {
		terms = append(terms, w.valueExpr(i.from))
	}
	if i.offset != 0 || len(terms) == 0 {
		terms = append(terms, fmt.Sprintf("int64(%d)", i.offset))
	}
	return strings.Join(terms, " + ")
}

// farAway is the largest bound or step of an induction variable that the guards allow. Sums of a
// few values up to farAway do not overflow an int64.
const farAway = "1<<60"

// addGuards appends Go conditions to `guards`. Under these conditions, the induction variable of
// condition c cannot overflow.
func (ls *lockstep) addGuards(w *regionBody, guards []string, c condition) []string {
	add := func(s string) {
		if !slices.Contains(guards, s) {
			guards = append(guards, s)
		}
	}
	if s := c.i.step; !s.IsConst() && s.Op != ir.OpUConvert {
		l := w.valueExpr(s)
		add(fmt.Sprintf("%s >= 0 && %s <= %s", l, l, farAway))
	}
	for _, v := range []*ir.Value{c.bound, c.i.from} {
		if v != nil && !w.isLen(v) && !ls.cannotOverflow(w, c) {
			b := w.valueExpr(v)
			add(fmt.Sprintf("%s >= -%s && %s <= %s", b, farAway, b, farAway))
		}
	}
	return guards
}

// cannotOverflow reports whether the induction variable of condition c never overflows, because the
// start is not negative and the upper bound is small.
func (ls *lockstep) cannotOverflow(w *regionBody, c condition) bool {
	from := span{}
	if c.i.from != nil {
		from = w.spanOf(c.i.from)
	}
	return c.upperBoundOp() == "<" && c.plus == 0 && from.lo >= 0 && from.hi <= 1<<60 && c.i.offset >= 0 && w.spanOf(c.bound).hi <= 1<<60
}

// isLen reports whether v is a small constant or the length of a slice.
func (w *formWriter) isLen(v *ir.Value) bool {
	if v.IsConst() {
		return v.Int() > -1<<59 && v.Int() < 1<<59
	}
	return v.Op == ir.OpArg && v.Type == ir.TypeI64 && w.lenOf(int(v.Bits))
}

// writeExitTest writes the code of loop exit e, which breaks the lockstep loop or reduces the
// number of active work-items.
func (w *regionBody) writeExitTest(b *bytes.Buffer, e *loopExit) {
	for _, c := range e.conds {
		if c.i.scale == 0 {
			x, y, op := w.v(c.i.phi), w.valueExpr(c.bound), opposites[c.op]
			if c.op == ir.OpULt || c.op == ir.OpULe {
				x, y = fmt.Sprintf("u%s(%s)", goType(c.bound.Type), x), w.unsignedExpr(c.bound)
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
		if w.r.ls.cannotOverflow(w, c) && !w.isLen(c.bound) { // without this test, the difference would overflow for a bound near the smallest int64
			fmt.Fprintf(b, "if %s <= %s {\nbreak\n}\n", w.valueExpr(c.bound), name("b", w.index[c.i.phi]))
		}
		left := fmt.Sprintf("%s-%s", w.valueExpr(c.bound), name("b", w.index[c.i.phi]))
		if c.upperBoundOp() == "<=" {
			c.plus--
		}
		if c.plus != 0 {
			left += fmt.Sprintf("%+d", -c.plus)
		}
		fmt.Fprintf(b, "if active = min(active, int(%s)); active <= 0 {\nbreak\n}\n", left)
	}
}
