package lower

// This file lowers loops iteration by iteration if their index selects values that are known during
// lowering.

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/internal/gotypes"
	"github.com/kgen-go/kgen/codegen/ir"
)

// unrolledLoop is a loop that is lowered iteration by iteration, so that the loop's index is a
// constant in each iteration. A constant index is needed for an array or slice whose elements must
// be known during lowering, such as an array of functions.
type unrolledLoop struct {
	head   *ssa.BasicBlock
	blocks map[*ssa.BasicBlock]bool // blocks of the loop, and blocks that addReturns has added
	outs   []ssa.Value              // values that are defined in the loop and used after the loop
	active bool                     // whether the loop is being lowered
	began  int                      // logical time at which the lowering of the current iteration began
}

// maxReturnBlocks is the largest number of blocks outside of a loop that are lowered with each
// iteration.
const maxReturnBlocks = 8

// findUnrolled finds the loops of f that must be lowered iteration by iteration.
func (fs *foresight) findUnrolled(f *frame, order []*ssa.BasicBlock) {
	heads := map[*ssa.BasicBlock]bool{}
	for _, b := range order {
		for _, in := range b.Instrs {
			var x, index ssa.Value
			switch in := in.(type) {
			case *ssa.IndexAddr:
				x, index = in.X, in.Index
			case *ssa.Index:
				x, index = in.X, in.Index
			}
			if x != nil && fs.resolvedElems(x.Type()) {
				phiBlocks(index, heads, map[ssa.Value]bool{})
			}
		}
	}
	for _, h := range order {
		if !heads[h] {
			continue
		}
		if blocks := naturalLoop(h); blocks != nil && !fs.carried.rolled[rolledKey{f.path, h}] {
			u := &unrolledLoop{head: h, blocks: blocks}
			u.addReturns(order)
			u.findOuts()
			f.unrolled = append(f.unrolled, u)
		}
	}
}

// resolvedElems reports whether t is an array, a slice or a pointer to an array whose elements must
// be known during lowering. Strings are excluded, because they can be selected at run time.
func (w *builder) resolvedElems(t types.Type) bool {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	switch t := t.Underlying().(type) {
	case *types.Array:
		return !w.isFlat(t.Elem()) && !gotypes.IsString(t.Elem())
	case *types.Slice:
		return !w.isFlat(t.Elem()) && !gotypes.IsString(t.Elem())
	}
	return false
}

// phiBlocks marks the blocks of all phis from which the value v is computed.
func phiBlocks(v ssa.Value, marked map[*ssa.BasicBlock]bool, seen map[ssa.Value]bool) {
	if seen[v] {
		return
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.Phi:
		marked[v.Block()] = true
		for _, e := range v.Edges {
			phiBlocks(e, marked, seen)
		}
	case *ssa.BinOp:
		phiBlocks(v.X, marked, seen)
		phiBlocks(v.Y, marked, seen)
	case *ssa.Convert:
		phiBlocks(v.X, marked, seen)
	case *ssa.ChangeType:
		phiBlocks(v.X, marked, seen)
	case *ssa.UnOp:
		switch x := v.X.(type) {
		case *ssa.Alloc:
			for _, st := range declStores(x) {
				phiBlocks(st.Val, marked, seen)
			}
		case *ssa.Phi:
			if a := instanceOf(x); a != nil {
				phiBlocks(x, marked, seen)
				phiBlocks(a, marked, seen)
			}
		}
	case *ssa.Alloc:
		for _, st := range declStores(v) {
			phiBlocks(st.Val, marked, seen)
		}
	}
}

// declStores returns the stores to a variable in the block that declares the variable.
func declStores(a *ssa.Alloc) []*ssa.Store {
	var all []*ssa.Store
	for _, r := range *a.Referrers() {
		if st, ok := r.(*ssa.Store); ok && st.Addr == a && st.Block() == a.Block() {
			all = append(all, st)
		}
	}
	return all
}

