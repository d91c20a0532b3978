package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen"
	"github.com/kgen-go/kgen/internal/tests/need"

	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/usermodule"
)

// aliasLibrary is a module of generic kernels.
var aliasLibrary = map[string]string{
	"go.mod": "module example.com/lib\n\ngo 1.26\n\nrequire github.com/kgen-go/kgen v0.0.0\n\nreplace github.com/kgen-go/kgen => ROOT\n",
	"lib.go": `package lib

import "github.com/kgen-go/kgen/dsl"

type Op[T any] interface{ Apply(x T) T }

type Map[T any, O Op[T]] struct {
	Op  O
	Out []T
}

func (k Map[T, O]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = k.Op.Apply(k.Out[i])
}

type Clear struct{ Out []int32 }

func (k Clear) Kernel(it dsl.Item1) { k.Out[it.GlobalID()] = 0 }

type Plain[T any] struct{ X T }
`,
	// Further packages hand the kernels on.
	"mid/mid.go": "package mid\n\nimport \"example.com/lib\"\n\ntype Map[T any, O lib.Op[T]] = lib.Map[T, O]\n\ntype Wrap[T any, O lib.Op[T]] struct{ lib.Map[T, O] }\n",
	// So does one whose name is not the last part of its path, and that imports the kernels by another name.
	"go-far/far.go": "package far\n\nimport m \"example.com/lib/mid\"\n\ntype Map[T any, O interface{ Apply(x T) T }] = m.Map[T, O]\n",
}

// Packages that have a kernel of another package in each of the ways that there are; each has its
// own folder.
const square = "\ntype Square struct{}\n\nfunc (Square) Apply(x float32) float32 { return x * x }\n"

var aliasPackages = map[string]string{
	"alias":     "import \"example.com/lib\"\n\ntype K = lib.Map[float32, Square]\n",
	"together":  "import \"example.com/lib\"\n\ntype (\n\tOther = int\n\tK     = (lib.Map[float32, Square])\n)\n",
	"embedded":  "import \"example.com/lib\"\n\ntype K struct{ lib.Map[float32, Square] }\n",
	"commented": "import \"example.com/lib\"\n\ntype K struct {\n\tlib.Map[float32, Square] // with a comment\n}\n",
	"whole":     "import \"example.com/lib\"\n\ntype K struct{ lib.Clear }\n",
	"dotted":    "import . \"example.com/lib\"\n\ntype K = Map[float32, Square]\n",
	"renamed":   "import kernels \"example.com/lib\"\n\ntype K = kernels.Map[float32, Square]\n",
	"chained":   "import \"example.com/lib/mid\"\n\ntype K = mid.Map[float32, Square]\n",
	"wrapped":   "import \"example.com/lib/mid\"\n\ntype K struct{ mid.Wrap[float32, Square] }\n",
	"defined":   "import \"example.com/lib/mid\"\n\ntype K mid.Wrap[float32, Square]\n",
	"far":       "import \"example.com/lib/go-far\"\n\ntype K = far.Map[float32, Square]\n",
	"local":     "import \"example.com/lib\"\n\ntype Of[O lib.Op[float32]] = lib.Map[float32, O]\n\ntype K = Of[Square]\n",
	"same":      "import \"example.com/first/parts\"\n\ntype K = parts.Map[float32, Square]\n",
	"sameembed": "import \"example.com/first/parts\"\n\ntype K struct{ parts.Map[float32, Square] }\n",
	"again":     "import \"example.com/lib/mid\"\n\ntype K = mid.Wrap[float32, Square]\n",
}

