package load

// This file finds the kernels of packages and checks their declarations.

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/constinit"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/internal/gotypes"
)

// kernelFinder finds the kernels of a universe.
type kernelFinder struct {
	l       *loader
	u       *universe
	prog    *Program
	methods []*kernelMethods
	pkg     *sourcePackage // package being searched
	out     *Package
	generic []*types.TypeName          // generic kernel types of the package being searched
	used    map[*types.TypeName]bool   // generic types that an alias instantiates
	names   map[string]*types.TypeName // maps a name in lower case to the package's kernel
	found   int                        // number of errors so far
	inits   *constinit.Env             // initial values of package-level variables, created by the first call of fold
	// If errorSink is not nil, errors are passed to errorSink, and field l (the loader) is nil.
	errorSink func(code diag.Code, pos token.Pos, hint, message string)
}

// kernelMethods holds a kernel and those of its methods that kgen examines.
type kernelMethods struct {
	k          *Kernel
	kernel     *ssa.Function
	properties *ssa.Function // nil if there is no Properties method
	object     types.Object  // declared Kernel method
}

// launchForms maps the type of a Kernel method's parameter to the form of the kernel's launches,
// such as range or task.
var launchForms = map[string]struct {
	form abi.Form
	rank int
}{
	"Task":  {abi.Task, 0},
	"Item1": {abi.Range, 1}, "Item2": {abi.Range, 2}, "Item3": {abi.Range, 3},
	"NDItem1": {abi.NDRange, 1}, "NDItem2": {abi.NDRange, 2}, "NDItem3": {abi.NDRange, 3},
}

const formHint = "write Kernel(dsl.Task), Kernel(dsl.Item1..3) or Kernel(dsl.NDItem1..3), without results"

func (f *kernelFinder) reachedFrom() []*ssa.Function { return rootFuncs(f.methods) }

func (f *kernelFinder) add(code diag.Code, pos token.Pos, hint, format string, args ...any) {
	f.found++
	if f.errorSink != nil {
		f.errorSink(code, pos, hint, fmt.Sprintf(format, args...))
		return
	}
	f.l.diags.Add(code, f.l.diagPos(pos), hint, format, args...)
}

// OfKernel is the prefix of a related message that names a kernel. If the position of a diagnostic
// about a kernel is outside the kernel's package, a related message names the kernel.
const OfKernel = "of kernel "

// addOf reports an error about kernel k at a position that may be in another package, because k may
// embed a type of another package.
func (f *kernelFinder) addOf(k *Kernel, code diag.Code, pos token.Pos, hint, format string, args ...any) {
	f.add(code, pos, hint, format, args...)
	if filepath.Dir(f.l.fset.Position(pos).Filename) != k.Pkg.Dir {
		d := f.l.diags[len(f.l.diags)-1]
		d.Related = append(d.Related, diag.Related{Pos: f.l.diagPos(k.Pos), Message: OfKernel + k.Name})
	}
}

// CheckDeclarations reports errors in a package's declarations of kernels. CheckDeclarations finds
// only errors that can be found from type information alone. Generic kernels are skipped.
func CheckDeclarations(pkg *types.Package, report func(code diag.Code, pos token.Pos, hint, message string)) {
	f := &kernelFinder{errorSink: report, pkg: &sourcePackage{types: pkg}, out: &Package{PkgPath: pkg.Path(), Name: pkg.Name()},
		used: map[*types.TypeName]bool{}, names: map[string]*types.TypeName{}}
	for _, name := range pkg.Scope().Names() {
		if obj, ok := pkg.Scope().Lookup(name).(*types.TypeName); ok {
			f.typeName(obj)
		}
	}
}

// findKernels finds the kernels of the roots (packages that may contain kernels) and checks the
// kernels' declarations.
func (f *kernelFinder) findKernels(roots []*listedPackage) {
	f.used = map[*types.TypeName]bool{}
	for _, p := range roots {
		s := f.u.bySrc[p]
		if s == nil { // package unsafe has no source
			continue
		}
		f.pkg, f.names = s, map[string]*types.TypeName{}
		f.out = &Package{PkgPath: p.path, Name: s.types.Name(), Dir: p.dir, ModulePath: p.modulePath,
			ModuleDir: p.moduleDir, Main: p.inMain, Types: s.types, SSA: s.ssa}
		scope := s.types.Scope()
		for _, name := range scope.Names() {
			if obj, ok := scope.Lookup(name).(*types.TypeName); ok {
				f.typeName(obj)
			}
		}
		if len(f.out.Kernels) > 0 {
			sortKernels(f.out.Kernels)
			f.prog.Packages = append(f.prog.Packages, f.out)
		}
	}
	for _, g := range f.generic {
		if !f.used[g] {
			f.add(diag.KernelType, g.Pos(), "declare an alias of an instance: type "+g.Name()+"F32 = "+g.Name()+"[float32]",
				"kernel type %s is generic, and no alias in these packages instantiates it", g.Name())
		}
	}
}

