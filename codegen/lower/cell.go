package lower

// This file represents the storage of Go variables.

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/internal/gotypes"
	"github.com/kgen-go/kgen/codegen/ir"
)

// A cell is the storage of one Go variable of the kernel.
type cell struct {
	typ types.Type
	cls typeClass

	fields []*cell // storage of the fields of a struct, or of the elements of an array that one IR variable cannot hold
	scalar *ir.Var // IR variable of a scalar (class classScalar)
	mem    mem     // IR variable of an array of flat elements
	shape  val     // shape of the value (the parts known during lowering), for a variable of class classShape
	vars   []*ir.Var
	fixed  bool        // whether the shape is final, because a value other than nil was stored or the variable was loaded
	nils   []*ir.Value // last instruction of each store of nil; recorded only until the field `fixed` is set
	views  []codePoint // code positions of the stores, for a variable that holds a view (a string that shares a slice's bytes)
	stored bool        // whether a value without run-time scalars was stored
	home   *frameBlock // block in which the variable is declared
	decl   ssa.Instruction

	onlyConst   *ir.Value      // the only constant ever stored in a phi's variable; nil if there may be several values
	known       bool           // whether a value was stored in the variable
	edges       int            // number of edges that lead to the phi
	edge        val            // value stored on the last edge that leads to the phi
	anew        bool           // whether each iteration of a loop has its own copy of the variable
	born        int            // value of foresight.time at the declaration; 0 before the declaration
	once        bool           // whether only the declaration stores to the variable; onlyConst is then the variable's value
	onlyConstAt *ir.Block      // block with the store of constant onlyConst; set only if the field `anew` is set
	last        val            // constant or slice that was stored last; recorded only if sizes of slices may depend on integers computed from constants
	lastAt      *ir.Block      // block of the store that set the field `last`
	zeroed      *ir.Block      // block in which the variable was zeroed
	versions    *shapeVersions // successive shapes of the variable; nil if its shape never changes
	several     *shapeStorage  // storage for values of several shapes; nil if all values of the variable have one shape at a time
	inst        *callPath      // path of the variable; several variables of one declaration have different paths
	pending     bool           // whether the variable was used, in a loop, before its declaration was lowered

	bad      bool // whether the contents are unknown because of an error
	reported bool // whether an error about several possible values of the variable has been reported
	// earlierErr is an error about a reference to the variable of an earlier iteration, or nil.
	// oldFirst is true if the position of earlierErr is the code that creates the reference.
	earlierErr *diag.Diagnostic
	oldFirst   bool

	key     any    // declaration in the source; equal in all lowerings of the kernel
	private bool   // whether dsl.PrivateAlloca reserves the memory, which is released when the calling function returns
	name    string // name in the source, for memory that a call or a field of the kernel reserves
}

// recordStore records a store of value x to the variable of a phi.
func (c *cell) recordStore(x val) {
	v, ok := x.(*ir.Value)
	if !ok || !v.IsConst() || c.known && c.onlyConst != v {
		v = nil
	}
	c.onlyConst, c.known = v, true
}

// A frameBlock is a block of an inlined call. If an operand of an instruction has several
// alternatives (type oneOf), the instruction is lowered once for each alternative. Then the field
// `alt` is the alternative's number.
type frameBlock struct {
	frame *frame
	block *ssa.BasicBlock
	alt   int
}

func (a *altState) place() frameBlock {
	if a.frame == nil || a.frame.cur == nil {
		return frameBlock{}
	}
	return frameBlock{a.frame, a.frame.cur.Block(), a.in}
}

// recordLast records x as the last value stored in variable c, if sizes of slices may depend on x.
func (c *cell) recordLast(l *lowerer, x val) {
	c.last, c.lastAt = nil, l.b
	if !l.foresight.carried.folds {
		return
	}
	switch v := x.(type) {
	case slice:
		c.last = v
	case *ir.Value:
		if v.IsConst() {
			c.last = v
		}
	}
}

// recordDecl records the block and the instruction that declare a variable and its parts.
func (c *cell) recordDecl(home frameBlock, in ssa.Instruction) {
	c.home, c.decl = &home, in
	for _, part := range c.fields {
		part.recordDecl(home, in)
	}
}

// setOnce records that only the declaration stores to the scalars of variable c.
func (c *cell) setOnce() {
	c.once = c.cls == classScalar
	for _, part := range c.fields {
		part.setOnce()
	}
}