// aliasModule returns a folder with a module that requires the library, and the library's folder. Its
// packages below k have kernels; below app there are packages without, which import stubs that may
// not be there and embed what looks like a kernel.
func aliasModule(t *testing.T) (dir, library string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir, library = newModule(t), need.Dir(t)
	for name, text := range aliasLibrary {
		write(t, library, name, strings.ReplaceAll(text, "ROOT", root))
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "go.mod", string(mod)+"\nrequire example.com/lib v0.0.0\n\nreplace example.com/lib => "+library+"\n")
	parts, _, _ := strings.Cut(strings.Replace(aliasLibrary["lib.go"], "package lib", "package parts", 1), "type Clear")
	write(t, dir, "parts/parts.go", parts)
	for name, text := range aliasPackages {
		write(t, dir, "k/"+name+"/"+name+".go", "package "+name+"\n\n"+text+square)
	}
	write(t, dir, "app/app.go", "package app\n\nimport (\n\t\"example.com/first/generated/k/alias\"\n\t\"example.com/lib\"\n)\n\n"+
		"type App struct {\n\tlib.Plain[int]\n\tKernel aliasgen.K\n}\n\ntype Clear = lib.Clear\n\ntype Host struct{ aliasgen.K }\n\n"+
		"// View is of stubs that may not be written yet.\ntype View = aliasgen.View[float32]\n\n// A package without kernels is not looked into.\nvar _ int = \"text\"\n")
	return dir, library
}

// TestAliases: a package may have nothing but kernels of another package's type. The patterns need
// not name that package, which may be of another module, and all commands find the kernels.
func TestAliases(t *testing.T) {
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range aliasPackages {
			if !yield(name) {
				return
			}
		}
	})
	dir, _ := aliasModule(t)
	generated := func() (out []string) {
		for _, name := range names {
			if _, err := os.Stat(filepath.Join(dir, "generated/k", name, name+"_kgen.go")); err == nil {
				out = append(out, name)
			}
		}
		return out
	}
	all := func(what string) {
		t.Helper()
		if got := generated(); !slices.Equal(got, names) {
			t.Errorf("%s: there are stubs of %q, want %q", what, got, names)
		}
	}
	var each []string
	for _, name := range names {
		each = append(each, "./k/"+name)
	}
	// Patterns without "..." name the packages that are loaded; they are the oracle of the others.
	if code, _, errs := kgen(dir, each...); code != 0 {
		t.Fatalf("status %d: %s", code, errs)
	}
	all("each package")
	for _, args := range []string{"-check ./...", "./..."}[:sample.Of(2, 0)] { // without stubs, below, "./..." finds all, too
		if code, out, errs := kgen(dir, strings.Fields(args)...); code != 0 {
			t.Errorf("kgen %s: status %d: %s%s", args, code, out, errs)
		}
		all("kgen " + args)
	}
	for _, name := range []string{"same", "alias"}[:sample.Of(2, 1)] { // alone
		if code, _, errs := kgen(dir, "-check", "./k/"+name+"/..."); code != 0 {
			t.Errorf("kgen -check ./k/%s/...: status %d: %s", name, code, errs)
		}
	}
	// The other way round: without stubs.
	if err := os.RemoveAll(filepath.Join(dir, "generated")); err != nil {
		t.Fatal(err)
	}
	res, diags, err := codegen.Generate(t.Context(), codegen.Config{Dir: dir, Patterns: []string{"./..."}})
	if err != nil || len(diags) > 0 || res.Trace.GoList > 2 || res.Kernels != len(names) {
		t.Errorf("without stubs: %d kernels, %d calls of the go command, %v %v", res.Kernels, res.Trace.GoList, diags, err)
	}
	all("without stubs")
	if testing.Short() {
		return // kgen view finds kernels as kgen does
	}
	if code, _, errs := kgen(dir, "view", "-o", "page.html", "./..."); code != 0 {
		t.Errorf("kgen view: status %d: %s", code, errs)
	}
	page, err := os.ReadFile(filepath.Join(dir, "page.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !bytes.Contains(page, []byte("k/"+name)) {
			t.Errorf("kgen view ./... lacks %s", name)
		}
	}
}

