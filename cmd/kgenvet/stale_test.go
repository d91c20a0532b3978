package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen"
	"github.com/kgen-go/kgen/internal/tests/sample"
)

// edited are the files of a module whose kernels are edited after kgen has run.
func edited() map[string]string {
	return map[string]string{
		"k/k.go": `// Package k has kernels.
package k

import (
	"example.com/m/geom"
	"example.com/m/log"
	"github.com/kgen-go/kgen/dsl"
)

// Move moves points.
type Move struct {
	By  geom.Point
	Out []geom.Point
	N   int32 ` + "`json:\"n\"`" + `
	X   []int32
	_   int32
}

// Kernel moves one.
func (k Move) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i].X += k.By.X*geom.Scale + k.N + k.X[i]
}

type pair struct{ In, More []int32 }

// Base is embedded.
type Base struct{ Out []int32 }

// Add adds.
type Add struct {
	Base
	P pair
}

// Kernel adds one.
func (k Add) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = one(k.P.In[i])
}

// Fill is generic.
type Fill[T int32 | float32] struct {
	Out []T
	V   T
}

// Kernel fills one.
func (k Fill[T]) Kernel(it dsl.Item1) { k.Out[it.GlobalID()] = k.V }

// Fill32 is an instance.
type Fill32 = Fill[int32]

// Report is for the host.
func (k Move) Report() string { return log.Text() }
`,
		"k/one.go":     "package k\n\nfunc one(x int32) int32 { return x + 1 }\n",
		"geom/geom.go": "// Package geom has points.\npackage geom\n\n// Scale scales.\nconst Scale = 2\n\n// Point is a point.\ntype Point struct{ X, Y int32 }\n",
		"log/log.go":   "// Package log is for the host.\npackage log\n\n// Text returns a text.\nfunc Text() string { return \"text\" }\n",
		"use/use_test.go": `package use

import (
	"context"
	"errors"
	"testing"

	"example.com/m/generated/k"
	"example.com/m/k"
	"github.com/kgen-go/kgen/runtime"
)

func TestUse(t *testing.T) {
	dev, err := runtime.Open(runtime.Select("host"))
	if errors.Is(err, runtime.ErrStale) {
		t.Fatalf("stale: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	out := []int32{0, 0}
	if err := kgen.RunFill32(context.Background(), dev, k.Fill32{Out: out, V: 7}, 2); err != nil || out[1] != 7 {
		t.Error(err, out)
	}
}
`,
	}
}

// workspace is the module, with what kgen wrote for it.
type workspace struct {
	t         *testing.T
	dir, tool string
	files     map[string]string
}

func newWorkspace(t *testing.T, out string) *workspace {
	t.Helper()
	w := &workspace{t: t, files: edited(), tool: built(t)}
	w.dir = module(t, w.files)
	_, diags, err := codegen.Generate(t.Context(), codegen.Config{Dir: w.dir, Patterns: []string{"./k"}, Out: out})
	if err != nil || len(diags) > 0 {
		t.Fatal(err, diags)
	}
	return w
}

// edit replaces text in a file and returns what undoes it.
func (w *workspace) edit(file, old, new string) (undo func()) {
	w.t.Helper()
	text := w.files[file]
	if old != "" && strings.Count(text, old) != 1 {
		w.t.Fatalf("%s has %q %d times", file, old, strings.Count(text, old))
	}
	name := filepath.Join(w.dir, file)
	write := func(text string) {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			w.t.Fatal(err)
		}
	}
	write(strings.Replace(text, old, new, 1))
	return func() {
		if write(text); text == "" {
			_ = os.Remove(name)
		}
	}
}

func (w *workspace) vet(args ...string) string {
	w.t.Helper()
	out, err := withFlags(w.t, w.dir, w.tool, append([]string{"-kgenstale"}, args...)...)
	if (err != nil) != strings.Contains(out, "KG008") {
		w.t.Fatalf("go vet: %v\n%s", err, out)
	}
	return out
}

