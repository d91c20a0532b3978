package load

// This file reads directives, which are comments with the prefix "//kgen" and a colon.

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/internal/modules"
	"github.com/kgen-go/kgen/properties"
)

// Directives maps declarations to the information in their //kgen directives.
type Directives struct {
	// SpecIDs maps a specialization constant to its number in a //kgen:spec directive.
	SpecIDs map[types.Object]SpecID
	// DeviceHas maps a function to the aspects in its //kgen:device_has directives. Several
	// directives of a function are merged.
	DeviceHas map[types.Object]AspectList
	// Cancel contains the Kernel methods with a //kgen:cancel directive.
	Cancel map[types.Object]bool
	// Internal maps a field with a //kgen:internal directive to the directive's position.
	Internal map[types.Object]token.Pos

	bare map[*types.Package]*bareness // packages with a //kgen:bare directive
	// lateLoading maps a package with a //kgen:variants load directive to the directive's position.
	lateLoading map[*types.Package]token.Pos
}

// bareness holds the content of a package's //kgen:bare directive. The directive has these forms:
//
//   - With //kgen:bare, the stubs of the package's kernels have only Run functions.
//   - With //kgen:bare views, the stubs also have the types with views, for queues and graphs.
//   - With //kgen:bare views=Sum,Blur, only the stubs of Sum and Blur have the types with views.
//   - With //kgen:bare nospare, kernels lack the host forms that only cancellable launches need.
//   - With //kgen:bare noform, all kernels lack host forms, which are versions for the CPU.
//   - With //kgen:bare noform=Sum, only the kernel Sum lacks a host form.
type bareness struct {
	nospare       bool
	noform, views kernelSet
	pos           token.Pos
}

// kernelSet is a set of a package's kernels. The set contains all kernels, or only the kernels in
// the list "names".
type kernelSet struct {
	all   bool
	names []string
}

func (s *kernelSet) has(k *Kernel) bool { return s.all || slices.Contains(s.names, k.Name) }

// AspectList holds the aspects listed by a //kgen:device_has directive.
type AspectList struct {
	Aspects []properties.Aspect
	Pos     token.Pos
}

const directivePrefix = "//kgen:"

// readDirectives reads the directives of all packages that are loaded from source.
func (l *loader) readDirectives(u *universe) Directives {
	d := Directives{SpecIDs: map[types.Object]SpecID{}, DeviceHas: map[types.Object]AspectList{}, Cancel: map[types.Object]bool{},
		Internal: map[types.Object]token.Pos{}, bare: map[*types.Package]*bareness{}, lateLoading: map[*types.Package]token.Pos{}}
	for _, s := range u.sources {
		if s.std || s.info == nil {
			continue
		}
		for _, file := range s.files {
			l.fileDirectives(&d, s, file)
		}
	}
	return d
}

func (l *loader) fileDirectives(d *Directives, s *sourcePackage, file *ast.File) {
	used := map[*ast.Comment]bool{}
	each := func(doc *ast.CommentGroup, f func(verb, args string, pos token.Pos)) {
		if doc == nil {
			return
		}
		for _, c := range doc.List {
			if text, ok := strings.CutPrefix(c.Text, directivePrefix); ok {
				used[c] = true
				verb, args, _ := strings.Cut(text, " ")
				f(verb, strings.TrimSpace(args), c.Pos())
			}
		}
	}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			obj := s.info.Defs[decl.Name]
			each(decl.Doc, func(verb, args string, pos token.Pos) { l.funcDirective(d, obj, verb, args, pos) })
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				for _, field := range structFields(spec) {
					for _, doc := range []*ast.CommentGroup{field.Doc, field.Comment} {
						each(doc, func(verb, args string, pos token.Pos) {
							l.fieldDirective(d, s, spec.(*ast.TypeSpec), field, verb, args, pos)
						})
					}
				}
				v, ok := spec.(*ast.ValueSpec)
				if !ok || decl.Tok != token.VAR {
					continue
				}
				doc := v.Doc
				if doc == nil && !decl.Lparen.IsValid() {
					doc = decl.Doc
				}
				each(doc, func(verb, args string, pos token.Pos) {
					if len(v.Names) != 1 {
						l.directiveError(pos, "declare the variables one by one", "a directive for %d variables", len(v.Names))
						return
					}
					l.varDirective(d, s.info.Defs[v.Names[0]], verb, args, pos)
				})
			}
		}
	}
	for _, g := range file.Comments {
		if g.End() < file.Package {
			each(g, func(verb, args string, pos token.Pos) { l.packageDirective(d, s, verb, args, pos) })
		}
		for _, c := range g.List {
			if strings.HasPrefix(c.Text, directivePrefix) && !used[c] {
				l.directiveError(c.Pos(), "write it in the doc comment of a function, of a variable, of a kernel's field, or of the package",
					"%s does not belong to a declaration that it could be about", c.Text)
			}
		}
	}
}

