package gohost

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// regionBody collects the Go code of a region. A regionBody for the code of a cut has a region
// without nodes.
type regionBody struct {
	*formWriter
	r *region
	// Buffer `top` is for the code before the loop over the work-items. Buffer `row` is for the
	// code at the beginning of a row of work-items. Buffer `item` is for the code at the beginning
	// of an iteration of the loop over the work-items. Buffer `code` is for the remaining code of
	// an iteration.
	top, row, item, code bytes.Buffer
	round                bytes.Buffer // code at the beginning of a lockstep iteration, before the loop over the work-items
	done                 map[any]bool
	neededValues         map[*ir.Value]bool // values of this region whose code must be written
	asked                map[*ir.Value]bool // values of this region that other code of the region uses
	wide                 map[*ir.Value]bool // values used outside the nodes in which they are computed
	uses                 map[*ir.Value]int
	folded               map[*ir.Value]string // Go expressions that replace the variables of values
	foreign              []*ir.Value          // values of other regions that this region uses
	common               map[*ir.Value]bool   // cached results of inTop
	inRows               map[*ir.Value]bool   // cached results of inRow
	inRounds             map[*ir.Value]bool   // cached results of inRound
	tail, goesOn         string               // code of a work-item at the end of a lockstep iteration; goesOn replaces tail in unrolled code
	entered              []*ir.Value          // loop phis that the code after a lockstep loop uses
	after                []string             // lines of code after the loop over the work-items
	x, y, z, lane        bool                 // whether the code uses the work-item's id x, y, z or lane
	field                bool                 // whether each use of a constant expression reads a field of the host form, not a variable
	at                   map[*node]int        // index of each node in the region's order
	where                map[*ir.Value]*node  // maps each value of the region, except phis, to the node that computes the value
	items                bool                 // whether the code uses n, the number of work-items
	sharing              bool                 // whether this is the code of a cut; the code of a cut reads all values of work-items from homes
	before               []*region            // earlier regions in the same method
	vars                 []*ir.Value          // values whose variables are declared at the beginning of a work-item's code
	nodeLayout
}

func (w *formWriter) newBody(r *region) *regionBody {
	x := &regionBody{formWriter: w, r: r, done: map[any]bool{}, neededValues: map[*ir.Value]bool{}, asked: map[*ir.Value]bool{}, wide: map[*ir.Value]bool{}, uses: map[*ir.Value]int{}, folded: map[*ir.Value]string{}, common: map[*ir.Value]bool{}, inRows: map[*ir.Value]bool{}, inRounds: map[*ir.Value]bool{}, at: map[*node]int{}, where: map[*ir.Value]*node{}}
	maps.Copy(x.done, w.shared)
	for i, n := range r.nodes {
		x.at[n] = i
		for _, v := range n.insts {
			x.where[v] = n
		}
	}
	return x
}

func name(prefix string, i int) string { return fmt.Sprintf("%s%d", prefix, i) }

func (w *formWriter) v(v *ir.Value) string { return name("v", w.index[v]) }

// declareOnce writes the declaration of a Go variable to b, unless the variable is already declared.
func (w *regionBody) declareOnce(b *bytes.Buffer, name, format string, args ...any) {
	if !w.done[name] {
		w.done[name] = true
		w.shareInTop(b, name)
		fmt.Fprintf(b, "%s := %s\n", name, fmt.Sprintf(format, args...))
	}
}

// shareInTop records a declared value or variable if b is buffer top. Later regions of the same Go
// method can use declarations in buffer top.
func (w *regionBody) shareInTop(b *bytes.Buffer, what any) {
	if b == &w.top && w.shared != nil {
		w.shared[what] = true
	}
}

// inTop reports whether v is the same for all work-items, and may be computed before the loop over
// the work-items.
func (w *regionBody) inTop(v *ir.Value) bool {
	if w.isLaunch(v) {
		return true
	}
	is, ok := w.common[v]
	if ok {
		return is
	}
	w.common[v] = false
	switch {
	case !w.fullRegion().defs[v]:
		is = w.stored[v] && w.oneHome(v)
	case v.Op == ir.OpBuiltIn || !isHarmless(v):
	default:
		is = !slices.ContainsFunc(w.operandsOf(v), func(a *ir.Value) bool { return !w.inTop(a) })
	}
	w.common[v] = is
	return is
}

