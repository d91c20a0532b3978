package lower

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/load"
)

// In Go, a variable declared in a loop is a new variable in each iteration. Package lower has one
// cell (the storage of a Go variable) for all iterations. The shared cell is wrong only if a
// pointer or closure uses an earlier iteration's variable after the next iteration has declared the
// variable. Kernels that use an earlier iteration's variable through a pointer or closure are
// refused. If a loop is lowered iteration by iteration, each iteration has its own cell. But an
// iteration's cell is declared again if the whole loop runs again. An iteration's cell is also
// declared again if a further inner loop contains the declaration.

// keepsOld checks operand v of a phi. Parameter x is the lowered value of v. If x refers to a
// variable, the phi must not be used after the variable is declared again. If such a use is
// possible, keepsOld reports an error.
func (l *lowerer) keepsOld(f *frame, phi *ssa.Phi, v ssa.Value, x val) {
	for _, c := range l.cellsOf(x) {
		at := c.declaredIn(f)
		if at == nil || f.ofRoundBefore(c, at, phi.Block()) {
			continue
		}
		// Inside an unrolled loop, each iteration has its own cell, so uses of the variable through
		// other phis matter only after the loop.
		after := slices.ContainsFunc(f.unrolled, func(u *unrolledLoop) bool { return u.blocks[at.Block()] && !u.blocks[phi.Block()] })
		if liveAcross(phi, at, f.roundsOf(c, at, phi.Block()), after) {
			from, passed := v.(*ssa.Phi)
			l.oldVariable(c, !passed || instanceOf(from) != nil)
		}
	}
}

// storesOld checks a store of x in a variable. If x refers to a variable, the stored value must not
// be used after the variable is declared again. If such a use is possible, storesOld reports an
// error.
func (l *lowerer) storesOld(to ref, x val) {
	holder, ok := to.(*cell)
	if !ok || holder.home == nil {
		return
	}
	for _, c := range l.cellsOf(x) {
		for f := c.frame(); f != nil; f = f.caller {
			held := holder.declaredIn(f)
			at := c.declaredIn(f)
			if readAfter(at, held, f.roundsOf(c, at, nil)) {
				l.oldVariable(c, true)
				break
			}
			if held != nil {
				break
			}
		}
	}
}

// iterationOf maps the Alloc of a loop variable's next instance to the Alloc of the variable's
// first instance. For other instructions, iterationOf returns nil.
//
// If a pointer or closure refers to a variable of a three-part for statement, go/ssa copies the
// variable at the end of each iteration. A phi in the loop's head selects the first instance of the
// variable or the next instance. Before the post statement, the loop allocates the next instance
// and copies the variable's current value to the new instance. The lowerer has one cell for all
// instances of the variable, so the copy does not change the cell.
func iterationOf(in *ssa.Alloc) *ssa.Alloc {
	block := in.Block()
	i := slices.Index(block.Instrs, ssa.Instruction(in))
	if i < 1 || i+1 == len(block.Instrs) {
		return nil
	}
	load, ok1 := block.Instrs[i-1].(*ssa.UnOp)
	store, ok2 := block.Instrs[i+1].(*ssa.Store)
	if !ok1 || !ok2 || load.Op != token.MUL || store.Addr != in || store.Val != load {
		return nil
	}
	phi, ok := load.X.(*ssa.Phi)
	if !ok || phi.Comment != in.Comment {
		return nil
	}
	var first *ssa.Alloc
	for _, e := range phi.Edges {
		a, ok := e.(*ssa.Alloc)
		if !ok || a != in && first != nil && a != first {
			return nil
		}
		if a != in {
			first = a
		}
	}
	return first
}

// lastInstance maps the Alloc of a loop variable's first instance, in a three-part for statement,
// to the Alloc executed in each iteration. lastInstance returns any other Alloc unchanged.
func lastInstance(in *ssa.Alloc) *ssa.Alloc {
	for _, r := range *in.Referrers() {
		phi, ok := r.(*ssa.Phi)
		if !ok {
			continue
		}
		for _, e := range phi.Edges {
			if a, ok := e.(*ssa.Alloc); ok && a != in && iterationOf(a) == in {
				return a
			}
		}
	}
	return in
}

