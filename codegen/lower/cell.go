package lower

import (
	"go/types"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
)

// cell is a Go variable of the kernel.
type cell struct {
	typ types.Type
	cls class

	fields []*cell // classStruct; also classArray of elements that are not flat
	scalar *ir.Var // classScalar
	mem    mem     // classArray of flat elements
	shape  val     // classShape: the shape of what is stored
	vars   []*ir.Var
	fixed  bool // the shape has been relied on: a value but nil was stored, or it was loaded
	born   int  // when the variable came to be, in order of lowering
}

// newCell makes a variable of Go type t; it is not zeroed yet.
func (l *lowerer) newCell(t types.Type, name string) *cell {
	l.seq++
	c := &cell{typ: t, cls: l.classify(t), born: l.seq}
	switch c.cls {
	case classScalar:
		c.scalar = l.m.NewVar(l.f, ir.Function, name, regType(t))
	case classStruct:
		for _, f := range fields(t) {
			c.fields = append(c.fields, l.newCell(f, name))
		}
	case classArray:
		a := t.Underlying().(*types.Array)
		if l.isFlat(t) {
			c.mem = mem{v: l.m.NewVar(l.f, ir.Function, name, l.memType(t, false))}
			break
		}
		if a.Len() > unrollLimit {
			l.errorf(diag.Type, l.pos, "use fewer elements, or an array of numbers that says which to take",
				"an array of %d %v is too large: its elements are resolved when the kernel is generated", a.Len(), a.Elem())
			break
		}
		for range a.Len() {
			c.fields = append(c.fields, l.newCell(a.Elem(), name))
		}
	case classShape:
		c.shape = l.zero(t)
	case classBad:
		l.errorf(diag.Type, l.pos, "", "a kernel cannot have a variable of type %v", t)
	}
	return c
}

// zeroCell stores the zero value.
func (l *lowerer) zeroCell(c *cell) {
	switch {
	case c.mem.v != nil:
		v := l.op(ir.OpZero, ir.TypeVoid)
		v.Aux = &ir.Ref{Var: c.mem.v}
	case c.scalar != nil:
		l.storeVar(c.scalar, l.m.Const(c.scalar.Type, 0))
	case c.cls == classShape:
		l.storeCell(c, l.zero(c.typ))
	default:
		for _, f := range c.fields {
			l.zeroCell(f)
		}
	}
}

func (l *lowerer) storeVar(v *ir.Var, x *ir.Value) {
	s := l.op(ir.OpStore, ir.TypeVoid, x)
	s.Aux = &ir.Ref{Var: v}
}

func (l *lowerer) loadVar(v *ir.Var) *ir.Value {
	s := l.op(ir.OpLoad, v.Type)
	s.Aux = &ir.Ref{Var: v}
	return s
}

// loadCell returns the variable's value.
func (l *lowerer) loadCell(c *cell) val {
	switch c.cls {
	case classScalar:
		return l.loadVar(c.scalar)
	case classStruct:
		t := tuple{make([]val, len(c.fields))}
		for i, f := range c.fields {
			t.elems[i] = l.loadCell(f)
		}
		return t
	case classArray:
		if c.mem.v == nil {
			t := tuple{make([]val, len(c.fields))}
			for i, f := range c.fields {
				t.elems[i] = l.loadCell(f)
			}
			return t
		}
		return l.snapshot(c.mem, c.typ)
	case classShape:
		c.fixed = true
		i := -1
		return rebuild(c.shape, func() *ir.Value {
			i++
			if i >= len(c.vars) {
				return leaves(c.shape)[i]
			}
			return l.loadVar(c.vars[i])
		})
	}
	return l.zero(c.typ)
}

// storeCell sets the variable's value.
func (l *lowerer) storeCell(c *cell, v val) {
	switch c.cls {
	case classScalar:
		if x, ok := v.(*ir.Value); ok {
			l.storeVar(c.scalar, x)
		}
	case classStruct:
		if t, ok := v.(tuple); ok {
			for i, f := range c.fields {
				l.storeCell(f, t.elems[i])
			}
		}
	case classArray:
		switch v := v.(type) {
		case array:
			l.copyMem(c.mem, v.at, c.typ)
		case tuple:
			for i, f := range c.fields {
				l.storeCell(f, v.elems[i])
			}
		}
	case classShape:
		l.storeShape(c, l.canonical(v))
	}
}

// storeShape stores a value whose shape must be that of what the variable held
// before. The zero value that a variable starts with yields to the first value
// of another shape, unless it has been read.
func (l *lowerer) storeShape(c *cell, v val) {
	if !sameShape(c.shape, v) {
		if isNilShape(v) {
			v = l.nilLike(c.shape)
		} else if !c.fixed {
			c.shape, c.vars = v, nil
		} else {
			l.mixed(c.shape, v, c.typ)
			return
		}
	}
	c.fixed = c.fixed || !isNilShape(v)
	xs := leaves(v)
	if c.vars == nil {
		for _, x := range xs {
			c.vars = append(c.vars, l.m.NewVar(l.f, ir.Function, "shape", x.Type))
		}
		// What was stored while the variable had another shape was nil, and so
		// is what these variables hold before their first store.
	}
	for i, x := range xs {
		l.storeVar(c.vars[i], x)
	}
}

