package archtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// directive finds the directives of go generate in a file, as the go command does: at the
// beginning of a line.
var directive = regexp.MustCompile(`(?m)^//go:generate (.*)$`)

// onlyGo are the commands that directives may have: they run in a fresh clone, where there is
// nothing but Go. Shaders and the tables of SPIR-V need more, and have targets of the Makefile.
var onlyGo = []string{
	"go tool kgen .",
	"go run github.com/kgen-go/kgen/cmd/kgen .",
	"go run ./_gen -o zops.go",
	"go run ./_gen -o zdecl.go",
}

// TestGenerate: go generate ./... needs only Go.
func TestGenerate(t *testing.T) {
	n := 0
	err := filepath.WalkDir("../../..", func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := e.Name(); e.IsDir() && (name == "testdata" || strings.HasPrefix(name, ".") && name != "..") {
			return fs.SkipDir
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range directive.FindAllStringSubmatch(string(text), -1) {
			n++
			if !slices.Contains(onlyGo, m[1]) {
				t.Errorf("%s: go generate runs %q, which may need more than Go; use a target of the Makefile", path, m[1])
			}
		}
		return nil
	})
	if err != nil || n < 40 {
		t.Fatalf("%d directives, %v", n, err)
	}
}