// maxVar is the largest size of a private array in bytes. Drivers are known to fail for an array of
// 2 MiB.
const maxVar = 1 << 20

// newCell makes a variable of Go type t. The variable is not zeroed.
func (l *lowerer) newCell(t types.Type, name string) *cell {
	c := &cell{typ: t, cls: l.classify(t)}
	switch c.cls {
	case classScalar:
		c.scalar = l.m.NewVar(l.f, ir.Function, name, regType(t))
	case classStruct:
		for i, f := range gotypes.Fields(t) {
			c.fields = append(c.fields, l.newCell(f, partName(name, t, i)))
		}
	case classArray:
		a := t.Underlying().(*types.Array)
		if l.isFlat(t) {
			if n := sizes.Sizeof(t); n < 0 || n > maxVar {
				l.errorf(diag.TooLarge, l.pos, "use a slice that the host passes", "a variable of type %v is too large for a work-item's memory", t)
				c.bad = true
				break
			}
			c.mem = mem{v: l.m.NewVar(l.f, ir.Function, name, l.memType(t, false))}
			l.foresight.carried.owners[c.mem.v] = c
			break
		}
		if a.Len() > unrollLimit {
			c.bad = true
			if l.quiet {
				break
			}
			l.errorf(diag.Type, l.pos, "use fewer elements, or an array of numbers that says which to take",
				"an array of %d %v is too large: its elements are resolved when the kernel is generated", a.Len(), a.Elem())
			break
		}
		for range a.Len() {
			c.fields = append(c.fields, l.newCell(a.Elem(), name))
		}
	case classMatrix:
		mt, ok := l.matrixType(t)
		if c.bad = !ok; ok {
			c.mem = mem{v: l.m.NewVar(l.f, ir.Function, name, mt)}
		}
	case classShape:
		c.shape = l.zeroValue(t)
	case classBad:
		if isDeferStack(t) {
			break
		}
		c.bad = true
		if len(l.refused) > 0 || l.quiet {
			break // each use of a variable of this type has been reported as an error
		}
		code, hint := badType(t)
		l.errorf(code, l.pos, hint, "a kernel cannot have a variable of type %v", t)
	}
	return c
}

// partName returns the name of field i of a variable of type t, if the field is an array or a
// struct.
func partName(name string, t types.Type, i int) string {
	s, ok := t.Underlying().(*types.Struct)
	if !ok || madeUp[name] {
		return name
	}
	switch s.Field(i).Type().Underlying().(type) {
	case *types.Array, *types.Struct:
		return name + "." + s.Field(i).Name()
	}
	return name
}

// zeroCell stores the zero value in a variable.
func (l *lowerer) zeroCell(c *cell) {
	switch {
	case c.bad:
	case c.mem.v != nil:
		v := l.op(ir.OpZero, ir.TypeVoid)
		v.Aux = &ir.Ref{Var: c.mem.v}
	case c.scalar != nil:
		zero := l.m.Const(c.scalar.Type, 0)
		l.storeVar(c.scalar, zero)
		if c.recordLast(l, zero); c.once && l.foresight.carried.folds {
			c.onlyConst = zero
		}
	case c.cls == classShape:
		l.storeCell(c, l.zeroValue(c.typ))
		c.zeroed = l.b
	default:
		for _, f := range c.fields {
			l.zeroCell(f)
		}
	}
}

func (w *builder) storeVar(v *ir.Var, x *ir.Value) {
	s := w.op(ir.OpStore, ir.TypeVoid, x)
	s.Aux = &ir.Ref{Var: v}
}

func (w *builder) loadVar(v *ir.Var) *ir.Value {
	s := w.op(ir.OpLoad, v.Type)
	s.Aux = &ir.Ref{Var: v}
	return s
}

