package codegen

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/gostub"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/internal/tests/usermodule"
)

// outputOf is what a package with the named kernels, without arguments, is
// written as.
func outputOf(module, rel string, kernels ...string) *stubOutput {
	pkg := &load.Package{PkgPath: "example.com/m/" + rel, Name: filepath.Base(rel), Dir: filepath.Join(module, rel),
		ModulePath: "example.com/m", ModuleDir: module}
	out := &stubOutput{pkg: pkg}
	for _, name := range kernels {
		out.kernels = append(out.kernels, gostub.Kernel{ABI: &abi.Kernel{Name: name, Package: pkg.PkgPath, Items: 1}, Words: []uint32{1, 2}})
	}
	return out
}

func tree(t *testing.T, root string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(root, func(name string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			rel, _ := filepath.Rel(root, name)
			files = append(files, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestWrite(t *testing.T) {
	root := t.TempDir()
	write := func(cfg Config, outs ...*stubOutput) *Result {
		t.Helper()
		cfg.Patterns = []string{"./..."}
		w := &stubWriter{dir: root, cfg: &cfg, res: &Result{}, prog: &load.Program{}, check: func(*load.Package, string, []load.Text) []*load.TextError { return nil }}
		var pkgs []*load.Package
		for _, out := range outs {
			pkgs = append(pkgs, out.pkg)
			if err := w.writeOutput(out); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.sweepModule(pkgs); err != nil {
			t.Fatal(err)
		}
		return w.res
	}
	equal := func(what string, got []string, want ...string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	a, b, inner := outputOf(root, "a", "K", "L"), outputOf(root, "a/b", "M"), outputOf(root, "internal/c", "N")

	equal("check of nothing", write(Config{Check: true}, b).Stale,
		"generated/a/b/b_kgen.go is missing", "generated/a/b/M.spv is missing")
	write(Config{}, a, b, inner)
	all := []string{"generated/a/K.spv", "generated/a/L.spv", "generated/a/a_kgen.go", "generated/a/b/M.spv",
		"generated/a/b/b_kgen.go", "internal/c/cgen/N.spv", "internal/c/cgen/c_kgen.go"}
	equal("files", tree(t, root), all...)
	equal("second run", write(Config{}, a, b, inner).Written)
	equal("check", write(Config{Check: true}, a, b, inner).Stale)

	// A kernel and a package go; a file of the user's stays.
	own := filepath.Join(root, "generated/a/own.go")
	if err := os.WriteFile(own, []byte("package agen\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	a = outputOf(root, "a", "K")
	stale := []string{"generated/a/a_kgen.go is out of date", "generated/a/L.spv belongs to no kernel",
		"generated/a/b/M.spv belongs to no kernel", "generated/a/b/b_kgen.go belongs to no kernel"}
	equal("stale", write(Config{Check: true}, a, inner).Stale, stale...)
	res := write(Config{}, a, inner)
	equal("removed", res.Removed, "generated/a/L.spv", "generated/a/b/M.spv", "generated/a/b/b_kgen.go")
	equal("written", res.Written, "generated/a/a_kgen.go")
	if _, err := os.Stat(filepath.Join(root, "generated/a/b")); err == nil {
		t.Error("an empty folder is left")
	}
	equal("files", tree(t, filepath.Join(root, "generated")), "a/K.spv", "a/a_kgen.go", "a/own.go")

	// Another root.
	write(Config{Out: "elsewhere"}, a)
	equal("out", tree(t, filepath.Join(root, "elsewhere")), "a/K.spv", "a/a_kgen.go")
	for _, name := range tree(t, root) {
		if strings.Contains(name, ".kgen-") {
			t.Errorf("temporary file %s is left", name)
		}
	}
}

// TestBrokenStubs: what kgen wrote and somebody broke, as merges do, is written anew.
func TestBrokenStubs(t *testing.T) {
	dir := usermodule.Write(t, map[string]string{"k/k.go": kernels})
	cfg := Config{Dir: dir, Patterns: []string{"./..."}}
	res, diags, err := Generate(context.Background(), cfg)
	if err != nil || len(diags) > 0 {
		t.Fatal(diags, err)
	}
	var stub string
	for _, name := range res.Written {
		if strings.HasSuffix(name, "_kgen.go") {
			stub = filepath.Join(dir, name)
		}
	}
	want, err := os.ReadFile(stub)
	if err != nil {
		t.Fatal(err)
	}
	broken := gostub.Header + "\n\npackage kgen\n\nimport \"example.com/m/k\"\n\ntype host struct {\n\tk.Add\n}\n\nvar _ = missing\n"
	if err := os.WriteFile(stub, []byte(broken), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, diags, err = Generate(context.Background(), cfg); err != nil || len(diags) > 0 {
		t.Fatal(diags, err)
	}
	if got, err := os.ReadFile(stub); err != nil || string(got) != string(want) {
		t.Errorf("%v, and the stub is\n%s", err, got)
	}
}