// packageDirective reads one directive above a package clause.
func (l *loader) packageDirective(d *Directives, s *sourcePackage, verb, args string, pos token.Pos) {
	switch verb {
	case "bare":
		l.bareDirective(d, s, args, pos)
	case "variants":
		if args != "load" {
			l.directiveError(pos, "write //kgen:variants load, or leave it out: kgen then writes the modules of all variants",
				"//kgen:variants takes the word load, not %q", args)
			return
		}
		d.lateLoading[s.types] = pos
	default:
		l.directiveError(pos, "packages have //kgen:variants; write others in the doc comment of a function or of a variable", "//kgen:%s does not belong to a package", verb)
	}
}

// bareDirective reads a //kgen:bare directive.
func (l *loader) bareDirective(d *Directives, s *sourcePackage, args string, pos token.Pos) {
	if s.modulePath != modules.Module {
		l.directiveError(pos, "leave it out", "//kgen:bare is for kgen's own tests, whose modules are not committed")
		return
	}
	b := &bareness{pos: pos}
	for _, word := range strings.Fields(args) {
		verb, names, some := strings.Cut(word, "=")
		kernels := kernelSet{all: !some}
		if some {
			kernels.names = strings.Split(names, ",")
		}
		switch {
		case verb == "views":
			b.views = kernels
		case verb == "noform":
			b.noform = kernels
		case word == "nospare":
			b.nospare = true
		default:
			l.directiveError(pos, "//kgen:bare takes nospare, noform, and views; the last two with =K,L for some kernels", "unknown word %q", word)
		}
	}
	d.bare[s.types] = b
}

// bareKernels reports an error if a //kgen:bare directive names a kernel that does not exist.
// bareKernels also reports a //kgen:variants directive in a package with a //kgen:bare directive,
// because the package's stubs embed no modules.
func (f *kernelFinder) bareKernels() {
	for _, pkg := range f.prog.Packages {
		b := f.prog.bare[pkg.Types]
		if b == nil {
			continue
		}
		if pos, late := f.prog.lateLoading[pkg.Types]; late {
			f.l.directiveError(pos, "keep one of them", "//kgen:variants in a package with //kgen:bare, whose stubs embed no modules")
		}
		for _, name := range slices.Concat(b.views.names, b.noform.names) {
			if !slices.ContainsFunc(pkg.Kernels, func(k *Kernel) bool { return k.Name == name }) {
				f.l.directiveError(b.pos, "write the names of the package's kernels, with commas between", "the package has no kernel %q", name)
			}
		}
	}
}

func (l *loader) directiveError(pos token.Pos, hint, format string, args ...any) {
	l.diags.Add(diag.Directive, l.diagPos(pos), hint, format, args...)
}

func (l *loader) funcDirective(d *Directives, obj types.Object, verb, args string, pos token.Pos) {
	switch verb {
	case "device_has":
	case "cancel":
		if args != "" {
			l.directiveError(pos, "write //kgen:cancel alone", "the directive takes nothing, not %q", args)
		}
		if fn, ok := obj.(*types.Func); !ok || fn.Name() != "Kernel" || fn.Signature().Recv() == nil {
			l.directiveError(pos, "write it at the Kernel method of the kernels that call the function", "//kgen:cancel at %s, which is no Kernel method", obj.Name())
		}
		d.Cancel[obj] = true
		return
	case "internal":
		l.directiveError(pos, "write it at the kernel's field", "//kgen:internal at %s, which is no field", obj.Name())
		return
	case "variants":
		l.directiveError(pos, "write it in the package's doc comment", "//kgen:variants at %s: it is about all kernels of a package", obj.Name())
		return
	default:
		l.directiveError(pos, "functions have //kgen:device_has, and Kernel methods //kgen:cancel", "unknown directive //kgen:%s", verb)
		return
	}
	list := d.DeviceHas[obj]
	if !list.Pos.IsValid() {
		list.Pos = pos
	}
	for _, name := range strings.Fields(args) {
		a, ok := properties.ParseAspect(name)
		if !ok {
			var names []string
			for _, a := range properties.Aspects() {
				names = append(names, a.String())
			}
			l.directiveError(pos, "the aspects are "+strings.Join(names, ", "), "unknown aspect %q", name)
			return
		}
		if !slices.Contains(list.Aspects, a) {
			list.Aspects = append(list.Aspects, a)
		}
	}
	d.DeviceHas[obj] = list
}

