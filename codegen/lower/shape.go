package lower

// This file handles the shapes of variables. A shape consists of the parts of a value that are
// known during lowering.

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
)

// storeShape stores a value in a variable. The stored value must have the same shape as the values
// stored in the variable before. A stored nil pointer or nil slice adopts the shape of the
// variable's other values. A variable may also have another zero value, such as a nil function.
// Such a variable adopts the shape of v only if no execution reads the zero value.
func (l *lowerer) storeShape(c *cell, v val) {
	c.last = nil
	w, isView := v.(bytesView)
	if isView && l.storeView(c, w) {
		return
	}
	if _, held := c.shape.(bytesView); held || isView {
		l.errorf(diag.String, l.pos, viewHint, "a string of bytes cannot be kept in a variable that has others, too: a kernel does not copy them")
		c.markUnknown()
		return
	}
	if c.several != nil {
		l.storeSeveral(c, v)
		return
	}
	if _, ok := c.shape.(dynText); ok {
		if t, ok := l.tables.textOf(v); ok {
			v = t
		}
	}
	l.selectVersion(c)
	if !sameShape(c.shape, v) {
		switch {
		case isNilShape(v) && isReference(v):
			v = l.nilLike(c.shape)
		case isNilShape(c.shape) && !c.fixed && (isReference(v) || !c.stored || c.home != nil && *c.home == l.alternatives.place() || l.alwaysLeadsHere(c.zeroed)):
			l.reshape(c, v)
		case l.tables.makeDynamic(c, c.shape, v):
			return
		case l.supersede(c, v):
		case !l.tables.moveTables(c.shape, v) && l.maySeveral(c, c.shape, v):
			return
		default:
			if !c.reported {
				c.reported = true
				l.reportMixed(c, c.shape, v)
			}
			return
		}
	}
	wasFixed := c.fixed
	c.fixed = c.fixed || !isNilShape(v)
	xs := scalarsOf(v)
	l.makeVars(c, xs)
	for i, x := range xs {
		l.storeVar(c.vars[i], x)
	}
	l.keepVersion(c)
	c.recordLast(l, v)
	if c.stored = true; !wasFixed && !c.fixed && len(xs) > 0 {
		c.nils = append(c.nils, l.b.Insts[len(l.b.Insts)-1])
	}
}

// storeView stores a view (a string that shares the bytes of a slice) in a variable. storeView
// returns false if the variable cannot hold the view. All views in one variable must share the
// bytes of the same memory.
func (l *lowerer) storeView(c *cell, w bytesView) bool {
	if c.several != nil || c.versions != nil {
		return false
	}
	old, held := c.shape.(bytesView)
	_, foreseen := c.shape.(dynText) // an earlier lowering found that the variable holds texts
	switch {
	case held && sameMem(old.s.at, w.s.at):
	case foreseen && !c.stored && !c.fixed:
		l.reshape(c, w)
	case !held && isNilShape(c.shape) && !c.fixed && (!c.stored || c.home != nil && *c.home == l.alternatives.place() || l.alwaysLeadsHere(c.zeroed)):
		l.reshape(c, w)
	default:
		return false
	}
	l.recordReads(w)
	xs := scalarsOf(w)
	l.makeVars(c, xs)
	for i, x := range xs {
		l.storeVar(c.vars[i], x)
	}
	c.fixed, c.stored = true, true
	c.views = append(c.views, l.here())
	return true
}

// alwaysLeadsHere reports whether every execution of block b continues to the current block, unless
// the execution ends in a fault. If so, a store in the current block overwrites the value that the
// variable had in block b.
func (l *lowerer) alwaysLeadsHere(b *ir.Block) bool { return l.leadsHere(b, true) }

// leadsHereOnce is like alwaysLeadsHere, but returns false if the head of a loop is on the path
// from block b to the current block.
func (l *lowerer) leadsHereOnce(b *ir.Block) bool { return l.leadsHere(b, false) }

