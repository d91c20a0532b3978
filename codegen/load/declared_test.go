package load

import (
	"cmp"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"

	"github.com/kgen-go/kgen/internal/tests/golden"
)

// whole are the packages whose exported API is in declared.txt: those that stubs and host forms
// import. Of the standard library's, a newer Go may have more than the file.
var whole = []string{
	modulePath + "/abi", dslPath, dslPath + "/math32", propertiesPath, modulePath + "/runtime", modulePath + "/runtime/kernelimpl",
	modulePath + "/internal/modules", modulePath + "/internal/tests/stubs",
	"context", "embed", "math", "math/bits", "sync/atomic",
}

// TestDeclared: declared.txt has the exported API of the packages that stubs and host forms import;
// -update writes it.
func TestDeclared(t *testing.T) {
	pkgs, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedDeps | packages.NeedExportFile}, whole...)
	if err != nil {
		t.Fatal(err)
	}
	d := &declarer{done: map[types.Object]bool{}, lines: map[string][]string{}, imports: map[string]map[string]string{}, names: map[string]string{}, unexported: map[string]bool{}}
	for _, p := range pkgs {
		if len(p.Errors) > 0 {
			t.Fatal(p.Errors)
		}
		d.all(p.Types)
	}
	d.methods()
	got := d.archive()
	want := map[string]bool{}
	for _, f := range txtar.Parse(declArchive).Files {
		for line := range strings.Lines(string(f.Data)) {
			want[f.Name+" "+line] = true
		}
	}
	// What the standard library has beyond the file is left out, unless the file is written anew.
	for i, f := range got.Files {
		if isStd(f.Name) && !golden.Updating() && slices.Contains(whole, f.Name) {
			var kept strings.Builder
			for line := range strings.Lines(string(f.Data)) {
				if want[f.Name+" "+line] {
					kept.WriteString(line)
				}
			}
			got.Files[i].Data = []byte(kept.String())
		}
	}
	golden.Equal(t, "declared.txt", txtar.Format(got))
}

// TestDeclarations: the declarations that kgen carries are all well-typed.
func TestDeclarations(t *testing.T) {
	o := &outputTypes{prog: &Program{}, fset: token.NewFileSet(), done: map[string]*types.Package{}}
	for path := range embeddedDecls() {
		if _, err := o.Import(path); err != nil {
			t.Error(err)
		}
	}
	for _, err := range o.declErrors {
		t.Error(err)
	}
	if len(o.done) < len(whole) {
		t.Errorf("only %d packages", len(o.done))
	}
}

// open reports whether a package's types are declared with their fields and methods. Values of
// others are passed on only. The types of package host have names in package kernelimpl.
func open(p *types.Package) bool {
	return slices.Contains(whole, p.Path()) || p.Path() == modulePath+"/runtime/internal/host"
}

// declarer writes declarations, and those of all that they mention.
type declarer struct {
	done    map[types.Object]bool
	types   []*types.TypeName // that are declared, in this order
	lines   map[string][]string
	imports map[string]map[string]string // of a package: the names of others by their paths
	names   map[string]string            // of packages
	// unexported are the methods without which types do not implement interfaces that are declared.
	unexported map[string]bool
}

func isStd(path string) bool { return !strings.HasPrefix(path, modulePath) }

// all declares what a package exports.
func (d *declarer) all(p *types.Package) {
	d.add(p, "")
	for _, name := range p.Scope().Names() {
		obj := p.Scope().Lookup(name)
		if !obj.Exported() {
			continue
		}
		switch obj := obj.(type) {
		case *types.TypeName:
			d.typeName(obj)
		case *types.Const:
			d.add(p, "const %s%s = %s", name, d.typed(p, obj.Type()), exact(obj.Val()))
		case *types.Var:
			d.add(p, "var %s %s", name, d.text(p, obj.Type()))
		case *types.Func:
			d.add(p, "func %s%s {}", name, d.signature(p, obj))
		}
	}
}

// add adds a line to a package.
func (d *declarer) add(p *types.Package, format string, args ...any) {
	if d.names[p.Path()] == "" {
		d.names[p.Path()], d.imports[p.Path()] = p.Name(), map[string]string{}
	}
	if format != "" {
		d.lines[p.Path()] = append(d.lines[p.Path()], fmt.Sprintf(format, args...))
	}
}