// loadCell returns the variable's value.
func (l *lowerer) loadCell(c *cell) val {
	if c.bad {
		return badVal{}
	}
	switch c.cls {
	case classScalar:
		if c.onlyConst != nil && (c.once || c.anew && l.leadsHereOnce(c.onlyConstAt)) {
			return c.onlyConst
		}
		if c.last != nil && l.leadsHereOnce(c.lastAt) {
			return c.last
		}
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
		return l.copyArray(c.mem, c.typ)
	case classMatrix:
		return l.copyArray(c.mem, c.typ)
	case classShape:
		if c.several != nil {
			return l.loadSeveral(c)
		}
		if c.last != nil && l.leadsHereOnce(c.lastAt) {
			return c.last
		}
		if c.pending && !gotypes.IsString(c.typ) {
			l.foresight.carried.early[c.inst] = true
			l.foresight.repeat = true
			return l.zeroValue(c.typ)
		}
		if isNilShape(c.shape) && !c.fixed && l.leadsHereOnce(c.zeroed) {
			return c.shape // all stores before this load stored the zero value
		}
		l.onlyVersion(c)
		c.fixed = true
		i := -1
		v := rebuild(c.shape, func() *ir.Value {
			i++
			if i >= len(c.vars) {
				return scalarsOf(c.shape)[i]
			}
			return l.loadVar(c.vars[i])
		})
		if w, ok := v.(bytesView); ok {
			w.made, w.kept = l.here(), c
			return w
		}
		return v
	}
	return l.zeroValue(c.typ)
}

// storeCell sets the variable's value.
func (l *lowerer) storeCell(c *cell, v val) {
	if c.bad {
		return
	}
	if isBad(v) || c.cls == classShape && holdsBad(v) {
		c.markUnknown()
		return
	}
	switch c.cls {
	case classScalar:
		if x, ok := v.(*ir.Value); ok {
			l.storeVar(c.scalar, x)
			c.recordLast(l, x)
			if c.once || c.anew {
				c.onlyConst, c.onlyConstAt = nil, l.b
				if x.IsConst() {
					c.onlyConst = x
				}
			}
			return
		}
	case classStruct:
		if t, ok := v.(tuple); ok {
			for i, f := range c.fields {
				l.storeCell(f, t.elems[i])
			}
			return
		}
	case classArray:
		switch v := v.(type) {
		case array:
			l.copyMem(c.mem, v.at, c.typ)
			return
		case tuple:
			for i, f := range c.fields {
				l.storeCell(f, v.elems[i])
			}
			return
		}
	case classMatrix:
		if m := matrixIn(v); m != nil {
			l.copyMatrix(c.mem, mem{v: m})
			return
		}
	case classShape:
		l.storeShape(c, l.canonicalVal(v))
		return
	}
	l.reportLost(c.typ)
}

// zeroValue returns the zero value of a Go type.
func (l *lowerer) zeroValue(t types.Type) val { return l.zeroIn(l.b, t) }

// zeroIn returns the zero value of Go type t. For arrays, zeroIn emits stores of zeros in block b.
func (l *lowerer) zeroIn(b *ir.Block, t types.Type) val {
	if t == nil {
		return nil
	}
	switch l.classify(t) {
	case classScalar:
		return l.m.Const(regType(t), 0)
	case classStruct:
		out := tuple{}
		for _, f := range gotypes.Fields(t) {
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
		if c.bad {
			return badVal{}
		}
		return array{c.mem}
	case classMatrix:
		save := l.b
		l.b = b
		c := l.newCell(t, "zero")
		l.zeroCell(c)
		l.b = save
		if c.bad {
			return badVal{}
		}
		return array{c.mem}
	}
	return l.zeroShape(t)
}

func (w *builder) zeroShape(t types.Type) val {
	if isDSL(t, "LocalAccessor") {
		return accessor{-1}
	}
	if isDSL(t, "Group") {
		return group{}
	}
	if isDSL(t, "SubGroup") {
		return subGroup{}
	}
	zero64 := w.m.Int(ir.TypeI64, 0)
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return str{}
	case *types.Slice:
		return slice{at: mem{addr: w.m.Const(ir.TypeAddr, 0), elem: w.elemType(u.Elem())}, len: zero64, cap: zero64}
	case *types.Pointer:
		m := mem{addr: w.m.Const(ir.TypeAddr, 0), elem: w.elemType(u.Elem()), path: []*ir.Value{w.m.Int(ir.TypeI32, 0)}}
		return pointer{ref: m, isNil: w.m.Bool(true)}
	case *types.Signature:
		return function{}
	case *types.Interface:
		return iface{}
	}
	return item{}
}

// elemType returns the IR type of Go type t as the element of a slice in device memory. If device
// memory cannot hold values of type t, elemType returns int32.
func (w *builder) elemType(t types.Type) *ir.Type {
	if !w.isFlat(t) {
		return ir.TypeI32
	}
	return w.memType(t, true)
}
