package lower

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// constTree is a constant value by parts; what is missing is zero.
type constTree struct {
	leaf   ssa.Value // *ssa.Const or *ssa.Function
	parts  map[int]*constTree
	length int // of a slice's array
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
	l     *lowerer // nil where calls and other variables are not looked into
	trees map[ssa.Value]*constTree
	call  any // an objectID's
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

// evalGlobal finds what the package initialiser stores in g, provided that it is
// made of constants.
func (l *lowerer) evalGlobal(g *ssa.Global) (*constTree, bool) {
	root, init := &constTree{}, g.Pkg.Func("init")
	if init == nil || len(init.Blocks) == 0 { // its package is not here
		return nil, false
	}
	env := &constEnv{l: l, trees: map[ssa.Value]*constTree{g: root}}
	for _, b := range init.Blocks {
		for _, in := range b.Instrs {
			st, ok := in.(*ssa.Store)
			if !ok {
				continue
			}
			at := env.place(st.Addr)
			if at == nil {
				continue
			}
			if !env.store(at, st.Val) {
				if owner := rootOf(st.Addr); owner == ssa.Value(g) {
					return nil, false
				}
				at.leaf = st.Val
			}
		}
	}
	return root, true
}

func rootOf(v ssa.Value) ssa.Value {
	for {
		switch x := v.(type) {
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.IndexAddr:
			v = x.X
		default:
			return v
		}
	}
}

// place returns the part of the tree that an address leads to.
func (e *constEnv) place(v ssa.Value) *constTree {
	switch v := v.(type) {
	case *ssa.Global:
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
	switch v := v.(type) {
	case *ssa.Const, *ssa.Function:
		*at = constTree{leaf: v}
		if c, ok := v.(*ssa.Const); ok && c.Value == nil {
			*at = constTree{}
		}
		return true
	case *ssa.Slice:
		a, ok := v.X.(*ssa.Alloc)
		if !ok || v.Low != nil || v.High != nil {
			return false
		}
		p := e.place(a)
		n := a.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array).Len()
		*at = constTree{parts: p.parts, length: int(n)}
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
		elem := v.Type().Underlying().(*types.Pointer).Elem()
		*at = constTree{to: &object{objectID{e.call, v}, elem, e.place(v)}}
		return true
	case *ssa.Global:
		*at = constTree{to: &object{id: v}}
		return true
	case *ssa.Parameter:
		if p := e.trees[v]; p != nil {
			*at = *p
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
		if g, ok := v.X.(*ssa.Global); ok && v.Op == token.MUL && e.trees[g] == nil {
			if e.l == nil || e.l.writtenAt(g).IsValid() {
				return false
			}
			tree, ok := e.l.evalGlobal(g)
			if ok {
				*at = *tree
			}
			return ok
		}
		if p := e.place(v.X); p != nil && v.Op == token.MUL {
			*at = *p
			return true
		}
	}
	return false
}

// stringTree is []byte(s) or []rune(s).
func stringTree(s string, elem types.Type) *constTree {
	t := &constTree{}
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
	inner := &constEnv{l: e.l, trees: map[ssa.Value]*constTree{}, call: [2]any{e.call, c}}
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
		case *ssa.Alloc, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.MakeInterface, *ssa.ChangeInterface, *ssa.ChangeType, *ssa.Slice, *ssa.UnOp, *ssa.Call, *ssa.DebugRef:
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
		return p, true
	}
	v, ok := l.constTree(o.tree, o.typ)
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
