package archtest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// The examples that README.md shows pictures and numbers of, and how many lines such a program may
// have, with comments and empty lines: as many as one reads at a sitting.
var flagships = map[string]int{"attention": 200, "heat": 200, "mnist": 600, "options": 200, "pathtracer": 200, "upscale": 400}

// TestFlagships measures the flagships, each with the packages in its folder. Of other examples they
// may use what all share.
func TestFlagships(t *testing.T) {
	for name, most := range flagships {
		lines, shared, err := program(filepath.Join("../../../examples", name), module+"/examples/"+name)
		if err != nil {
			t.Fatal(err)
		}
		if lines > most || lines < 50 {
			t.Errorf("the example %s has %d lines: the most is %d", name, lines, most)
		}
		if !slices.Equal(shared, []string{module + "/examples/internal/demo"}) {
			t.Errorf("the example %s uses %v of other examples", name, shared)
		}
	}
}

// TestWordcount: the program that README.md says to count words is short.
func TestWordcount(t *testing.T) {
	text, err := os.ReadFile("../../../examples/wordcount/main.go")
	if err != nil {
		t.Fatal(err)
	}
	const most = 40
	lines := bytes.Count(text, []byte("\n"))
	page, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if lines > most || !bytes.Contains(page, fmt.Appendf(nil, "kernels to call, in %d lines", lines)) {
		t.Errorf("the example wordcount has %d lines: the most is %d, and README.md has their number", lines, most)
	}
}

// program returns the number of lines in all Go files of a folder that are no tests, and the
// packages that they use from the folders beside it. The folder's path is that of its package.
func program(dir, path string) (lines int, shared []string, err error) {
	err = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		lines += bytes.Count(text, []byte("\n"))
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			used, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			own := used == path || strings.HasPrefix(used, path+"/")
			if strings.HasPrefix(used, path[:strings.LastIndex(path, "/")+1]) && !own && !slices.Contains(shared, used) {
				shared = append(shared, used)
			}
		}
		return nil
	})
	return lines, shared, err
}

// TestProgram has a program of two packages, one of which uses another program's.
func TestProgram(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"main.go":         "package main\n\nimport (\n\t_ \"x/one/part\"\n\t_ \"x/oneself\"\n\t_ \"y/x/two\"\n)\n",
		"main_test.go":    "package main\n\nimport _ \"x/three\"\n",
		"part/part.go":    "package part // no end of line",
		"part/data/x.txt": "\n\n\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	lines, shared, err := program(dir, "x/one")
	if lines != 7 || !slices.Equal(shared, []string{"x/oneself"}) || err != nil {
		t.Errorf("%d lines, %v of others, %v", lines, shared, err)
	}
}

// TestExamples: each exported type of packages dsl and runtime has an example: of itself, of a
// method, or of a function that returns one. Each exported function, and one name at least of
// each group of constants or variables, stands in the code of an example: in its body, or in the
// kernels that its comment shows, which are those of a package that the file imports.
func TestExamples(t *testing.T) {
	for _, pkg := range []string{"dsl", "runtime"} {
		api, err := readAPI(filepath.Join("../../..", pkg))
		if err != nil {
			t.Fatal(err)
		}
		examples, err := readExamples(filepath.Join("../../..", pkg))
		if err != nil {
			t.Fatal(err)
		}
		if len(api.types) < 20 || len(api.funcs) < 20 || len(api.groups) < 1 || len(examples.names) < 20 {
			t.Errorf("package %s: %d types, %d functions, %d groups, %d examples: are they found?", pkg, len(api.types), len(api.funcs), len(api.groups), len(examples.names))
		}
		for _, fault := range slices.Concat(examples.faults, api.lacks(examples)) {
			t.Errorf("package %s: %s", pkg, fault)
		}
	}
}

// api is what a package exports.
type api struct {
	pkg    string
	types  map[string][]string // the functions that return one
	funcs  map[string]bool
	groups [][]string // of constants and variables
}

