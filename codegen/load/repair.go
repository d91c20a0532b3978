package load

// This file removes code with errors from packages, so that the rest can be compiled.

import (
	"errors"
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"go/types"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/internal/kerneltext"
)

// maxRepairs is the largest number of times that a package is type-checked. After each type-check,
// declarations with errors are removed, which may cause errors in other declarations.
const maxRepairs = 8

// syntaxErrors reports the parser's errors for package p.
func (l *loader) syntaxErrors(p *listedPackage, err error) {
	if err != nil {
		l.unsound[p] = true
	}
	var list scanner.ErrorList
	if errors.As(err, &list) {
		for _, e := range list {
			at := diag.Pos{File: shortName(l.show, e.Pos.Filename), Line: e.Pos.Line, Col: e.Pos.Column}
			l.diags.Add(diag.Load, at, "", "%s", e.Msg)
		}
	} else if err != nil {
		l.diags.Add(diag.Load, diag.Pos{}, "", "%s: %v", p.path, err)
	}
}

// reportUnusable records an error in a declaration of package p, and marks p as unusable.
func (l *loader) reportUnusable(p *listedPackage, pos token.Pos, format string, args ...any) {
	l.unsound[p] = true
	l.last = l.diags.Add(diag.Load, l.diagPos(pos), "", format, args...)
}

// reportGap reports that kgen cannot use a declaration of package p, because the declaration needs
// code that was removed.
func (l *loader) reportGap(p *listedPackage, pos token.Pos, why gap) {
	l.unsound[p] = true
	l.last = l.diags.Add(why.code, l.diagPos(pos), why.hint, "%s", why.message)
}

// repairPackage removes function bodies with errors from a package, and reports other errors.
// repairPackage returns true if the package must be type-checked again.
func (l *loader) repairPackage(s *sourcePackage, errs []types.Error) bool {
	again := false
	// Errors of the package's second and later type-checks may be consequences of removed code.
	first := !l.unsound[s.listedPackage] && !slices.ContainsFunc(s.files, func(f *ast.File) bool { return l.repaired[f] })
	for _, e := range errs {
		if more, ok := strings.CutPrefix(e.Msg, "\t"); ok {
			l.continueMessage(e.Pos, more)
			continue
		}
		f, d := enclosingDecl(s.files, e.Pos)
		if f == nil {
			l.reportUnusable(s.listedPackage, e.Pos, "%s", e.Msg)
			continue
		}
		if l.repaired[f] && strings.Contains(e.Msg, "imported and not used") {
			continue
		}
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil && nodeHolds(fn.Body, e.Pos) {
			why := l.rootCause(s.listedPackage, e)
			again = l.blankBody(f, fn, why.pos, why.gap) || again
			if first {
				l.inBodies[s.listedPackage] = append(l.inBodies[s.listedPackage], l.last)
			}
			continue
		}
		if l.roots[s.listedPackage] {
			why := l.rootCause(s.listedPackage, e)
			l.reportGap(s.listedPackage, why.pos, why.gap)
			continue
		}
		again = l.dropDecl(f, e.Pos) || again
	}
	return again
}

// bodiesToo reports the errors in all function bodies of unusable packages, even in bodies that no
// kernel reaches. Thus a single run of kgen reports all errors.
func (l *loader) bodiesToo() {
	for p := range l.unsound {
		l.diags = append(l.diags, l.inBodies[p]...)
		delete(l.inBodies, p)
	}
}

// continueMessage appends a further line of a message to the last error. A message of go/types may
// have several lines.
func (l *loader) continueMessage(pos token.Pos, message string) {
	if l.last != nil {
		l.last.Related = append(l.last.Related, diag.Related{Pos: l.diagPos(pos), Message: message})
	}
}

func nodeHolds(n ast.Node, pos token.Pos) bool { return n.Pos() <= pos && pos < n.End() }

// enclosingDecl returns the file and the top-level declaration that contain pos.
func enclosingDecl(files []*ast.File, pos token.Pos) (*ast.File, ast.Decl) {
	for _, f := range files {
		if f.FileStart <= pos && pos <= f.FileEnd {
			for _, d := range f.Decls {
				if nodeHolds(d, pos) {
					return f, d
				}
			}
			return f, nil
		}
	}
	return nil, nil
}