// inRow reports whether v may be computed at the beginning of each row of a range. A value that is
// computed for a whole row must be the same for all work-items with the same y and z.
func (w *regionBody) inRow(v *ir.Value) bool {
	if !w.isRanged() || w.m.Rank < 2 || v.Block == nil {
		return false
	}
	is, ok := w.inRows[v]
	if ok {
		return is
	}
	w.inRows[v] = false
	switch {
	case w.inTop(v) || !w.fullRegion().defs[v] || !isHarmless(v):
	case v.Op == ir.OpBuiltIn:
		b := v.Aux.(ir.BuiltIn)
		is = b == ir.GlobalInvocationIDY || b == ir.GlobalInvocationIDZ
	default:
		// v can be computed before a row only if all operands are computed before the row or before
		// all rows.
		is = !slices.ContainsFunc(w.operandsOf(v), func(a *ir.Value) bool { return !w.inTop(a) && !w.inRow(a) })
	}
	w.inRows[v] = is
	return is
}

// isAhead reports whether v is computed before the innermost loop over work-items.
func (w *regionBody) isAhead(v *ir.Value) bool { return w.inTop(v) || w.inRow(v) || w.inRound(v) }

// valueExpr returns the Go expression for a use of v, and writes the code that computes v if necessary.
func (w *regionBody) valueExpr(v *ir.Value) string {
	switch {
	case v.IsConst():
		return w.typedConst(v)
	case v.Block == nil:
		c := w.constExpr(v)
		if w.field {
			return c
		}
		local := strings.TrimPrefix(c, "g.")
		w.declareOnce(&w.top, local, "%s", c)
		return local
	}
	s := w.v(v)
	if expr, ok := w.folded[v]; ok {
		return expr
	}
	switch {
	case w.done[v]:
	case w.inTop(v):
		w.done[v] = true
		w.shareInTop(&w.top, v)
		switch {
		case !w.fullRegion().defs[v] && !w.isLaunch(v):
			fmt.Fprintf(&w.top, "%s := g.%s\n", s, s)
		case v.Op == ir.OpArg && w.straight:
			fmt.Fprintf(&w.top, "%s := %s\n", s, w.argExpr(v))
		case v.Op == ir.OpArg:
			w.args0[v] = true
			fmt.Fprintf(&w.top, "%s := g.%s\n", s, s)
		default:
			w.defineValue(&w.top, v, true)
		}
	case w.inRow(v):
		w.done[v] = true
		w.defineValue(&w.row, v, true)
	case w.inRound(v):
		w.done[v] = true
		w.defineValue(&w.round, v, true)
	case w.isInduction(v):
		w.done[v] = true
		w.computeInduction(v)
	case w.r.defs[v]: // the code of the node that contains v computes v
	case w.recomputed[v]:
		w.done[v] = true
		w.defineValue(&w.item, v, true)
	default:
		if !w.stored[v] && w.lastRound(v) == nil {
			panic("BUG: no home for " + v.LongString())
		}
		w.done[v] = true
		w.loadHome(v)
	}
	return s
}

// loadHome writes the code that loads v from the home of v at the beginning of an iteration over
// work-items.
func (w *regionBody) loadHome(v *ir.Value) {
	i := w.index[v]
	if w.oneHome(v) {
		e := name("e", i)
		w.declareOnce(&w.top, e, "g.%s", w.v(v))
		fmt.Fprintf(&w.item, "%s := %s\n", w.v(v), e)
		return
	}
	from := v
	if phi := w.lastRound(v); phi != nil {
		from = phi
	}
	fmt.Fprintf(&w.item, "%s := %s[li]\n", w.v(v), w.homeSlice(from))
}

// lastRound returns the phi whose home contains v after the last iteration of a lockstep loop. If
// the region does not follow a lockstep loop that exits at the end of an iteration, lastRound
// returns nil.
func (w *regionBody) lastRound(v *ir.Value) *ir.Value {
	if ls := w.r.ls; ls != nil && w.r == ls.rest && ls.bottom != nil {
		return ls.next[v]
	}
	return nil
}

// computeEarly writes code that computes v at the beginning of an iteration over work-items. v must
// be computed early if the node of v does not dominate all uses of v. If another region defines v,
// computeEarly computes only the operands of v.
func (w *regionBody) computeEarly(v *ir.Value) {
	if w.done[v] || !w.recomputed[v] || w.isAhead(v) {
		return
	}
	for _, a := range w.readValues(v) {
		w.computeEarly(a)
	}
	if !w.r.defs[v] {
		return
	}
	w.done[v] = true
	w.defineValue(&w.item, v, true)
}