func (l *lowerer) leadsHere(b *ir.Block, intoLoops bool) bool {
	for at := l.b; b != nil; {
		if at == b {
			return true
		}
		if len(at.Preds) != 1 || l.heads[at] && !intoLoops {
			return false
		}
		at = at.Preds[0]
		for _, s := range at.Term.Succs {
			if n := len(s.Insts); len(at.Term.Succs) > 1 && s.Term.Kind == ir.Return && n > 0 && s.Insts[n-1].Op == ir.OpFault {
				continue
			} else if len(at.Term.Succs) > 1 && !leadsTo(s, l.b) {
				return false
			}
		}
	}
	return false
}

// leadsTo reports whether block b leads to the block "to" through blocks that have a single
// predecessor. If the two blocks are the same, leadsTo returns true.
func leadsTo(b, to *ir.Block) bool {
	for to != b {
		if len(to.Preds) != 1 {
			return false
		}
		to = to.Preds[0]
	}
	return true
}

func (w *builder) makeVars(c *cell, xs []*ir.Value) {
	if c.vars == nil {
		for _, x := range xs {
			c.vars = append(c.vars, w.m.NewVar(w.f, ir.Function, "shape", x.Type))
		}
	}
}

// reshape gives the shape of v to a variable that has held only nil. After each earlier store of
// nil, reshape inserts stores of a nil value with the new shape.
func (w *builder) reshape(c *cell, v val) {
	c.shape, c.vars = v, nil
	if !isReference(v) {
		return
	}
	xs := scalarsOf(w.nilLike(v))
	w.makeVars(c, xs)
	for _, at := range c.nils {
		b := at.Block
		i := slices.Index(b.Insts, at) + 1
		n := len(b.Insts)
		for j, x := range xs {
			b.Append(ir.OpStore, ir.TypeVoid, x).Aux = &ir.Ref{Var: c.vars[j]}
		}
		added := slices.Clone(b.Insts[n:])
		b.Insts = slices.Insert(b.Insts[:n], i, added...)
	}
	c.nils = nil
}

// isReference reports whether value v is a pointer or slice. A nil pointer or nil slice may adopt
// any shape.
func isReference(v val) bool {
	switch v.(type) {
	case slice, pointer:
		return true
	}
	return false
}

// shapeAhead returns the shape that phi v will have after the lowering of the loop. shapeAhead is
// called for a phi that is read before all its operands are lowered. shapeAhead considers only
// pointers to, and slices of, variables of the kernel. If no operand refers to a variable of the
// kernel, shapeAhead returns nil. shapeAhead emits no code.
func (l *lowerer) shapeAhead(f *frame, v ssa.Value, seen map[ssa.Value]bool) val {
	if seen[v] {
		return nil
	}
	seen[v] = true
	if x, ok := f.vals[v]; ok {
		return ownShape(x)
	}
	switch v := v.(type) {
	case *ssa.Phi:
		if c := f.phis[v]; c != nil && ownShape(c.shape) != nil {
			return c.shape
		}
		for _, e := range v.Edges {
			if s := l.shapeAhead(f, e, seen); s != nil {
				return s
			}
		}
	case *ssa.Alloc:
		made := f.allocs[v] != nil
		c := l.cellOf(f, v)
		if !made && f.allocs[v] == c {
			c.setPending(true)
		}
		return pointer{ref: c}
	case *ssa.FieldAddr:
		p, _ := l.shapeAhead(f, v.X, seen).(pointer)
		switch r := p.ref.(type) {
		case *cell:
			if v.Field < len(r.fields) {
				return pointer{ref: r.fields[v.Field]}
			}
		case mem:
			return pointer{ref: r.atIndex(l.field(v.Field))}
		}
	case *ssa.IndexAddr:
		switch x := l.shapeAhead(f, v.X, seen).(type) {
		case slice:
			return pointer{ref: x.at.atIndex(l.field(0))}
		case pointer:
			if m, ok := ownArray(x.ref); ok {
				return pointer{ref: m.atIndex(l.field(0))}
			}
		}
	case *ssa.Slice:
		zero := l.m.Int(ir.TypeI64, 0)
		switch x := l.shapeAhead(f, v.X, seen).(type) {
		case slice:
			return x
		case pointer:
			if m, ok := ownArray(x.ref); ok {
				return slice{at: m, off: zero, len: zero, cap: zero}
			}
		}
	}
	return nil
}

