package conformance

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTable checks that docs/conformance.md has every row, and that the tests it
// names are there: here, each named after its row, or in another package, or in the
// Makefile.
func TestTable(t *testing.T) {
	text, err := os.ReadFile("../../docs/conformance.md")
	check(t, err)
	makefile, err := os.ReadFile("../../Makefile")
	check(t, err)
	tests := testFuncs(t, ".")
	rows := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| ([A-Z]+[0-9]+) \\| (.+) \\| `([\\w./ ]+)` \\|$").FindAllStringSubmatch(string(text), -1) {
		row, test := m[1], m[3]
		rows[row] = true
		if target, ok := strings.CutPrefix(test, "make "); ok {
			if !regexp.MustCompile(`(?m)^` + target + `:`).Match(makefile) {
				t.Errorf("row %s: there is no %s", row, test)
			}
			continue
		}
		if dot := strings.LastIndexByte(test, '.'); dot >= 0 {
			if !testFuncs(t, "../../"+test[:dot])[test[dot+1:]] {
				t.Errorf("row %s: there is no test %s", row, test)
			}
			continue
		}
		if !strings.HasPrefix(test, "Test"+row+"_") || !tests[test] {
			t.Errorf("row %s: there is no test %s for it", row, test)
		}
		delete(tests, test)
	}
	for prefix, n := range map[string]int{"SC": 27, "KP": 30, "PA": 25, "DM": 25, "X": 7} {
		for i := range n {
			if row := fmt.Sprint(prefix, i+1); !rows[row] {
				t.Errorf("there is no row %s", row)
			}
		}
	}
	for name := range tests {
		if regexp.MustCompile(`^Test[A-Z]+[0-9]+_`).MatchString(name) {
			t.Errorf("no row names %s", name)
		}
	}
}

// testFuncs returns the names of the tests in a folder.
func testFuncs(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	check(t, err)
	names := map[string]bool{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		check(t, err)
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(f.Name.Name, "Test") {
				names[f.Name.Name] = true
			}
		}
	}
	return names
}
