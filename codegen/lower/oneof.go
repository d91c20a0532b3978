package lower

// This file handles values that have several alternatives. The running kernel selects one of the
// alternatives.

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/internal/gotypes"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/load"
)

// oneOf is a value that has one of several shapes, depending on data of the running kernel. For
// example, a oneOf is an interface value with several possible dynamic types, or one of several
// functions. A oneOf may also be a pointer or slice into one of several variables. Each use of the
// value is lowered once for each alternative, in a separate branch.
type oneOf struct {
	tag  *ir.Value // index of the current alternative, an i32
	alts []val     // alternatives, all of different shapes
}

// altState contains the number of the alternative (of a oneOf) that is being lowered.
type altState struct {
	*builder
	oneSlice bool // whether the alternative being lowered is a slice
	in       int  // number of the alternative being lowered; 0 outside of alternatives
	n        int  // number of alternatives whose lowering has begun, in the whole kernel
}

// nilAlt is a nil pointer or nil slice as an alternative of a oneOf.
type nilAlt struct{ typ types.Type }

// altOf returns alternative i of u.
func (l *lowerer) altOf(u oneOf, i int) val {
	if n, ok := u.alts[i].(nilAlt); ok {
		return l.zeroValue(n.typ)
	}
	return u.alts[i]
}

// maxAlts is the largest number of alternatives (different shapes) of one variable.
const maxAlts = 32

// isAlt emits the condition that alternative i is the current alternative of u.
func (w *builder) isAlt(u oneOf, i int) *ir.Value {
	return w.op(ir.OpIEq, ir.TypeBool, u.tag, w.m.Int(ir.TypeI32, int64(i)))
}

// eachAlt calls the function emitAlt for each alternative of u. The code of each alternative is in
// a separate branch. eachAlt returns the results of emitAlt combined into one value of type t. If t
// is nil or an empty tuple, eachAlt returns no value.
func (l *lowerer) eachAlt(u oneOf, t types.Type, emitAlt func(alt val) val) val {
	var c *cell
	if tuple, ok := t.(*types.Tuple); t != nil && !(ok && tuple.Len() == 0) {
		c = l.newCell(t, "each")
		l.setKey(c, partKey{l.frame.cur, -1})
		l.makeSeveral(c)
	}
	join := l.newBlock()
	l.dispatch(u, 0, len(u.alts), func(i int) {
		v := l.altOf(u, i)
		before, alt := l.alternatives.oneSlice, l.alternatives.in
		_, l.alternatives.oneSlice = v.(slice)
		l.alternatives.n++
		l.alternatives.in = l.alternatives.n
		v = emitAlt(v)
		l.alternatives.oneSlice, l.alternatives.in = before, alt
		if len(l.b.Preds) > 0 || l.b == l.f.Blocks[0] { // the end of the branch is reachable
			if c != nil {
				l.storeCell(c, v)
			}
			l.b.Jump(join)
		}
	})
	l.b = join
	if c == nil {
		return nil
	}
	return l.loadCell(c)
}

// maxInRow is the largest number of alternatives that are tested in a chain of conditions. A longer
// list of alternatives is first divided into halves, because drivers limit the nesting of
// conditions.
const maxInRow = 4

// dispatch emits a branch for each alternative of u from lo to hi-1, and calls emitAlt in the
// branch. The branch runs if the alternative is the current alternative of u.
func (w *builder) dispatch(u oneOf, lo, hi int, emitAlt func(i int)) {
	mid := lo + 1
	if hi-lo > maxInRow {
		mid = (lo + hi) / 2
	}
	if mid >= hi {
		emitAlt(lo)
		return
	}
	first, rest := w.newBlock(), w.newBlock()
	is := w.isAlt(u, lo)
	if mid > lo+1 {
		is = w.op(ir.OpULt, ir.TypeBool, u.tag, w.m.Int(ir.TypeI32, int64(mid)))
	}
	w.b.Branch(is, first, rest)
	w.b.Term.Pos = w.irPos(w.pos)
	w.b = first
	w.dispatch(u, lo, mid, emitAlt)
	w.b = rest
	w.dispatch(u, mid, hi, emitAlt)
}

