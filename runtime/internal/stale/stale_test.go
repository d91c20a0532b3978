package stale

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/internal/sources"
)

func TestChanged(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "k"), 0o777); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(root, "k", "k.go")
	if err := os.WriteFile(file, []byte("package k\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	rows, err := sources.Folder(root, "k", "k")
	if err != nil || len(rows) != 1 {
		t.Fatal(rows, err)
	}
	from := &abi.Sources{Module: "example.com/m", Package: "example.com/m/k", Root: "../..", Files: rows}
	stub := filepath.ToSlash(filepath.Join(root, "generated", "k", "k_kgen.go"))
	look := func(module, file string) []Package { return changedFiles(module, []stubInfo{{from, file}}) }
	if got := look("example.com/m", stub); got != nil {
		t.Errorf("unedited: %v", got)
	}
	if err := os.WriteFile(file, []byte("package k\n\nvar x int\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	got := look("example.com/m", stub)
	if len(got) != 1 || got[0].Root != root || got[0].String() != "k/k.go has changed" {
		t.Errorf("edited: %v", got)
	}
	for name, got := range map[string][]Package{
		"built with -trimpath":    look("example.com/m", "example.com/m/generated/k/k_kgen.go"),
		"of another module":       look("example.com/other", stub),
		"where no sources are":    look("example.com/m", "/nowhere/m/generated/k/k_kgen.go"),
		"in no module, no module": look("", stub),
	} {
		if got != nil {
			t.Errorf("stubs %s: %v", name, got)
		}
	}
}

// BenchmarkChanged looks at the sources of a package of this repository.
func BenchmarkChanged(b *testing.B) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		b.Fatal(err)
	}
	rows, err := sources.Folder(root, "internal/tests/difftest/corpus", "corpus")
	if err != nil {
		b.Fatal(err)
	}
	from := &abi.Sources{Module: "m", Root: ".", Files: rows}
	b.ReportMetric(float64(len(rows)), "files")
	for b.Loop() {
		if changedFiles("m", []stubInfo{{from, filepath.Join(root, "stub.go")}}) != nil {
			b.Fatal("changed")
		}
	}
}