// TestRepeated: after another run of kgen, kgenvet does not repeat findings from go vet's cache.
func TestRepeated(t *testing.T) {
	w := newWorkspace(t, "")
	stale := func(want bool, when string) {
		t.Helper()
		if out, err := command(t, w.dir, w.tool, "./..."); strings.Contains(out, "KG008") != want || (err != nil) != want {
			t.Errorf("%s: %v\n%s", when, err, out)
		}
	}
	stale(false, "unedited")
	undo := w.edit("k/one.go", "x + 1", "x + 2")
	stale(true, "edited")
	if _, diags, err := codegen.Generate(t.Context(), codegen.Config{Dir: w.dir, Patterns: []string{"./k"}}); err != nil || len(diags) > 0 {
		t.Fatal(err, diags)
	}
	stale(false, "edited and generated")
	undo()
	stale(true, "as at first, but generated from the edited files")
}

// TestState: the state changes with each generated file below the module's folder, whatever that folder's name is.
func TestState(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".my module")
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/m\n")
	write("k/k.go", "package k\n")
	t.Chdir(filepath.Join(dir, "k"))
	t.Setenv("GOWORK", "")
	states := map[string]bool{generatedState(): true}
	for i, c := range [][2]string{{"generated/k/k_kgen.go", "1"}, {"generated/k/k_kgen.go", "2"}, {"generated/l/l_kgen.go", "2"}} {
		write(c[0], c[1])
		if states[generatedState()] = true; len(states) != i+2 {
			t.Errorf("%v does not change the state", c)
		}
	}
	write("k/k.go", "package k // edited\n")
	if !states[generatedState()] {
		t.Error("a source changes the state")
	}
}

// TestFields changes what arguments are: stubs do not compile, with the line in them that
// says why.
func TestFields(t *testing.T) {
	w := newWorkspace(t, "")
	if out, err := command(t, w.dir, "go", "build", "./..."); err != nil {
		t.Fatalf("unedited: %v\n%s", err, out)
	}
	for _, c := range []struct{ name, file, old, new, typ string }{
		{"a field more", "k/k.go", "	V   T\n", "	V   T\n	W   T\n", "k.Fill32"},
		{"a field less", "k/k.go", "struct{ In, More []int32 }", "struct{ In []int32 }", "k.pair"},
		{"another type", "k/k.go", "struct{ In, More []int32 }", "struct {\n	In []int32\n	More []int16\n}", "k.pair"},
		{"another order", "k/k.go", "	Base\n	P pair\n", "	P pair\n	Base\n", "k.Add"},
		{"embedded", "k/k.go", "type Base struct{ Out []int32 }", "type Base struct{ Out, Other []int32 }", "k.Base"},
		{"of another package", "geom/geom.go", "X, Y int32", "X, Y, Z int32", "geom.Point"},
		{"its order", "geom/geom.go", "X, Y int32", "Y, X int32", "geom.Point"},
	} {
		if !sample.Has(c.name, 4) {
			continue
		}
		undo := w.edit(c.file, c.old, c.new)
		out, err := command(t, w.dir, "go", "build", "./generated/...")
		undo()
		if err == nil {
			t.Errorf("%s: it compiles", c.name)
			continue
		}
		hinted, first := false, true
		for _, m := range regexp.MustCompile(`(?m)^(\S+_kgen\.go):(\d+):`).FindAllStringSubmatch(out, -1) {
			text, err := os.ReadFile(filepath.Join(w.dir, m[1]))
			n, _ := strconv.Atoi(m[2])
			if err != nil {
				t.Fatal(err)
			}
			hinted = hinted || strings.Contains(string(bytes.Split(text, []byte("\n"))[n-1]), "// "+c.typ+" has changed: run go generate")
			// Compilers stop after ten errors, and people after one.
			if line := string(bytes.Split(text, []byte("\n"))[n-1]); first && !strings.Contains(line, "has changed: run go generate") {
				t.Errorf("%s: the first error is at %s", c.name, line)
			}
			first = false
		}
		if !hinted {
			t.Errorf("%s: no error at a line that says that %s has changed:\n%s", c.name, c.typ, out)
		}
		if c.typ != "k.Add" && !strings.Contains(out, "HasChanged_RunGoGenerate") {
			t.Errorf("%s: the compiler says nothing of go generate:\n%s", c.name, out)
		}
	}
	if testing.Short() {
		return // tags make no difference to any code that kgen writes
	}
	defer w.edit("k/k.go", "json:\"n\"", "json:\"m\"")()
	if out, err := command(t, w.dir, "go", "build", "./..."); err != nil {
		t.Errorf("another tag: %v\n%s", err, out)
	}
}

