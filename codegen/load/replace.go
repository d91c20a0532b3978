package load

import (
	"embed"
	"go/ast"
	"go/parser"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"text/template"

	"golang.org/x/tools/go/ssa"
)

// Some functions of the standard library have other code in kernels: those that call
// themselves, where a fixed number of waiting calls is enough, one in assembly, one that
// makes strings, those that make tables when these are first needed, those that ask for
// a generator that locks, one that allocates what a kernel has room for, and one that
// compares floats where devices may take subnormal ones for zeros.
// Like gc's, that of sorts is made from a template: for slices with a function that
// compares, for slices of what has an order, and for sort.Interface.

//go:embed *.tmpl
var templates embed.FS

var parsedTemplates = sync.OnceValue(func() *template.Template {
	return template.Must(template.ParseFS(templates, "*.tmpl"))
})

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

// replacing are the templates of packages that have functions with other code.
var replacing = map[string]string{
	"slices": "sort", "sort": "sort", "errors": "errors", "strings": "strings", "hash/crc32": "crc32", "hash/crc64": "crc64",
	"math/rand": "rand", "math": "nextafter", "internal/chacha8rand": "chacha8", "crypto/internal/fips140/subtle": "xor", "strconv": "strconv",
}

// replaced reports whether a function of a package, by "Func" or "Type.Method", has other
// code in kernels.
func replaced(pkg, name string) bool {
	switch pkg {
	case "internal/chacha8rand":
		return name == "block"
	case "hash/crc32":
		return slices.Contains([]string{"ChecksumIEEE", "MakeTable", "New", "update"}, name)
	case "hash/crc64":
		return name == "MakeTable" || name == "update"
	case "math":
		return name == "Nextafter32"
	case "math/rand":
		return name == "Rand.Read" || name == "Rand.Seed"
	case "errors":
		return name == "Join"
	case "strings":
		return name == "IndexRune"
	case "strconv":
		return name == "toError"
	case "crypto/internal/fips140/subtle":
		return name == "XORBytes"
	}
	for _, v := range sortVariants[pkg] {
		if name == "pdqsort"+v.Name || name == "symMerge"+v.Name {
			return true
		}
	}
	return false
}

// HasOtherCode reports whether a function is one of the standard library that has other
// code in kernels.
func HasOtherCode(fn *ssa.Function) bool {
	pkg := PackageOf(fn)
	return pkg != "" && (replaced(pkg, funcName(fn)) || slices.ContainsFunc(taken[pkg], func(b branch) bool { return b.fn == funcName(fn) }))
}

// declName returns "Func" or "Type.Method".
func declName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	of := d.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	if id, ok := of.(*ast.Ident); ok {
		return id.Name + "." + d.Name.Name
	}
	return ""
}

// replace adds the code of kernels to a package's files, and takes out what it is
// for. A package that has other functions, since its Go is another one, stays as it is.
func (l *loader) replace(p *listed, files []*ast.File) []*ast.File {
	for _, t := range taken[p.path] {
		for _, f := range files {
			t.take(f)
		}
	}
	file := replacing[p.path]
	if file == "" {
		return files
	}
	variants := sortVariants[p.path]
	var text strings.Builder
	if err := parsedTemplates().ExecuteTemplate(&text, file+".tmpl", map[string]any{"Package": p.path, "Variants": variants}); err != nil {
		panic("BUG: " + err.Error())
	}
	src := text.String()
	if strings.Contains(src, "cmp.") {
		src = strings.Replace(src, "\n", "\nimport \"cmp\"\n", 1)
	}
	name := filepath.Join(p.dir, "kgen_"+file+".go")
	added, err := parser.ParseFile(l.fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	instead := map[string]bool{}
	for _, d := range added.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && replaced(p.path, declName(fn)) {
			instead[declName(fn)] = true
		}
	}
	gone := func(d ast.Decl) bool {
		fn, ok := d.(*ast.FuncDecl)
		return ok && instead[declName(fn)]
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
	l.files[name], l.made[name] = canonicalFile(p, name), src
	return append(files, added)
}

// branch is a branch of a function that kernels always take.
type branch struct{ fn, cond string }

// taken are such branches, by package: those of code that does the same without package unsafe.
var taken = map[string][]branch{
	// Ports of big-endian processors copy the state's bytes to words and back; others convert its
	// address.
	"crypto/internal/fips140/sha3": {{"keccakF1600Generic", "cpu.BigEndian"}},
}

// take puts the branch's statements in the place of the if statement.
func (b branch) take(f *ast.File) {
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || declName(fn) != b.fn || fn.Body == nil {
			continue
		}
		for i, st := range fn.Body.List {
			if st, ok := st.(*ast.IfStmt); ok && types.ExprString(st.Cond) == b.cond {
				fn.Body.List = slices.Replace(fn.Body.List, i, i+1, st.Body.List...)
				return
			}
		}
	}
}
