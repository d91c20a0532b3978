package codegen

import (
	"bytes"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/usermodule"
)

// withAssembly has a kernel that calls functions that have bodies under a constraint alone.
func withAssembly(constraint string) map[string]string {
	return map[string]string{
		"k/k.go": "package k\n\nimport (\n\t\"example.com/m/fast\"\n\n\t\"github.com/kgen-go/kgen/dsl\"\n)\n\n" +
			"type K struct{ X []uint32 }\n\nfunc (k K) Kernel(it dsl.Item1) { k.X[0] = fast.Ones(k.X[0]) + fast.Number(k.X[1]).Twice() }\n",
		"fast/fast.go":     "package fast\n\ntype Number uint32\n",
		"fast/assembly.go": "//go:build !(" + constraint + ")\n\npackage fast\n\nfunc Ones(x uint32) uint32\n\nfunc (n Number) Twice() uint32\n",
		"fast/fast.s":      "",
		// It imports what nothing else does.
		"fast/portable.go": "//go:build " + constraint + "\n\npackage fast\n\nimport \"math/bits\"\n\nfunc Ones(x uint32) uint32 { return uint32(bits.OnesCount32(x)) }\n\n" +
			"func (n Number) Twice() uint32 { return uint32(2 * n) }\n",
	}
}

// withCaller has a kernel that calls a function whose other files call no assembly: these
// declare neither the functions without a body nor anything else in their place. This is how
// golang.org/x/crypto/blake2b is written.
func withCaller(constraint, imports, ref string) map[string]string {
	return map[string]string{
		"k/k.go": "package k\n\nimport (\n\t\"example.com/m/fast\"\n\n\t\"github.com/kgen-go/kgen/dsl\"\n)\n\n" +
			"type K struct{ X []uint32 }\n\nfunc (k K) Kernel(it dsl.Item1) { k.X[0] = fast.Sum(k.X[0]) }\n",
		"fast/fast.go":     "package fast\n\nfunc Sum(x uint32) uint32 { return block(x) }\n",
		"fast/assembly.go": "//go:build !(" + constraint + ")\n\npackage fast\n\nfunc block(x uint32) uint32 { return blockAVX2(x) }\n\nfunc blockAVX2(x uint32) uint32\n",
		"fast/fast.s":      "",
		"fast/ref.go":      "//go:build " + constraint + "\n\npackage fast\n\n" + imports + "func block(x uint32) uint32 { return " + ref + " }\n",
	}
}

// TestCaller: a package comes from the files without assembly, too, where these call other
// functions, and that is said. A package of which kernels call nothing that differs is not named.
func TestCaller(t *testing.T) {
	const says = "package example.com/m/fast is compiled as with the build tag purego, since its function blockAVX2 has no body in Go otherwise"
	plain := withCaller("purego", "", "2*x")
	plain["fast/fast.go"] += "\nfunc Twice(x uint32) uint32 { return x + x }\n"
	plain["k/k.go"] = strings.Replace(plain["k/k.go"], "fast.Sum", "fast.Twice", 1)
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"imports nothing":   {withCaller("purego", "", "2*x"), says},
		"imports something": {withCaller("purego", "import \"math/bits\"\n\n", "bits.Reverse32(x)"), says},
		"calls neither":     {plain, ""},
	} {
		res, diags, err := Generate(t.Context(), Config{Dir: usermodule.Write(t, c.files), Patterns: []string{"./k"}})
		if err != nil || len(diags) > 0 {
			t.Errorf("%s: %v, %v", name, diags, err)
			continue
		}
		if got := strings.Join(res.Tagged, "\n"); got != c.want {
			t.Errorf("%s: it says %q, want %q", name, got, c.want)
		}
	}
}