// readAPI reads what the package in a folder exports.
func readAPI(dir string) (*api, error) {
	files, err := parseFolder(dir, false)
	if err != nil {
		return nil, err
	}
	a := &api{pkg: filepath.Base(dir), types: map[string][]string{}, funcs: map[string]bool{}}
	for _, file := range files {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				a.addGroup(d)
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.IsExported() {
					a.funcs[d.Name.Name] = true
				}
			}
		}
	}
	for _, file := range files {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !a.funcs[f.Name.Name] || f.Recv != nil || f.Type.Results == nil {
				continue
			}
			of := receiver(f.Type.Results.List[0].Type)
			if _, ok := a.types[of]; ok {
				a.types[of] = append(a.types[of], f.Name.Name)
			}
		}
	}
	return a, nil
}

// addGroup adds the types, constants and variables of a declaration.
func (a *api) addGroup(d *ast.GenDecl) {
	var group []string
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() {
				a.types[s.Name.Name] = nil
			}
		case *ast.ValueSpec:
			for _, n := range s.Names {
				if n.IsExported() {
					group = append(group, n.Name)
				}
			}
		}
	}
	if group != nil {
		a.groups = append(a.groups, group)
	}
}

// lacks says what there is no example of.
func (a *api) lacks(x *examples) []string {
	var faults []string
	for _, name := range slices.Sorted(maps.Keys(a.types)) {
		of := append([]string{name}, a.types[name]...)
		if !slices.ContainsFunc(of, func(s string) bool { return x.names[s] }) {
			faults = append(faults, fmt.Sprintf("type %s has no example: write Example%[1]s, or that of a method or of a function that returns one", name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a.funcs)) {
		if !x.uses[a.pkg+"."+name] {
			faults = append(faults, fmt.Sprintf("no example uses the function %s", name))
		}
	}
	for _, group := range a.groups {
		if !slices.ContainsFunc(group, func(name string) bool { return x.uses[a.pkg+"."+name] }) {
			faults = append(faults, fmt.Sprintf("no example uses any of %s", strings.Join(group, ", ")))
		}
	}
	return faults
}

// examples is what a package has of examples.
type examples struct {
	names  map[string]bool // what they are of: functions, types, and types of methods
	uses   map[string]bool // pkg.Name in their code
	faults []string
}

// readExamples reads the examples of the package in a folder.
func readExamples(dir string) (*examples, error) {
	files, err := parseFolder(dir, true)
	if err != nil {
		return nil, err
	}
	x := &examples{names: map[string]bool{}, uses: map[string]bool{}}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		var known map[string]bool // the declarations of packages that the file imports
		for _, d := range files[name].Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Example") {
				continue
			}
			x.add(f)
			code := shown(f.Doc)
			if code == "" {
				continue
			}
			if known == nil {
				if known, err = importedDecls(files[name]); err != nil {
					return nil, err
				}
			}
			decls, err := declarations(code)
			if err != nil {
				x.faults = append(x.faults, fmt.Sprintf("the comment of %s in %s: %v", f.Name.Name, name, err))
				continue
			}
			for text, decl := range decls {
				if !known[text] {
					x.faults = append(x.faults, fmt.Sprintf("the comment of %s in %s shows what no package has that the file imports:\n%s", f.Name.Name, name, text))
				}
				x.use(decl)
			}
		}
	}
	return x, nil
}

// add adds the name of an example, and what its body uses.
func (x *examples) add(f *ast.FuncDecl) {
	of := strings.TrimPrefix(f.Name.Name, "Example")
	for i, part := range strings.Split(of, "_") { // Type, Type_Method, and _suffix
		if first, _ := utf8.DecodeRuneInString(part); i == 0 && unicode.IsUpper(first) {
			x.names[part] = true
		}
	}
	x.use(f.Body)
}

