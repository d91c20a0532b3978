package load

import (
	"go/token"
	"os"
	"path/filepath"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/need"
)

// TestOtherBodies: what a folder's files of other tags have bodies for is read once for a file
// set, and again for the next one, as a language server has one for each round.
func TestOtherBodies(t *testing.T) {
	dir := need.Dir(t)
	for name, text := range map[string]string{
		"asm.go":   "//go:build !purego\n\npackage p\n\nfunc Sum([]float64) float64\n\nfunc Never()\n",
		"plain.go": "//go:build purego\n\npackage p\n\nfunc Sum([]float64) float64 { return 0 }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var b bodiesOf
	for i, fset := range []*token.FileSet{token.NewFileSet(), token.NewFileSet()} {
		for range 3 {
			if !b.of(fset, dir, "Sum") || b.of(fset, dir, "Never") {
				t.Error("want a body of Sum alone")
			}
		}
		if b.reads != i+1 {
			t.Errorf("%d times read for %d file sets", b.reads, i+1)
		}
	}
}