// checkOutlives checks a store of x. The store is an error if it lets code use private memory after
// the function that reserved the memory has returned. The value x may refer to private memory
// directly or through other variables. The check runs after lowering, when the contents of
// variables are known.
func (l *lowerer) checkOutlives(to ref, x val) {
	holder, ok := to.(*cell)
	if !ok || holder.home == nil {
		return
	}
	l.atEnd(func() {
		for _, c := range l.privatesOf(x) {
			if !l.frame.insideCall(c.frame()) {
				continue // another error has been reported for this memory
			}
			for f := c.frame().caller; f != nil; f = f.caller {
				if holder.frame() == f {
					l.outlived("kept in a variable of " + load.FuncText(f.fn))
					return
				}
			}
		}
	})
}

// insideCall reports whether frame f is frame g, or a direct or indirect call inside frame g.
func (f *frame) insideCall(g *frame) bool {
	for ; f != nil; f = f.caller {
		if f == g {
			return true
		}
	}
	return false
}

// returnsPrivate reports an error if f returns private memory that f has reserved, or a value that
// leads to such memory.
func (l *lowerer) returnsPrivate(f *frame, x val) {
	l.atEnd(func() {
		for _, c := range l.privatesOf(x) {
			if c.frame() == f {
				l.outlived("returned by " + load.FuncText(f.fn))
				return
			}
		}
	})
}

// atEnd registers f to be called after everything is lowered. Before f is called, atEnd restores
// the lowerer's current frame and position.
func (w *builder) atEnd(f func()) {
	frame, pos, cur := w.frame, w.pos, w.frame.cur
	w.ends = append(w.ends, func() {
		w.frame, w.pos, frame.cur = frame, pos, cur
		f()
	})
}

// privatesOf returns the private memory that can be reached from value x. The search follows
// pointers and closures, and the contents of the variables to which they refer.
func (l *lowerer) privatesOf(x val) []*cell {
	var out []*cell
	seen := map[*cell]bool{}
	var follow func(x val)
	var visit func(c *cell)
	visit = func(c *cell) {
		if seen[c] {
			return
		}
		seen[c] = true
		if c.private {
			out = append(out, c)
			return
		}
		follow(c.shape)
		if c.several != nil {
			for _, v := range c.several.alts {
				follow(v.shape)
			}
		}
		if c.versions != nil {
			for _, v := range c.versions.all {
				follow(v.shape)
			}
		}
		for _, part := range c.fields {
			visit(part)
		}
	}
	follow = func(x val) {
		for _, c := range l.cellsOf(x) {
			visit(c)
		}
	}
	follow(x)
	return out
}

func (r *reporter) outlived(how string) {
	r.errorf(diag.Outlives, r.pos, "reserve it in the function that uses it, and pass it on",
		"private memory ends with the function that reserves it, but it is %s", how)
}

// oldVariable reports a reference to a variable of an earlier iteration. oldVariable reports each
// variable once, at the code that creates the reference.
func (r *reporter) oldVariable(c *cell, first bool) {
	if c.earlierErr != nil && (c.oldFirst || !first) {
		return
	}
	r.diags = slices.DeleteFunc(r.diags, func(d *diag.Diagnostic) bool { return d == c.earlierErr })
	name := "a variable"
	if s := cmp.Or(c.sourceName(), c.name); s != "" {
		name = "the variable " + s
	}
	r.addDiag(diag.MixedPointers, r.pos, "declare the variable before the loop, or keep its value",
		"this may refer to %s of an earlier iteration of a loop, which a kernel does not keep", name)
	if n := len(r.diags); n > 0 {
		c.earlierErr, c.oldFirst = r.diags[n-1], first
	}
}

// sourceName returns the name of the variable in the source, or "".
func (c *cell) sourceName() string {
	if a, ok := c.decl.(*ssa.Alloc); ok && token.IsIdentifier(a.Comment) && !madeUp[a.Comment] {
		return a.Comment
	}
	return ""
}

