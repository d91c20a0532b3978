package constinit

// This file evaluates initializers whose values consist of constants.

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/internal/gotypes"
)

// Tree is a constant value, represented as a tree of its fields and elements. Fields and elements
// that have no entry in Parts are zero.
type Tree struct {
	Leaf    ssa.Value     // scalar: *ssa.Const or *ssa.Function
	Number  *[2]float64   // computed float, or real and imaginary part of a complex number
	Parts   map[int]*Tree // trees of the fields of a struct, or of the elements of an array or slice, by index; a missing entry is zero
	Length  int           // number of elements in the array of a slice
	Made    bool          // whether a slice is not nil
	Array   *Object       // array of a slice, if the array's identity is known
	Dynamic types.Type    // dynamic type of the value in an interface
	To      *Object       // variable to which a pointer points
}

// Object is a variable to which pointers may point. An object is an unnamed variable that an
// initializer makes, or a package-level variable.
type Object struct {
	ID   any // objectID or package-level variable; an object has equal IDs in all Envs
	Type types.Type
	Tree *Tree
}

// objectID identifies an object by the instruction that makes the object. If a called function
// makes the object, the objectID also contains the call.
type objectID struct {
	call any
	at   *ssa.Alloc
}

// constState holds the known values that a package initializer has stored. A call of a function in
// the initializer has a separate constState.
type constState struct {
	env   *Env         // nil if calls and other variables are not evaluated
	pkg   *ssa.Package // package of the initializer; nil for a called function
	trees map[ssa.Value]*Tree
	// unknownVars contains the variables with an unknown field or element.
	unknownVars map[ssa.Value]bool
	call        any // value for objectID.call in new objectIDs
	// loadedValues maps a load to the value at the time of the load, or to nil if the value is
	// unknown.
	loadedValues map[*ssa.UnOp]*Tree
}

func (t *Tree) part(i int) *Tree {
	if t.Parts == nil {
		t.Parts = map[int]*Tree{}
	}
	if t.Parts[i] == nil {
		t.Parts[i] = &Tree{}
	}
	return t.Parts[i]
}

// treeOf returns the value of variable g, which must be known.
func (e *constState) treeOf(g *ssa.Global) *Tree {
	if tree := e.trees[g]; tree != nil {
		return tree
	}
	return &Tree{}
}

// runConstInit evaluates stores in the initializer of package p. The stored values must consist of
// constants. If the package's code is not loaded, runConstInit returns nil.
func (e *Env) runConstInit(p *ssa.Package) *constState {
	if env, ok := e.inits[p]; ok {
		return env
	}
	e.inits[p] = nil
	init := p.Func("init")
	if init == nil || len(init.Blocks) == 0 {
		return nil
	}
	env := &constState{env: e, pkg: p, trees: map[ssa.Value]*Tree{}, unknownVars: map[ssa.Value]bool{}, loadedValues: map[*ssa.UnOp]*Tree{}}
	for _, b := range init.Blocks {
		for _, in := range b.Instrs {
			if ld, ok := in.(*ssa.UnOp); ok && ld.Op == token.MUL {
				env.recordLoad(ld)
			}
			st, ok := in.(*ssa.Store)
			if !ok {
				continue
			}
			at := env.treeAt(st.Addr)
			if at == nil {
				env.unknownVars[RootOf(st.Addr)] = true
			} else if !env.storeTree(at, st.Val) {
				env.unknownVars[RootOf(st.Addr)] = true
				at.Leaf = st.Val
			}
		}
	}
	e.inits[p] = env
	return env
}

// treeAt returns the tree of the variable, field or element at address v. If the value at v is
// unknown, treeAt returns nil.
func (e *constState) treeAt(v ssa.Value) *Tree {
	switch v := v.(type) {
	case *ssa.Global:
		if e.trees[v] == nil && v.Pkg == e.pkg {
			e.trees[v] = &Tree{}
		}
		return e.trees[v]
	case *ssa.Alloc:
		if e.trees[v] == nil {
			e.trees[v] = &Tree{}
		}
		return e.trees[v]
	case *ssa.FieldAddr:
		if p := e.treeAt(v.X); p != nil {
			return p.part(v.Field)
		}
	case *ssa.IndexAddr:
		c, ok := v.Index.(*ssa.Const)
		if !ok {
			return nil
		}
		if p := e.treeAt(v.X); p != nil {
			return p.part(int(c.Int64()))
		}
	}
	return nil
}

