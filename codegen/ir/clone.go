package ir

// This file copies modules.

import (
	"bytes"
	"slices"
)

// Clone returns a deep copy of the module. Functions, values, variables, sites, specialization
// constants and interned types are copied, including source positions. Values and blocks keep their
// ids, so a pass has the same effect on the copy as on the module. For example, a pass can try a
// change on a copy of the module and observe the consequences.
//
// The copy and the module share only immutable data: the scalar types, the host's variables in
// Variables, and the kernel's first module in Target.
func (m *Module) Clone() *Module {
	n := *m
	n.consts, n.arrays, n.structs = map[constKey]*Value{}, map[arrayKey]*Type{}, map[string]*Type{}
	c := newCloner(&n)
	for k, v := range m.consts {
		n.consts[k] = c.value(v)
	}
	n.exprs = copyEach(m.exprs, c.value)
	n.Specs, n.Sites, n.Vars = copyEach(m.Specs, c.spec), copyEach(m.Sites, c.site), copyEach(m.Vars, c.variable)
	n.Kernel, n.Helpers = c.fn(m.Kernel), copyEach(m.Helpers, c.fn)
	c.runTodo()
	n.Privates, n.Params, n.Data = slices.Clone(m.Privates), slices.Clone(m.Params), bytes.Clone(m.Data)
	n.Variables, n.Unwatched = slices.Clone(m.Variables), slices.Clone(m.Unwatched)
	n.Prints = slices.Clone(m.Prints)
	n.Uses = copyEach(m.Uses, func(u AspectUse) AspectUse {
		u.Calls = slices.Clone(u.Calls)
		return u
	})
	return &n
}

// Import copies the blocks of src's kernel to f, together with the variables, sites and types that
// the blocks use. Import sets the field Part of the copied sites to the parameter `part`. Import
// returns the copy of the entry block, which has no predecessor yet. For each constant expression
// of src that is not a plain constant, Import calls convertOutside with the expression and the
// imported arguments of the expression. The result of convertOutside replaces the constant
// expression. Import does not change src, which must not have helpers.
func (f *Func) Import(src *Module, part int, convertOutside func(v *Value, args []*Value) *Value) *Block {
	if len(src.Helpers) > 0 {
		panic("BUG: a module with helpers is imported")
	}
	m := f.Module
	c := newCloner(m)
	c.convertOutside = convertOutside
	for _, s := range src.Sites {
		t := *s
		t.Index, t.Part = len(m.Sites), part
		m.Sites, c.sites[s] = append(m.Sites, &t), &t
	}
	m.Vars = append(m.Vars, copyEach(src.Vars, c.variable)...)
	c.funcs[src.Kernel] = f
	f.Vars = append(f.Vars, copyEach(src.Kernel.Vars, c.variable)...)
	blocks := copyEach(src.Kernel.Blocks, c.block)
	for _, b := range blocks {
		b.ID = f.nextBl
		f.nextBl++
	}
	f.Blocks = append(f.Blocks, blocks...)
	c.runTodo()
	return blocks[0]
}

// cloner maps the values, blocks, types and other objects of a module to the copies of these
// objects.
type cloner struct {
	m *Module // module to which the copies belong
	// convertOutside returns the value that replaces a constant expression, and is set only by
	// Import. If convertOutside is set, the copies belong to another module and get new ids.
	convertOutside func(v *Value, args []*Value) *Value

	values map[*Value]*Value
	blocks map[*Block]*Block
	funcs  map[*Func]*Func
	vars   map[*Var]*Var
	refs   map[*Ref]*Ref
	types  map[*Type]*Type
	specs  map[*Spec]*Spec
	sites  map[*Site]*Site
	// todo is a stack of functions that set the pointers in copies. The stack todo replaces a
	// recursion, which could overflow the Go stack, because chains of values can be long.
	todo []func()
}

func newCloner(m *Module) *cloner {
	return &cloner{
		m: m, values: map[*Value]*Value{}, blocks: map[*Block]*Block{}, funcs: map[*Func]*Func{}, vars: map[*Var]*Var{},
		refs: map[*Ref]*Ref{}, types: map[*Type]*Type{}, specs: map[*Spec]*Spec{}, sites: map[*Site]*Site{},
	}
}

// runTodo runs the functions that are on the stack todo.
func (c *cloner) runTodo() {
	for len(c.todo) > 0 {
		last := c.todo[len(c.todo)-1]
		c.todo = c.todo[:len(c.todo)-1]
		last()
	}
}

// copyID assigns a new id to a copy if Import makes the copy. If Clone makes the copy, the copy
// keeps the id of the original.
func (c *cloner) copyID(id *int) {
	if c.convertOutside != nil {
		c.m.nextID++
		*id = c.m.nextID
	}
}