// homeSlice returns the name of a Go variable for the home of v, which is a slice with the value of
// v for each work-item.
func (w *regionBody) homeSlice(v *ir.Value) string {
	h := name("h", w.index[v])
	w.declareOnce(&w.top, h, "g.%s[:n]", w.v(v))
	return h
}

// markNeeded finds the values whose code must be written, and the values that are used outside the
// nodes in which they are computed.
func (w *regionBody) markNeeded() {
	var use func(v *ir.Value, from *node)
	use = func(v *ir.Value, from *node) {
		switch {
		case v.Block == nil || w.isAhead(v):
			return
		case !w.r.defs[v]:
			w.foreign = append(w.foreign, v)
			return
		}
		if v.Op == ir.OpPhi || w.where[v] != from {
			w.wide[v] = true
		}
		w.asked[v] = true
		w.uses[v]++
		if w.neededValues[v] {
			return
		}
		w.neededValues[v] = true
		if v.Op != ir.OpPhi {
			for _, a := range w.readValues(v) {
				use(a, w.where[v])
			}
			return
		}
		if a := w.r.args[v]; a != nil && w.r.ls.loop.Contains(a.Block) {
			w.entered = append(w.entered, a)
		} else if a != nil {
			use(a, nil)
		}
		for i, p := range v.Block.Preds {
			// The following loop finds the node that ends with the terminator of block p.
			for _, n := range w.r.nodes {
				if n.block == p && n.split == nil && n.tail == noTail {
					use(v.Args[i], n)
				}
			}
		}
	}
	for _, n := range w.r.nodes {
		for _, v := range n.insts {
			if !v.Op.Has(ir.FlagPure) && v.Op != ir.OpLoad && v.Op != ir.OpGroupUniform {
				w.neededValues[v] = true
				for _, a := range w.readValues(v) {
					use(a, n)
				}
			}
		}
		switch {
		case n.split != nil:
			for _, v := range w.savedAt(n) {
				use(v, n)
			}
		case n.tail != noTail:
			for _, s := range w.carriedValues(n) {
				use(s.v, n.of)
			}
		case n.block.Term.Cond != nil && len(w.partSuccs(n)) == 2:
			use(n.block.Term.Cond, n)
		}
	}
}

// savedAt returns the values that the region must store in their homes before the cut at the end of
// node n.
func (w *regionBody) savedAt(n *node) []*ir.Value {
	var out []*ir.Value
	for _, v := range w.storedList {
		if w.fullRegion().defs[v] && n.end.has(w.index[v]) && (w.r.of == nil || !w.carriedHome(v)) {
			out = append(out, v)
		}
	}
	return out
}

// trivialCut reports whether region r contains no code before a cut, and returns the cut.
func (w *formWriter) trivialCut(r *region) (*cutPoint, bool) {
	n := r.entry
	if n.split == nil {
		return nil, false
	}
	x := w.newBody(r)
	x.markNeeded()
	return n.split, len(x.neededValues) == 0 && len(x.savedAt(n)) == 0
}

// writeRegion writes the code of region r. Parameter `before` lists the earlier regions of the same Go method.
func (w *formWriter) writeRegion(r *region, before []*region) {
	if ls := w.findLockstep(r); ls != nil {
		w.interchanged = true
		w.writeLockstep(ls, before)
		return
	}
	fast, conds := w.inRange(r, before)
	x := w.generateBody(r, before, fast)
	if fast != nil {
		w.b.Write(fast.top.Bytes())
		x.row = *bytes.NewBuffer(append(fast.row.Bytes(), x.row.Bytes()...))
		x.x, x.y, x.z = true, x.y || fast.y, x.z || fast.z
	}
	each := x.itemCode()
	w.b.Write(x.top.Bytes())
	if x.leftMatters() {
		x.declareNext()
	}
	block := (len(before) > 0 || r.next != nil) && (x.x || x.y || x.z || x.lane) // the region's code is enclosed in braces, so that other regions can declare the same counters
	if block {
		w.f("{\n")
	}
	if fast != nil {
		x.rangeHead()
		fast.uncheckedLoop(conds)
		w.f("for ; x < end; x++ {\n%s}\n", each)
	} else if x.runsOnce(each) {
		w.f("for range 1 { // for all work-items\n%s}\n", each)
	} else {
		x.writeLoop(each)
	}
	if x.hasRows() {
		x.nextRow()
	}
	if block {
		w.f("}\n")
	}
	x.writeAfterLoop()
}

