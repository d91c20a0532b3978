package main

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/usermodule"
)

// TestTags: the commands that load packages take build tags, ahead of the command's word and behind
// it.
func TestTags(t *testing.T) {
	dir := newModule(t)
	write(t, dir, "k/k.go", "//go:build special\n\npackage k\n\nimport \"github.com/kgen-go/kgen/dsl\"\n\ntype K struct{ X []int32 }\n\nfunc (k K) Kernel(it dsl.Item1) { k.X[it.GlobalID()] = 1 }\n")
	if code, _, errs := kgen(dir, "-v", "-tags", "special", "./k"); code != 0 || !strings.Contains(errs, "\n1 kernel in 1 package\n") {
		t.Fatalf("status %d: %s", code, errs)
	}
	t.Setenv("GOFLAGS", usermodule.Flags(goFlags)) // the module lacks what the program of kgen devices requires
	for _, c := range []struct {
		args           string
		code           int
		stdout, stderr string
	}{
		{"view -o - ./k", 1, "", "build constraints exclude all Go files"},
		{"view -tags special -o - ./k", 0, `"name":"K"`, ""},
		{"view -tags other,special -o - ./...", 0, `"name":"K"`, ""},
		{"-tags special view -o - ./k", 0, `"name":"K"`, ""},
		{"devices ./k", 1, "", "build constraints exclude all Go files"},
		{"devices -tags special ./k", 0, "k.K                      host\n", ""},
		{"-tags special devices", 0, "k.K                      host\n", ""},
	} {
		if !sample.Has(c.args, 2) {
			continue
		}
		code, out, errs := kgen(dir, strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(out, c.stdout) || !strings.Contains(errs, c.stderr) {
			t.Errorf("%s: status %d, stdout %.300s, stderr %s", c.args, code, out, errs)
		}
	}
}