// resolved returns the first operand that is a oneOf, if the instruction must be lowered separately
// for each alternative of the operand.
func (l *lowerer) resolved(in ssa.Instruction) (ssa.Value, oneOf, bool) {
	var operands []ssa.Value
	switch in := in.(type) {
	case *ssa.Store:
		operands = []ssa.Value{in.Addr}
	case *ssa.UnOp:
		operands = []ssa.Value{in.X}
	case *ssa.FieldAddr:
		operands = []ssa.Value{in.X}
	case *ssa.IndexAddr:
		operands = []ssa.Value{in.X}
	case *ssa.Slice:
		operands = []ssa.Value{in.X}
	case *ssa.SliceToArrayPointer:
		operands = []ssa.Value{in.X}
	case *ssa.TypeAssert:
		operands = []ssa.Value{in.X}
	case *ssa.Convert:
		operands = []ssa.Value{in.X}
	case *ssa.MultiConvert:
		operands = []ssa.Value{in.X}
	case *ssa.Panic:
		operands = []ssa.Value{in.X}
	case *ssa.Call:
		operands = []ssa.Value{in.Call.Value}
		f, _ := l.operandOf(in.Call.Value).(function)
		if f.builtin != nil || f.fn != nil && Known(origin(f.fn).RelString(nil)) {
			if operands = in.Call.Args; f.fn != nil && funcPkg(f.fn) == "errors" {
				operands = operands[1:] // the functions of package errors examine each error themselves
			}
		}
	}
	for _, v := range operands {
		if u, ok := l.operandOf(v).(oneOf); ok {
			return v, u, true
		}
	}
	return nil, oneOf{}, false
}

// funcPkg returns the path of the package that declares a function, or "".
func funcPkg(fn *ssa.Function) string {
	if p := origin(fn).Pkg; p != nil {
		return p.Pkg.Path()
	}
	return ""
}

// operandOf returns the lowered form of operand v, which may be a oneOf. For operands that cannot
// be a oneOf, callers use valueOf instead.
func (l *lowerer) operandOf(v ssa.Value) val {
	switch v.(type) {
	case *ssa.Const, *ssa.Global:
		return nil
	}
	return l.valueOf(v)
}

// withOperand calls emitFor. While emitFor runs, operand v has the value x.
func (w *builder) withOperand(v ssa.Value, x val, emitFor func() val) val {
	f := w.frame
	if f.as == nil {
		f.as = map[ssa.Value]val{}
	}
	f.as[v] = x
	out := emitFor()
	delete(f.as, v)
	return out
}

// equalAlts lowers u == y, where the oneOf u and the value y have type t.
func (l *lowerer) equalAlts(u oneOf, y val, t types.Type) val {
	or := l.m.Bool(false)
	for i := range u.alts {
		if mayPanic(u.alts[i], y) { // a comparison that may panic must run only if alternative i is the current alternative
			same, ok := l.andThen(l.isAlt(u, i), func() val { return l.lowerEqual(l.altOf(u, i), y, t) }).(*ir.Value)
			if !ok {
				return badVal{}
			}
			or = l.op(ir.OpLOr, ir.TypeBool, or, same)
			continue
		}
		same, ok := l.lowerEqual(l.altOf(u, i), y, t).(*ir.Value)
		if !ok || same.IsConst() && same.Bits == 0 {
			continue
		}
		if is := l.isAlt(u, i); same.IsConst() {
			same = is
		} else {
			same = l.op(ir.OpLAnd, ir.TypeBool, is, same)
		}
		if or.IsConst() {
			or = same
		} else {
			or = l.op(ir.OpLOr, ir.TypeBool, or, same)
		}
	}
	return or
}

// setPending records whether the declaration of a variable is not lowered yet. The record also
// applies to the variable's fields or elements.
func (c *cell) setPending(pending bool) {
	c.pending = pending
	for _, part := range c.fields {
		part.setPending(pending)
	}
}

// mayPanic reports whether a comparison of two values may panic. Go panics if two interface values
// have the same dynamic type, and values of this type cannot be compared.
func mayPanic(x, y val) bool {
	if u, ok := x.(oneOf); ok {
		return slices.ContainsFunc(u.alts, func(alt val) bool { return mayPanic(alt, y) })
	}
	if u, ok := y.(oneOf); ok {
		return mayPanic(u, x)
	}
	switch x := x.(type) {
	case iface:
		y, ok := y.(iface)
		return ok && x.typ != nil && y.typ != nil && types.Identical(x.typ, y.typ) && (!types.Comparable(x.typ) || mayPanic(x.v, y.v))
	case tuple:
		y, ok := y.(tuple)
		for i := range x.elems {
			if ok && mayPanic(x.elems[i], y.elems[i]) {
				return true
			}
		}
	}
	return false
}

// uncomparableText returns the text of gc's panic for a comparison of interface values.
func uncomparableText(t types.Type) string {
	return "runtime error: comparing uncomparable type " + reflectName(t)
}