// written returns what is generated for ./k of a module.
func written(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	files, err := filepath.Glob(filepath.Join(dir, "generated/k/*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if out[filepath.Base(name)], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// TestAssembly: packages with functions in assembly come from the files that they have for
// programs without; which those are is said, and all runs write the same.
func TestAssembly(t *testing.T) {
	for _, c := range []struct{ constraint, tag, says string }{
		{"purego", "purego", "compiled as with the build tag purego"},
		{"noasm", "noasm", "compiled as with the build tag noasm"},
		{"safe && !noasm", "safe", "compiled as with the build tag safe"},
		{"appengine", "appengine", "compiled as with the build tag appengine"},
		{"!amd64 && !arm64", "", "compiled as on a port without assembly"},
	} {
		if !sample.Has(c.constraint, 3) {
			continue
		}
		var first map[string][]byte
		for run := range 3 {
			dir := usermodule.Write(t, withAssembly(c.constraint))
			cfg := Config{Dir: dir, Patterns: []string{"./k"}}
			if run == 2 {
				if c.tag == "" {
					continue
				}
				cfg.Tags = []string{c.tag} // chosen by hand, with the same result
			}
			res, diags, err := Generate(t.Context(), cfg)
			if err != nil || len(diags) > 0 {
				t.Fatalf("%s: %v, %v", c.constraint, diags, err)
			}
			want := "package example.com/m/fast is " + c.says + ", since its function Number.Twice has no body in Go otherwise"
			if run == 2 {
				want = ""
			}
			if got := strings.Join(res.Tagged, "\n"); got != want {
				t.Errorf("%s, run %d: it says %q, want %q", c.constraint, run, got, want)
			}
			got := written(t, dir)
			if first == nil {
				first = got
			}
			if len(got) < 3 || fmt.Sprint(got) != fmt.Sprint(first) {
				t.Errorf("%s: run %d writes other files", c.constraint, run)
			}
			if run == 0 {
				cfg.Check = true
				if _, _, err := Generate(t.Context(), cfg); err != nil {
					t.Errorf("%s: -check: %v", c.constraint, err)
				}
			}
		}
	}
}

// TestNoAssembly: where no tag helps, the diagnostic is what it was.
func TestNoAssembly(t *testing.T) {
	for _, files := range []map[string]string{withAssembly("nobody"), withCaller("nobody", "", "2*x")} {
		res, diags, err := Generate(t.Context(), Config{Dir: usermodule.Write(t, files), Patterns: []string{"./k"}})
		if err != nil || len(diags) == 0 || diags[0].Code.String() != "KG303" || len(res.Tagged) > 0 {
			t.Errorf("%v, %v, %v", res.Tagged, diags, err)
		}
	}
}

// TestTags: build tags choose the files of kernels, and of what they call.
func TestTags(t *testing.T) {
	const kernel = "package k\n\nimport \"github.com/kgen-go/kgen/dsl\"\n\ntype K struct{ X []int }\n\nfunc (k K) Kernel(it dsl.Item1) { k.X[0] = value }\n"
	dir := usermodule.Write(t, map[string]string{
		"k/k.go":     "//go:build one || two\n\n" + kernel,
		"k/value.go": "//go:build one\n\npackage k\n\nconst value = 1111\n",
		"k/other.go": "//go:build two && !one\n\npackage k\n\nconst value = 2222\n",
	})
	generate := func(tags ...string) map[string][]byte {
		t.Helper()
		_, diags, err := Generate(t.Context(), Config{Dir: dir, Patterns: []string{"./k"}, Tags: tags})
		if err != nil || len(diags) > 0 {
			t.Fatal(diags, err)
		}
		return written(t, dir)
	}
	one, two := generate("one"), generate("two")
	if bytes.Equal(one["K.spv"], two["K.spv"]) {
		t.Error("the kernel does not go by the tags")
	}
	if testing.Short() {
		return
	}
	if _, diags, err := Generate(t.Context(), Config{Dir: dir, Patterns: []string{"./k"}}); err == nil && len(diags) == 0 {
		t.Error("it compiles without a tag")
	}
	if both := generate("one", "two"); !bytes.Equal(one["K.spv"], both["K.spv"]) {
		t.Error("the kernel does not go by both tags")
	}
	for tags, current := range map[string]bool{"one": true, "two": false} {
		res, diags, err := Generate(t.Context(), Config{Dir: dir, Patterns: []string{"./k"}, Tags: []string{tags}, Check: true})
		stale := slices.ContainsFunc(res.Stale, func(s string) bool { return strings.Contains(s, "K.spv is out of date") })
		if len(diags) > 0 || (err == nil) != current || stale == current {
			t.Errorf("-check with %s: %v %v %v", tags, res.Stale, diags, err)
		}
	}
}

// TestConstraint: what is written for kernels that are in certain builds only is in these alone, so
// that go build, go vet and kgen find nothing wrong with the others.
func TestConstraint(t *testing.T) {
	kernel := func(name string) string {
		return "package k\n\nimport \"github.com/kgen-go/kgen/dsl\"\n\ntype " + name + " struct{ X []int }\n\nfunc (k " + name + ") Kernel(it dsl.NDItem1) { it.Barrier(); k.X[0] = 1 }\n"
	}
	for _, c := range []struct {
		name  string
		files map[string]string
		tags  string
		want  string
	}{
		{"none", map[string]string{"k/k.go": kernel("K")}, "", ""},
		{"a tag", map[string]string{"k/k.go": "//go:build special\n\n" + kernel("K")}, "special", "special"},
		{"behind comments", map[string]string{"k/k.go": "// Copyright: nobody.\n\n//go:build special || ( other )\n\n// Package k has a kernel.\n" + kernel("K")}, "special", "special || other"},
		{"two files", map[string]string{"k/a.go": "//go:build one\n\n" + kernel("A"), "k/b.go": "//go:build two || three\n\n" + kernel("B"), "k/c.go": "//go:build one\n\n" + kernel("C")}, "one,two", "one && (two || three)"},
		{"what the kernels call", map[string]string{"k/k.go": kernel("K"), "k/f.go": "//go:build special\n\npackage k\n\nfunc f() {}\n"}, "special", ""},
	} {
		if !sample.Has(c.name, 3) {
			continue
		}
		c.files["plain/plain.go"] = "package plain\n"
		dir := usermodule.Write(t, c.files)
		_, diags, err := Generate(t.Context(), Config{Dir: dir, Patterns: []string{"./..."}, Tags: []string{c.tags}})
		if err != nil || len(diags) > 0 {
			t.Errorf("%s: %v %v", c.name, diags, err)
			continue
		}
		head := "// Code generated by kgen. DO NOT EDIT.\n\n"
		if c.want != "" {
			head += "//go:build " + c.want + "\n\n"
		}
		files := written(t, dir)
		for _, f := range []struct{ name, next string }{{"k_kgen.go", "// Package kgen launches"}, {"k_host_kgen.go", "package kgen\n"}} {
			if !strings.HasPrefix(string(files[f.name]), head+f.next) {
				t.Errorf("%s: %s begins with\n%.200s", c.name, f.name, files[f.name])
			}
			if text, err := format.Source(files[f.name]); err != nil || !bytes.Equal(text, files[f.name]) {
				t.Errorf("%s: %s is not as gofmt writes it: %v", c.name, f.name, err)
			}
		}
		for _, args := range [][]string{{"vet", "./..."}, {"vet", "-tags=" + c.tags, "./..."}} {
			if c.name != "two files" {
				continue // one that has all that vet could find wrong
			}
			cmd := exec.CommandContext(t.Context(), "go", args...)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: go %v: %v\n%s", c.name, args, err, out)
			}
		}
		if res, diags, err := Generate(t.Context(), Config{Dir: dir, Patterns: []string{"./..."}, Tags: []string{c.tags}, Check: true}); err != nil || len(diags) > 0 {
			t.Errorf("%s: -check: %v %v %v", c.name, res.Stale, diags, err)
		}
	}
}

// TestOtherTags: kernels that are in other builds keep what was written for them.
func TestOtherTags(t *testing.T) {
	const kernel = "\n\nimport \"github.com/kgen-go/kgen/dsl\"\n\ntype K struct{ X []int }\n\nfunc (k K) Kernel(it dsl.Item1) { k.X[0] = 1 }\n"
	dir := usermodule.Write(t, map[string]string{
		"k/k.go":         "//go:build one\n\npackage k" + kernel,
		"other/other.go": "//go:build !one\n\npackage other" + kernel,
		"gone/gone.go":   "//go:build !none\n\npackage gone" + kernel,
	})
	generate := func(check bool, tags ...string) *Result {
		t.Helper()
		res, diags, err := Generate(t.Context(), Config{Dir: dir, Patterns: []string{"./..."}, Tags: tags, Check: check})
		if err != nil || len(diags) > 0 {
			t.Fatal(res.Stale, diags, err)
		}
		return res
	}
	generate(false)
	generate(false, "one")
	for _, tags := range [][]string{{"one"}, nil}[:sample.Of(2, 0)] {
		generate(true, tags...)
		if res := generate(false, tags...); len(res.Removed)+len(res.Written) > 0 {
			t.Errorf("with %v: removed %v, written %v", tags, res.Removed, res.Written)
		}
	}
	if err := os.RemoveAll(filepath.Join(dir, "gone")); err != nil {
		t.Fatal(err)
	}
	if res := generate(false); len(res.Removed) == 0 || !strings.Contains(res.Removed[0], "gone") {
		t.Errorf("removed %v", res.Removed)
	}
}
