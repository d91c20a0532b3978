// Package gotests runs the functions of the Go distribution's own compiler tests
// in kernels. It has nothing but tests.
//
// All functions run in the interpreter and one in four on the device, or all with -every-launch.
// -update writes outside.txt, which lists the functions that kgen refuses.
package gotests

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// helper is a function of a test file: one that no test is.
type helper struct {
	file, name string
	wrapper    string // source of a function from four words to one
	memory     int    // elements of arrays among its arguments
	why        string // why no kernel can call it, or empty
}

func (h *helper) String() string { return h.file + " " + h.name }

// wrapperName is what the wrapper is called.
func (h *helper) wrapperName() string { return "KG_" + h.name }

// testFile is one file of tests as a package of kernels, without its tests.
type testFile struct {
	name    string
	source  string
	helpers []*helper
}

var basic = map[string]string{ // the kind of a type
	"int": "int", "int8": "int", "int16": "int", "int32": "int", "int64": "int", "rune": "int",
	"uint": "uint", "uint8": "uint", "uint16": "uint", "uint32": "uint", "uint64": "uint", "byte": "uint",
	"float32": "float", "float64": "float", "bool": "bool", "complex64": "complex", "complex128": "complex",
}

// parse reads a test file. vars are variables of other files.
func parse(path, name string, vars map[string]string) (*testFile, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, nil, 0)
	if err != nil {
		return nil, err
	}
	borrowed := map[string]bool{}
	for _, id := range file.Unresolved {
		if vars[id.Name] != "" {
			borrowed[id.Name] = true
		}
	}
	t := &testFile{name: name}
	var decls []ast.Decl
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		switch {
		case !ok:
			if g := d.(*ast.GenDecl); g.Tok != token.IMPORT && !mentions(g, "testing") {
				decls = append(decls, d)
			}
			continue
		case mentions(f, "testing"), f.Name.Name == "main", f.Name.Name == "init":
			continue
		}
		decls = append(decls, f)
		if f.Recv == nil {
			h := &helper{file: name, name: f.Name.Name}
			h.wrapper, h.why = wrap(h, f)
			t.helpers = append(t.helpers, h)
		}
	}
	file.Decls = decls
	file.Name.Name = "kernels"
	var out bytes.Buffer
	if err := format.Node(&out, token.NewFileSet(), file); err != nil {
		return nil, err
	}
	text := out.String()
	text = strings.Replace(text, "package kernels", "package kernels\n\n"+imports(file), 1)
	for _, v := range slices.Sorted(maps.Keys(borrowed)) {
		text += "\n" + vars[v] + "\n"
	}
	t.source = text
	return t, nil
}

// variables returns the declarations of the package-level variables of files.
func variables(paths []string) (map[string]string, error) {
	out := map[string]string{}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
				for _, s := range g.Specs {
					if v := s.(*ast.ValueSpec); len(v.Names) == 1 {
						out[v.Names[0].Name] = "var " + text(v)
					}
				}
			}
		}
	}
	return out, nil
}

// imports returns the imports that are still in use.
func imports(file *ast.File) string {
	var b strings.Builder
	for _, s := range file.Imports {
		path, _ := strconv.Unquote(s.Path.Value)
		name := path[strings.LastIndexByte(path, '/')+1:]
		if s.Name != nil {
			name = s.Name.Name
		}
		used := name == "_"
		for _, d := range file.Decls {
			used = used || mentions(d, name)
		}
		if used {
			b.WriteString("import " + s.Path.Value + "\n")
		}
	}
	return b.String()
}

// mentions reports whether the code selects something of a package.
func mentions(n ast.Node, pkg string) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			id, ok := s.X.(*ast.Ident)
			found = found || ok && id.Name == pkg
		}
		return !found
	})
	return found
}

// careful says what keeps most arguments of a function from faulting.
type careful struct{ odd, count, index bool }

func care(f *ast.FuncDecl) careful {
	var c careful
	varies := func(e ast.Expr) bool {
		_, lit := e.(*ast.BasicLit)
		return e != nil && !lit
	}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			c.odd = c.odd || (n.Op == token.QUO || n.Op == token.REM) && varies(n.Y)
			c.count = c.count || (n.Op == token.SHL || n.Op == token.SHR) && varies(n.Y)
		case *ast.IndexExpr:
			c.index = c.index || varies(n.Index)
		case *ast.SliceExpr:
			c.index = c.index || varies(n.Low) || varies(n.High)
		}
		return true
	})
	return c
}