// exact returns a constant as Go has it, without its type. A quotient is one of floats.
func exact(v constant.Value) string {
	if v.Kind() == constant.Float && constant.Num(v).Kind() == constant.Int {
		return constant.Num(v).ExactString() + ".0 / " + constant.Denom(v).ExactString() + ".0"
	}
	return v.ExactString()
}

// typed returns the type of a constant, if it has one.
func (d *declarer) typed(p *types.Package, t types.Type) string {
	if b, ok := t.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
		return ""
	}
	return " " + d.text(p, t)
}

// unnamed is what export data calls a blank result.
var unnamed = regexp.MustCompile(`#rv[0-9]+`)

func (d *declarer) signature(p *types.Package, f *types.Func) string {
	return unnamed.ReplaceAllString(strings.TrimPrefix(d.text(p, f.Signature()), "func"), "_")
}

// text returns a type as package p has it, and declares the types that it mentions.
func (d *declarer) text(p *types.Package, t types.Type) string {
	d.mention(t, map[types.Type]bool{})
	s := types.TypeString(t, func(q *types.Package) string {
		if q == p {
			return ""
		}
		d.add(p, "")
		d.imports[p.Path()][q.Path()] = q.Name()
		return q.Name()
	})
	if strings.Contains(s, "unsafe.Pointer") {
		d.imports[p.Path()]["unsafe"] = "unsafe"
	}
	return s
}

// mention declares the named types in t.
func (d *declarer) mention(t types.Type, seen map[types.Type]bool) {
	if seen[t] {
		return
	}
	seen[t] = true
	each := func(args *types.TypeList) {
		for a := range args.Types() {
			d.mention(a, seen)
		}
	}
	switch t := t.(type) {
	case *types.Alias:
		each(t.TypeArgs())
		d.typeName(t.Obj())
	case *types.Named:
		each(t.TypeArgs())
		d.typeName(t.Obj())
	case *types.TypeParam:
		d.mention(t.Constraint(), seen)
	case *types.Signature:
		for _, params := range []*types.TypeParamList{t.TypeParams(), t.RecvTypeParams()} {
			for p := range params.TypeParams() {
				d.mention(p, seen)
			}
		}
		for _, vars := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range vars.Variables() {
				d.mention(v.Type(), seen)
			}
		}
	case *types.Struct:
		for f := range t.Fields() {
			d.mention(f.Type(), seen)
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			d.mention(m.Type(), seen)
			d.unexported[m.Name()] = d.unexported[m.Name()] || !m.Exported()
		}
		for e := range t.EmbeddedTypes() {
			d.mention(e, seen)
		}
	case *types.Union:
		for term := range t.Terms() {
			d.mention(term.Type(), seen)
		}
	case *types.Map:
		d.mention(t.Key(), seen)
		d.mention(t.Elem(), seen)
	case interface{ Elem() types.Type }:
		d.mention(t.Elem(), seen)
	}
}

// typeName declares a type, once.
func (d *declarer) typeName(obj *types.TypeName) {
	p := obj.Pkg()
	if p == nil || d.done[obj] {
		return
	}
	d.done[obj] = true
	d.types = append(d.types, obj)
	if a, ok := obj.Type().(*types.Alias); ok {
		d.add(p, "type %s%s = %s", obj.Name(), d.params(p, a.TypeParams()), d.text(p, a.Rhs()))
		return
	}
	named := obj.Type().(*types.Named)
	under := named.Underlying()
	switch t := under.(type) {
	case *types.Struct:
		under = d.visible(p, t)
	case *types.Interface:
		closed := func(m *types.Func) bool { return !m.Exported() }
		if !open(p) && slices.ContainsFunc(slices.Collect(t.Methods()), closed) {
			only := types.NewFunc(token.NoPos, p, "closed", types.NewSignatureType(nil, nil, nil, nil, nil, false))
			under = types.NewInterfaceType([]*types.Func{only}, nil)
		}
	}
	d.add(p, "type %s%s %s", obj.Name(), d.params(p, named.TypeParams()), d.text(p, under))
}

