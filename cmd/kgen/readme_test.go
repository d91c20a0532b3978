package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"
)

// matrices is the package gen's kernels that README.md launches without showing them.
const matrices = `package matrices

import "github.com/kgen-go/kgen/dsl"

type Mat[T any] struct {
	Data       []T
	Rows, Cols int
}

type Twice struct{ M Mat[float32] }

func (k Twice) Kernel(it dsl.Item1) { k.M.Data[it.GlobalID()] *= 2 }
`

const fragmentImports = `package fragments

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/runtime"

	gen "example.com/first/generated/matrices"
	saxpygen "example.com/first/generated/saxpy"
	"example.com/first/matrices"
	"example.com/first/saxpy"
)

var (
	_ = errors.Is
	_ = fmt.Println
	_ = time.Second
	_ dsl.Item1
	_ gen.Twice
	_ saxpygen.SAXPY
	_ saxpy.SAXPY
)
`

// TestFragments compiles the Go in README.md and docs/howto.md that is no whole file, with variables
// for what it says nothing of.
func TestFragments(t *testing.T) {
	dir := newModule(t)
	write(t, dir, "matrices/kernel.go", matrices)
	if code, out, errs := kgen(dir, "init", "saxpy"); code != 0 {
		t.Fatalf("status %d: %s%s", code, out, errs)
	}
	if code, _, errs := kgen(dir, "./matrices"); code != 0 {
		t.Fatalf("status %d: %s", code, errs)
	}
	found := 0
	for _, page := range []string{"README.md", "docs/howto.md"} {
		for i, b := range blocksOf(t, "../../"+page) {
			if b.language != "go" || strings.HasPrefix(b.text, "package ") {
				continue
			}
			found++
			k := "saxpygen.SAXPY"
			if strings.Contains(b.text, "it.") { // it is of a kernel
				k = "saxpy.SAXPY"
			}
			text := strings.ReplaceAll(b.text, "\n…\n", "\n")
			write(t, dir, fmt.Sprintf("fragments/f%d.go", found), fmt.Sprintf(`%s
func _(ctx context.Context, dev *runtime.Device, q *runtime.Queue, xs, ys []float32, x, y *runtime.Buffer[float32], n int,
	r runtime.Range1, mat matrices.Mat[float32], it dsl.Item1, k %s) {
	{
//line %s.block%d.go:1
%s
%s
	}
}
`, fragmentImports, k, page, i+1, text, uses(t, page, text)))
		}
	}
	if found < 5 {
		t.Errorf("only %d fragments", found)
	}
	t.Setenv("CGO_ENABLED", "0") // which compiles less
	goTool(t, dir, "build", "./fragments")
}

// uses returns statements that use the variables which a text declares: it need not itself.
func uses(t *testing.T, page, text string) string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), page, "package p\nfunc _() {\n"+text+"\n}\n", 0)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	names := map[string]bool{}
	for _, s := range file.Decls[0].(*ast.FuncDecl).Body.List {
		if a, ok := s.(*ast.AssignStmt); ok && a.Tok == token.DEFINE {
			for _, e := range a.Lhs {
				names[e.(*ast.Ident).Name] = true
			}
		}
	}
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(names)) {
		fmt.Fprintf(&all, "_ = %s\n", name)
	}
	return all.String()
}