// runsOnce reports whether the region's code needs to run only once per work-group, because all
// work-items compute the same values and store nothing.
func (w *regionBody) runsOnce(each string) bool {
	r := w.r
	return !w.isRanged() && w.m.Form != abi.Task && !r.someReturned && !r.mayReturn && len(r.exits) == 1 &&
		!w.x && !w.y && !w.z && !w.lane && !namesIdentifier(each, "li") &&
		!slices.ContainsFunc(r.nodes, func(n *node) bool { return !w.onlyComputes(n) })
}

// generateBody returns the body of region r. If parameter `prior` is not nil, the new body reuses
// values that `prior` computes at the beginning of a row.
func (w *formWriter) generateBody(r *region, before []*region, prior *regionBody) *regionBody {
	x := w.newBody(r)
	x.before = before
	if prior != nil {
		for v := range prior.done {
			if v, ok := v.(*ir.Value); ok && x.inRow(v) {
				x.done[v] = true
			}
		}
	}
	x.markNeeded()
	for _, v := range w.all {
		if x.neededValues[v] && x.wide[v] && r.entry.in.has(w.index[v]) {
			if w.stored[v] {
				x.done[v] = true
				x.loadHome(v)
			} else {
				x.computeEarly(v)
			}
		}
	}
	for _, v := range x.foreign {
		x.computeEarly(v)
	}
	x.enterRest()
	x.placeNodes()
	for _, v := range w.all {
		if x.neededValues[v] && x.wide[v] && !x.done[v] && (v.Op == ir.OpPhi || !x.declaredAt(v, x.where[v])) {
			x.vars = append(x.vars, v)
		}
	}
	x.writeNodes()
	if w.isRanged() && w.loops && r.of == nil {
		x.stop()
	}
	if r.someReturned && r.of == nil {
		x.declareOnce(&x.top, "dead", "g.Dead[:n]")
	}
	return x
}

// itemCode returns the body of the loop over the work-items: the code that one work-item runs in the region.
func (w *regionBody) itemCode() string {
	before := w.takeOutput()
	if w.r.someReturned {
		w.f("if dead[li] {\ncontinue\n}\n")
	}
	if w.isRanged() && w.loops && w.r.of == nil {
		w.checkCancel(&w.formWriter.b)
	}
	w.b.Write(w.item.Bytes())
	w.writeDecls("var ", w.vars, w.typeOf)
	w.b.Write(w.code.Bytes())
	text := string(w.takeOutput())
	w.b.Write(before)
	return text
}

// writeItemLoop writes a loop over count work-items. The loop declares a counter only if the body reads the counter,
// because Go rejects unused variables.
func (w *formWriter) writeItemLoop(count, body string) {
	counter := ""
	if namesIdentifier(body, "li") {
		counter = "li := "
	}
	w.f("for %srange %s {\n%s}\n", counter, count, body)
}

// writeAfterLoop writes the code after the loop over the work-items.
func (w *regionBody) writeAfterLoop() {
	for _, s := range w.after {
		w.f("%s\n", s)
	}
	w.goOn()
}

// leftMatters reports whether the next cut of the work-items is known only at run time. For
// example, some work-items may return before the next cut.
func (w *regionBody) leftMatters() bool {
	r := w.fullRegion()
	return len(r.exits) > 1 && r.next == nil || r.mayReturn && len(r.exits) > 0
}

// declareNext declares the Go variable `next` or `more`. The variable `next` is the number of the
// next cut, and `more` is true if work-items reach the next cut.
func (w *regionBody) declareNext() {
	if w.r.next == nil {
		w.f("next := -1\n")
		return
	}
	is := "="
	if !w.shared["more"] {
		w.shared["more"], is = true, ":="
	}
	w.f("more %s false\n", is)
}

// goOn writes the code at the end of a region, which continues with the next cut or returns the
// number of the next cut.
func (w *regionBody) goOn() {
	switch {
	case w.r.next != nil && w.leftMatters() && w.straight:
		w.f("if !more {\nreturn\n}\n")
	case w.r.next != nil && w.leftMatters():
		w.f("if !more {\nreturn -1\n}\n")
	case w.straight || w.r.next != nil:
	case w.leftMatters():
		w.f("return next\n")
	case len(w.r.exits) > 0:
		w.f("return %d\n", w.r.exits[0].split.index)
	default:
		w.f("return -1\n")
	}
}