// wrap returns a function that calls f with arguments made of words and makes a
// word of what comes out, or why there is none.
func wrap(h *helper, f *ast.FuncDecl) (string, string) {
	if f.Type.TypeParams != nil {
		return "", "generic"
	}
	if f.Body == nil {
		return "", "no body"
	}
	if endless(f) {
		return "", "never returns"
	}
	if text, ok := handWrapper(h); ok {
		return text, ""
	}
	c := care(f)
	var before, args, after []string
	n := 0
	for _, p := range f.Type.Params.List {
		for range max(1, len(p.Names)) {
			name := fmt.Sprintf("p%d", n)
			set, arg, out, ok := argument(name, p.Type, n, c)
			if !ok {
				return "", "signature: " + text(p.Type)
			}
			h.memory += elements(p.Type)
			before, args, after = append(before, set), append(args, arg), append(after, out)
			n++
		}
	}
	var results []string
	if f.Type.Results != nil {
		for _, r := range f.Type.Results.List {
			for range max(1, len(r.Names)) {
				name := fmt.Sprintf("r%d", len(results))
				w, ok := word(name, r.Type)
				if !ok {
					return "", "signature: " + text(r.Type)
				}
				results = append(results, name)
				after = append(after, w)
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "func %s(x0, x1, x2, x3 uint64) (h uint64) {\n", h.wrapperName())
	for _, s := range before {
		b.WriteString("\t" + s + "\n")
	}
	if b.WriteString("\t"); len(results) > 0 {
		b.WriteString(strings.Join(results, ", ") + " := ")
	}
	fmt.Fprintf(&b, "%s(%s)\n", f.Name.Name, strings.Join(args, ", "))
	for _, s := range after {
		if s != "" {
			b.WriteString("\t" + s + "\n")
		}
	}
	b.WriteString("\treturn h\n}\n")
	return b.String(), ""
}

// endless reports whether a function has a loop that nothing ends.
func endless(f *ast.FuncDecl) bool {
	found := false
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if loop, ok := n.(*ast.ForStmt); ok && loop.Cond == nil {
			ends := false
			ast.Inspect(loop.Body, func(n ast.Node) bool {
				switch n.(type) {
				case *ast.BranchStmt, *ast.ReturnStmt:
					ends = true
				}
				return true
			})
			found = found || !ends
		}
		return true
	})
	return found
}

// elements returns the length of an array.
func elements(t ast.Expr) int {
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	if a, ok := t.(*ast.ArrayType); ok && a.Len != nil {
		n, _ := strconv.Atoi(text(a.Len))
		return n
	}
	return 0
}

func text(e ast.Node) string {
	var b bytes.Buffer
	_ = format.Node(&b, token.NewFileSet(), e)
	return b.String()
}

// argument returns statements that make the n-th argument of type t, the
// argument, and a statement that makes what the function wrote part of the word.
func argument(name string, t ast.Expr, n int, c careful) (set, arg, out string, ok bool) {
	switch t := t.(type) {
	case *ast.Ident:
		v, ok := scalar(t, n, c)
		return fmt.Sprintf("%s := %s", name, v), name, "", ok
	case *ast.StarExpr:
		set, _, _, ok = argument(name, t.X, n, c)
		if !ok {
			return "", "", "", false
		}
		out, ok = word(name, t.X)
		return set, "&" + name, out, ok
	case *ast.ArrayType:
		id, _ := t.Elt.(*ast.Ident)
		if id == nil {
			return "", "", "", false
		}
		v, ok := scalar(id, n, careful{})
		size, slice := "8", t.Len == nil
		if !slice {
			size = text(t.Len)
		}
		set = fmt.Sprintf("var %s [%s]%s\n\tfor i := range %s {\n\t\t%s[i] = %s\n\t\tx%d = kgMix(x%d)\n\t}", name, size, id.Name, name, name, v, n%4, n%4)
		arg = name
		if slice {
			arg += "[:]"
		}
		w, ok2 := word(name, &ast.ArrayType{Len: &ast.BasicLit{Value: size}, Elt: id})
		return set, arg, w, ok && ok2
	}
	return "", "", "", false
}

func scalar(t *ast.Ident, n int, c careful) (string, bool) {
	x := fmt.Sprintf("x%d", n%4)
	switch basic[t.Name] {
	case "int":
		v := fmt.Sprintf("%s(%s)", t.Name, x)
		switch {
		case c.index:
			v = fmt.Sprintf("%s(%s&1)+%d", t.Name, x, n)
		case c.count && c.odd:
			v = "(" + v + "&126|1)"
		case c.count:
			v = "(" + v + "&127)"
		case c.odd:
			v = "(" + v + "|1)"
		}
		return v, true
	case "uint":
		v := fmt.Sprintf("%s(%s)", t.Name, x)
		switch {
		case c.index:
			v = fmt.Sprintf("%s(%s&1)+%d", t.Name, x, n)
		case c.odd:
			v = "(" + v + "|1)"
		}
		return v, true
	case "float":
		return fmt.Sprintf("%s(int64(%s))*1.25", t.Name, x), true
	case "bool":
		return x + "&1 != 0", true
	case "complex":
		f := map[string]string{"complex64": "float32", "complex128": "float64"}[t.Name]
		return fmt.Sprintf("complex(%s(int16(%s)), %s(int8(%s>>5)))", f, x, f, x), true
	}
	return "", false
}

// word returns a statement that adds a variable to the word h.
func word(name string, t ast.Expr) (string, bool) {
	switch t := t.(type) {
	case *ast.Ident:
		switch basic[t.Name] {
		case "int", "uint":
			return fmt.Sprintf("h = kgMix(h ^ uint64(%s))", name), true
		case "bool":
			return fmt.Sprintf("h = kgMix(h ^ kgBool(%s))", name), true
		case "float":
			return fmt.Sprintf("h = kgMix(h ^ kgFloat(float64(%s)))", name), true
		case "complex":
			return fmt.Sprintf("h = kgMix(kgMix(h ^ kgFloat(float64(real(%s)))) ^ kgFloat(float64(imag(%s))))", name, name), true
		}
	case *ast.ArrayType:
		if t.Len == nil {
			return "", false
		}
		w, ok := word(name+"[i]", t.Elt)
		return fmt.Sprintf("for i := range %s {\n\t\t%s\n\t}", name, w), ok
	}
	return "", false
}

// common is in every package of wrappers.
const common = `package kernels

import "math"

func kgMix(x uint64) uint64 {
	x *= 0x9e3779b97f4a7c15
	return x ^ x>>31
}

func kgBool(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// kgFloat tells all floats apart but NaNs.
func kgFloat(x float64) uint64 {
	if x != x {
		return 1
	}
	return math.Float64bits(x)
}
`