// TestAliasDevices: kgen devices lists kernels that are aliases, and says which it lacks.
func TestAliasDevices(t *testing.T) {
	sample.Deep(t, "TestAliases has such kernels, and TestText of codegen/devices lists kernels")
	dir, _ := aliasModule(t)
	if code, _, errs := kgen(dir, "./k/alias", "./k/same", "./k/chained"); code != 0 {
		t.Fatalf("status %d: %s", code, errs)
	}
	for name := range aliasPackages {
		if name != "alias" && name != "embedded" && name != "same" && name != "chained" {
			if err := os.RemoveAll(filepath.Join(dir, "k", name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Setenv("GOFLAGS", usermodule.Flags(goFlags)) // the module lacks what the program requires
	const lack = "kgen devices: the kernels of 1 package are not in the list, since kgen has written nothing for example.com/first/k/embedded; run go generate ./... first\n"
	for _, c := range []struct {
		args, errs string
		want       []string
	}{
		{"", lack, []string{"alias.K", "same.K", "chained.K"}},
		{"./k/alias", "", []string{"alias.K"}},
	} {
		code, out, errs := kgen(dir, append([]string{"devices"}, strings.Fields(c.args)...)...)
		if code != 0 || errs != c.errs {
			t.Errorf("kgen devices %s: status %d, %s, want %s", c.args, code, errs, c.errs)
		}
		for _, name := range []string{"alias.K", "same.K", "chained.K"} {
			if strings.Contains(out, name) != slices.Contains(c.want, name) {
				t.Errorf("kgen devices %s: %s is there or is not, in\n%s", c.args, name, out)
			}
		}
	}
}

// TestAliasesLost: stubs of aliases stay, and kgen says what is wrong, where the type that a kernel is
// an alias of cannot be had, and where the alias's file does not parse.
func TestAliasesLost(t *testing.T) {
	dir, library := aliasModule(t)
	stub := filepath.Join(dir, "generated/k/alias/alias_kgen.go")
	write(t, dir, "plain/plain.go", "package plain\n\nimport \"github.com/kgen-go/kgen/dsl\"\n\ntype K struct{ X []int32 }\n\nfunc (k K) Kernel(it dsl.Item1) { k.X[it.GlobalID()] = 1 }\n")
	for name := range aliasPackages {
		if name != "alias" && name != "same" {
			if err := os.RemoveAll(filepath.Join(dir, "k", name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.RemoveAll(filepath.Join(dir, "app")); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := kgen(dir, "./..."); code != 0 {
		t.Fatalf("status %d: %s", code, errs)
	}
	// A package of the own module is lost, and is none that kgen is yet to write.
	text, err := os.ReadFile(filepath.Join(dir, "parts/parts.go"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "parts")); err != nil {
		t.Fatal(err)
	}
	code, _, errs := kgen(dir, "./...")
	if _, err := os.Stat(filepath.Join(dir, "generated/k/same/same_kgen.go")); code == 0 || !strings.Contains(errs, "k/same/same.go:5:") || err != nil {
		t.Errorf("no package parts: status %d, %v, %s", code, err, errs)
	}
	write(t, dir, "parts/parts.go", string(text))
	source := aliasPackages["alias"] + square
	for _, c := range []struct {
		what, text, want string
		lose             func() error
	}{
		{"a syntax error", "package alias\n\nimport \"example.com/lib\"\n\ntype K = lib.Map[float32, Square\n", "k/alias/alias.go:5", nil},
		{"the library lacks the type", "package alias\n\n" + strings.ReplaceAll(source, "lib.Map", "lib.Nap"), "k/alias/alias.go:5", nil},
		{"no library", "package alias\n\n" + source, "example.com/lib", func() error { return os.RemoveAll(library) }},
	} {
		if !sample.Has(c.what, 2) {
			continue
		}
		write(t, dir, "k/alias/alias.go", c.text)
		if c.lose != nil {
			if err := c.lose(); err != nil {
				t.Fatal(err)
			}
		}
		code, _, errs := kgen(dir, "./...")
		if _, err := os.Stat(stub); code == 0 || !strings.Contains(errs, c.want) || err != nil {
			t.Errorf("%s: status %d, %v, %s, want %s", c.what, code, err, errs, c.want)
		}
		write(t, dir, "k/alias/alias.go", "package alias\n\n"+source)
	}
}
