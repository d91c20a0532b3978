package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen"
	"github.com/kgen-go/kgen/internal/tests/sample"
)

// TestAliases: of a kernel that is an alias of another module's generic type, kgenvet reports what is
// wrong with the user's part of it, and that this has changed since the stubs were written.
func TestAliases(t *testing.T) {
	if testing.Short() {
		t.Skip("cmd/kgen tests aliases, too, and -short is set")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	const op = "package k\n\nimport \"example.com/lib\"\n\ntype K = lib.Map[int32, Op]\n\ntype Op struct{}\n\nfunc (Op) Apply(x int32) int32 { return x * x }\n"
	library := t.TempDir()
	dir := module(t, map[string]string{"k/k.go": op})
	edit := func(dir, name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	edit(library, "go.mod", "module example.com/lib\n\ngo 1.26\n\nrequire github.com/kgen-go/kgen v0.0.0\n\nreplace github.com/kgen-go/kgen => "+root+"\n")
	edit(library, "lib.go", "package lib\n\nimport \"github.com/kgen-go/kgen/dsl\"\n\ntype Map[T any, O interface{ Apply(T) T }] struct {\n\tOp  O\n\tOut []T\n}\n\n"+
		"func (k Map[T, O]) Kernel(it dsl.Item1) { i := it.GlobalID(); k.Out[i] = k.Op.Apply(k.Out[i]) }\n")
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	edit(dir, "go.mod", string(mod)+"\nrequire example.com/lib v0.0.0\n\nreplace example.com/lib => "+library+"\n")
	if _, diags, err := codegen.Generate(t.Context(), codegen.Config{Dir: dir, Patterns: []string{"./..."}}); err != nil || len(diags) > 0 {
		t.Fatal(diags, err)
	}
	for _, c := range []struct{ body, want string }{
		{"return x * x", ""},
		{"return x + x", "KG008: k/k.go has changed"},
		{"m := map[int32]int32{}; return m[x]", "k/k.go:9:54: KG207"},
	} {
		if !sample.Has(c.body, 2) {
			continue
		}
		edit(dir, "k/k.go", strings.Replace(op, "return x * x", c.body, 1))
		out, err := command(t, dir, built(t), "./...")
		if (err == nil) != (c.want == "") || !strings.Contains(out, c.want) {
			t.Errorf("%s: %v, %s, want %s", c.body, err, out, c.want)
		}
	}
}