// ownShape returns x if x is a pointer to, or a slice of, a variable of the kernel. For other
// values, such as slices of device memory, ownShape returns nil.
func ownShape(x val) val {
	switch x := x.(type) {
	case slice:
		if !x.at.device() {
			return x
		}
	case pointer:
		switch r := x.ref.(type) {
		case *cell:
			return x
		case mem:
			if !r.device() {
				return x
			}
		}
	}
	return nil
}

func ownArray(r ref) (mem, bool) {
	switch r := r.(type) {
	case *cell:
		return r.mem, r.mem.v != nil
	case mem:
		return r, !r.device()
	}
	return mem{}, false
}

// phiCell makes the variable of a phi whose first value is x.
func (l *lowerer) phiCell(f *frame, phi *ssa.Phi, x val) *cell {
	c := l.newCell(phi.Type(), phi.Comment)
	l.setKey(c, phi)
	f.phis[phi] = c
	if c.cls == classShape && c.several == nil && isReference(c.shape) && isNilShape(x) {
		if s := l.shapeAhead(f, phi, map[ssa.Value]bool{}); s != nil {
			c.shape = l.canonicalVal(s)
			c.fixed = true
			l.makeVars(c, scalarsOf(c.shape))
		}
	}
	return c
}

// kindOf returns the word for reference v in messages, which is "slice" or "pointer".
func kindOf(v val) string {
	if _, ok := v.(slice); ok {
		return "slice"
	}
	return "pointer"
}

// subject returns the text that names a variable in messages. subject returns the variable's name
// in the source, or the word "slice" or "pointer".
func (c *cell) subject(kind string) string {
	key, part := c.key, false
	for {
		k, ok := key.(partKey)
		if !ok {
			break
		}
		key, part = k.key, true
	}
	name := ""
	switch k := key.(type) {
	case *ssa.Phi:
		name = k.Comment
	case *ssa.Alloc:
		name = k.Comment
	}
	switch {
	case !token.IsIdentifier(name) || madeUp[name]:
		return "this " + kind
	case part:
		return "a " + kind + " in " + name
	}
	return "the " + kind + " " + name
}

// reportMixed reports an error for a variable with two possible values of different shapes, if code
// cannot select one of the values at run time.
func (l *lowerer) reportMixed(c *cell, a, b val) {
	if l.tables.moveTables(a, b) {
		return
	}
	why := cmp.Or(whyNoAlt(a), whyNoAlt(b))
	helps := wayOut[why]
	if why != "" {
		why = ", and one of them holds " + why
	}
	switch b.(type) {
	case function:
		l.errorf(diag.DynamicCall, l.pos, cmp.Or(helps, "call each function in its own branch"),
			"which function %s of type %v holds depends on values that are known only on the device%s", c.subject("variable"), c.typ, why)
		return
	case iface:
		hint := "use a type parameter, or a branch for each type"
		if types.Implements(c.typ, errorType) {
			hint = errorHint
		}
		l.errorf(diag.DynamicCall, l.pos, cmp.Or(helps, hint),
			"the dynamic type of %s of type %v depends on values that are known only on the device%s", c.subject("variable"), c.typ, why)
		return
	case specConst:
		l.errorf(diag.SpecDecl, l.pos, "read each in its own branch, and keep the value",
			"which specialization constant %s holds depends on values that are known only on the device", c.subject("variable"))
		return
	case str:
		l.errorf(diag.String, l.pos, "use a number, and a branch where the text matters",
			"strings in kernels must be known when the kernel is generated")
		return
	}
	one, other := l.describe(a), l.describe(b)
	if one == other {
		one, other = "one part of "+one, "another"
	}
	l.errorf(diag.MixedPointers, l.pos, "use each in its own branch, or keep an index into one of them",
		"%s may lie in different variables or kinds of memory (%s and %s), which devices address differently",
		c.subject(kindOf(b)), one, other)
}

const (
	holdsPartText  = "a pointer to an array in a slice"
	holdsTableText = "a pointer to a part of a table"
)

// wayOut maps a result of the function whyNoAlt to a hint. The hint proposes another value for a
// variable whose type is a function or an interface.
var wayOut = map[string]string{
	holdsPartText:  "let it hold the slice, and convert that to an array where it is used",
	holdsTableText: "let it hold the table's index, and read the table where it is used",
}

