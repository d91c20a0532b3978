package starter

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestTaken: no package of kernels has the name of something else in the files that import it.
func TestTaken(t *testing.T) {
	s := &Starter{
		Package: "some", Path: "example.com/m/some", Kernel: "Some", Stub: "somegen", StubPath: "example.com/m/generated/some", Command: "kgen",
		dir: t.TempDir(), files: map[string]string{"main.go.tmpl": "main.go", "kernel.go.tmpl": "some/kernel.go", "kernel_test.go.tmpl": "some/kernel_test.go"},
	}
	if err := s.Write(); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, name := range []string{"main.go", "some/kernel_test.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(s.dir, name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range file.Imports {
			names[path.Base(strings.Trim(i.Path.Value, `"`))] = true
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && (id.Obj != nil || id == file.Name) {
				names[id.Name] = true
			}
			return true
		})
	}
	for _, id := range slices.Sorted(maps.Keys(names)) {
		if plainName.MatchString(id) && id != "some" && nameConflict(id) == "" {
			t.Errorf("a package may be called %s, which is something else in what imports it", id)
		}
	}
	if len(names) < 12 {
		t.Errorf("only the names %v are found", slices.Sorted(maps.Keys(names)))
	}
	for _, id := range []string{"saxpy", "some", "blur2"} {
		if why := nameConflict(id); why != "" {
			t.Errorf("%s: %s", id, why)
		}
	}
}
