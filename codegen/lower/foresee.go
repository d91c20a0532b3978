package lower

// This file carries information from one lowering of a kernel to the next lowering.

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/constinit"
	"github.com/kgen-go/kgen/codegen/ir"
)

// A loop may read a variable before the lowerer reaches the code that stores a value of another
// shape in the variable. To lower such a loop, the lowerer lowers the kernel once more. In the new
// lowering, the variable can hold values of all found shapes from the beginning.

// carriedState is the state that one lowering of a kernel passes to the next.
type carriedState struct {
	known   map[any]bool               // declarations of variables that hold values of several shapes
	ahead   map[*callPath][]val        // shapes from the previous lowering, for each variable whose declaration is in the map "known"
	early   map[*callPath]bool         // variables that an iteration of a loop reads before a later iteration declares them
	tries   map[*callPath]int          // maps a variable's path to the number of lowerings that added a shape to the variable
	paths   map[callPath]*callPath     // set of all paths; ensures that equal paths have the same pointer
	owners  map[*ir.Var]*cell          // maps each array variable of all lowerings to its cell
	inits   *constinit.Env             // values of package-level variables
	objects map[any]*constinit.Object  // maps an id to an object allocated by package initialization
	rolled  map[rolledKey]bool         // loops that are not lowered iteration by iteration, because they have too many iterations
	made    map[*callPath]*types.Array // arrays created by make and similar calls
	taken   map[*callPath]bool         // paths of accessors, and of calls that reserve work-group memory or private memory
	folds   bool                       // whether sizes of slices depend on integers that are computed from constants
}

func newCarried(inits *constinit.Env) *carriedState {
	return &carriedState{known: map[any]bool{}, ahead: map[*callPath][]val{}, early: map[*callPath]bool{}, tries: map[*callPath]int{}, paths: map[callPath]*callPath{}, owners: map[*ir.Var]*cell{}, inits: inits, objects: map[any]*constinit.Object{}, rolled: map[rolledKey]bool{}, made: map[*callPath]*types.Array{}, taken: map[*callPath]bool{}}
}

// foresight is information about code that has not been lowered yet. The foresight comes from an
// earlier lowering of the kernel, and from earlier iterations of loops.
type foresight struct {
	*builder
	carried  *carriedState
	repeat   bool                // whether to lower the kernel once more
	times    map[callPath]int    // maps the path of an instruction or function to the number of its visits so far
	declared map[*callPath]*cell // maps a path to a variable that this lowering has declared
	rounds   int                 // number of loops that contain the current code and are lowered iteration by iteration
	time     int                 // logical clock: number of iterations begun and variables declared so far
	cut      bool                // whether values may be missing because later iterations of a loop were not lowered
}

// A callPath identifies a call or a variable by the chain of calls that leads to the call or
// variable. A call has the same path in all lowerings of the kernel.
type callPath struct {
	up  *callPath
	at  any // an instruction, a function, or the number of a variable's field or element
	nth int // number of earlier visits of the same code, for example in unrolled loops
}

// pathOf extends the path `up` by a step, and returns the new path. The step is an instruction, a
// function or a field number.
func (fs *foresight) pathOf(up *callPath, step any) *callPath {
	p := callPath{up: up, at: step}
	p.nth = fs.times[p]
	fs.times[callPath{up: up, at: step}]++
	return fs.carried.internPath(p)
}

func (c *carriedState) internPath(p callPath) *callPath {
	if c.paths[p] == nil {
		c.paths[p] = &p
	}
	return c.paths[p]
}

// saveShapes saves the shapes of the values in variable c for the next lowering. saveShapes reports
// whether the next lowering can use the saved shapes.
func (fs *foresight) saveShapes(c *cell) bool {
	if c.inst == nil || fs.carried.tries[c.inst] > maxAlts {
		return false
	}
	var shapes []val
	for _, ver := range c.several.alts {
		if !fs.hasShapeHere(ver.shape) {
			return false
		}
		shapes = append(shapes, ver.shape)
	}
	fs.carried.tries[c.inst]++
	fs.carried.ahead[c.inst] = shapes
	fs.repeat = true
	return true
}

// hasShapeHere reports whether shapeHere can return a shape for v.
func (fs *foresight) hasShapeHere(v val) bool {
	all := func(vs []val) bool {
		for _, v := range vs {
			if !fs.hasShapeHere(v) {
				return false
			}
		}
		return true
	}
	inMem := func(m mem) bool {
		return m.device() || fs.carried.owners[m.v] != nil && fs.carried.declaresVar(fs.carried.owners[m.v].inst)
	}
	switch v := v.(type) {
	case nil, *ir.Value, dynText, nilAlt, item, group, subGroup, heldArray:
		return true
	case tuple:
		return all(v.elems)
	case oneOf:
		return all(v.alts)
	case function:
		return all(v.bindings)
	case iface:
		return fs.hasShapeHere(v.v)
	case slice:
		return inMem(v.at)
	case resolvedSlice:
		return !slices.ContainsFunc(v.refs, func(r ref) bool { return !fs.hasShapeHere(pointer{ref: r}) })
	case pointer:
		switch r := v.ref.(type) {
		case *cell:
			return fs.carried.declaresVar(r.inst)
		case mem:
			return inMem(r)
		case constRef:
			return r.id != nil
		}
	}
	return false
}

// declaresVar reports whether a path identifies a source variable, a field or element of a source
// variable, or memory that a call reserves.
func (c *carriedState) declaresVar(p *callPath) bool {
	if p == nil {
		return false
	}
	switch p.at.(type) {
	case *ssa.Alloc:
		return true
	case int:
		return c.declaresVar(p.up)
	}
	return c.made[p] != nil || c.taken[p]
}