// sourceName returns the name of the variable or field to which the source assigns the value of the
// current instruction, or "".
func (w *builder) sourceName() string {
	if w.frame == nil {
		return ""
	}
	v, ok := w.frame.cur.(ssa.Value)
	if !ok {
		return ""
	}
	return sourceNameOf(v)
}

// sourceNameOf returns the name of the variable or field to which the source assigns the value v,
// or "". If v is the array of a slice literal, sourceNameOf returns the name of the variable that
// holds the slice.
func sourceNameOf(v ssa.Value) string {
	if v.Referrers() == nil {
		return ""
	}
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
			if name := types.ExprString(r.Expr); isPath(r.Expr) && !madeUp[name] {
				return name
			}
		case *ssa.Slice:
			if name := sourceNameOf(r); name != "" {
				return name
			}
		}
	}
	return ""
}

// isPath reports whether an expression is a variable or a field of a variable.
func isPath(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e.Name != "_"
	case *ast.SelectorExpr:
		return isPath(e.X)
	}
	return false
}

// madeUp lists the names that go/ssa gives to variables without a name in the source.
var madeUp = map[string]bool{"complit": true, "new": true, "makeslice": true, "slicelit": true, "varargs": true}

// cellsOf returns the declared variables to which a value refers.
func (l *lowerer) cellsOf(x val) []*cell {
	var out []*cell
	add := func(c *cell) {
		if c != nil && c.home != nil {
			out = append(out, c)
		}
	}
	switch x := x.(type) {
	case slice:
		add(l.foresight.carried.owners[x.at.v])
	case pointer:
		switch r := x.ref.(type) {
		case *cell:
			add(r)
		case mem:
			add(l.foresight.carried.owners[r.v])
		}
	case function:
		for _, b := range x.bindings {
			out = append(out, l.cellsOf(b)...)
		}
	case tuple:
		for _, e := range x.elems {
			out = append(out, l.cellsOf(e)...)
		}
	case iface:
		return l.cellsOf(x.v)
	case oneOf:
		for _, v := range x.alts {
			out = append(out, l.cellsOf(v)...)
		}
	}
	return out
}

func (c *cell) frame() *frame {
	if c.home == nil {
		return nil
	}
	return c.home.frame
}

// declaredIn returns the instruction of f that declares the variable c. If c is declared inside a
// call, declaredIn returns the call instruction in f. If c is not declared in f, declaredIn returns
// nil.
func (c *cell) declaredIn(f *frame) ssa.Instruction {
	at := c.decl
	for g := c.frame(); g != nil; g = g.caller {
		if g == f {
			return at
		}
		at = g.site
	}
	return nil
}

// advanceClock advances the logical clock and returns the new time.
func (fs *foresight) advanceClock() int { fs.time++; return fs.time }

func (c *cell) setBorn(time int) {
	c.born = time
	for _, part := range c.fields {
		part.setBorn(time)
	}
}

// roundsOf returns the loops of f that are lowered iteration by iteration and contain instruction
// decl, which declares variable c. Each iteration of a returned loop has its own instance of the
// variable. If inBlock is not nil, only loops that also contain inBlock are returned. If the
// variable has not been declared yet, roundsOf returns no loops.
func (f *frame) roundsOf(c *cell, decl ssa.Instruction, inBlock *ssa.BasicBlock) []*unrolledLoop {
	var all []*unrolledLoop
	for _, u := range f.unrolled {
		if decl != nil && c.born > 0 && u.blocks[decl.Block()] && (inBlock == nil || u.blocks[inBlock]) {
			all = append(all, u)
		}
	}
	return all
}

// ofRoundBefore reports whether variable c belongs to an earlier iteration of a loop that contains
// a given block. If the given block is the loop's head, variables of the current iteration also
// count as earlier, because the iteration is about to end.
func (f *frame) ofRoundBefore(c *cell, decl ssa.Instruction, in *ssa.BasicBlock) bool {
	return c.born > 0 && slices.ContainsFunc(f.unrolled, func(u *unrolledLoop) bool {
		return u.active && u.blocks[in] && u.blocks[decl.Block()] && (c.born < u.began || in == u.head)
	})
}

