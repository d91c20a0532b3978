package lower

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/load"
)

// constTree is a constant value by parts; what is missing is zero.
type constTree struct {
	leaf   ssa.Value   // *ssa.Const or *ssa.Function
	number *[2]float64 // a float, or the parts of a complex number, that was computed
	parts  map[int]*constTree
	length int     // of a slice's array
	made   bool    // it is a slice that is not nil
	array  *object // a slice's, if it is known which one it is
	// dynamic is the type of what an interface holds.
	dynamic types.Type
	// to is what a pointer points to.
	to *object
}

// object is what the initialiser of a package makes and a pointer leads to.
type object struct {
	id   any // the same in every lowering: an objectID, or the package-level variable
	typ  types.Type
	tree *constTree
}

// objectID names an object by what makes it, in a call or not.
type objectID struct {
	call any
	at   *ssa.Alloc
}

// constEnv is what is known of an initialiser, or of a function that it calls.
type constEnv struct {
	l     *lowerer     // nil where calls and other variables are not looked into
	pkg   *ssa.Package // whose initialiser it is, nil in a function
	trees map[ssa.Value]*constTree
	// failed are the variables of which something is not known.
	failed map[ssa.Value]bool
	call   any // an objectID's
	// loaded are the values of loads, which are those of their places then; nil is one
	// that is not known.
	loaded map[*ssa.UnOp]*constTree
}

func (t *constTree) part(i int) *constTree {
	if t.parts == nil {
		t.parts = map[int]*constTree{}
	}
	if t.parts[i] == nil {
		t.parts[i] = &constTree{}
	}
	return t.parts[i]
}

// evalGlobal returns what the package initialiser stores in g, provided that it is made
// of constants.
func (l *lowerer) evalGlobal(g *ssa.Global) (*constTree, bool) {
	env := l.evalInit(g.Pkg)
	if env == nil {
		return nil, false
	}
	if env.failed[g] || l.prog.Fate(g).Filled.IsValid() {
		return l.computed(g)
	}
	return env.treeOf(g), true
}

// treeOf returns what a variable has, of which that is known.
func (e *constEnv) treeOf(g *ssa.Global) *constTree {
	if tree := e.trees[g]; tree != nil {
		return tree
	}
	return &constTree{}
}

// evalInit evaluates the initialiser of a package, as far as it is made of constants. It
// returns nil if the package is not here.
func (l *lowerer) evalInit(p *ssa.Package) *constEnv {
	if env, ok := l.choices.inits[p]; ok {
		return env
	}
	l.choices.inits[p] = nil
	init := p.Func("init")
	if init == nil || len(init.Blocks) == 0 {
		return nil
	}
	env := &constEnv{l: l, pkg: p, trees: map[ssa.Value]*constTree{}, failed: map[ssa.Value]bool{}, loaded: map[*ssa.UnOp]*constTree{}}
	for _, b := range init.Blocks {
		for _, in := range b.Instrs {
			if ld, ok := in.(*ssa.UnOp); ok && ld.Op == token.MUL {
				env.load(ld)
			}
			st, ok := in.(*ssa.Store)
			if !ok {
				continue
			}
			at := env.place(st.Addr)
			if at == nil {
				env.failed[load.RootOf(st.Addr)] = true
			} else if !env.store(at, st.Val) {
				env.failed[load.RootOf(st.Addr)] = true
				at.leaf = st.Val
			}
		}
	}
	l.choices.inits[p] = env
	return env
}

// place returns the part of the tree that an address leads to.
func (e *constEnv) place(v ssa.Value) *constTree {
	switch v := v.(type) {
	case *ssa.Global:
		if e.trees[v] == nil && v.Pkg == e.pkg {
			e.trees[v] = &constTree{}
		}
		return e.trees[v]
	case *ssa.Alloc:
		if e.trees[v] == nil {
			e.trees[v] = &constTree{}
		}
		return e.trees[v]
	case *ssa.FieldAddr:
		if p := e.place(v.X); p != nil {
			return p.part(v.Field)
		}
	case *ssa.IndexAddr:
		c, ok := v.Index.(*ssa.Const)
		if !ok {
			return nil
		}
		if p := e.place(v.X); p != nil {
			return p.part(int(c.Int64()))
		}
	}
	return nil
}

// store evaluates v into a tree.
func (e *constEnv) store(at *constTree, v ssa.Value) bool {
	if _, ok := exactFloat(v); ok {
		*at = constTree{leaf: v}
		return true
	}
	switch v := v.(type) {
	case *ssa.Const, *ssa.Function:
		*at = constTree{leaf: v}
		if c, ok := v.(*ssa.Const); ok && c.Value == nil {
			*at = constTree{}
		}
		return true
	case *ssa.Slice:
		a, ok := v.X.(*ssa.Alloc)
		if !ok || v.Low != nil || v.High != nil || e.failed[a] {
			return false
		}
		p := e.place(a)
		t := a.Type().Underlying().(*types.Pointer).Elem()
		n := t.Underlying().(*types.Array).Len()
		*at = constTree{parts: p.parts, length: int(n), made: true, array: &object{objectID{e.call, a}, t, p}}
		return true
	case *ssa.MakeInterface:
		if e.store(at, v.X) {
			at.dynamic = v.X.Type()
			return true
		}
	case *ssa.ChangeInterface:
		return e.store(at, v.X)
	case *ssa.ChangeType:
		return e.store(at, v.X)
	case *ssa.Alloc:
		if e.failed[v] {
			return false
		}
		elem := v.Type().Underlying().(*types.Pointer).Elem()
		*at = constTree{to: &object{objectID{e.call, v}, elem, e.place(v)}}
		return true
	case *ssa.Global:
		*at = constTree{to: &object{id: v}}
		return true
	case *ssa.Parameter:
		if p := e.trees[v]; p != nil {
			*at = p.copied()
			return true
		}
	case *ssa.Call:
		return e.callTree(at, v)
	case *ssa.Index: // of a constant string: not a constant itself
		c, ok1 := v.X.(*ssa.Const)
		i, ok2 := v.Index.(*ssa.Const)
		if ok1 && ok2 && isString(c.Type()) {
			text := constant.StringVal(c.Value)
			*at = constTree{leaf: ssa.NewConst(constant.MakeInt64(int64(text[i.Int64()])), v.Type())}
			return true
		}
	case *ssa.Convert:
		c, ok := v.X.(*ssa.Const)
		if t, isSlice := v.Type().Underlying().(*types.Slice); ok && isSlice && isString(c.Type()) {
			*at = *stringTree(constant.StringVal(c.Value), t.Elem())
			return true
		}
	case *ssa.UnOp:
		if p := e.loaded[v]; p != nil {
			*at = p.copied()
			return true
		}
	}
	return false
}