// shapeStorage describes the storage of a variable that holds values of several shapes. Each shape
// has its own IR variables. The field `tag` holds the number of the current shape.
type shapeStorage struct {
	tag  *ir.Var
	alts []*shapeVersion
	read bool // whether the variable was loaded
	soon bool // whether the variable was loaded before its declaration was lowered
}

// makeSeveral changes the storage of a variable, and of its fields or elements, to hold values of
// several shapes. Strings are excluded, since all strings have the same shape.
func (l *lowerer) makeSeveral(c *cell) {
	if c.cls == classShape && c.several == nil && !gotypes.IsString(c.typ) {
		c.several = &shapeStorage{tag: l.clearVar("which", ir.TypeI32)}
		for _, v := range l.foresight.carried.ahead[c.inst] {
			if v, ok := l.shapeHere(v); ok {
				c.several.addShape(l, v)
			}
		}
	}
	for _, part := range c.fields {
		l.makeSeveral(part)
	}
}

// clearVar makes an IR variable that is zeroed when the kernel starts. A load of a oneOf loads the
// scalars of all alternatives. So the variables of an alternative need defined contents even if no
// value of the alternative was stored.
func (w *builder) clearVar(name string, t *ir.Type) *ir.Var {
	v := w.m.NewVar(w.f, ir.Function, name, t)
	w.opInPrologue(ir.OpStore, ir.TypeVoid, w.m.Const(t, 0)).Aux = &ir.Ref{Var: v}
	return v
}

// addShape adds an alternative with the shape of v and returns the alternative's number.
func (s *shapeStorage) addShape(l *lowerer, v val) int {
	ver := &shapeVersion{shape: l.holdAnew(v)}
	for _, x := range scalarsOf(v) {
		ver.vars = append(ver.vars, l.clearVar("shape", x.Type))
	}
	s.alts = append(s.alts, ver)
	return len(s.alts) - 1
}

// loadSeveral returns the value of a variable that holds values of several shapes.
func (l *lowerer) loadSeveral(c *cell) val {
	s := c.several
	s.read, s.soon = true, s.soon || c.pending
	u := oneOf{}
	for _, ver := range s.alts {
		i := -1
		u.alts = append(u.alts, rebuild(ver.shape, func() *ir.Value {
			i++
			return l.loadVar(ver.vars[i])
		}))
	}
	switch len(u.alts) {
	case 0:
		return l.zeroValue(c.typ)
	case 1:
		u.alts[0] = l.unheld(u.alts[0], func() *ir.Value { return l.m.Bool(true) })
		return l.altOf(u, 0)
	}
	u.tag = l.loadVar(s.tag)
	for i, alt := range u.alts {
		u.alts[i] = l.unheld(alt, func() *ir.Value { return l.isAlt(u, i) })
	}
	return u
}

// storeSeveral sets the value of a variable that holds values of several shapes.
func (l *lowerer) storeSeveral(c *cell, v val) {
	s := c.several
	u, ok := v.(oneOf)
	if !ok {
		u = oneOf{alts: []val{v}}
	}
	var tag *ir.Value
	stored := map[int][]*ir.Value{}
	for i, alt := range u.alts {
		if isNilShape(alt) && isReference(alt) {
			alt = nilAlt{c.typ}
		}
		x, ok := l.prepareAlt(alt, c.typ)
		n := -1
		if ok {
			n = l.altNumber(c, x)
		}
		if n < 0 {
			if !c.reported {
				c.reported = true
				l.tooMixed(c, alt, ok)
			}
			return
		}
		is := l.m.Bool(true)
		if i > 0 {
			is = l.isAlt(u, i)
		}
		xs := scalarsOf(x)
		for j := range xs {
			if stored[n] != nil { // an earlier alternative of the stored value has the same shape
				xs[j] = l.op(ir.OpSelect, xs[j].Type, is, xs[j], stored[n][j])
			}
			l.storeVar(s.alts[n].vars[j], xs[j])
		}
		l.copyHeld(s.alts[n].shape, x, func() *ir.Value {
			if len(u.alts) == 1 {
				return is
			}
			return l.isAlt(u, i)
		}, stored[n] != nil)
		stored[n] = append([]*ir.Value{}, xs...) // must not be nil, even if the value has no run-time scalars
		if number := l.m.Int(ir.TypeI32, int64(n)); tag == nil {
			tag = number
		} else if tag != number {
			tag = l.op(ir.OpSelect, ir.TypeI32, is, number, tag)
		}
	}
	l.storeVar(s.tag, tag)
}