// whyNoAlt returns the reason why value v cannot be an alternative of a oneOf. If v can be an
// alternative, whyNoAlt returns "".
func whyNoAlt(v val) string {
	all := func(vs []val) string {
		for _, v := range vs {
			if why := whyNoAlt(v); why != "" {
				return why
			}
		}
		return ""
	}
	switch v := v.(type) {
	case tuple:
		return all(v.elems)
	case oneOf:
		return all(v.alts)
	case function:
		return all(v.bindings)
	case iface:
		return whyNoAlt(v.v)
	case pointer:
		switch v.ref.(type) {
		case innerArray:
			return holdsPartText
		case chosenVar, constRef:
			return holdsTableText
		}
	}
	return ""
}

// describe returns text for messages. The text names the memory to which a pointer or slice refers.
func (l *lowerer) describe(v val) string {
	var r ref
	switch v := v.(type) {
	case slice:
		r = v.at
	case pointer:
		r = v.ref
	default:
		return "a value"
	}
	if p, ok := r.(innerArray); ok {
		return "an array within " + l.describe(p.s)
	}
	if why := whyNoAlt(v); why != "" {
		return why
	}
	switch r := r.(type) {
	case mem:
		if r.device() {
			return "device memory"
		}
		name := r.v.Name
		if c := l.foresight.carried.owners[r.v]; c != nil && c.name != "" {
			name = c.name
		}
		switch c := l.foresight.carried.owners[r.v]; {
		case r.v.Storage == ir.Workgroup:
			return "the work-group memory " + name
		case c != nil && c.private:
			return "the private memory " + name
		}
		return "the local variable " + name
	case *cell:
		if name := r.sourceName(); name != "" {
			return "the local variable " + name
		}
		return "a local variable"
	}
	return "nil"
}

// isNilShape reports whether the value is a zero value that may adopt the shape of any other value.
func isNilShape(v val) bool {
	switch v := v.(type) {
	case slice:
		return v.at.device() && v.at.addr.IsConst() && v.at.addr.Bits == 0
	case pointer:
		return v.isNil != nil && v.isNil.IsConst() && v.isNil.Bits == 1
	case function:
		return v.fn == nil && v.builtin == nil
	case iface:
		return v.typ == nil
	case str:
		return v.s == ""
	case accessor:
		return v.index < 0
	}
	return false
}

// nilLike returns the nil value with the shape of v.
func (w *builder) nilLike(v val) val {
	xs := scalarsOf(v)
	i := -1
	n := rebuild(v, func() *ir.Value { i++; return w.m.Const(xs[i].Type, 0) })
	switch n := n.(type) {
	case pointer:
		n.isNil = w.m.Bool(true)
		return n
	case slice:
		if !n.at.device() {
			n.off = w.m.Int(ir.TypeI64, nilOffset)
		}
		return n
	case oneOf: // the tag 0 selects the first alternative
		n.alts[0] = w.nilLike(n.alts[0])
		return n
	}
	return n
}

// nilOffset is the offset of a nil slice. The offset is used in variables that also hold slices of
// an array. A nil slice has no elements, so no access uses the offset.
const nilOffset = -1

// canonicalVal prepares a value for a store in a variable. The resulting pointers always have the
// flag isNil, and pointers to device memory are addresses without a path.
func (w *builder) canonicalVal(v val) val {
	p, ok := v.(pointer)
	if !ok {
		return v
	}
	if p.isNil == nil {
		p.isNil = w.m.Bool(false)
	}
	if m, ok := p.ref.(mem); ok && m.device() {
		p.ref = w.asAddress(m)
	}
	return p
}

// asAddress converts m, which is in device memory, to an address without a path.
func (w *builder) asAddress(m mem) mem {
	zero := w.m.Int(ir.TypeI32, 0)
	if len(m.path) == 1 && m.path[0] == zero {
		return m
	}
	leaf := m.auxRef().Leaf(m.args())
	a := w.op(ir.OpAddrOf, ir.TypeAddr, m.args()...)
	a.Aux = m.auxRef()
	return mem{addr: a, elem: leaf, path: []*ir.Value{zero}}
}
