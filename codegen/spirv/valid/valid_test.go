package valid

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/internal/modules"
	"github.com/kgen-go/kgen/internal/tests/sample"
)

// entryPoint is the name that kgen gives entry points; package abi has it, which
// this package must not import.
const entryPoint = "main"

// root is the module's folder.
const root = "../../.."

// committed returns the paths of the modules in the repository, and of those of the test
// kernels.
func committed(t testing.TB) []string {
	var list []string
	compiled, err := modules.Packages()
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range compiled {
		dir, err := modules.Folder(pkg)
		if err != nil {
			t.Fatal(err)
		}
		files, _ := filepath.Glob(filepath.Join(dir, "*.spv"))
		list = append(list, files...)
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != ".." {
			return fs.SkipDir
		}
		if strings.HasSuffix(path, ".spv") {
			list = append(list, path)
		}
		return nil
	})
	if err != nil || len(list) < 1000 {
		t.Fatalf("%d modules, %v", len(list), err)
	}
	return list
}

func read(t testing.TB, path string) []uint32 {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := spirv.ParseBytes(b)
	if err != nil {
		t.Fatal(path, err)
	}
	return m.Words()
}

// check is what LoadModule does.
func check(words []uint32) error {
	m, err := spirv.Parse(words)
	if err != nil {
		return err
	}
	_, err = Check(m, entryPoint, nil)
	return err
}

// TestCommitted: everything that kgen and glslc wrote is accepted.
func TestCommitted(t *testing.T) {
	for _, path := range committed(t) {
		if !sample.Has(filepath.Base(path), 9) {
			continue
		}
		if err := check(read(t, path)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}
