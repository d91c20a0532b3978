package load

// This file finds the declarations to which kernels refer.

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// mentionSet is the set of declarations that the kernels of a package mention, directly or
// indirectly. The set includes all declarations that can affect the compiled kernels, and possibly
// more.
type mentionSet struct {
	u       *universe
	decls   map[types.Object]declNode
	methods map[*types.TypeName][]*types.Func // maps a type to its declared methods
	inits   map[*types.Package][]*types.Func
	seen    map[types.Object]bool
	kernels map[*types.TypeName]bool // kernel types; a method of a kernel type is in the set only if other code mentions the method
	pkgs    map[string]bool          // packages with a mentioned declaration
	specs   []*types.Var             // specialization constants
	work    []types.Object
}

// declNode holds the syntax node that declares an object, and the object's package.
type declNode struct {
	node ast.Node
	info *types.Info
}

// indexDecls indexes the declarations of all packages from source. indexDecls skips the standard
// library, because the standard library mentions no declarations of other packages.
func (u *universe) indexDecls() *mentionSet {
	m := &mentionSet{u: u, decls: map[types.Object]declNode{}, methods: map[*types.TypeName][]*types.Func{},
		inits: map[*types.Package][]*types.Func{}}
	for _, s := range u.sources {
		if s.std || s.info == nil {
			continue
		}
		for _, file := range s.files {
			for _, d := range file.Decls {
				m.declare(s, d)
			}
		}
	}
	return m
}

func (m *mentionSet) declare(s *sourcePackage, d ast.Decl) {
	if fn, ok := d.(*ast.FuncDecl); ok {
		obj, ok := s.info.Defs[fn.Name].(*types.Func)
		if !ok {
			return
		}
		m.decls[obj] = declNode{fn, s.info}
		recv := obj.Signature().Recv()
		if recv == nil && obj.Name() == "init" {
			m.inits[obj.Pkg()] = append(m.inits[obj.Pkg()], obj)
		}
		if recv != nil {
			if of := typeNameOf(recv.Type()); of != nil {
				m.methods[of] = append(m.methods[of], obj)
			}
		}
		return
	}
	g, ok := d.(*ast.GenDecl)
	if !ok {
		return
	}
	for i, spec := range g.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			m.decls[s.info.Defs[spec.Name]] = declNode{spec, s.info}
		case *ast.ValueSpec:
			var node ast.Node = spec
			if i > 0 && spec.Values == nil && spec.Type == nil {
				node = g // a constant without an expression repeats the preceding expression of the const group
			}
			for _, name := range spec.Names {
				m.decls[s.info.Defs[name]] = declNode{node, s.info}
			}
		}
	}
}

// typeNameOf returns the name of the declared type from which t is made. Type t is the declared
// type, a pointer to the declared type, or an instance of the declared type.
func typeNameOf(t types.Type) *types.TypeName {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Origin().Obj()
	}
	return nil
}

// markAll marks all declarations that the given kernels mention.
func (m *mentionSet) markAll(kernels []*kernelMethods) {
	m.seen, m.kernels, m.pkgs, m.specs = map[types.Object]bool{}, map[*types.TypeName]bool{}, map[string]bool{}, nil
	for _, k := range kernels {
		m.pkgs[k.k.Pkg.PkgPath] = true
		if name := typeNameOf(k.k.Type); name != nil {
			m.kernels[name] = true
			m.markObject(name)
		}
		m.markObject(k.k.Pkg.Types.Scope().Lookup(k.k.Name)) // if the kernel is an alias, the type arguments of the alias are also marked
		m.markObject(k.object)
		if k.properties != nil {
			m.markObject(objectOf(k.properties))
		}
	}
	for len(m.work) > 0 {
		obj := m.work[len(m.work)-1]
		m.work = m.work[:len(m.work)-1]
		if d, ok := m.decls[obj]; ok {
			m.markMentioned(d)
		}
	}
	slices.SortFunc(m.specs, func(a, b *types.Var) int {
		if c := strings.Compare(a.Pkg().Path(), b.Pkg().Path()); c != 0 {
			return c
		}
		return m.u.l.comparePos(a.Pos(), b.Pos())
	})
}

// markObject marks object obj as mentioned, and all objects that obj's declaration mentions.
func (m *mentionSet) markObject(obj types.Object) {
	switch o := obj.(type) {
	case *types.Func:
		obj = o.Origin()
	case *types.Var:
		obj = o.Origin()
	}
	if obj == nil || obj.Pkg() == nil || m.seen[obj] {
		return
	}
	m.seen[obj] = true
	_, isFunc := obj.(*types.Func)
	if obj.Parent() != obj.Pkg().Scope() && !isFunc {
		return // fields and local objects are part of another object's declaration
	}
	if path := obj.Pkg().Path(); m.decls[obj].node != nil || path != dslPath && path != propertiesPath {
		m.pkgs[path] = true
	}
	m.work = append(m.work, obj)
	switch obj := obj.(type) {
	case *types.Var:
		if isSpecConstant(obj.Type()) != nil {
			m.specs = append(m.specs, obj)
		}
		// An init function may set the variable.
		for _, fn := range m.inits[obj.Pkg()] {
			m.markObject(fn)
		}
	case *types.TypeName:
		if !m.kernels[obj] { // all methods are in the set, since they may be called through an interface
			for _, fn := range m.methods[obj] {
				m.markObject(fn)
			}
		}
	}
}

// markMentioned marks all objects that a declaration mentions.
func (m *mentionSet) markMentioned(d declNode) {
	ast.Inspect(d.node, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if obj := d.info.Uses[id]; obj != nil {
				m.markObject(obj)
			}
		}
		return true
	})
}

// packagePaths returns the paths of the packages that declare mentioned objects. A package that is
// not loaded from source may mention any of its imports, so all its imports are added.
func (m *mentionSet) packagePaths(known map[string]*listedPackage) []string {
	var all func(p *listedPackage)
	paths := maps.Clone(m.pkgs)
	all = func(p *listedPackage) {
		for path, q := range p.imports {
			if q != nil && !q.std && !paths[path] {
				paths[path] = true
				all(q)
			}
		}
	}
	for path := range m.pkgs {
		if p := known[path]; p != nil && m.u.bySrc[p] == nil {
			all(p)
		}
	}
	return slices.Sorted(maps.Keys(paths))
}

// isSpecConstant returns the type of a specialization constant's value, if t is a pointer to a
// specialization constant. For other types, isSpecConstant returns nil.
func isSpecConstant(t types.Type) types.Type {
	p, ok := types.Unalias(t).(*types.Pointer)
	if !ok {
		return nil
	}
	n, ok := types.Unalias(p.Elem()).(*types.Named)
	if !ok || fromDSL(n) != "SpecConstant" || n.TypeArgs().Len() != 1 {
		return nil
	}
	return n.TypeArgs().At(0)
}