// A gap is the reason why a declaration or function body was removed.
type gap struct {
	code          diag.Code
	message, hint string
}

// removal holds the reason for a removal (a gap) and the position of the removed code.
type removal struct {
	gap
	pos token.Pos
}

var undefined = regexp.MustCompile(`^undefined: (\w+)$|^undefined array length (\w+) |has no field or method (\w+)\)$`)

// rootCause returns the error to report for the type error e. If e is about an undefined name whose
// declaration was removed, rootCause returns the reason for the removal and the position of the
// removed code. For all other errors, rootCause returns e itself.
func (l *loader) rootCause(p *listedPackage, e types.Error) removal {
	if m := undefined.FindStringSubmatch(e.Msg); m != nil {
		if why, ok := l.removals[p][m[1]+m[2]+m[3]]; ok {
			return why
		}
	}
	hint := ""
	if m := noGroups.FindStringSubmatch(e.Msg); m != nil {
		hint = fmt.Sprintf("a kernel over a range has no work-groups; write dsl.NDItem%s, and give its launch a runtime.NDRange%[1]s", m[1])
	}
	return removal{gap{diag.Load, e.Msg, hint}, e.Pos}
}

// noGroups matches type errors about methods that only the items of nd-ranges have.
var noGroups = regexp.MustCompile(`\(type dsl\.Item([123]) has no field or method (?:Barrier|Group|SubGroup|Local)`)

// recordRemoval records why the declaration of a name in package p was removed.
func (l *loader) recordRemoval(p *listedPackage, name string, why gap, pos token.Pos) {
	if l.removals[p] == nil {
		l.removals[p] = map[string]removal{}
	}
	l.removals[p][name] = removal{why, pos}
}

// blankBody removes a function's body because of an error. The new body is an endless loop, because
// an endless loop needs no return statement. blankBody records the error, which is reported only if
// a kernel reaches the function.
func (l *loader) blankBody(f *ast.File, fn *ast.FuncDecl, pos token.Pos, why gap) bool {
	_, already := l.broken[fn]
	d := &diag.Diagnostic{Pos: l.diagPos(pos), Code: why.code, Message: why.message, Hint: why.hint}
	l.broken[fn], l.last = append(l.broken[fn], d), d
	l.repaired[f] = true
	at := fn.Body.Lbrace
	body := &ast.BlockStmt{Lbrace: at, Rbrace: fn.Body.Rbrace}
	body.List = []ast.Stmt{&ast.ForStmt{For: at, Body: &ast.BlockStmt{Lbrace: at, Rbrace: at}}}
	fn.Body = body
	return !already
}

