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
	text, err := os.ReadFile("../../../docs/conformance.md")
	check(t, err)
	makefile, err := os.ReadFile("../../../Makefile")
	check(t, err)
	tests := testFuncs(t, ".")
	rows := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| ([A-Z]+[0-9]+) \\| (.+) \\| `([\\w./ ]+)` \\|$").FindAllStringSubmatch(string(text), -1) {
		row, test := m[1], m[3]
		rows[row] = true
		if target, ok := strings.CutPrefix(test, "make "); ok {
			if !isTarget(makefile, target) {
				t.Errorf("row %s: there is no %s", row, test)
			}
			continue
		}
		if dot := strings.LastIndexByte(test, '.'); dot >= 0 {
			if !testFuncs(t, "../../../"+test[:dot])[test[dot+1:]] {
				t.Errorf("row %s: there is no test %s", row, test)
			}
			continue
		}
		if !strings.HasPrefix(test, "Test"+row+"_") || !tests[test] {
			t.Errorf("row %s: there is no test %s for it", row, test)
		}
		delete(tests, test)
	}
	for prefix, n := range map[string]int{"SC": 27, "KP": 30, "PA": 25, "DM": 25, "GF": 44, "GR": 12, "PR": 17, "HP": 10, "MX": 16, "X": 7} {
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

func isTarget(makefile []byte, name string) bool {
	return regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + `:`).Match(makefile)
}

// reliabilityCases is how many cases docs/reliability.md has.
const reliabilityCases = 54

// TestReliability checks that docs/reliability.md has a row for every case, with a test
// or the word none, and that all tests it names are there: each as its package's folder
// and its function, or as a target of the Makefile.
func TestReliability(t *testing.T) {
	text, err := os.ReadFile("../../../docs/reliability.md")
	check(t, err)
	makefile, err := os.ReadFile("../../../Makefile")
	check(t, err)
	named := regexp.MustCompile("`(?:([a-z0-9/]+) (Test\\w+)|make (\\w+))`")
	funcs := map[string]map[string]bool{}
	for _, m := range named.FindAllStringSubmatch(string(text), -1) {
		dir, test, target := m[1], m[2], m[3]
		if target != "" {
			if !isTarget(makefile, target) {
				t.Errorf("there is no make %s", target)
			}
			continue
		}
		if funcs[dir] == nil {
			funcs[dir] = testFuncs(t, "../../../"+dir)
		}
		if !funcs[dir][test] {
			t.Errorf("package %s has no %s", dir, test)
		}
	}
	next := 1
	for _, m := range regexp.MustCompile(`(?m)^\| ([0-9]+) \| [^|]+ \| ([^|]+) \|$`).FindAllStringSubmatch(string(text), -1) {
		if m[1] != fmt.Sprint(next) {
			t.Errorf("case %s stands where %d should", m[1], next)
		}
		next++
		if none := strings.HasPrefix(m[2], "None: "); !none && !named.MatchString(m[2]) {
			t.Errorf("case %s has neither a test nor a reason for none", m[1])
		}
	}
	if next != reliabilityCases+1 {
		t.Errorf("there are %d cases, want %d", next-1, reliabilityCases)
	}
	// A test whose name is not taken for one would not be looked for.
	for _, m := range regexp.MustCompile("`[^`\n]*Test[A-Z][^`\n]*`").FindAllString(string(text), -1) {
		bare := regexp.MustCompile("^`(TestDevices|TestInterpreter|TestForms|TestSwiftShader|go test .*)`$") // of the corpus
		if !named.MatchString(m) && !bare.MatchString(m) {
			t.Errorf("%s names no package's test", m)
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