// liveAcross reports whether the instruction decl may run between a phi and a use of the phi's
// value. liveAcross ignores paths that continue with the next iteration of the given loops. If
// throughPhis is set, liveAcross also considers uses of other phis that have the phi's value as an
// operand.
func liveAcross(phi *ssa.Phi, decl ssa.Instruction, rounds []*unrolledLoop, throughPhis bool) bool {
	home, b := phi.Block(), decl.Block()
	reached := map[*ssa.BasicBlock]bool{}
	markReachable(home, home, reached, rounds...)
	if b != home && !reached[b] {
		return false
	}
	after := map[*ssa.BasicBlock]bool{}
	markReachable(b, home, after, rounds...)
	from := slices.Index(b.Instrs, decl)
	for _, u := range usesOf(phi, throughPhis) {
		if after[u.block] || u.block == b && u.index > from {
			return true
		}
	}
	return false
}

// markReachable marks the blocks reachable from block b on paths that do not pass through the block
// "stop". Where a path would start the next iteration of one of the given loops, markReachable
// continues after the loop instead.
func markReachable(b, stop *ssa.BasicBlock, seen map[*ssa.BasicBlock]bool, rounds ...*unrolledLoop) {
	for _, s := range b.Succs {
		to := []*ssa.BasicBlock{s}
		for _, u := range rounds {
			if s == u.head && u.blocks[b] {
				to = u.exitTargets()
			}
		}
		for _, s := range to {
			if s != stop && !seen[s] {
				seen[s] = true
				markReachable(s, stop, seen, rounds...)
			}
		}
	}
}

// readAfter reports whether a variable may be used after the instruction `decl` has run again. The
// instruction holdDecl declares the variable, and paths that contain holdDecl do not count. If the
// variable is declared outside of the function, holdDecl is nil. readAfter ignores executions of
// decl in later iterations of the given loops.
func readAfter(decl, holdDecl ssa.Instruction, rounds []*unrolledLoop) bool {
	if decl == nil {
		return false
	}
	var stop *ssa.BasicBlock
	if holdDecl != nil {
		if stop = holdDecl.Block(); stop == decl.Block() {
			return false
		}
	}
	seen := map[*ssa.BasicBlock]bool{}
	markReachable(decl.Block(), stop, seen, rounds...)
	if !seen[decl.Block()] || holdDecl == nil {
		return seen[decl.Block()]
	}
	// A variable declared inside an inlined call is used only in that call.
	v, ok := holdDecl.(*ssa.Alloc)
	if m, made := holdDecl.(*ssa.MakeSlice); made {
		return slices.ContainsFunc(usesOf(m, false), func(u use) bool { return seen[u.block] })
	}
	return ok && slices.ContainsFunc(usesOf(v, false), func(u use) bool { return seen[u.block] })
}

type use struct {
	block *ssa.BasicBlock
	index int
}

// usesOf returns the uses of a value, and of pointers computed from the value. If throughPhis is
// set, the result includes uses of phis that have the value as an operand.
func usesOf(v ssa.Value, throughPhis bool) []use {
	var out []use
	seen := map[ssa.Value]bool{v: true}
	for work := []ssa.Value{v}; len(work) > 0; {
		v := work[0]
		work = work[1:]
		for _, r := range *v.Referrers() {
			switch r := r.(type) {
			case *ssa.DebugRef:
				continue
			case *ssa.Phi: // a phi uses its operand at the end of the incoming edge
				for i, e := range r.Edges {
					if e == v {
						p := r.Block().Preds[i]
						out = append(out, use{p, len(p.Instrs)})
					}
				}
				if throughPhis && !seen[r] {
					seen[r] = true
					work = append(work, r)
				}
				continue
			case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Slice, *ssa.ChangeType, *ssa.MakeInterface,
				*ssa.ChangeInterface, *ssa.MakeClosure, *ssa.TypeAssert, *ssa.SliceToArrayPointer, *ssa.Call, *ssa.Extract:
				if d := r.(ssa.Value); !seen[d] && d.Referrers() != nil {
					seen[d] = true
					work = append(work, d)
				}
			}
			out = append(out, use{r.Block(), slices.Index(r.Block().Instrs, r)})
		}
	}
	return out
}
