package load

import (
	_ "embed"
	"go/ast"
	"go/parser"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
)

// Functions of the standard library that call themselves, where a fixed number of
// waiting calls is enough, have other code in kernels. Like gc's, it is made from a
// template: for slices with a function that compares, for slices of what has an
// order, and for sort.Interface.

//go:embed sort.tmpl
var sortTemplate string

// sortVariant is what differs between the variants.
type sortVariant struct {
	Name       string // what the names of functions end with
	Of         string // type parameters
	Data       string // the type of what is sorted
	Param, Arg string // for the function that compares
	less, swap string
}

func (v sortVariant) Less(i, j string) string { return at(v.less, i, j) }
func (v sortVariant) Swap(i, j string) string { return at(v.swap, i, j) }

func at(expr, i, j string) string { return strings.NewReplacer("$i", i, "$j", j).Replace(expr) }

var sortVariants = map[string][]sortVariant{
	"slices": {
		{"CmpFunc", "[E any]", "[]E", ", cmp func(a, b E) int", ", cmp", "cmp(data[$i], data[$j]) < 0", "data[$i], data[$j] = data[$j], data[$i]"},
		{"Ordered", "[E cmp.Ordered]", "[]E", "", "", "cmp.Less(data[$i], data[$j])", "data[$i], data[$j] = data[$j], data[$i]"},
	},
	"sort": {{"", "", "Interface", "", "", "data.Less($i, $j)", "data.Swap($i, $j)"}},
}

// WithoutStack reports whether a function of the standard library that calls itself,
// by its full name, has other code in kernels.
func WithoutStack(name string) bool {
	for pkg, vs := range sortVariants {
		for _, v := range vs {
			if name == pkg+".pdqsort"+v.Name || name == pkg+".symMerge"+v.Name {
				return true
			}
		}
	}
	return false
}

// replace adds the code of kernels to a package's files, and takes out what it is
// for. A package that has other functions, since its Go is another one, stays as it is.
func (l *loader) replace(p *listed, files []*ast.File) []*ast.File {
	variants, ok := sortVariants[p.path]
	if !ok || !p.std {
		return files
	}
	var text strings.Builder
	t := template.Must(template.New("sort").Parse(sortTemplate))
	if err := t.Execute(&text, map[string]any{"Package": p.path, "Variants": variants}); err != nil {
		panic("BUG: " + err.Error())
	}
	src := text.String()
	if strings.Contains(src, "cmp.") {
		src = strings.Replace(src, "\n", "\nimport \"cmp\"\n", 1)
	}
	name := filepath.Join(p.dir, "kgen_sort.go")
	added, err := parser.ParseFile(l.fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	instead := map[string]bool{}
	for _, d := range added.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			instead[fn.Name.Name] = true
		}
	}
	gone := func(d ast.Decl) bool {
		fn, ok := d.(*ast.FuncDecl)
		return ok && fn.Recv == nil && instead[fn.Name.Name]
	}
	found := 0
	for _, f := range files {
		for _, d := range f.Decls {
			if gone(d) {
				found++
			}
		}
	}
	if found < len(instead) {
		return files
	}
	for _, f := range files {
		f.Decls = slices.DeleteFunc(f.Decls, gone)
	}
	l.files[name] = canonicalFile(p, name)
	return append(files, added)
}
