package load

import (
	_ "embed"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/txtar"
)

// This file type-checks generated Go code before kgen writes it to disk. Thus kgen reports errors
// that gc would otherwise report in the user's build. Stubs may import packages that the program
// does not load. The kgen program contains the declarations of its own packages and of a few
// packages of the standard library. Packages without embedded declarations are loaded with the
// program, or have export data.

// declArchive is the embedded archive of Go declarations. The archive has one file for each import
// path.
//
//go:embed declared.txt
var declArchive []byte

// embeddedDecls returns a map from import paths to the files of the embedded archive.
var embeddedDecls = sync.OnceValue(func() map[string][]byte {
	files := map[string][]byte{}
	for _, f := range txtar.Parse(declArchive).Files {
		files[f.Name] = f.Data
	}
	return files
})

// stubImports lists import path prefixes of the packages that stubs call. For packages with a
// prefix in stubImports, kgen uses the embedded declarations, because the stubs are written for
// exactly the embedded versions. The list does not contain properties, dsl and the packages below
// dsl. Stubs and kernels must use the same types of these packages.
var stubImports = []string{modulePath + "/abi", modulePath + "/runtime", modulePath + "/internal/modules", modulePath + "/internal/tests/stubs"}

// Text holds the name and the content of a generated Go file.
type Text struct {
	Name string
	Data []byte
}

// TextError is an error that gc would report for a Text.
type TextError struct {
	File string
	At   string // position of the error, including the file name
	Msg  string
	// Forbidden is set if a kernel has a type of a package that the generated package may not
	// import.
	Forbidden bool
}

func (e *TextError) Error() string { return e.At + ": " + e.Msg }

// CheckTexts type-checks the files of a generated package, which belongs to the kernels of pkg.
// CheckTexts returns the errors.
func (p *Program) CheckTexts(pkg *Package, importPath string, texts []Text) (wrong []*TextError) {
	if p.outputs == nil {
		p.outputs = &outputTypes{prog: p, fset: token.NewFileSet(), done: map[string]*types.Package{}}
	}
	fset := p.outputs.fset
	add := func(pos token.Position, msg string) {
		at := pos.String()
		wrong = append(wrong, &TextError{File: pos.Filename, At: at, Msg: msg})
	}
	var files []*ast.File
	for _, t := range texts {
		f, err := parser.ParseFile(fset, t.Name, t.Data, parser.SkipObjectResolution)
		if err != nil {
			add(token.Position{Filename: t.Name}, strings.TrimPrefix(err.Error(), t.Name+":"))
			continue
		}
		files = append(files, f)
	}
	if len(wrong) > 0 {
		return wrong
	}
	cfg := &types.Config{
		Sizes: Sizes,
		Error: func(err error) {
			if e := (types.Error{}); errors.As(err, &e) {
				add(fset.Position(e.Pos), e.Msg)
			}
		},
		Importer: importerFunc(func(path string) (*types.Package, error) {
			if path == pkg.PkgPath {
				return pkg.Types, nil
			}
			if !mayImport(importPath, path) {
				wrong = append(wrong, &TextError{At: pkg.PkgPath, Forbidden: true, Msg: fmt.Sprintf("its kernels have types of package %s, which package %s may not import, where the stubs are to stand: "+
					"move the types out of the folder internal, or move the kernels' package below a folder internal, too: its stubs stand below it", path, importPath)})
			}
			return p.outputs.Import(path)
		}),
	}
	if q := p.listed[pkg.PkgPath]; q != nil {
		cfg.GoVersion = q.goVersion
	}
	cfg.Check(importPath, fset, files, nil)
	return wrong
}

// mayImport reports whether one package may import another package. By a rule of the go command,
// only packages below the parent of an internal folder can import packages in the folder.
func mayImport(from, path string) bool {
	parts := strings.Split(path, "/")
	for i, part := range slices.Backward(parts) {
		if part == "internal" {
			parent := strings.Join(parts[:i], "/")
			return i == 0 || strings.HasPrefix(from+"/", parent+"/")
		}
	}
	return true
}

// outputTypes imports packages for generated code, and caches them.
type outputTypes struct {
	prog *Program
	fset *token.FileSet
	done map[string]*types.Package
	// declErrors holds the errors found in the embedded declarations.
	declErrors []error
}

// Import returns the package with the given path. CheckTexts handles imports of the packages that
// contain the kernels.
func (o *outputTypes) Import(path string) (*types.Package, error) {
	if t := o.done[path]; t != nil {
		return t, nil
	}
	t, err := o.findPackage(path)
	if err == nil {
		o.done[path] = t
	}
	return t, err
}

func (o *outputTypes) findPackage(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	text, ok := embeddedDecls()[path]
	below := func(p string) bool { return path == p || strings.HasPrefix(path, p+"/") }
	if ok && slices.ContainsFunc(stubImports, below) {
		return o.checkDeclared(path, text)
	}
	if q, u := o.prog.listed[path], o.prog.universe; q != nil && u != nil {
		if t := u.done[q]; t != nil && t.Complete() {
			return t, nil
		}
		if q.export != "" {
			return u.readExport(q)
		}
	}
	if ok {
		return o.checkDeclared(path, text)
	}
	return nil, fmt.Errorf("package %s cannot be imported", path)
}

// checkDeclared type-checks the embedded declarations of a package. Functions in the embedded
// declarations have empty bodies. If the user's module requires another version of package dsl,
// some declarations may have errors. Errors in declarations matter only to generated code that uses
// these declarations.
func (o *outputTypes) checkDeclared(path string, text []byte) (*types.Package, error) {
	f, err := parser.ParseFile(o.fset, path+" as declared", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	cfg := &types.Config{Sizes: Sizes, IgnoreFuncBodies: true, Importer: o, Error: func(err error) { o.declErrors = append(o.declErrors, err) }}
	t, _ := cfg.Check(path, o.fset, []*ast.File{f}, nil)
	t.MarkComplete()
	return t, nil
}
