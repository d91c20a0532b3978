package main

import (
	"slices"
	"strings"
	"testing"
)

// TestTags: kernels are compiled as they build with the tags that are given, by kgenvet and by
// go vet.
func TestTags(t *testing.T) {
	const kernel = "package k\n\nimport \"github.com/kgen-go/kgen/dsl\"\n\ntype K struct{ X []int32 }\n\n" +
		"func (k K) Kernel(it dsl.NDItem1) {\n\tif k.X[it.GlobalID()] > 0 {\n\t\tit.Barrier()\n\t}\n}\n"
	dir := module(t, map[string]string{
		"k/k.go":     "//go:build special\n\n" + kernel,
		"k/plain.go": "package k\n",
	})
	tool := built(t)
	for _, c := range []struct {
		args  []string
		found bool
	}{
		{[]string{tool, "./..."}, false},
		{[]string{tool, "-tags", "special", "./..."}, true},
		{[]string{tool, "-tags=other,special", "./..."}, true},
		{[]string{tool, "-tags=other", "./..."}, false},
		{[]string{"go", "vet", "-vettool=" + tool, "-tags=special", "-kgencompile.tags=special", "./..."}, true},
	} {
		out, err := command(t, dir, c.args[0], c.args[1:]...)
		if found := strings.Contains(out, "k.go:11:13: KG401"); found != c.found || (err != nil) != c.found {
			t.Errorf("%v: %v\n%s", c.args[1:], err, out)
		}
	}
}

func TestTagsOf(t *testing.T) {
	for _, c := range []struct {
		args, tags string
		rest       []string
	}{
		{"lsp", "", []string{"lsp"}},
		{"lsp -tags a,b", "a,b", []string{"lsp"}},
		{"-tags=a lsp", "a", []string{"lsp"}},
		{"--tags a ./... tags", "a", []string{"./...", "tags"}},
		{"-v ./...", "", []string{"-v", "./..."}},
	} {
		if tags, rest := tagsOf(strings.Fields(c.args)); tags != c.tags || !slices.Equal(rest, c.rest) {
			t.Errorf("%s: %q, %q", c.args, tags, rest)
		}
	}
}
