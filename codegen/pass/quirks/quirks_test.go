package quirks_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/quirks"
	"github.com/kgen-go/kgen/internal/tests/passtest"
)

var root = filepath.Join("..", "..", "..")

// kernelsOf returns the names of all test kernels, with their packages, from the list of their
// modules.
func kernelsOf(t *testing.T) map[string]bool {
	text, err := os.ReadFile(filepath.Join(root, "internal/modules/corpus.sums"))
	if err != nil {
		t.Fatal(err)
	}
	out, pkg := map[string]bool{}, ""
	for line := range strings.Lines(string(text)) {
		switch f := strings.Fields(line); len(f) {
		case 1:
			pkg = f[0]
		case 3:
			out[pkg+"."+f[0]] = true
		}
	}
	return out
}

// declares reports whether a Go file declares a function, a method or a constant.
func declares(t *testing.T, file, name string) bool {
	text, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Error(err)
		return false
	}
	return regexp.MustCompile(`(?m)^(func (\([^)]*\) )?` + name + `\(|const ` + name + ` )`).Match(text)
}

// TestQuirkRows requires of each row that it says what it is about, with the version of a driver,
// and that its cases and the code that it points at are there.
func TestQuirkRows(t *testing.T) {
	kernels := kernelsOf(t)
	names := map[string]bool{}
	for _, q := range quirks.All() {
		t.Run(q.Name, func(t *testing.T) {
			if !regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`).MatchString(q.Name) || names[q.Name] {
				t.Error("the name is used twice, or no name")
			}
			names[q.Name] = true
			if !slices.Contains([]quirks.Driver{quirks.NVIDIA, quirks.Mesa, quirks.Lavapipe, quirks.SwiftShader}, q.Driver) || !strings.ContainsAny(q.Seen, "0123456789") || q.Bug == "" || len(q.Case) == 0 {
				t.Errorf("something is missing: %+v", *q)
			}
			if q.Mends() == (q.Where != "") || q.Mends() && q.Fixed {
				t.Error("a row either has code in the table or points at code elsewhere")
			}
			if file, name, _ := strings.Cut(q.Where, ":"); q.Where != "" && !declares(t, file, name) {
				t.Errorf("%s is not there", q.Where)
			}
			runs := false
			for _, c := range q.Case {
				file, test, isTest := strings.Cut(c, ":")
				_, err := os.Stat(filepath.Join(root, file))
				switch {
				case isTest:
					if !declares(t, file, test) {
						t.Errorf("%s is not there", c)
					}
				case strings.HasSuffix(c, ".go") && !strings.HasPrefix(c, "internal/tests/smith/testdata/"):
					t.Errorf("%s is a whole file: name a kernel or a test", c)
				case err != nil && !kernels[c]:
					t.Errorf("there is no kernel or file %s", c)
				}
				runs = runs || kernels[c] || strings.HasPrefix(c, "internal/tests/smith/testdata/")
			}
			if !q.Fixed && !runs {
				t.Error("no case of a row that can be switched off is a kernel")
			}
		})
	}
}

// TestQuirkTexts runs the pass over the modules of testdata that rows name: without the row
// they come out otherwise.
func TestQuirkTexts(t *testing.T) {
	n := 0
	for _, q := range quirks.All() {
		for _, c := range q.Case {
			if !strings.HasSuffix(c, ".ir") {
				continue
			}
			n++
			src, err := os.ReadFile(filepath.Join(root, c))
			if err != nil {
				t.Fatal(err)
			}
			list, text, _ := strings.Cut(strings.TrimPrefix(string(src), "; "), "\n")
			run := func(disabled ...string) string {
				m, err := ir.Parse(text)
				if err != nil {
					t.Fatal(err)
				}
				m.Disabled = disabled
				for _, name := range strings.Fields(list) {
					passtest.Pass(t, name).Run(m)
				}
				if err := ir.Verify(m); err != nil {
					t.Errorf("without %v: %v", disabled, err)
				}
				return m.String()
			}
			if run() == run("quirk/"+q.Name) {
				t.Errorf("%s comes out alike without quirk/%s", c, q.Name)
			}
		}
	}
	if n < 5 {
		t.Errorf("only %d modules", n)
	}
}

func TestCheckDisabled(t *testing.T) {
	if err := quirks.CheckDisabled([]string{"quirk/rotation", "quirk/loop-values"}); err != nil {
		t.Error(err)
	}
	for name, want := range map[string]string{
		"quirk/rotatoin":      "quirk/rotation",          // the names that there are
		"rotation":            "quirk/rotation",          // without the prefix it is none
		"quirk/nested-ifs":    "cannot be disabled",      // a limit that shapes the code
		"quirk/no-nans":       "adapt/modes.go:Preserve", // where to look
		"quirk/one-bit,quirk": "nothing that can be disabled",
	} {
		if err := quirks.CheckDisabled([]string{name}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
