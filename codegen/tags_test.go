package codegen

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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
		var first map[string][]byte
		for run := range 3 {
			dir := module(t, withAssembly(c.constraint))
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
	res, diags, err := Generate(t.Context(), Config{Dir: module(t, withAssembly("nobody")), Patterns: []string{"./k"}})
	if err != nil || len(diags) == 0 || diags[0].Code.String() != "KG303" || len(res.Tagged) > 0 {
		t.Errorf("%v, %v, %v", res.Tagged, diags, err)
	}
}

// TestTags: build tags choose the files of kernels, and of what they call.
func TestTags(t *testing.T) {
	const kernel = "package k\n\nimport \"github.com/kgen-go/kgen/dsl\"\n\ntype K struct{ X []int }\n\nfunc (k K) Kernel(it dsl.Item1) { k.X[0] = value }\n"
	dir := module(t, map[string]string{
		"k/k.go":     "//go:build one || two\n\n" + kernel,
		"k/value.go": "//go:build one\n\npackage k\n\nconst value = 1111\n",
		"k/other.go": "//go:build two && !one\n\npackage k\n\nconst value = 2222\n",
	})
	generate := func(tags ...string) map[string][]byte {
		t.Helper()
		_, diags, err := Generate(t.Context(), Config{Dir: dir, Patterns: []string{"./..."}, Tags: tags})
		if err != nil || len(diags) > 0 {
			t.Fatal(diags, err)
		}
		return written(t, dir)
	}
	if _, diags, err := Generate(t.Context(), Config{Dir: dir, Patterns: []string{"./..."}}); err == nil && len(diags) == 0 {
		t.Error("it compiles without a tag")
	}
	one, two, both := generate("one"), generate("two"), generate("one", "two")
	if bytes.Equal(one["K.spv"], two["K.spv"]) || !bytes.Equal(one["K.spv"], both["K.spv"]) {
		t.Error("the kernel does not go by the tags")
	}
	for tags, current := range map[string]bool{"one": true, "two": false} {
		res, diags, err := Generate(t.Context(), Config{Dir: dir, Patterns: []string{"./..."}, Tags: []string{tags}, Check: true})
		stale := slices.ContainsFunc(res.Stale, func(s string) bool { return strings.Contains(s, "K.spv is out of date") })
		if len(diags) > 0 || (err == nil) != current || stale == current {
			t.Errorf("-check with %s: %v %v %v", tags, res.Stale, diags, err)
		}
	}
}
