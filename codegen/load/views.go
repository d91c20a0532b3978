package load

// This file finds the view types that stubs declare.

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/abi"
)

// View is a struct type that stubs declare in place of a source struct type with slices. In the
// stubs' type, views of device memory (type runtime.View) replace the slices. Kernels of a package
// that use the same struct type share the view type.
type View struct {
	Name   string // name of the view type in the stubs
	Of     string // name of the original type, for messages
	Params string // type parameters in the notation of [TypeExpr], for example "[T any]", or ""
	Args   string // type arguments, for example "[T]", or ""
	Fields []ViewField
	// If stubs can import the original type, Source is the type in the notation of TypeExpr. Slices
	// lists the paths, such as "Sub.Data[1]", to the slices inside the type. Values lists the paths to
	// all parts of the type without slices.
	Source         string
	Slices, Values []string
}

// ViewField is one field of a View.
type ViewField struct{ Name, Type string }

// viewer finds the view types for the kernels of a package.
type viewer struct {
	pkg   *Package
	names map[string]*types.TypeName // original type for each name of a view; nil for each name that a kernel uses
	of    map[*types.TypeName]*View  // maps an original type to its view, or to nil if the type has no view
	all   []View
}

// SharedViews returns the view types in the stubs of a package, sorted by name. The second result
// of SharedViews maps each kernel to a further map. The keys of the further map are paths of
// members, such as "Deep[0].In". The values of the further map are expressions for the members'
// view types. A type without a name, or with a name that stubs cannot use, has no view.
func (p *Program) SharedViews(pkg *Package) ([]View, map[*Kernel]map[string]string) {
	v := &viewer{pkg: pkg, names: map[string]*types.TypeName{"Kernels": nil}, of: map[*types.TypeName]*View{}}
	for _, k := range pkg.Kernels {
		v.names[k.Name], v.names["Run"+k.Name] = nil, nil
	}
	uses := map[*Kernel]map[string]string{}
	for _, k := range pkg.Kernels {
		uses[k] = map[string]string{}
		internal := func(at string) bool { // whether a member contains an internal slice, for which callers pass no argument
			return slices.ContainsFunc(k.Params, func(p abi.Param) bool {
				return p.Internal > 0 && (p.Name == at || strings.HasPrefix(p.Name, at+".") || strings.HasPrefix(p.Name, at+"["))
			})
		}
		var members func(t types.Type, at string)
		members = func(t types.Type, at string) {
			if at != "" && !internal(at) {
				if use := v.viewExpr(t); use != "" {
					uses[k][at] = use
					return
				}
			}
			switch u := t.Underlying().(type) {
			case *types.Struct:
				for f := range u.Fields() {
					if hasSlices(f.Type()) {
						members(f.Type(), strings.TrimPrefix(at+"."+f.Name(), "."))
					}
				}
			case *types.Array:
				for i := range min(u.Len(), maxLeaves) {
					members(u.Elem(), fmt.Sprintf("%s[%d]", at, i))
				}
			}
		}
		if k.Struct != nil && p.Views(k) {
			members(k.Struct, "")
		}
	}
	slices.SortFunc(v.all, func(a, b View) int { return strings.Compare(a.Name, b.Name) })
	return v.all, uses
}

// viewExpr returns the expression by which stubs refer to the view of struct type t. viewExpr
// returns "" if type t has no view.
func (v *viewer) viewExpr(t types.Type) string {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || !hasSlices(t) || fromDSL(t) != "" {
		return ""
	}
	st, ok := n.Origin().Underlying().(*types.Struct)
	if !ok {
		return ""
	}
	view := v.viewOf(n.Origin(), st)
	if view == nil {
		return ""
	}
	var args []string
	for a := range n.TypeArgs().Types() {
		if hasSlices(a) {
			return "" // a type argument with slices would need a view
		}
		args = append(args, TypeExpr(a))
	}
	if len(args) == 0 {
		return view.Name
	}
	return view.Name + "[" + strings.Join(args, ", ") + "]"
}