// copyEach returns a list with a copy of each element of list, or nil if list is nil.
func copyEach[T any](list []T, copied func(T) T) []T {
	if list == nil {
		return nil
	}
	out := make([]T, len(list))
	for i, x := range list {
		out[i] = copied(x)
	}
	return out
}

// shallowCopy returns the copy of p. If isNew is true, the copy did not exist before, and the
// caller must replace the pointers in the copy.
func shallowCopy[T any](copies map[*T]*T, p *T) (q *T, isNew bool) {
	if p == nil {
		return nil, false
	}
	if q = copies[p]; q != nil {
		return q, false
	}
	x := *p
	copies[p] = &x
	return &x, true
}

func (c *cloner) value(v *Value) *Value {
	if c.convertOutside != nil && v != nil && v.IsConstExpr() {
		return c.importExpr(v)
	}
	w, isNew := shallowCopy(c.values, v)
	if isNew {
		c.copyID(&w.ID)
		w.Type = c.copyType(v.Type)
		c.todo = append(c.todo, func() {
			w.Args, w.Block = copyEach(v.Args, c.value), c.block(v.Block)
			switch aux := v.Aux.(type) {
			case *Spec:
				w.Aux = c.spec(aux)
			case *Ref:
				w.Aux = c.ref(aux)
			case *Copy:
				if aux != nil {
					w.Aux = &Copy{c.variable(aux.Dst), c.variable(aux.Src)}
				}
			case *Tile:
				if aux != nil {
					w.Aux = &Tile{c.variable(aux.Matrix), c.ref(aux.Mem), aux.Columns, aux.Part}
				}
			case *Product:
				if aux != nil {
					w.Aux = &Product{c.variable(aux.To), c.variable(aux.A), c.variable(aux.B), c.variable(aux.C), aux.Parts}
				}
			case *Site:
				w.Aux = c.site(aux)
			case *Func:
				w.Aux = c.fn(aux)
			}
		})
	}
	return w
}

// importExpr returns the value that replaces constant expression v in the module c.m.
func (c *cloner) importExpr(v *Value) *Value {
	w := c.values[v]
	switch {
	case w != nil:
	case v.IsConst():
		w = c.m.Const(v.Type, v.Bits)
	default:
		w = c.convertOutside(v, copyEach(v.Args, c.value))
	}
	c.values[v] = w
	return w
}

func (c *cloner) block(b *Block) *Block {
	d, isNew := shallowCopy(c.blocks, b)
	if isNew {
		c.todo = append(c.todo, func() {
			d.Func = c.fn(b.Func)
			d.Phis, d.Insts = copyEach(b.Phis, c.value), copyEach(b.Insts, c.value)
			d.Term.Cond, d.Term.Succs = c.value(b.Term.Cond), copyEach(b.Term.Succs, c.block)
			d.Preds, d.Merge, d.Continue = copyEach(b.Preds, c.block), c.block(b.Merge), c.block(b.Continue)
		})
	}
	return d
}

func (c *cloner) fn(f *Func) *Func {
	g, isNew := shallowCopy(c.funcs, f)
	if isNew {
		g.Module = c.m
		g.Params, g.Vars, g.Blocks = copyEach(f.Params, c.value), copyEach(f.Vars, c.variable), copyEach(f.Blocks, c.block)
	}
	return g
}

func (c *cloner) variable(x *Var) *Var {
	y, isNew := shallowCopy(c.vars, x)
	if isNew {
		c.copyID(&y.ID)
		y.Type, y.Init = c.copyType(x.Type), copyEach(x.Init, c.value)
	}
	return y
}

func (c *cloner) ref(r *Ref) *Ref {
	s, isNew := shallowCopy(c.refs, r)
	if isNew {
		s.Var, s.Elem = c.variable(r.Var), c.copyType(r.Elem)
	}
	return s
}

// copyType returns the copy of type t, which is interned in the module c.m.
func (c *cloner) copyType(t *Type) *Type {
	if t == nil || t.Kind != Array && t.Kind != Struct {
		return t
	}
	u := c.types[t]
	if u == nil {
		if t.Kind == Array {
			u = c.m.arrayOf(c.copyType(t.Elem), c.value(t.Len), t.matrixShape(), t.Part)
		} else {
			u = c.m.StructOf(copyEach(t.Fields, func(f Field) Field {
				f.Type = c.copyType(f.Type)
				return f
			}), t.Size, t.Align)
		}
		c.types[t] = u
	}
	return u
}

func (c *cloner) spec(s *Spec) *Spec {
	t, isNew := shallowCopy(c.specs, s)
	if isNew && s.User != nil {
		user := *s.User
		t.User = &user
	}
	return t
}

func (c *cloner) site(s *Site) *Site {
	t, _ := shallowCopy(c.sites, s)
	return t
}