func (l *lowerer) mixed(a, b val, t types.Type) {
	what := "pointer"
	switch b.(type) {
	case function:
		l.errorf(diag.DynamicCall, l.pos, "call each function in its own branch",
			"which function this variable of type %v holds depends on values that are known only on the device", t)
		return
	case iface:
		l.errorf(diag.DynamicCall, l.pos, "use a type parameter, or a branch for each type",
			"the dynamic type of this %v depends on values that are known only on the device", t)
		return
	case str:
		l.errorf(diag.Type, l.pos, "use a number, and a branch where the text matters",
			"strings in kernels must be known when the kernel is generated")
		return
	case slice:
		what = "slice"
	}
	l.errorf(diag.MixedPointers, l.pos, "use each in its own branch, or keep an index into one of them",
		"this %s may lie in different variables or kinds of memory (%s and %s), which devices address differently",
		what, l.describe(a), l.describe(b))
}

// describe names the memory that a pointer or slice lies in.
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
	switch r := r.(type) {
	case mem:
		if r.device() {
			return "device memory"
		}
		if r.v.Storage == ir.Workgroup {
			return "work-group memory " + r.v.Name
		}
		return "the local variable " + r.v.Name
	case *cell:
		return "a local variable"
	}
	return "nil"
}

// isNilShape reports whether the value is a zero value that may take the shape
// of any other.
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

// nilLike returns the nil of the given shape.
func (l *lowerer) nilLike(v val) val {
	n := rebuild(v, func() *ir.Value { return nil })
	xs := leaves(v)
	i := -1
	n = rebuild(n, func() *ir.Value { i++; return l.m.Const(xs[i].Type, 0) })
	switch n := n.(type) {
	case pointer:
		n.isNil = l.m.Bool(true)
		return n
	}
	return n
}

// canonical brings a value into the form in which it is kept in variables:
// pointers say whether they are nil, and those into device memory are addresses.
func (l *lowerer) canonical(v val) val {
	p, ok := v.(pointer)
	if !ok {
		return v
	}
	if p.isNil == nil {
		p.isNil = l.m.Bool(false)
	}
	if m, ok := p.ref.(mem); ok && m.device() {
		p.ref = l.addressed(m)
	}
	return p
}

// addressed returns device memory as an address without a path.
func (l *lowerer) addressed(m mem) mem {
	zero := l.m.Int(ir.TypeI32, 0)
	if len(m.path) == 1 && m.path[0] == zero {
		return m
	}
	leaf := m.auxRef().Leaf(m.args())
	a := l.op(ir.OpAddrOf, ir.TypeAddr, m.args()...)
	a.Aux = m.auxRef()
	return mem{addr: a, elem: leaf, path: []*ir.Value{zero}}
}

// zero returns the zero value of a Go type.
func (l *lowerer) zero(t types.Type) val { return l.zeroIn(l.b, t) }

// zeroIn is zero, where an array's memory is zeroed in block b.
func (l *lowerer) zeroIn(b *ir.Block, t types.Type) val {
	if t == nil {
		return nil
	}
	switch l.classify(t) {
	case classScalar:
		return l.m.Const(regType(t), 0)
	case classStruct:
		out := tuple{}
		for _, f := range fields(t) {
			out.elems = append(out.elems, l.zeroIn(b, f))
		}
		return out
	case classArray:
		if !l.isFlat(t) {
			a := t.Underlying().(*types.Array)
			out := tuple{}
			for range min(a.Len(), unrollLimit) {
				out.elems = append(out.elems, l.zeroIn(b, a.Elem()))
			}
			return out
		}
		save := l.b
		l.b = b
		c := l.newCell(t, "zero")
		l.zeroCell(c)
		l.b = save
		return array{c.mem}
	}
	return l.zeroShape(t)
}

func (l *lowerer) zeroShape(t types.Type) val {
	if isDSL(t, "LocalAccessor") {
		return accessor{-1}
	}
	if isDSL(t, "Group") {
		return group{}
	}
	if isDSL(t, "SubGroup") {
		return subGroup{}
	}
	zero64 := l.m.Int(ir.TypeI64, 0)
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return str{}
	case *types.Slice:
		return slice{at: mem{addr: l.m.Const(ir.TypeAddr, 0), elem: l.elemType(u.Elem())}, len: zero64, cap: zero64}
	case *types.Pointer:
		m := mem{addr: l.m.Const(ir.TypeAddr, 0), elem: l.elemType(u.Elem()), path: []*ir.Value{l.m.Int(ir.TypeI32, 0)}}
		return pointer{ref: m, isNil: l.m.Bool(true)}
	case *types.Signature:
		return function{}
	case *types.Interface:
		return iface{}
	}
	return item{}
}

// elemType is the type of elements in device memory, where the Go type can
// stand there.
func (l *lowerer) elemType(t types.Type) *ir.Type {
	if !l.isFlat(t) {
		return ir.TypeI32
	}
	return l.memType(t, true)
}