// viewOf returns the view of the declared type n, or nil if the type has no view.
func (v *viewer) viewOf(n *types.Named, st *types.Struct) *View {
	obj := n.Obj()
	if view, ok := v.of[obj]; ok {
		return view
	}
	v.of[obj] = nil
	if !obj.Exported() || obj.Pkg() == nil || obj.Parent() != obj.Pkg().Scope() {
		return nil
	}
	view := &View{Of: obj.Pkg().Name() + "." + obj.Name()}
	var params, args []string
	for p := range n.TypeParams().TypeParams() {
		if !canNameConstraint(p.Constraint(), v.pkg) {
			return nil
		}
		args = append(args, p.Obj().Name())
		params = append(params, p.Obj().Name()+" "+TypeExpr(p.Constraint()))
	}
	if len(params) > 0 {
		view.Params, view.Args = "["+strings.Join(params, ", ")+"]", "["+strings.Join(args, ", ")+"]"
	}
	for f := range st.Fields() {
		if f.Name() == "_" {
			continue
		}
		t := v.fieldView(f.Type())
		if t == "" || !f.Exported() {
			return nil
		}
		view.Fields = append(view.Fields, ViewField{f.Name(), t})
	}
	view.Name = v.viewName(obj)
	if v.pkg.Importable(obj.Pkg().Path()) {
		view.Source = "«" + obj.Pkg().Path() + "»." + obj.Name()
		view.addParts(st, "")
	}
	v.of[obj] = view
	v.all = append(v.all, *view)
	return view
}

// addParts adds the paths of the fields and elements of a value to v.Slices and v.Values. Parameter
// t is the type of the value.
func (v *View) addParts(t types.Type, at string) {
	if !hasSlices(t) || fromDSL(t) != "" {
		v.Values = append(v.Values, at)
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		v.Slices = append(v.Slices, at)
	case *types.Array:
		for i := range min(u.Len(), maxLeaves) {
			v.addParts(u.Elem(), fmt.Sprintf("%s[%d]", at, i))
		}
	case *types.Struct:
		for f := range u.Fields() {
			if f.Name() != "_" {
				v.addParts(f.Type(), strings.TrimPrefix(at+"."+f.Name(), "."))
			}
		}
	}
}

// fieldView returns the type of a view's field if the original field has type t. If a view cannot
// have the field, fieldView returns "".
func (v *viewer) fieldView(t types.Type) string {
	if !hasSlices(t) || fromDSL(t) != "" {
		return TypeExpr(t)
	}
	if use := v.viewExpr(t); use != "" {
		return use
	}
	if _, named := types.Unalias(t).(*types.Named); named {
		if _, isStruct := t.Underlying().(*types.Struct); isStruct {
			return ""
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return "«" + modulePath + "/runtime».View[" + TypeExpr(u.Elem()) + "]"
	case *types.Array:
		if elem := v.fieldView(u.Elem()); elem != "" {
			return fmt.Sprintf("[%d]%s", u.Len(), elem)
		}
	case *types.Struct:
		var fields []string
		for f := range u.Fields() {
			t := v.fieldView(f.Type())
			if t == "" || !f.Exported() {
				return ""
			}
			fields = append(fields, f.Name()+" "+t)
		}
		return "struct{ " + strings.Join(fields, "; ") + " }"
	}
	return ""
}

// viewName returns an unused name for a view. The view has the same name as the original type. If
// the name of the original type is in use, viewName puts the package's name before the type's name.
func (v *viewer) viewName(obj *types.TypeName) string {
	name := obj.Name()
	if _, taken := v.names[name]; taken {
		pkg := obj.Pkg().Name()
		name = strings.ToUpper(pkg[:1]) + pkg[1:] + name
	}
	for {
		_, taken := v.names[name]
		_, of := v.names[name+"Of"]
		if _, made := v.names["New"+name]; !taken && !of && !made {
			break
		}
		name += "View"
	}
	v.names[name], v.names[name+"Of"], v.names["New"+name] = obj, obj, obj
	return name
}

// canNameConstraint reports whether generated code for the package's kernels can write t, which is
// the constraint of a type parameter.
func canNameConstraint(t types.Type, pkg *Package) bool {
	ok := true
	var visit func(t types.Type)
	visit = func(t types.Type) {
		switch t := t.(type) {
		case *types.Alias:
			ok = ok && (t.Obj().Pkg() == nil || t.Obj().Exported() && pkg.Importable(t.Obj().Pkg().Path()))
		case *types.Named:
			ok = ok && (t.Obj().Pkg() == nil || t.Obj().Exported() && pkg.Importable(t.Obj().Pkg().Path()))
		case *types.Interface:
			ok = ok && t.NumExplicitMethods() == 0
			for e := range t.EmbeddedTypes() {
				visit(e)
			}
		case *types.Union:
			for i := range t.Len() {
				visit(t.Term(i).Type())
			}
		case *types.Basic:
		default:
			ok = false
		}
	}
	visit(t)
	return ok
}
