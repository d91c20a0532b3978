// Package usermodule writes Go modules that import kgen's module, for tests.
package usermodule

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Write writes a Go module that contains the given files and requires kgen's module. Write returns
// the folder of the module.
func Write(t *testing.T, files map[string]string) string {
	t.Helper()
	_, self, _, _ := runtime.Caller(0)
	root := filepath.Join(filepath.Dir(self), "../../..")
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	dir := t.TempDir()
	write := func(name, text string) {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	// The new module has the same requirements as kgen's module.
	mod, _, _ := strings.Cut(strings.Replace(read("go.mod"), "module github.com/kgen-go/kgen", "module example.com/m", 1), "\ntool ")
	write("go.mod", mod+"\nrequire github.com/kgen-go/kgen v0.0.0\n\nreplace github.com/kgen-go/kgen => "+root+"\n")
	write("go.sum", read("go.sum"))
	for name, text := range files {
		write(name, text)
	}
	return dir
}

// Flags returns a value of GOFLAGS for the go commands of a test. The value consists of the
// environment's GOFLAGS and the flags in the parameter `more`. With the flags of "make test", the
// go command finds the packages that it needs in its cache.
func Flags(more string) string { return strings.TrimSpace(os.Getenv("GOFLAGS") + " " + more) }