// use adds the names of packages in code.
func (x *examples) use(code ast.Node) {
	ast.Inspect(code, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if pkg, ok := s.X.(*ast.Ident); ok {
				x.uses[pkg.Name+"."+s.Sel.Name] = true
			}
		}
		return true
	})
}

// shown returns the code in a comment: the lines that begin with a tab.
func shown(doc *ast.CommentGroup) string {
	var b strings.Builder
	for line := range strings.Lines(doc.Text()) {
		if code, ok := strings.CutPrefix(line, "\t"); ok || strings.TrimSpace(line) == "" {
			b.WriteString(code)
		}
	}
	return strings.TrimSpace(b.String())
}

// declarations returns the declarations in code by their texts without comments.
func declarations(code string) (map[string]ast.Decl, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n\n"+code, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return texts(file)
}

// texts returns the declarations of a file by their texts without comments and empty lines.
func texts(file *ast.File) (map[string]ast.Decl, error) {
	decls := map[string]ast.Decl{}
	for _, d := range file.Decls {
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GenDecl:
				n.Doc = nil
			case *ast.FuncDecl:
				n.Doc = nil
			case *ast.TypeSpec:
				n.Doc, n.Comment = nil, nil
			case *ast.ValueSpec:
				n.Doc, n.Comment = nil, nil
			case *ast.Field:
				n.Doc, n.Comment = nil, nil
			}
			return true
		})
		var b strings.Builder
		if err := format.Node(&b, token.NewFileSet(), d); err != nil {
			return nil, err
		}
		decls[b.String()] = d
	}
	return decls, nil
}

// importedDecls returns the texts of the declarations of the packages of this module that a
// file imports.
func importedDecls(file *ast.File) (map[string]bool, error) {
	known := map[string]bool{}
	for _, spec := range file.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		below, ok := strings.CutPrefix(name, module+"/")
		if !ok || strings.HasPrefix(below, "generated/") {
			continue
		}
		files, err := parseFolder(filepath.Join("../../..", filepath.FromSlash(below)), false)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			decls, err := texts(f)
			if err != nil {
				return nil, err
			}
			for text := range decls {
				known[text] = true
			}
		}
	}
	return known, nil
}

// parseFolder parses the Go files in a folder: those of tests, or the others.
func parseFolder(dir string, tests bool) (map[string]*ast.File, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	files := map[string]*ast.File{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") != tests {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files[path.Base(filepath.ToSlash(name))] = file
	}
	return files, nil
}

func TestExamplesLack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "things")
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("things.go", `package things

type Made struct{}
type Alone struct{}
type Doing struct{}
type hidden struct{}

func (Doing) Do() {}

func Make() *Made { return nil }
func Help()       {}
func Shown()      {}

const (
	One = iota
	Two
)

const Three = 3
`)
	write("things_test.go", `package things_test

import "github.com/kgen-go/kgen/internal/tests/guide"

func ExampleMake() { things.Make(); println(things.Two) }

// It shows a kernel.
//
//	type Square struct{ X []int32 }
func ExampleDoing_Do() {}

// It shows another one.
//
//	type Square struct{ X []int64 } // not in guide
//
//	func use() { things.Shown() }
func ExampleHelp_suffix() {}
`)
	a, err := readAPI(dir)
	if err != nil {
		t.Fatal(err)
	}
	x, err := readExamples(dir)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(x.faults)
	faults := strings.Join(slices.Concat(x.faults, a.lacks(x)), "\n")
	const comment = "the comment of ExampleHelp_suffix in things_test.go shows what no package has that the file imports:\n"
	want := comment + "func use() {\n\tthings.Shown()\n}\n" +
		comment + "type Square struct{ X []int64 }\n" +
		"type Alone has no example: write ExampleAlone, or that of a method or of a function that returns one\n" +
		"no example uses the function Help\n" +
		"no example uses any of Three"
	if faults != want {
		t.Errorf("got\n%s\nwant\n%s", faults, want)
	}
}