func (l *loader) varDirective(d *Directives, obj types.Object, verb, args string, pos token.Pos) {
	if verb != "spec" {
		l.directiveError(pos, "variables have //kgen:spec", "unknown directive //kgen:%s", verb)
		return
	}
	text, ok := strings.CutPrefix(args, "id=")
	id, err := strconv.ParseUint(text, 10, 32)
	if !ok || err != nil || id >= maxPinned {
		l.directiveError(pos, "write //kgen:spec id=42", "the directive needs an id below %d", maxPinned)
		return
	}
	if _, twice := d.SpecIDs[obj]; twice {
		l.directiveError(pos, "keep one of them", "%s is given an id twice", obj.Name())
		return
	}
	d.SpecIDs[obj] = SpecID{uint32(id), pos}
}

// structFields returns the fields of a struct type's declaration. For other declarations,
// structFields returns nil.
func structFields(spec ast.Spec) []*ast.Field {
	if t, ok := spec.(*ast.TypeSpec); ok {
		if st, ok := t.Type.(*ast.StructType); ok {
			return st.Fields.List
		}
	}
	return nil
}

func (l *loader) fieldDirective(d *Directives, s *sourcePackage, decl *ast.TypeSpec, field *ast.Field, verb, args string, pos token.Pos) {
	of, _ := s.info.Defs[decl.Name].(*types.TypeName)
	if of == nil {
		return // the type is declared twice; go/types reports the error
	}
	_, kernel, _ := kernelOf(s.types, of)
	switch {
	case verb != "internal":
		l.directiveError(pos, "fields have //kgen:internal", "unknown directive //kgen:%s", verb)
		return
	case args != "":
		l.directiveError(pos, "write //kgen:internal alone", "the directive takes nothing, not %q", args)
		return
	case kernel == nil:
		l.directiveError(pos, "write it at fields of kernels", "//kgen:internal at a field of %s, which is no kernel", of.Name())
		return
	case len(field.Names) == 0:
		l.directiveError(pos, "give the field a name", "//kgen:internal at an embedded field")
		return
	}
	for _, name := range field.Names {
		v := s.info.Defs[name]
		if v == nil {
			continue
		}
		if _, ok := v.Type().Underlying().(*types.Slice); !ok {
			l.diags.Add(diag.Internal, l.diagPos(pos), "write a slice of elements that each work-item has to itself, or leave the directive out",
				"field %s of kernel %s is internal and has type %s, which is no slice", v.Name(), of.Name(),
				types.TypeString(v.Type(), types.RelativeTo(s.types)))
			continue
		}
		d.Internal[v] = pos
	}
}

// maxPinned is the largest number that a //kgen:spec directive may assign to a constant. Package
// abi reserves the numbers above maxPinned.
const maxPinned = 0x10000

// kernelDirectives applies the directives of Kernel methods to the kernels' properties.
func (f *kernelFinder) kernelDirectives() {
	for _, m := range f.methods {
		m.k.Cancel = f.prog.Cancel[m.object]
		f.internalFields(m.k)
		list, ok := f.prog.DeviceHas[m.object]
		if !ok {
			continue
		}
		if m.k.Properties.Has(properties.KeyDeviceHas) {
			f.l.directiveError(list.Pos, "say it once", "kernel %s states its aspects twice: here, and in its Properties method", m.k.Name)
			continue
		}
		m.k.Properties = append(m.k.Properties, properties.DeviceHas(list.Aspects...))
		m.k.Directed = true
		if !m.k.PropertiesPos.IsValid() {
			m.k.PropertiesPos = list.Pos
		}
	}
}

// internalFields marks the leaves that come from fields with a //kgen:internal directive. A leaf is
// a part of a kernel's receiver that is passed as one argument. If a struct type with a
// //kgen:internal field occurs several times in the receiver, internalFields marks all leaves from
// the field.
func (f *kernelFinder) internalFields(k *Kernel) {
	for i := range k.Leaves {
		l := &k.Leaves[i]
		field := l.Path[len(l.Path)-1].Field
		if field == nil || l.Kind != abi.Slice {
			continue
		}
		pos, ok := f.prog.Internal[field.Origin()]
		if !ok {
			continue
		}
		l.Internal, k.Params[i].Internal = 1, 1 // the pass `internal` later replaces the 1 by a count
		if k.Form == abi.Task && !k.Formless {
			f.l.diags.Add(diag.Internal, f.l.diagPos(pos), "use a variable or an array of the function",
				"field %s of kernel %s is internal, but a task has no work-items that could each have elements", l.Name, k.Name)
		}
	}
}