// typeName adds the kernel that obj, the name of a type, declares. If obj declares no kernel,
// typeName does nothing.
func (f *kernelFinder) typeName(obj *types.TypeName) {
	named, sel, pointer := kernelOf(f.pkg.types, obj)
	if sel == nil {
		return
	}
	method := sel.Obj().(*types.Func)
	if !obj.IsAlias() && named.TypeParams().Len() > 0 {
		f.generic = append(f.generic, obj)
		return
	}
	f.used[named.Origin().Obj()] = true
	n := f.found
	k := &Kernel{Name: obj.Name(), Pkg: f.out, Type: named, Pos: obj.Pos(), Doc: f.docComment(obj.Pos())}
	f.checkName(obj)
	k.Form, k.Rank, k.Formless = f.launchForm(method)
	st, isStruct := named.Underlying().(*types.Struct)
	if isStruct {
		k.Struct = st
		k.Leaves = f.splitReceiver(k)
		k.Params = make([]abi.Param, len(k.Leaves))
		k.ArgSize, k.Spilled = Layout(k.Leaves)
		for i := range k.Leaves {
			k.Params[i] = k.Leaves[i].Param
		}
	} else {
		f.add(diag.KernelType, obj.Pos(), "make it a struct type whose fields are the arguments",
			"kernel type %s is not a struct", obj.Name())
	}
	f.out.Kernels = append(f.out.Kernels, k)
	m := &kernelMethods{k: k, object: method.Origin()}
	m.properties = f.propertiesMethod(k, named)
	if k.Unsound = f.found > n; f.u == nil {
		return
	}
	k.Fn = f.u.prog.MethodValue(sel)
	k.Pointer = pointer
	m.kernel = k.Fn
	f.methods = append(f.methods, m)
}

// kernelOf returns the kernel type that obj declares, and the type's Kernel method. If obj is an
// alias of an instance of a generic type, the first result is the instance. The last result of
// kernelOf tells whether only the pointer type has the Kernel method. If obj declares no kernel,
// the second result is nil.
func kernelOf(pkg *types.Package, obj *types.TypeName) (named *types.Named, sel *types.Selection, pointer bool) {
	named, ok := types.Unalias(obj.Type()).(*types.Named)
	if !ok {
		return nil, nil, false
	}
	if obj.IsAlias() {
		if alias, ok := obj.Type().(*types.Alias); ok && alias.TypeParams().Len() > 0 {
			return nil, nil, false
		}
		if named.TypeArgs().Len() == 0 {
			return nil, nil, false // the alias refers to a kernel type that another declaration declares
		}
	}
	if types.IsInterface(named) {
		return nil, nil, false
	}
	sel, pointer = methodNamed(pkg, named, "Kernel")
	if sel == nil || !isKernel(pkg, sel.Obj().(*types.Func).Signature()) {
		return nil, nil, false
	}
	return named, sel, pointer
}

// KernelMethods returns the Kernel methods of the kernels that a package declares. Generic kernels
// are skipped.
func KernelMethods(pkg *types.Package) []*types.Selection {
	var all []*types.Selection
	for _, name := range pkg.Scope().Names() {
		obj, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok {
			continue
		}
		named, sel, _ := kernelOf(pkg, obj)
		if sel != nil && (obj.IsAlias() || named.TypeParams().Len() == 0) {
			all = append(all, sel)
		}
	}
	return all
}

// methodNamed returns the method of type t with the given name. The method may be promoted from an
// embedded field. The second result of methodNamed tells whether only the pointer type has the
// method.
func methodNamed(pkg *types.Package, t types.Type, name string) (sel *types.Selection, pointer bool) {
	if sel := types.NewMethodSet(t).Lookup(pkg, name); sel != nil {
		return sel, false
	}
	return types.NewMethodSet(types.NewPointer(t)).Lookup(pkg, name), true
}

// isKernel reports whether a method named Kernel makes its type a kernel. The Kernel method must
// have a parameter whose type belongs to package dsl. A method without parameters also makes its
// type a kernel if the package imports dsl. For a Kernel method without parameters, kgen reports an
// error about the missing parameter.
func isKernel(pkg *types.Package, sig *types.Signature) bool {
	for p := range sig.Params().Variables() {
		if fromDSL(p.Type()) != "" {
			return true
		}
	}
	return sig.Params().Len() == 0 && sig.Results().Len() == 0 &&
		slices.ContainsFunc(pkg.Imports(), func(p *types.Package) bool { return p.Path() == dslPath })
}

// fromDSL returns the name of type t if t belongs to package dsl. If t is a pointer to, or a slice
// of, a type of package dsl, fromDSL returns the name of that type. For all other types, fromDSL
// returns "".
func fromDSL(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Pointer:
		return fromDSL(t.Elem())
	case *types.Slice:
		return fromDSL(t.Elem())
	case *types.Named:
		if o := t.Obj(); o.Pkg() != nil && o.Pkg().Path() == dslPath {
			return o.Name()
		}
	}
	return ""
}