// storeTree evaluates v and stores the value in the given tree. storeTree returns false if the
// value is unknown.
func (e *constState) storeTree(at *Tree, v ssa.Value) bool {
	if _, ok := ExactFloat(v); ok {
		*at = Tree{Leaf: v}
		return true
	}
	switch v := v.(type) {
	case *ssa.Const, *ssa.Function:
		*at = Tree{Leaf: v}
		if c, ok := v.(*ssa.Const); ok && c.Value == nil {
			*at = Tree{}
		}
		return true
	case *ssa.Slice:
		a, ok := v.X.(*ssa.Alloc)
		if !ok || v.Low != nil || v.High != nil || e.unknownVars[a] {
			return false
		}
		p := e.treeAt(a)
		t := a.Type().Underlying().(*types.Pointer).Elem()
		n := t.Underlying().(*types.Array).Len()
		*at = Tree{Parts: p.Parts, Length: int(n), Made: true, Array: &Object{objectID{e.call, a}, t, p}}
		return true
	case *ssa.MakeInterface:
		if e.storeTree(at, v.X) {
			at.Dynamic = v.X.Type()
			return true
		}
	case *ssa.ChangeInterface:
		return e.storeTree(at, v.X)
	case *ssa.ChangeType:
		return e.storeTree(at, v.X)
	case *ssa.Alloc:
		if e.unknownVars[v] {
			return false
		}
		elem := v.Type().Underlying().(*types.Pointer).Elem()
		*at = Tree{To: &Object{objectID{e.call, v}, elem, e.treeAt(v)}}
		return true
	case *ssa.Global:
		*at = Tree{To: &Object{ID: v}}
		return true
	case *ssa.Parameter:
		if p := e.trees[v]; p != nil {
			*at = p.copyTree()
			return true
		}
	case *ssa.Call:
		if c, ok := halfNumber(v); ok {
			*at = Tree{Leaf: c}
			return true
		}
		return e.callTree(at, v)
	case *ssa.Index: // in Go, indexing a constant string does not give a constant
		c, ok1 := v.X.(*ssa.Const)
		i, ok2 := v.Index.(*ssa.Const)
		if ok1 && ok2 && gotypes.IsString(c.Type()) {
			text := constant.StringVal(c.Value)
			*at = Tree{Leaf: ssa.NewConst(constant.MakeInt64(int64(text[i.Int64()])), v.Type())}
			return true
		}
	case *ssa.Convert:
		c, ok := v.X.(*ssa.Const)
		if t, isSlice := v.Type().Underlying().(*types.Slice); ok && isSlice && gotypes.IsString(c.Type()) {
			*at = *stringTree(constant.StringVal(c.Value), t.Elem())
			return true
		}
	case *ssa.UnOp:
		if p := e.loadedValues[v]; p != nil {
			*at = p.copyTree()
			return true
		}
	}
	return false
}

// recordLoad records the value that a load instruction reads.
func (e *constState) recordLoad(v *ssa.UnOp) {
	if g, ok := RootOf(v.X).(*ssa.Global); ok && e.env != nil && e.env.facts.Filled(g).IsValid() {
		return // a function may have written to the loaded memory before this load
	}
	t := &Tree{}
	if g, ok := v.X.(*ssa.Global); ok {
		if !e.globalTree(t, g) {
			return
		}
	} else if p := e.treeAt(v.X); p != nil && !e.unknownVars[RootOf(v.X)] {
		*t = *p
	} else {
		return
	}
	*t = t.copyTree()
	e.loadedValues[v] = t
}

// copyTree returns a copy of the tree's current value. The copy shares the arrays of slices and the
// targets of pointers with the original.
func (t *Tree) copyTree() Tree {
	c := *t
	if t.Length > 0 || t.Made || t.To != nil || t.Dynamic != nil || t.Parts == nil {
		return c
	}
	c.Parts = make(map[int]*Tree, len(t.Parts))
	for i, p := range t.Parts {
		part := p.copyTree()
		c.Parts[i] = &part
	}
	return c
}

// stringTree returns the value of []byte(s) or []rune(s).
func stringTree(s string, elem types.Type) *Tree {
	t := &Tree{Made: true}
	add := func(n int64) {
		*t.part(t.Length) = Tree{Leaf: ssa.NewConst(constant.MakeInt64(n), elem)}
		t.Length++
	}
	if gotypes.Width(elem) == 8 {
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

// callTree evaluates a call of a function that only builds a result from the arguments, such as
// errors.New. callTree stores the result of the call in the given tree.
func (e *constState) callTree(at *Tree, c *ssa.Call) bool {
	fn := c.Call.StaticCallee()
	if e.env == nil || fn == nil || ofProperties(fn) || len(fn.Blocks) != 1 || fn.Signature.Results().Len() != 1 {
		return false
	}
	inner := &constState{env: e.env, trees: map[ssa.Value]*Tree{}, call: [2]any{e.call, c}, loadedValues: map[*ssa.UnOp]*Tree{}}
	for i, p := range fn.Params {
		arg := &Tree{}
		if !e.storeTree(arg, c.Call.Args[i]) {
			return false
		}
		inner.trees[p] = arg
	}
	for _, in := range fn.Blocks[0].Instrs {
		switch in := in.(type) {
		case *ssa.Store:
			to := inner.treeAt(in.Addr)
			if to == nil || !inner.storeTree(to, in.Val) {
				return false
			}
		case *ssa.Return:
			return inner.storeTree(at, in.Results[0])
		case *ssa.UnOp:
			if in.Op == token.MUL {
				inner.recordLoad(in)
			}
		case *ssa.Call: // an inner call is accepted only if the called function has no side effects
			if _, ok := ExactFloat(in); !ok && !inner.callTree(&Tree{}, in) {
				return false
			}
		case *ssa.Alloc, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.MakeInterface, *ssa.ChangeInterface, *ssa.ChangeType, *ssa.Slice, *ssa.DebugRef:
		default:
			return false
		}
	}
	return false
}

// globalTree stores the value of package-level variable g in the given tree.
func (e *constState) globalTree(at *Tree, g *ssa.Global) bool {
	if e.env == nil {
		return false
	}
	if e.env.facts.Written(g).IsValid() || e.env.facts.Filled(g).IsValid() { // the variable may change after its initialization, or a function may fill it
		return false
	}
	if g.Pkg == e.pkg { // in the variable's own package, the load reads the value at this point of the initialization
		if e.unknownVars[g] {
			return false
		}
		*at = *e.treeAt(g)
		return true
	}
	tree, ok := e.env.treeValue(g)
	if ok {
		*at = *tree
	}
	return ok
}
