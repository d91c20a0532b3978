// Package wanttest compares diagnostics with the want comments of Go files:
//
//	go f() // want KG102 `a kernel cannot start goroutines`
//
// A want comment may also require a hint:
//
//	go f() // want KG102 `a kernel cannot start goroutines` hint `launch`
package wanttest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/diag"
)

var want = regexp.MustCompile("// want (KG[0-9]+) `([^`]*)`(?: hint `([^`]*)`)?")

// Compare compares diagnostics with the want comments of the Go files in dir. Compare reports
// missing and unexpected diagnostics as errors of the test. File names in diagnostics must be
// relative to the current directory. Each line of the Go files has at most one diagnostic.
func Compare(t *testing.T, dir string, got diag.List) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no Go files in %s: %v", dir, err)
	}
	got.Sort()
	elsewhere := map[*diag.Diagnostic]bool{}
	for _, d := range got {
		elsewhere[d] = true
		if d.Hint == "" && d.Code != diag.Load {
			t.Errorf("no hint: %v", d)
		}
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(src), "\n") {
			var here diag.List
			for _, d := range got {
				if d.Pos.File == file && d.Pos.Line == i+1 {
					here = append(here, d)
					delete(elsewhere, d)
				}
			}
			compareLine(t, fmt.Sprintf("%s:%d", file, i+1), line, here)
		}
	}
	for d := range elsewhere {
		t.Errorf("not wanted: %v", d)
	}
}

func compareLine(t *testing.T, at, line string, got diag.List) {
	t.Helper()
	m := want.FindStringSubmatch(line)
	switch {
	case m == nil:
		for _, d := range got {
			t.Errorf("not wanted: %v", d)
		}
	case len(got) == 0:
		t.Errorf("%s: no diagnostic; want %s %s", at, m[1], m[2])
	case len(got) > 1 || !regexp.MustCompile("^"+m[1]+" .*"+m[2]).MatchString(fmt.Sprint(got[0].Code, " ", got[0].Message)):
		t.Errorf("%s: got %v; want %s %s", at, got, m[1], m[2])
	case !regexp.MustCompile(m[3]).MatchString(got[0].Hint):
		t.Errorf("%s: the hint is %q; want %s", at, got[0].Hint, m[3])
	}
}