// TestBodies changes what kernels do: the tool reports it, and in tests so does Open.
func TestBodies(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs go vet and go test many times, and -short is set")
	}
	w := newWorkspace(t, "")
	root, err := filepath.EvalSymlinks(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	test := func() string {
		t.Helper()
		out, err := command(t, w.dir, "go", "test", "-vet=off", "./use")
		if (err != nil) != strings.Contains(out, "FAIL") || err != nil && !strings.Contains(out, "stale: ") {
			t.Fatalf("go test: %v\n%s", err, out)
		}
		return out
	}
	run := "; run go generate ./... in " + root + "\n"
	quiet := func(name string) {
		t.Helper()
		if out := w.vet("./...") + test(); strings.Contains(out, "run go generate") {
			t.Errorf("%s:\n%s", name, out)
		}
	}
	if !testing.Short() {
		quiet("unedited")
	}
	undo := []func(){
		w.edit("k/one.go", "{ return x + 1 }", "{\n	// One more.\n	return x + 1\n}"),
		w.edit("k/k_test.go", "", "package k\n"),
		w.edit("log/log.go", "\"text\"", "\"other\""), // which only the host calls
	}
	quiet("comments, lines, tests and what is the host's")
	for _, u := range undo {
		u()
	}
	for _, c := range []struct {
		name, file, old, new, changed string
		open                          bool
	}{
		{"a body", "k/k.go", "+ k.X[i]", "- k.X[i]", "k/k.go has changed", true},
		{"a helper in another file", "k/one.go", "x + 1", "x + 2", "k/one.go has changed", false},
		{"a constant of another package", "geom/geom.go", "Scale = 2", "Scale = 3", "geom/geom.go has changed", true},
		{"a file more", "k/more.go", "", "package k\n\nimport \"github.com/kgen-go/kgen/properties\"\n\nfunc (Move) Properties() properties.List { return nil }\n", "k/more.go is new", false},
	} {
		if !sample.Has(c.name, 4) {
			continue
		}
		undo := w.edit(c.file, c.old, c.new)
		vet, open := w.vet("./k", "./generated/..."), ""
		if c.open {
			open = test()
		}
		undo()
		what := c.changed + " since kgen compiled the kernels of example.com/m/k (Add, Fill32, Move)" + run
		if !strings.Contains(vet, "k/k.go:11:6: KG008: "+what) || strings.Count(vet, "KG008") != 1 {
			t.Errorf("%s: go vet says\n%s", c.name, vet)
		}
		if c.open && !strings.Contains(open, "stale: stale generated code: "+what) {
			t.Errorf("%s: Open says\n%s", c.name, open)
		}
	}

	defer w.edit("k/k.go", "+ k.X[i]", "- k.X[i]")()
	t.Setenv("KGEN_STALE", "run")
	if out := test(); strings.Contains(out, "stale") {
		t.Errorf("allowed:\n%s", out)
	}
	t.Setenv("KGEN_STALE", "")
	// A test's binary where the sources are not.
	if out, err := command(t, w.dir, "go", "test", "-c", "-o", "use.test", "./use"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := command(t, w.dir, "./use.test"); err == nil || !strings.Contains(out, "stale: ") {
		t.Errorf("where the sources are: %v\n%s", err, out)
	}
	if err := os.Rename(filepath.Join(w.dir, "k"), filepath.Join(w.dir, "elsewhere")); err != nil {
		t.Fatal(err)
	}
	if out, err := command(t, w.dir, "./use.test"); err != nil {
		t.Errorf("where they are not: %v\n%s", err, out)
	}
	if err := os.Rename(filepath.Join(w.dir, "elsewhere"), filepath.Join(w.dir, "k")); err != nil {
		t.Fatal(err)
	}
}

// TestElsewhere has stubs in a folder of the user's choice: they are reported there.
func TestElsewhere(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs go vet many times, and -short is set")
	}
	w := newWorkspace(t, "stubs")
	if out := w.vet("./k", "./stubs/..."); out != "" {
		t.Errorf("unedited:\n%s", out)
	}
	defer w.edit("k/one.go", "x + 1", "x + 2")()
	if out := w.vet("./k", "./stubs/..."); strings.Count(out, "KG008: k/one.go has changed") != 1 || !strings.Contains(out, "stubs/k/k_kgen.go:") {
		t.Errorf("go vet says\n%s", out)
	}
}
