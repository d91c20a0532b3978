package sources

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

const plain = `// Package k has kernels.
package k

//go:` + `generate go tool kgen .

import "math"

//kgen:device_has fp64
func f(x float64) (y float64) {
	y = math.Sqrt(x) // of x
	return y
}

var table = []int{1, 2}
`

func TestSum(t *testing.T) {
	pkg, want := Sum([]byte(plain))
	if pkg != "k" {
		t.Errorf("package %q", pkg)
	}
	for name, c := range map[string]struct {
		text string
		same bool
	}{
		"comments":      {"package k\nimport \"math\"\n//kgen:device_has fp64\nfunc f(x float64) (y float64) {\n\ty = /* so */ math.Sqrt(x)\n\treturn y\n}\nvar table = []int{1, 2}\n", true},
		"lines":         {"package k; import \"math\"\n//kgen:device_has fp64\nfunc f(x float64) (y float64) { y = math.Sqrt(x); return y }\nvar table = []int{\n\t1,\n\t2,\n}\n", true},
		"carriage":      {"package k\r\nimport \"math\"\r\n//kgen:device_has fp64\r\nfunc f(x float64) (y float64) {\r\n\ty = math.Sqrt(x)\r\n\treturn y\r\n}\r\nvar table = []int{1, 2}\r\n", true},
		"a number":      {"package k\nimport \"math\"\n//kgen:device_has fp64\nfunc f(x float64) (y float64) { y = math.Sqrt(x); return y }\nvar table = []int{1, 3}\n", false},
		"a name":        {"package k\nimport \"math\"\n//kgen:device_has fp64\nfunc f(x float64) (z float64) { z = math.Sqrt(x); return z }\nvar table = []int{1, 2}\n", false},
		"a directive":   {"package k\nimport \"math\"\n//kgen:device_has fp64 int16\nfunc f(x float64) (y float64) { y = math.Sqrt(x); return y }\nvar table = []int{1, 2}\n", false},
		"no directive":  {"package k\nimport \"math\"\nfunc f(x float64) (y float64) { y = math.Sqrt(x); return y }\nvar table = []int{1, 2}\n", false},
		"a constraint":  {"//go:build linux\n\npackage k\nimport \"math\"\n//kgen:device_has fp64\nfunc f(x float64) (y float64) { y = math.Sqrt(x); return y }\nvar table = []int{1, 2}\n", false},
		"other borders": {"package k\nimport \"math\"\n//kgen:device_has fp64\nfunc f(x float64) (y float64) { y = math.Sqrt(x); return y }\nvar table = []int{12}\n", false},
	} {
		if _, got := Sum([]byte(c.text)); (got == want) != c.same {
			t.Errorf("%s: the sum is the same: %v", name, got == want)
		}
	}
	if pkg, _ := Sum([]byte("package /* of */ main\n")); pkg != "main" {
		t.Errorf("package %q behind a comment", pkg)
	}
	Sum([]byte("\xff\"")) // no Go
}

func TestChanges(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(root, "k"), 0o777); err != nil {
		t.Fatal(err)
	}
	write("k/a.go", plain)
	write("k/b_windows.go", "package k\n\nconst sep = 1\n")
	write("k/a_test.go", "package k\n")
	write("k/tool.go", "//go:build ignore\n\npackage main\n")
	write("k/.b.go", "package k\n")
	rows, err := Folder(root, "k", "k")
	if err != nil || len(rows) != 2 {
		t.Fatal(rows, err)
	}
	want := func(step string, list ...string) {
		t.Helper()
		var got []string
		for _, c := range Changes(root, rows) {
			got = append(got, c.String())
		}
		if !slices.Equal(got, list) {
			t.Errorf("%s: %q, want %q", step, got, list)
		}
	}
	want("as they were")
	write("k/a.go", "// Another comment.\n"+plain)
	write("k/a_test.go", "package k\n\nvar x int\n")
	write("k/tool.go", "//go:build ignore\n\npackage main\n\nfunc main() {}\n")
	want("nothing that counts")
	write("k/a.go", plain+"var more int\n")
	want("a declaration", "k/a.go has changed")
	write("k/c.go", "package k\n")
	want("a file", "k/a.go has changed", "k/c.go is new")
	if err := os.Remove(filepath.Join(root, "k/b_windows.go")); err != nil {
		t.Fatal(err)
	}
	want("no file", "k/a.go has changed", "k/b_windows.go is gone", "k/c.go is new")
	if err := os.RemoveAll(filepath.Join(root, "k")); err != nil {
		t.Fatal(err)
	}
	want("no folder")
}
