package main

import (
	"maps"
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
		if testing.Short() && c.args[1] != "-tags" {
			continue // the other ways in which TestTagsOf reads them, and TestVet runs go vet
		}
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

// TestAssembly: kgenvet reports KG303 of a function in assembly where kgen does: not where a build
// tag, or a port without assembly, leaves out the function or its caller. Nor does it judge functions
// of the standard library that have other code in kernels.
func TestAssembly(t *testing.T) {
	kernel := func(pkg string) string {
		return "package k\n\nimport (\n\t\"example.com/m/" + pkg + "\"\n\n\t\"github.com/kgen-go/kgen/dsl\"\n)\n\n" +
			"type K struct{ X []uint32 }\n\nfunc (k K) Kernel(dsl.Task) { k.X[0] = " + pkg + ".Sum(k.X[0]) }\n"
	}
	files := map[string]string{}
	for pkg, texts := range map[string][2]string{
		// The constraint of a package's files without assembly, and what they have.
		"caller": {"purego", "func call(x uint32) uint32 { return x }\n"},
		"more":   {"noasm", "import \"math/bits\"\n\nfunc call(x uint32) uint32 { return bits.Reverse32(x) }\n"},
		"none":   {"nobody", "func call(x uint32) uint32 { return x }\n"},
	} {
		files["k"+pkg+"/k.go"] = kernel(pkg)
		files[pkg+"/"+pkg+".s"] = ""
		files[pkg+"/ref.go"] = "//go:build " + texts[0] + "\n\npackage " + pkg + "\n\n" + texts[1]
		files[pkg+"/sum.go"] = "package " + pkg + "\n\nfunc Sum(x uint32) uint32 { return call(x) }\n"
		files[pkg+"/assembly.go"] = "//go:build !(" + texts[0] + ")\n\npackage " + pkg +
			"\n\nfunc call(x uint32) uint32 { return block(x) }\n\nfunc block(x uint32) uint32\n"
	}
	if testing.Short() { // packages that are loaded, of three
		for _, pkg := range []string{"caller", "more"} {
			maps.DeleteFunc(files, func(name, _ string) bool { return strings.Contains(name, pkg+"/") })
		}
	}
	files["kstd/k.go"] = "package k\n\nimport (\n\t\"crypto/subtle\"\n\t\"strconv\"\n\n\t\"github.com/kgen-go/kgen/dsl\"\n)\n\n" +
		"type K struct{ X, Y []byte }\n\nfunc (k K) Kernel(dsl.Task) {\n\tn, err := strconv.Atoi(string(k.X))\n\tif err == nil {\n\t\tsubtle.XORBytes(k.Y, k.Y, k.X[n:])\n\t}\n}\n"
	dir := module(t, files)
	out, err := command(t, dir, built(t), "./...")
	if err == nil || strings.Count(out, "KG") != 1 || strings.Count(out, "KG303") != 1 || !strings.Contains(out, "knone/k.go:11:48: KG303: none.Sum cannot run on a device: none.block has no Go body") {
		t.Errorf("%v\n%s", err, out)
	}
}
