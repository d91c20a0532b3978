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

// This file contains code that kernels use in place of some functions of the standard library. A
// function is replaced for one of these reasons:
//
//   - The function is recursive, and a stack of fixed size is enough.
//   - The body of the function is in assembly, or makes strings.
//   - The function builds tables at its first use, or uses a generator with a lock.
//   - The function allocates memory, and an array of fixed size is enough.
//   - The function compares floats, and devices may treat subnormal numbers as zeros.
//
// The sorting code is generated from a template, as in the standard library. The template has
// variants for slices with a comparison function, for slices of ordered elements, and for
// sort.Interface.

//go:embed *.tmpl
var templates embed.FS

var parsedTemplates = sync.OnceValue(func() *template.Template {
	return template.Must(template.ParseFS(templates, "*.tmpl"))
})

// sortVariant holds the differences between the variants of the sorting code.
type sortVariant struct {
	Name       string // suffix of the functions' names
	Of         string // type parameters
	Data       string // type of the sorted data
	Param, Arg string // texts of the parameter and the argument for a comparison function
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

// replacements contains the names of templates with replacement code. The keys are the paths of the
// packages whose functions are replaced.
var replacements = map[string]string{
	"slices": "sort", "sort": "sort", "errors": "errors", "strings": "strings", "hash/crc32": "crc32", "hash/crc64": "crc64",
	"math/rand": "rand", "math": "math", "internal/chacha8rand": "chacha8", "crypto/internal/fips140/subtle": "xor", "strconv": "strconv",
}

// newNames maps a replaced function to the name under which replacement code can call the original
// function.
var newNames = map[string]string{"math.FMA": "genericFMA"}

// isReplaced reports whether kernels use replacement code for a function of package pkg. The name
// has the form "Func" or "Type.Method".
func isReplaced(pkg, name string) bool {
	switch pkg {
	case "internal/chacha8rand":
		return name == "block"
	case "hash/crc32":
		return slices.Contains([]string{"ChecksumIEEE", "MakeTable", "New", "update"}, name)
	case "hash/crc64":
		return name == "MakeTable" || name == "update"
	case "math":
		return name == "Nextafter32" || name == "FMA"
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

// HasOtherCode reports whether fn is a function of the standard library for which kernels use
// replacement code.
func HasOtherCode(fn *ssa.Function) bool {
	pkg := PackageOf(fn)
	return pkg != "" && (isReplaced(pkg, funcName(fn)) || slices.ContainsFunc(firstBranches[pkg], func(b ifBranch) bool { return b.fn == funcName(fn) }))
}

// declName returns the name of a function in the form "Func" or "Type.Method".
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

// replaceFuncs adds the replacement code to the files of package p, and removes the replaced
// functions. In another version of Go, the package may lack one of the replaced functions. If a
// replaced function is missing, the files are returned unchanged.
func (l *loader) replaceFuncs(p *listedPackage, files []*ast.File) []*ast.File {
	for _, t := range firstBranches[p.path] {
		for _, f := range files {
			t.useFirstBranch(f)
		}
	}
	file := replacements[p.path]
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
		if fn, ok := d.(*ast.FuncDecl); ok && isReplaced(p.path, declName(fn)) {
			instead[declName(fn)] = true
		}
	}
	gone := func(d ast.Decl) bool {
		fn, ok := d.(*ast.FuncDecl)
		return ok && instead[declName(fn)]
	}
	var found []*ast.FuncDecl
	for _, f := range files {
		for _, d := range f.Decls {
			if gone(d) {
				found = append(found, d.(*ast.FuncDecl))
			}
		}
	}
	if len(found) < len(instead) {
		return files
	}
	for _, fn := range found {
		if name := newNames[p.path+"."+declName(fn)]; name != "" {
			fn.Name.Name = name
		}
	}
	for _, f := range files {
		f.Decls = slices.DeleteFunc(f.Decls, gone)
	}
	l.files[name], l.made[name] = canonicalFile(p, name), src
	return append(files, added)
}

// ifBranch identifies an if statement. The field fn is the name of the enclosing function, and the
// field cond is the condition of the statement. In kernels, the first branch of the if statement
// always runs.
type ifBranch struct{ fn, cond string }

// firstBranches maps a package to the if statements whose first branch always runs in kernels. The
// first branch computes the same result as the second branch, but without package unsafe.
var firstBranches = map[string][]ifBranch{
	// On big-endian processors, the function keccakF1600Generic copies the state's bytes to integers
	// and back. On other processors, keccakF1600Generic uses package unsafe to convert the state's
	// address.
	"crypto/internal/fips140/sha3": {{"keccakF1600Generic", "cpu.BigEndian"}},
}

// useFirstBranch replaces the if statement by the statements of its first branch.
func (b ifBranch) useFirstBranch(f *ast.File) {
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