// shapeHere returns the shape in this lowering that corresponds to shape v of the previous
// lowering.
func (l *lowerer) shapeHere(v val) (val, bool) {
	all := func(vs []val) ([]val, bool) {
		out := make([]val, len(vs))
		for i := range vs {
			var ok bool
			if out[i], ok = l.shapeHere(vs[i]); !ok {
				return nil, false
			}
		}
		return out, true
	}
	switch v := v.(type) {
	case *ir.Value:
		return l.placeholderFor(v), true
	case dynText:
		zero := l.m.Int(ir.TypeI64, 0)
		return dynText{zero, zero}, true
	case tuple:
		elems, ok := all(v.elems)
		return tuple{elems}, ok
	case oneOf:
		alts, ok := all(v.alts)
		return oneOf{l.m.Int(ir.TypeI32, 0), alts}, ok
	case function:
		bindings, ok := all(v.bindings)
		v.bindings = bindings
		return v, ok
	case iface:
		x, ok := l.shapeHere(v.v)
		return iface{typ: v.typ, v: x}, ok
	case slice:
		var ok bool
		v.at, ok = l.translateMem(v.at)
		if v.len, v.cap = l.placeholderFor(v.len), l.placeholderFor(v.cap); v.off != nil {
			v.off = l.placeholderFor(v.off)
		}
		return v, ok
	case resolvedSlice:
		refs := make([]ref, len(v.refs))
		for i, r := range v.refs {
			p, ok := l.shapeHere(pointer{ref: r})
			if !ok {
				return nil, false
			}
			refs[i] = p.(pointer).ref
		}
		v.refs = refs
		return v, true
	case pointer:
		if v.isNil != nil {
			v.isNil = l.placeholderFor(v.isNil)
		}
		switch r := v.ref.(type) {
		case *cell:
			c := l.cellAt(r)
			return pointer{c, v.isNil}, c != nil
		case mem:
			m, ok := l.translateMem(r)
			return pointer{m, v.isNil}, ok
		case constRef:
			x, ok := l.constAt(r.id)
			return pointer{x, v.isNil}, ok
		}
	}
	return v, true
}

// placeholderFor returns a placeholder for the run-time scalar v inside a shape. A constant becomes
// an equal constant of this module. Scalars that are not constant become 0, because their values do
// not matter in shapes.
func (w *builder) placeholderFor(v *ir.Value) *ir.Value {
	if v.IsConst() {
		return w.m.Const(v.Type, v.Bits)
	}
	return w.m.Const(v.Type, 0)
}

func (l *lowerer) translateMem(m mem) (mem, bool) {
	path := make([]*ir.Value, len(m.path))
	for i, v := range m.path {
		path[i] = l.placeholderFor(v)
	}
	if m.device() {
		return mem{addr: l.placeholderFor(m.addr), elem: l.translateType(m.elem), path: path}, true
	}
	c := l.cellAt(l.foresight.carried.owners[m.v])
	if c == nil || c.mem.v == nil {
		return mem{}, false
	}
	return mem{v: c.mem.v, path: path}, true
}

// translateType returns the type of this module that corresponds to type t of another module.
func (w *builder) translateType(t *ir.Type) *ir.Type {
	switch t.Kind {
	case ir.Array:
		return w.m.ArrayOf(w.translateType(t.Elem), w.placeholderFor(t.Len))
	case ir.Struct:
		fs := make([]ir.Field, len(t.Fields))
		for i, f := range t.Fields {
			fs[i] = f
			fs[i].Type = w.translateType(f.Type)
		}
		return w.m.StructOf(fs, t.Size, t.Align)
	}
	return t
}

// cellAt returns the variable of this lowering that corresponds to variable "old" of the previous
// lowering. If the variable has not been declared yet, cellAt creates it.
func (l *lowerer) cellAt(old *cell) *cell {
	if old == nil || old.inst == nil {
		return nil
	}
	if c := l.foresight.declared[old.inst]; c != nil {
		return c
	}
	up := old.inst
	var parts []int
	for {
		i, ok := up.at.(int)
		if !ok {
			break
		}
		parts, up = append(parts, i), up.up
	}
	c := l.foresight.declared[up]
	if a, ok := up.at.(*ssa.Alloc); ok && c == nil {
		c = l.newCell(a.Type().Underlying().(*types.Pointer).Elem(), a.Comment)
		l.setInst(c, up)
		c.setPending(true)
	}
	if t := l.foresight.carried.made[up]; t != nil && c == nil {
		c = l.newCell(t, "makeslice")
		l.setInst(c, up)
		c.setPending(true)
	}
	if l.foresight.carried.taken[up] && c == nil {
		c = l.takenAhead(old)
	}
	for len(parts) > 0 && c != nil {
		i := parts[len(parts)-1]
		if parts = parts[:len(parts)-1]; i >= len(c.fields) {
			return nil
		}
		c = c.fields[i]
	}
	return c
}

// constAt returns a reference, valid in this lowering, to the package-level variable or object with
// identity id.
func (l *lowerer) constAt(id any) (ref, bool) {
	if g, ok := id.(*ssa.Global); ok {
		p, ok := l.globalPointer(g).(pointer)
		return p.ref, ok
	}
	if p, ok := id.(partKey); ok {
		r, _ := l.constAt(p.key)
		c, ok := r.(constRef)
		if !ok {
			return nil, false
		}
		return c.partRef(p.i), true
	}
	o := l.foresight.carried.objects[id]
	if o == nil {
		return nil, false
	}
	v, _ := l.objectPointer(o)
	p, ok := v.(pointer)
	return p.ref, ok
}