// checkName checks the package and the name of a kernel type.
func (f *kernelFinder) checkName(obj *types.TypeName) {
	name := obj.Name()
	if f.pkg.types.Name() == "main" {
		f.add(diag.MainPackage, obj.Pos(), "move the kernel to a package of its own",
			"kernel %s stands in package main, which generated code cannot import", name)
	}
	if !obj.Exported() {
		f.add(diag.Unexported, obj.Pos(), "export it", "kernel type %s is not exported, so generated code cannot name it", name)
	}
	if name == "Kernels" {
		f.add(diag.KernelType, obj.Pos(), "rename it", "kernel name %s is taken in generated code", name)
	}
	for _, key := range []string{strings.ToLower(name), strings.ToLower("Run" + name)} {
		if other := f.names[key]; other != nil {
			f.add(diag.KernelType, obj.Pos(), "rename one of them",
				"names generated for kernels %s and %s collide", other.Name(), name)
		}
		f.names[key] = obj
	}
}

// launchForm returns the form of a kernel's launches, such as range or task. The form depends on
// the parameter type of the kernel's Kernel method m. The last result is true if method m has no
// valid parameter.
func (f *kernelFinder) launchForm(m *types.Func) (form abi.Form, rank int, none bool) {
	sig := m.Signature()
	wrong := false
	if sig.Results().Len() > 0 {
		f.add(diag.KernelSignature, m.Pos(), formHint, "method Kernel has results, which nobody would get: results go to slices")
	}
	if sig.Params().Len() != 1 || sig.Variadic() {
		f.add(diag.KernelSignature, m.Pos(), formHint, "method Kernel has %d parameters, not one item", sig.Params().Len())
		wrong = true
	}
	for p := range sig.Params().Variables() {
		if named, ok := types.Unalias(p.Type()).(*types.Named); ok {
			if form, ok := launchForms[fromDSL(named)]; ok {
				return form.form, form.rank, false
			}
		}
	}
	if !wrong {
		f.add(diag.KernelSignature, m.Pos(), formHint, "method Kernel has a parameter of type %s, which is no item",
			types.TypeString(sig.Params().At(0).Type(), types.RelativeTo(f.pkg.types)))
	}
	return 0, 0, true
}

// propertiesMethod returns the kernel's Properties method, which may be promoted.
func (f *kernelFinder) propertiesMethod(k *Kernel, named *types.Named) *ssa.Function {
	sel, _ := methodNamed(f.pkg.types, named, "Properties")
	if sel == nil {
		if from := promotingFields(f.pkg.types, named, "Properties"); len(from) > 1 {
			f.add(diag.KernelSignature, k.Pos, "give "+k.Name+" a Properties method of its own, which may join their lists",
				"kernel %s embeds %s, and each has a method Properties: by the rules of Go, the kernel has none", k.Name, strings.Join(from, " and "))
		}
		return nil
	}
	m := sel.Obj().(*types.Func)
	k.PropertiesPos = m.Pos()
	sig := m.Signature()
	if sig.Params().Len() != 0 || sig.Results().Len() != 1 || !gotypes.IsNamed(sig.Results().At(0).Type(), propertiesPath, "List") {
		f.add(diag.KernelSignature, m.Pos(), "write Properties() properties.List",
			"method Properties of kernel %s does not have the signature of a get-properties method", k.Name)
		return nil
	}
	if f.u == nil {
		return nil
	}
	return f.u.prog.MethodValue(sel)
}

// promotingFields returns the embedded fields of a struct type that promote a method of the given
// name. If several fields at the same depth promote a method of the same name, Go promotes none of
// the methods.
func promotingFields(pkg *types.Package, t types.Type, name string) (from []string) {
	if obj, index, _ := types.LookupFieldOrMethod(t, true, pkg, name); obj != nil || index == nil {
		return nil
	}
	var last types.Type
	if st, ok := t.Underlying().(*types.Struct); ok {
		for f := range st.Fields() {
			if _, index, _ := types.LookupFieldOrMethod(f.Type(), true, pkg, name); f.Embedded() && index != nil {
				from, last = append(from, f.Name()), f.Type()
			}
		}
	}
	if len(from) == 1 { // a conflict between promoted methods may exist inside this single field
		return promotingFields(pkg, last, name)
	}
	return from
}

// docComment returns the doc comment of the type whose name is at position pos.
func (f *kernelFinder) docComment(pos token.Pos) string {
	_, d := enclosingDecl(f.pkg.files, pos)
	g, ok := d.(*ast.GenDecl)
	if !ok {
		return ""
	}
	for _, s := range g.Specs {
		t, ok := s.(*ast.TypeSpec)
		if !ok || t.Name.Pos() != pos {
			continue
		}
		if t.Doc != nil {
			return t.Doc.Text()
		}
		if len(g.Specs) == 1 {
			return g.Doc.Text()
		}
	}
	return ""
}

// finishKernels completes the kernels after all reached functions have been loaded. The main step
// of finishKernels is the evaluation of the kernels' properties. The roots are the packages that
// may contain kernels.
func (f *kernelFinder) finishKernels(roots []*listedPackage) {
	for _, m := range f.methods {
		if m.properties != nil {
			f.foldProperties(m)
		}
	}
	if len(f.l.diags) == 0 && len(f.methods) == 0 {
		f.noKernels(roots)
	}
}