// params returns a list of type parameters.
func (d *declarer) params(p *types.Package, list *types.TypeParamList) string {
	var all []string
	for t := range list.TypeParams() {
		all = append(all, t.Obj().Name()+" "+d.text(p, t.Constraint()))
	}
	if all == nil {
		return ""
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// visible returns a struct type with the fields that other packages see, and with one more that is
// comparable if all others are.
func (d *declarer) visible(p *types.Package, s *types.Struct) *types.Struct {
	var fields []*types.Var
	hidden := false
	for f := range s.Fields() {
		if f.Exported() && open(p) {
			fields = append(fields, f)
		} else {
			hidden = true
		}
	}
	if hidden {
		var t types.Type = types.Typ[types.Int]
		if !types.Comparable(s) {
			t = types.NewSlice(t)
		}
		fields = append(fields, types.NewField(token.NoPos, p, "_", t, false))
	}
	return types.NewStruct(fields, nil)
}

// methods declares the methods of all types, which may declare more types.
func (d *declarer) methods() {
	written := map[*types.Func]bool{}
	for n := -1; n < len(written); {
		n = len(written)
		for i := 0; i < len(d.types); i++ {
			obj := d.types[i]
			named, ok := obj.Type().(*types.Named)
			if !ok || !open(obj.Pkg()) {
				continue
			}
			set := types.NewMethodSet(types.NewPointer(named))
			for sel := range set.Methods() {
				m := sel.Obj().(*types.Func)
				if written[m] || !m.Exported() && !d.unexported[m.Name()] || types.IsInterface(named) {
					continue
				}
				// Methods that a field which is not declared lends are the type's own here.
				if len(sel.Index()) > 1 && !promotedHidden(named, sel.Index()) {
					continue
				}
				written[m] = true
				d.method(named, m, len(sel.Index()) > 1)
			}
		}
	}
}

// promotedHidden reports whether a method comes from a field that is not exported.
func promotedHidden(named *types.Named, index []int) bool {
	s, ok := named.Underlying().(*types.Struct)
	return ok && !s.Field(index[0]).Exported()
}

func (d *declarer) method(named *types.Named, m *types.Func, lent bool) {
	p := named.Obj().Pkg()
	var params []string
	list := m.Signature().RecvTypeParams()
	if lent {
		list = named.TypeParams()
	}
	for t := range list.TypeParams() {
		params = append(params, t.Obj().Name())
	}
	recv := named.Obj().Name()
	if params != nil {
		recv += "[" + strings.Join(params, ", ") + "]"
	}
	if _, ok := m.Signature().Recv().Type().(*types.Pointer); ok {
		recv = "*" + recv
	}
	d.add(p, "func (%s) %s%s {}", recv, m.Name(), d.signature(p, m))
}

// archive returns the declarations.
func (d *declarer) archive() *txtar.Archive {
	a := &txtar.Archive{Comment: []byte("What packages declare that stubs and host forms import, without bodies. TestDeclared writes it:\n" +
		"go test ./codegen/load -run TestDeclared -update\n")}
	paths := slices.SortedFunc(maps.Keys(d.lines), func(a, b string) int {
		return cmp.Or(-cmp.Compare(strings.Count(a, modulePath), strings.Count(b, modulePath)), cmp.Compare(a, b))
	})
	for _, at := range slices.Sorted(maps.Keys(d.names)) {
		if !slices.Contains(paths, at) {
			paths = append(paths, at)
		}
	}
	for _, at := range paths {
		var b strings.Builder
		fmt.Fprintf(&b, "package %s\n", d.names[at])
		for _, q := range slices.Sorted(maps.Keys(d.imports[at])) {
			if path.Base(q) != d.imports[at][q] {
				panic("the name of package " + q)
			}
			fmt.Fprintf(&b, "import %q\n", q)
		}
		lines := d.lines[at]
		slices.Sort(lines)
		b.WriteString(strings.Join(lines, "\n") + "\n")
		a.Files = append(a.Files, txtar.File{Name: at, Data: []byte(b.String())})
	}
	return a
}