// lineOf returns a Go comment that contains the op, the file and the line of a cut. lineOf omits the column, because
// edits of the source change columns more often than lines.
func lineOf(op *ir.Value) string {
	if op.Pos.File == "" {
		return op.Op.String()
	}
	return fmt.Sprintf("%v, %s:%d", op.Op, path.Base(op.Pos.File), op.Pos.Line)
}

// writeDecls writes declarations of variables, each after the given keyword. If keyword is empty,
// writeDecls writes declarations of struct fields.
func (w *formWriter) writeDecls(keyword string, vs []*ir.Value, typ func(*ir.Value) string) {
	var types []string
	names := map[string][]string{}
	for _, v := range vs {
		t := typ(v)
		if names[t] == nil {
			types = append(types, t)
		}
		names[t] = append(names[t], w.v(v))
	}
	for _, t := range types {
		w.f("%s%s %s\n", keyword, strings.Join(names[t], ", "), t)
		if keyword == "" {
			w.f("\n") // the empty line prevents gofmt from aligning the types of fields
		}
	}
}

// declareItems writes the declaration of n, the number of work-items.
func (w *formWriter) declareItems() {
	if w.isRanged() {
		w.f("const n = %d\n", blockItems)
		return
	}
	if s := w.m.WorkGroup; s[0] > 0 {
		w.f("const n = %d\n", s[0]*max(s[1], 1)*max(s[2], 1))
		return
	}
	w.f("n := g.Items\n")
}

// writeLoop writes the loop over the work-items of the group, with the counters for ids.
func (w *regionBody) writeLoop(each string) {
	if w.isRanged() {
		w.rangeLoop(each)
		return
	}
	fixed := w.m.WorkGroup[0] > 0
	if !fixed {
		for i, used := range []bool{w.x || w.y || w.z, w.y || w.z} {
			if used && w.m.Rank > i+1 {
				w.f("n%c := g.Local[%d]\n", "xy"[i], i)
			}
		}
	}
	if w.lane {
		w.f("lane, sub, size := -1, 0, g.SubGroup\n")
	}
	w.declareCounters()
	before := w.takeOutput()
	if w.lane {
		w.f("if lane++; lane == size {\nlane, sub = 0, sub+1\n}\n_, _ = lane, sub\n")
	}
	switch {
	case w.m.Rank == 1: // the id is the counter li of the loop
	case fixed:
		w.fixedIDs()
	default:
		w.countItem()
	}
	ids := string(w.takeOutput())
	w.b.Write(before)
	w.writeItemLoop("n", ids+each)
}

// fixedIDs writes code that computes the ids of a work-item from the work-item's number in a
// work-group of fixed size.
func (w *regionBody) fixedIDs() {
	s := w.m.WorkGroup
	if w.x {
		w.f("x := int(uint(li) %% %d)\n", s[0])
	}
	if w.y && w.m.Rank == 2 {
		w.f("y := int(uint(li) / %d)\n", s[0])
	} else if w.y {
		w.f("y := int(uint(li) / %d %% %d)\n", s[0], s[1])
	}
	if w.z && w.m.Rank == 2 {
		w.f("const z = 0\n")
	} else if w.z {
		w.f("z := int(uint(li) / %d)\n", s[0]*s[1])
	}
}

// isRanged reports whether the kernel has no work-groups. If a kernel has no work-groups, a call of
// the host form runs an interval of the work-items.
func (w *formWriter) isRanged() bool { return w.m.Form != abi.NDRange }

// rangeLoop writes the loop over an interval of the work-items of a range.
func (w *regionBody) rangeLoop(each string) {
	switch {
	case !w.x && !w.y && !w.z:
		w.f("for li := g.Lo; li < g.Hi; li++ {\n%s}\n", each)
	case w.m.Rank <= 1:
		w.f("for x := g.Lo; x < g.Hi; x++ {\n%s}\n", each)
	default:
		w.rangeRows()
		w.f("for ; x < end; x++ {\n%s}\n", each)
	}
}

// rangeHead writes the code before the loop over the work-items of a row.
func (w *regionBody) rangeHead() {
	if w.m.Rank <= 1 {
		w.f("x, end := g.Lo, g.Hi\n")
		return
	}
	w.rangeRows()
}