// dropDecl removes the declaration at pos from a file.
func (l *loader) dropDecl(f *ast.File, pos token.Pos) bool {
	for i, d := range f.Decls {
		if !nodeHolds(d, pos) {
			continue
		}
		l.repaired[f] = true
		g, ok := d.(*ast.GenDecl)
		if !ok {
			f.Decls = slices.Delete(f.Decls, i, i+1)
			return true
		}
		n := len(g.Specs)
		// All constants of one declaration are removed together, because the removal of a single
		// constant would change iota.
		if g.Tok == token.CONST {
			g.Specs = nil
		}
		g.Specs = slices.DeleteFunc(g.Specs, func(s ast.Spec) bool { return nodeHolds(s, pos) })
		if len(g.Specs) == 0 {
			f.Decls = slices.Delete(f.Decls, i, i+1)
		}
		return len(g.Specs) < n
	}
	return false
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// dropMissing handles imports of packages that do not exist, such as stubs that kgen has not
// written yet. dropMissing removes imports of missing packages from the files of package p,
// together with the code that uses the missing packages. Without the removal, go/types would
// silently compute invalid types, which go/ssa does not accept.
func (l *loader) dropMissing(p *listedPackage, files []*ast.File) {
	for _, f := range files {
		gone := map[string]gap{}     // maps the local name of a missing package to the reason
		foreign := map[string]bool{} // local names of missing packages that kgen does not write
		for _, spec := range f.Imports {
			file, err := strconv.Unquote(spec.Path.Value)
			if err != nil || file == "unsafe" || file != "C" && !p.imports[file].isMissing() {
				continue
			}
			said := ""
			if q := p.imports[file]; q != nil && len(q.errs) > 0 {
				said = q.errs[0].Msg
			}
			why, hint := unimportable(file, said)
			name := path.Base(file)
			if majorVersion.MatchString(name) {
				name = path.Base(path.Dir(file))
			}
			if spec.Name != nil {
				name = spec.Name.Name
			}
			gone[name], foreign[name] = gap{diag.Load, why, hint}, !l.isStub(file)
			if file == "C" {
				gone[name] = gap{diag.Unsafe, "kernels cannot use cgo", "write it in Go, or call it on the host and pass the result"}
			}
			l.dropDecl(f, spec.Pos())
		}
		if len(gone) > 0 {
			l.dropUses(p, f, gone, foreign)
		}
	}
}

// isStub reports whether kgen may write the package with the given import path.
func (l *loader) isStub(path string) bool {
	for _, p := range l.byPath {
		if p.inMain && l.mayWrite(p.modulePath, p.moduleDir, path) {
			return true
		}
	}
	return false
}

// takesKernel reports whether type t may get its Kernel method from a generic type of a package in
// pkgs. The keys of the map pkgs are local names of packages. The removal of a type that
// takesKernel accepts must be reported to the user, because the type may be a kernel.
func takesKernel(t *ast.TypeSpec, pkgs map[string]bool) bool {
	return slices.ContainsFunc(kerneltext.Instances(t), func(e ast.Expr) bool {
		sel, ok := e.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		id, ok := sel.X.(*ast.Ident)
		return ok && pkgs[id.Name]
	})
}

// dropUses removes the declarations and function bodies of file f that use a package in the map
// "gone". The map "foreign" marks the packages that kgen does not write.
func (l *loader) dropUses(p *listedPackage, f *ast.File, gone map[string]gap, foreign map[string]bool) {
	use := func(n ast.Node) (at token.Pos, why gap) {
		ast.Inspect(n, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && !at.IsValid() {
				if id, ok := sel.X.(*ast.Ident); ok && gone[id.Name].message != "" {
					at, why = id.Pos(), gone[id.Name]
				}
			}
			return !at.IsValid()
		})
		return at, why
	}
	for _, d := range slices.Clone(f.Decls) {
		switch d := d.(type) {
		case *ast.FuncDecl:
			at, why := use(d.Type)
			if at.IsValid() {
				if l.roots[p] && d.Recv != nil && (d.Name.Name == "Kernel" || d.Name.Name == "Properties") {
					l.reportGap(p, at, why)
				}
				l.recordRemoval(p, d.Name.Name, why, at)
				l.dropDecl(f, d.Pos())
			} else if d.Body != nil {
				if at, why := use(d.Body); at.IsValid() {
					l.blankBody(f, d, at, why)
				}
			}
		case *ast.GenDecl:
			for _, s := range slices.Clone(d.Specs) {
				at, why := use(s)
				if !at.IsValid() {
					continue
				}
				if t, ok := s.(*ast.TypeSpec); ok && l.roots[p] && (isKernelName(f, t.Name.Name) || takesKernel(t, foreign)) {
					l.reportGap(p, at, why)
				}
				gone := []ast.Spec{s}
				if d.Tok == token.CONST { // the constants of one declaration are removed together
					gone = d.Specs
				}
				for _, name := range namesOf(gone) {
					l.recordRemoval(p, name, why, at)
				}
				l.dropDecl(f, s.Pos())
			}
		}
	}
}

// namesOf returns the names that the given specs declare.
func namesOf(specs []ast.Spec) (names []string) {
	for _, s := range specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			names = append(names, s.Name.Name)
		case *ast.ValueSpec:
			for _, n := range s.Names {
				names = append(names, n.Name)
			}
		}
	}
	return names
}

// isKernelName reports whether file f declares a Kernel method for the type with the given name.
func isKernelName(f *ast.File, name string) bool {
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv == nil || fn.Name.Name != "Kernel" || len(fn.Recv.List) != 1 {
			continue
		}
		t := fn.Recv.List[0].Type
		if star, ok := t.(*ast.StarExpr); ok {
			t = star.X
		}
		if id, ok := t.(*ast.Ident); ok && id.Name == name {
			return true
		}
	}
	return false
}