// initStores returns all stores to variable a, if they are in the block that declares the variable.
// If other blocks write to the variable, initStores returns nil.
func initStores(a *ssa.Alloc) []*ssa.Store {
	var all []*ssa.Store
	if !readOnly(a, func(st *ssa.Store) bool {
		all = append(all, st)
		return st.Block() == a.Block()
	}) {
		return nil
	}
	return all
}

// instanceOf returns an Alloc of a variable that a three-part for statement declares, if the phi
// selects the variable's instance in the current iteration. For all other phis, instanceOf returns
// nil.
func instanceOf(phi *ssa.Phi) *ssa.Alloc {
	for _, e := range phi.Edges {
		if a, ok := e.(*ssa.Alloc); ok && iterationOf(a) != nil {
			return a
		}
	}
	return nil
}

// readOnly reports whether the memory at address p is only read. Accesses in closures are included.
// Stores that isAllowed accepts do not count as writes.
func readOnly(p ssa.Value, isAllowed func(st *ssa.Store) bool) bool {
	for _, r := range *p.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.UnOp:
			if r.Op != token.MUL {
				return false
			}
		case *ssa.Store:
			if r.Addr != p || r.Val == p || !isAllowed(r) {
				return false
			}
		case *ssa.FieldAddr:
			if !readOnly(r, isAllowed) {
				return false
			}
		case *ssa.Phi:
			if instanceOf(r) == nil || !readOnly(r, func(*ssa.Store) bool { return false }) {
				return false
			}
		case *ssa.MakeClosure:
			for i, b := range r.Bindings {
				if b == p && !readOnly(r.Fn.(*ssa.Function).FreeVars[i], func(*ssa.Store) bool { return false }) {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// naturalLoop returns the blocks of the natural loop with head h, or nil.
func naturalLoop(h *ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	var loop map[*ssa.BasicBlock]bool
	var back func(b *ssa.BasicBlock)
	back = func(b *ssa.BasicBlock) {
		if !loop[b] {
			loop[b] = true
			for _, p := range b.Preds {
				back(p)
			}
		}
	}
	for _, p := range h.Preds {
		if h.Dominates(p) {
			if loop == nil {
				loop = map[*ssa.BasicBlock]bool{h: true}
			}
			back(p)
		}
	}
	return loop
}

// addReturns adds to u.blocks some blocks after the loop. Each path from an added block leads to a
// return. An added block is dominated by a block of the loop other than the head. The added blocks
// are lowered with each iteration, since the shape of the returned value may differ between
// iterations.
func (u *unrolledLoop) addReturns(order []*ssa.BasicBlock) {
	found := map[*ssa.BasicBlock]bool{}
	for _, b := range slices.Backward(order) {
		if u.blocks[b] || !u.head.Dominates(b) || slices.ContainsFunc(b.Succs, func(s *ssa.BasicBlock) bool { return !found[s] }) {
			continue
		}
		for r := range u.blocks {
			if r != u.head && r.Dominates(b) {
				found[b] = true
			}
		}
	}
	if len(found) <= maxReturnBlocks {
		for b := range found {
			u.blocks[b] = true
		}
	}
}

// findOuts finds the values that are defined in the loop and used after the loop.
func (u *unrolledLoop) findOuts() {
	behind := func(v ssa.Value) bool {
		refs := v.Referrers()
		return refs != nil && slices.ContainsFunc(*refs, func(r ssa.Instruction) bool {
			if phi, ok := r.(*ssa.Phi); ok && !u.blocks[phi.Block()] {
				for i, e := range phi.Edges {
					if e == v && !u.blocks[phi.Block().Preds[i]] {
						return true
					}
				}
				return false
			}
			return !u.blocks[r.Block()]
		})
	}
	u.eachInstr(func(in ssa.Instruction) {
		if v, ok := in.(ssa.Value); ok && behind(v) {
			u.outs = append(u.outs, v)
		}
	})
}

// eachInstr calls f for each instruction of the loop, in the order of the function's blocks.
func (u *unrolledLoop) eachInstr(f func(in ssa.Instruction)) {
	for _, b := range u.head.Parent().Blocks {
		if u.blocks[b] {
			for _, in := range b.Instrs {
				f(in)
			}
		}
	}
}

// unrolledAt returns the loop that contains block b and still has to be lowered iteration by
// iteration, or nil.
func (f *frame) unrolledAt(b *ssa.BasicBlock) *unrolledLoop {
	for _, u := range f.unrolled {
		if !u.active && u.blocks[b] {
			return u
		}
	}
	return nil
}

// exitTargets returns the successors of the loop's blocks that are outside of the loop.
func (u *unrolledLoop) exitTargets() []*ssa.BasicBlock {
	var out []*ssa.BasicBlock
	for b := range u.blocks {
		for _, s := range b.Succs {
			if !u.blocks[s] {
				out = append(out, s)
			}
		}
	}
	return out
}

// inRound reports whether a block is in a loop that is being lowered iteration by iteration.
func (f *frame) inRound(b *ssa.BasicBlock) bool {
	return slices.ContainsFunc(f.unrolled, func(u *unrolledLoop) bool { return u.active && u.blocks[b] })
}

// firstOfRounds reports whether an Alloc declares the first instance of a loop variable. For
// variables of loops that are lowered as loops, firstOfRounds returns false.
func (f *frame) firstOfRounds(in *ssa.Alloc) bool {
	last := lastInstance(in)
	return last != in && slices.ContainsFunc(f.unrolled, func(u *unrolledLoop) bool { return u.blocks[last.Block()] })
}

// rolledKey identifies a loop of an inlined call. A loop with a rolledKey is lowered as a loop,
// because the loop's number of iterations is unknown or too large. In a loop with a rolledKey,
// elements of arrays and slices are selected at run time.
type rolledKey struct {
	path *callPath
	head *ssa.BasicBlock
}

// unrollLoop lowers a loop iteration by iteration.
func (l *lowerer) unrollLoop(f *frame, u *unrolledLoop, order []*ssa.BasicBlock) {
	u.active = true
	l.foresight.rounds++
	var rest []*ssa.BasicBlock
	for _, b := range order {
		if u.blocks[b] && b != u.head {
			rest = append(rest, b)
		}
	}
	errors := len(l.diags)
	for n := 0; f.reached[u.head] && len(l.diags) == errors; n++ {
		if n > unrollLimit {
			l.foresight.carried.rolled[rolledKey{f.path, u.head}] = true
			l.foresight.repeat = true
			break
		}
		u.began = l.foresight.advanceClock()
		at := f.block(l, u.head)
		phis := l.forgetIteration(f, u)
		l.b = at
		for _, in := range u.head.Instrs {
			phi, ok := in.(*ssa.Phi)
			switch c := phis[phi]; {
			case !ok:
				l.lowerNext(f, in)
			case c != nil && c.onlyConst != nil:
				l.setValue(f, phi, c.onlyConst)
			case c != nil:
				l.setValue(f, phi, l.loadCell(c))
			}
		}
		l.lowerBlocks(f, rest)
		if br, ok := u.head.Instrs[len(u.head.Instrs)-1].(*ssa.If); ok && isBad(f.vals[br.Cond]) {
			break // the number of iterations is unknown; an error has been reported
		}
	}
	if f.reached[u.head] {
		l.abandonUnroll(f, u, order)
	}
	l.foresight.rounds--
	u.active = false
}

// abandonUnroll is called if some iterations of a loop could not be lowered. abandonUnroll adds
// branches to all exits of the loop that have not been reached.
func (l *lowerer) abandonUnroll(f *frame, u *unrolledLoop, order []*ssa.BasicBlock) {
	l.b, l.foresight.cut = f.block(l, u.head), true
	for _, from := range order {
		for i, to := range from.Succs {
			if u.blocks[from] && !u.blocks[to] && !f.reached[to] {
				next := l.newBlock()
				l.b.Branch(l.opaqueScalar(ir.TypeBool), l.edgeTo(f, from, i), next)
				l.b = next
			}
		}
	}
	l.b.SetTerm(ir.Term{Kind: ir.Return})
	l.foresight.cut = false
}

// forgetIteration removes all values of the previous iteration. forgetIteration returns the
// variables of the phis in the loop's head. The returned variables hold the phis' values for the
// current iteration.
func (w *builder) forgetIteration(f *frame, u *unrolledLoop) map[*ssa.Phi]*cell {
	phis := map[*ssa.Phi]*cell{}
	for b := range u.blocks {
		delete(f.blocks, b)
		delete(f.reached, b)
	}
	u.eachInstr(func(in ssa.Instruction) {
		switch in := in.(type) {
		case *ssa.Phi:
			if in.Block() == u.head {
				phis[in] = f.phis[in]
			}
			delete(f.phis, in)
		case *ssa.Alloc:
			delete(f.allocs, in)
		}
		if v, ok := in.(ssa.Value); ok {
			delete(f.vals, v)
			if f.late[v] != nil {
				f.late[v] = &lateAddr{}
			}
		}
	})
	return phis
}

// storeOuts emits stores on an edge out of a loop, for the loop's values that are used after the
// loop.
func (l *lowerer) storeOuts(f *frame, from, to *ssa.BasicBlock) {
	for _, u := range f.unrolled {
		if !u.active || !u.blocks[from] || u.blocks[to] {
			continue
		}
		for _, v := range u.outs {
			x, ok := f.vals[v]
			if !ok {
				continue
			}
			c := f.outs[v]
			if c == nil {
				c = l.newCell(v.Type(), "out")
				l.setKey(c, v)
				if f.outs == nil {
					f.outs = map[ssa.Value]*cell{}
				}
				f.outs[v] = c
			}
			l.storeCell(c, x)
		}
	}
}

// outVar returns the variable that keeps the value v for the code after an unrolled loop.
func (f *frame) outVar(v ssa.Value) *cell {
	if c := f.outs[v]; c != nil && !f.inRound(v.(ssa.Instruction).Block()) {
		return c
	}
	return nil
}

// foldInt evaluates an integer operation on constants. foldInt is used in and around loops that are
// lowered iteration by iteration. If the operation cannot be evaluated, foldInt returns nil.
func (fs *foresight) foldInt(op token.Token, a, b *ir.Value, t types.Type) *ir.Value {
	if fs.rounds == 0 && len(fs.frame.unrolled) == 0 && !fs.carried.folds || !a.IsConst() || !b.IsConst() || !gotypes.IsInteger(t) {
		return nil
	}
	x, y := a.Int(), b.Int()
	var n int64
	switch op {
	case token.ADD:
		n = x + y
	case token.SUB:
		n = x - y
	case token.MUL:
		n = x * y
	case token.AND:
		n = x & y
	case token.OR:
		n = x | y
	case token.XOR:
		n = x ^ y
	case token.REM, token.QUO:
		if x < 0 || y <= 0 {
			return nil
		}
		if n = x % y; op == token.QUO {
			n = x / y
		}
	case token.LSS:
		return fs.m.Bool(gotypes.Less(x, y, t))
	case token.LEQ:
		return fs.m.Bool(!gotypes.Less(y, x, t))
	case token.GTR:
		return fs.m.Bool(gotypes.Less(y, x, t))
	case token.GEQ:
		return fs.m.Bool(!gotypes.Less(x, y, t))
	case token.EQL:
		return fs.m.Bool(x == y)
	case token.NEQ:
		return fs.m.Bool(x != y)
	default:
		return nil
	}
	s := 64 - gotypes.Width(t)
	if gotypes.IsUnsigned(t) {
		return fs.m.Const(a.Type, uint64(n)<<s>>s)
	}
	return fs.m.Int(a.Type, n<<s>>s)
}