// load notes what a load gives.
func (e *constEnv) load(v *ssa.UnOp) {
	if g, ok := load.RootOf(v.X).(*ssa.Global); ok && e.l != nil && e.l.prog.Fate(g).Filled.IsValid() {
		return // what has been written by now is not followed here
	}
	t := &constTree{}
	if g, ok := v.X.(*ssa.Global); ok {
		if !e.global(t, g) {
			return
		}
	} else if p := e.place(v.X); p != nil && !e.failed[load.RootOf(v.X)] {
		*t = *p
	} else {
		return
	}
	*t = t.copied()
	e.loaded[v] = t
}

// copied returns what has the same value by now. What slices and pointers lead to stays
// the same.
func (t *constTree) copied() constTree {
	c := *t
	if t.length > 0 || t.made || t.to != nil || t.dynamic != nil || t.parts == nil {
		return c
	}
	c.parts = make(map[int]*constTree, len(t.parts))
	for i, p := range t.parts {
		part := p.copied()
		c.parts[i] = &part
	}
	return c
}

// stringTree is []byte(s) or []rune(s).
func stringTree(s string, elem types.Type) *constTree {
	t := &constTree{made: true}
	add := func(n int64) {
		*t.part(t.length) = constTree{leaf: ssa.NewConst(constant.MakeInt64(n), elem)}
		t.length++
	}
	if width(elem) == 8 {
		for _, b := range []byte(s) {
			add(int64(b))
		}
	} else {
		for _, r := range s {
			add(int64(r))
		}
	}
	return t
}

// callTree evaluates a call of a function that makes something of its arguments and
// returns it, as errors.New does.
func (e *constEnv) callTree(at *constTree, c *ssa.Call) bool {
	fn := c.Call.StaticCallee()
	if e.l == nil || fn == nil || len(fn.Blocks) != 1 || fn.Signature.Results().Len() != 1 {
		return false
	}
	inner := &constEnv{l: e.l, trees: map[ssa.Value]*constTree{}, call: [2]any{e.call, c}, loaded: map[*ssa.UnOp]*constTree{}}
	for i, p := range fn.Params {
		arg := &constTree{}
		if !e.store(arg, c.Call.Args[i]) {
			return false
		}
		inner.trees[p] = arg
	}
	for _, in := range fn.Blocks[0].Instrs {
		switch in := in.(type) {
		case *ssa.Store:
			to := inner.place(in.Addr)
			if to == nil || !inner.store(to, in.Val) {
				return false
			}
		case *ssa.Return:
			return inner.store(at, in.Results[0])
		case *ssa.UnOp:
			if in.Op == token.MUL {
				inner.load(in)
			}
		case *ssa.Call: // what it does is not known, if it does more than return something
			if _, ok := exactFloat(in); !ok && !inner.callTree(&constTree{}, in) {
				return false
			}
		case *ssa.Alloc, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.MakeInterface, *ssa.ChangeInterface, *ssa.ChangeType, *ssa.Slice, *ssa.DebugRef:
		default:
			return false
		}
	}
	return false
}

// objectPointer returns a pointer to an object.
func (l *lowerer) objectPointer(o *object) (val, bool) {
	if g, ok := o.id.(*ssa.Global); ok {
		return l.global(g), true
	}
	l.choices.objects[o.id] = o
	if p, ok := l.objects[o.id]; ok {
		return p, p != nil
	}
	l.objects[o.id] = nil // it may lead to itself, which nothing here can
	v, ok := l.constTree(o.tree, o.typ)
	delete(l.objects, o.id)
	if !ok {
		return nil, false
	}
	p := pointer{ref: constRef{v, o.id}}
	if a, ok := v.(array); ok {
		p.ref = a.at
	}
	l.objects[o.id] = p
	return p, true
}

// global evaluates a package-level variable into a tree.
func (e *constEnv) global(at *constTree, g *ssa.Global) bool {
	if e.l == nil {
		return false
	}
	if at, _ := e.l.writtenAt(g); at.IsValid() || e.l.prog.Fate(g).Filled.IsValid() { // it may not be filled yet
		return false
	}
	if g.Pkg == e.pkg { // what it has by now
		if e.failed[g] {
			return false
		}
		*at = *e.place(g)
		return true
	}
	tree, ok := e.l.evalGlobal(g)
	if ok {
		*at = *tree
	}
	return ok
}