// altNumber returns the number of c's alternative that has the shape of v. If c has no alternative
// with the shape of v, altNumber adds an alternative. altNumber returns -1 if no alternative can be
// added.
func (l *lowerer) altNumber(c *cell, v val) int {
	s := c.several
	for i, ver := range s.alts {
		if sameShape(ver.shape, v) {
			return i
		}
	}
	if len(s.alts) == maxAlts {
		return -1
	}
	n := s.addShape(l, v)
	if s.soon || s.read && (c.home == nil || l.loopsSince(*c.home)) {
		// Code of an earlier loop iteration has read the variable, so the code must be lowered
		// again with the new shape.
		if !l.foresight.saveShapes(c) {
			return -1
		}
	}
	return n
}

// tooMixed reports an error for a value v that variable c cannot hold in addition to the variable's
// other values.
func (l *lowerer) tooMixed(c *cell, v val, kept bool) {
	alts := c.several.alts
	if kept && len(alts) == maxAlts {
		code, _ := badType(c.typ)
		l.errorf(code, l.pos, "let the variable hold fewer, or use several variables, each in a branch of its own", "this value of type %v may be one of more than %d functions, types or variables, which kgen tells apart", c.typ, maxAlts)
		return
	}
	if len(alts) == 0 {
		l.reportMixed(c, v, v)
		return
	}
	if _, ok := v.(oneOf); ok {
		v = alts[len(alts)-1].shape
	}
	if kept && isReference(v) {
		if slices.ContainsFunc(l.cellsOf(v), func(c *cell) bool { return c.earlierErr != nil }) {
			return // an error for this variable has been reported
		}
		l.errorf(diag.MixedPointers, l.pos, "reserve it before the loop", "%s may refer to %s in the next round of a loop, before that is reserved there", c.subject(kindOf(v)), l.describe(v))
		return
	}
	l.reportMixed(c, alts[0].shape, v)
}

// prepareAlt prepares a value of type t for a variable that holds values of several shapes. Strings
// become positions in the table of texts, pointers get a flag that tells whether they are nil, and
// arrays become heldArrays. prepareAlt returns false if the variable cannot hold the value.
func (l *lowerer) prepareAlt(v val, t types.Type) (val, bool) {
	all := func(vs []val, of func(i int) types.Type) ([]val, bool) {
		out := make([]val, len(vs))
		for i := range vs {
			var ok bool
			if out[i], ok = l.prepareAlt(vs[i], of(i)); !ok {
				return nil, false
			}
		}
		return out, true
	}
	switch v := v.(type) {
	case nil, *ir.Value, dynText, nilAlt, item, group, subGroup, heldArray:
		return v, true
	case str:
		return l.tables.textOf(v)
	case slice, resolvedSlice:
		return v, true
	case array:
		return heldArray{at: v.at, typ: t}, true
	case tuple:
		elems, ok := all(v.elems, gotypes.ElemTypes(t))
		return tuple{elems}, ok
	case oneOf:
		alts, ok := all(v.alts, func(int) types.Type { return t })
		return oneOf{v.tag, alts}, ok
	case iface:
		x, ok := l.prepareAlt(v.v, v.typ)
		return iface{typ: v.typ, v: x}, ok
	case function:
		bindings, ok := all(v.bindings, func(i int) types.Type { return v.fn.FreeVars[i].Type() })
		v.bindings = bindings
		return v, ok
	case pointer:
		switch r := v.ref.(type) {
		case *cell, mem:
			return l.canonicalVal(v), true
		case constRef:
			return l.canonicalVal(v), r.id != nil
		}
	}
	return nil, false
}

// maySeveral requests another lowering of the kernel, in which variable c can hold values of
// several shapes. maySeveral returns false if another lowering would not help.
func (l *lowerer) maySeveral(c *cell, a, b val) bool {
	_, ok1 := l.prepareAlt(a, c.typ)
	_, ok2 := l.prepareAlt(b, c.typ)
	if !ok1 || !ok2 || c.key == nil || l.foresight.carried.known[c.key] {
		return false
	}
	l.foresight.carried.known[c.key] = true
	l.foresight.repeat = true
	return true
}

// mixedCall reports an error if an argument of an intrinsic is a oneOf. mixedCall returns whether
// it reported an error.
func (r *reporter) mixedCall(fn *ssa.Function, args []val) bool {
	if funcPkg(fn) == "errors" {
		return false
	}
	for _, a := range args {
		if _, ok := a.(oneOf); ok {
			r.errorf(diag.DynamicCall, r.pos, "call it in a branch for each", "what %s is given depends on values that are known only on the device", load.FuncText(fn))
			return true
		}
	}
	return false
}