// rangeRows writes the header of the loop over the rows of a range, and the code at the beginning of a row.
func (w *regionBody) rangeRows() {
	w.f("nx := g.Global[0]\n")
	w.f("x := g.Lo %% nx\n")
	if w.y || w.z {
		if w.m.Rank == 3 {
			w.f("ny := g.Global[1]\n")
			w.f("y := g.Lo / nx %% ny\n")
		} else {
			w.f("y := g.Lo / nx\n")
		}
	}
	if w.z {
		w.f("z := g.Lo / nx / ny\n")
	}
	w.f("for left := g.Hi - g.Lo; left > 0; {\nend := min(x+left, nx)\nleft -= end - x\n")
	w.b.Write(w.row.Bytes())
}

// hasRows reports whether a loop over rows encloses the loop over the work-items.
func (w *regionBody) hasRows() bool { return w.isRanged() && w.m.Rank > 1 && (w.x || w.y || w.z) }

// nextRow writes the end of the body of the loop over rows.
func (w *regionBody) nextRow() {
	w.f("x = 0\n")
	w.countRows()
	w.f("}\n")
}

// declareCounters declares the counters x, y and z, which the loop body increments.
func (w *regionBody) declareCounters() {
	if w.m.Rank == 1 || w.m.WorkGroup[0] > 0 || !w.x && !w.y && !w.z {
		return
	}
	w.f("x := -1\n")
	if w.y || w.z {
		w.f("y := 0\n")
	}
	if w.z {
		w.f("z := 0\n")
	}
}

// countItem writes the code that increments the counters x, y and z.
func (w *regionBody) countItem() {
	if !w.x && !w.y && !w.z {
		return
	}
	w.f("if x++; x == nx {\nx = 0\n")
	w.countRows()
	w.f("}\n")
}

// countRows writes the code that increments y and z after a row.
func (w *regionBody) countRows() {
	if !w.y && !w.z {
		return
	}
	w.f("y++\n")
	if w.m.Rank == 3 && w.z {
		w.f("if y == ny {\ny, z = 0, z+1\n}\n")
	} else if w.m.Rank == 3 {
		w.f("if y == ny {\ny = 0\n}\n")
	}
}

// checkCancel writes code that returns if the launch is cancelled.
func (w *regionBody) checkCancel(b *bytes.Buffer) {
	w.stop()
	out := "return g.Stop()"
	if w.straight {
		out = "g.Stop()\nreturn"
	}
	fmt.Fprintf(b, "if stop.Load() {\n%s\n}\n", out)
}

func (w *regionBody) stop() { w.declareOnce(&w.top, "stop", "g.Cancelled()") }

// writeExit writes the code at the end of node n, which ends at a cut. The written code stores live
// values in their homes, and records the number of the cut if necessary.
func (w *regionBody) writeExit(b *bytes.Buffer, n *node) {
	r := w.fullRegion()
	for _, v := range w.savedAt(n) {
		s := w.v(v)
		switch {
		case w.inTop(v):
			w.valueExpr(v)
			w.afterLoop("g.%s = %s", s, s)
		case w.oneHome(v):
			u := name("u", w.index[v])
			w.declareOnce(&w.top, u, "g.%s", s)
			fmt.Fprintf(b, "%s = %s\n", u, s)
			w.afterLoop("g.%s = %s", s, u)
		default:
			if !w.r.defs[v] {
				s = w.valueExpr(v)
			}
			fmt.Fprintf(b, "%s[li] = %s\n", w.homeSlice(v), s)
		}
	}
	k := n.split.index
	switch {
	case r.next != nil && r.mayReturn:
		fmt.Fprintf(b, "more = true\n")
	case r.next != nil:
	case len(r.exits) > 1:
		fmt.Fprintf(b, "if next != %d {\nif next >= 0 {\nreturn g.Diverge()\n}\nnext = %d\n}\n", k, k)
	case r.mayReturn:
		fmt.Fprintf(b, "next = %d\n", k)
	}
	fmt.Fprintf(b, "continue\n")
}

// afterLoop adds a line to the code after the loop over the work-items, unless the code already
// contains the line.
func (w *regionBody) afterLoop(format string, args ...any) {
	if s := fmt.Sprintf(format, args...); !slices.Contains(w.after, s) {
		w.after = append(w.after, s)
	}
}
