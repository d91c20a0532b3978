package codegen

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/usermodule"
)

// twoForms has kernels that have host forms.
const twoForms = `package k

import "github.com/kgen-go/kgen/dsl"

type First struct{ X []int }

func (k First) Kernel(it dsl.NDItem1) { it.Barrier(); k.X[it.GlobalID()] = 1 }

type Second struct{ X []int }

func (k Second) Kernel(it dsl.NDItem1) { it.Barrier(); k.X[it.GlobalID()] = 2 }
`

// breaking returns a change of the files of a name: what follows a text in each.
func breaking(file, after, what string) func(name string, text []byte) []byte {
	return func(name string, text []byte) []byte {
		if name != file {
			return text
		}
		return bytes.Replace(text, []byte(after), []byte(after+what), 1)
	}
}

// TestBrokenForm: a host form that does not compile is left out, with a warning; the others stay, and
// the package compiles.
func TestBrokenForm(t *testing.T) {
	for i, c := range []struct{ name, what, says string }{
		{"a variable that nothing reads", "\nunused := 1\n", "declared and not used: unused"},
		{"a name that nothing declares", "\ng.Items = v38\n", "undefined: v38"},
		{"a type error", "\ng.Items = int64(1)\n", "cannot use int64(1)"},
		{"a syntax error", "\nif {\n", "missing condition"},
		{"a function that package kernelimpl lacks", "\nkernelimpl.HostNothing(g)\n", "undefined: kernelimpl.HostNothing"},
	} {
		if i > 0 && !sample.Has(c.name, 3) {
			continue
		}
		dir := usermodule.Write(t, map[string]string{"k/k.go": twoForms})
		cfg := Config{Dir: dir, Patterns: []string{"./k"}, alterFile: breaking("k_host_kgen.go", "func (g *secondHost) Run() {", c.what)}
		res, diags, err := Generate(t.Context(), cfg)
		if err != nil || len(diags) > 0 {
			t.Fatalf("%s: %v, %v", c.name, diags, err)
		}
		warned := strings.Join(res.Warnings, "\n")
		if len(res.Warnings) != 1 || !strings.Contains(warned, "the host form of example.com/m/k.Second does not compile and is left out; please report it") || !strings.Contains(warned, c.says) {
			t.Errorf("%s: it warns of %q, want %q", c.name, warned, c.says)
		}
		files := written(t, dir)
		if stub := string(files["k_kgen.go"]); !strings.Contains(stub, "newFirstHost") || strings.Contains(stub, "newSecondHost") || files["Second.spv"] == nil {
			t.Errorf("%s: the stubs are not those of one host form:\n%s", c.name, stub)
		}
		if forms := string(files["k_host_kgen.go"]); !strings.Contains(forms, "type firstHost struct") || strings.Contains(forms, "secondHost") {
			t.Errorf("%s: the host forms are\n%s", c.name, forms)
		}
		if i > 0 {
			continue
		}
		cfg.Check = true // finds nothing to write
		if res, _, err := Generate(t.Context(), cfg); err != nil {
			t.Errorf("%s: -check: %v %v", c.name, res.Stale, err)
		}
		cfg.Check, cfg.Strict = false, true
		if _, _, err := Generate(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "k.Second does not compile") {
			t.Errorf("%s: -strict: %v", c.name, err)
		}
	}
}

// TestBrokenForms: where no host form compiles, there is no file with any; so there is none where
// each compiles and all together do not.
func TestBrokenForms(t *testing.T) {
	for name, together := range map[string]bool{"each": false, "both": true} {
		alter := func(name string, text []byte) []byte {
			both := bytes.Contains(text, []byte("firstHost")) && bytes.Contains(text, []byte("secondHost"))
			if name == "k_host_kgen.go" && (both || !together) {
				text = append(text, "\nvar unknown = nothing\n"...)
			}
			return text
		}
		dir := usermodule.Write(t, map[string]string{"k/k.go": twoForms})
		res, diags, err := Generate(t.Context(), Config{Dir: dir, Patterns: []string{"./k"}, alterFile: alter})
		if err != nil || len(diags) > 0 || len(res.Warnings) != 2 {
			t.Errorf("%s: %v, %v, %q", name, diags, err, res.Warnings)
		}
		if files := written(t, dir); files["k_kgen.go"] == nil || files["k_host_kgen.go"] != nil {
			t.Errorf("%s: files %v", name, slices.Collect(maps.Keys(files)))
		}
	}
}

// TestBrokenStub: a stub that does not compile is an error, and nothing of its package is written
// nor removed; other packages are.
func TestBrokenStub(t *testing.T) {
	other := strings.Replace(twoForms, "package k", "package other", 1)
	dir := usermodule.Write(t, map[string]string{"k/k.go": twoForms, "other/other.go": other})
	cfg := Config{Dir: dir, Patterns: []string{"./..."}}
	if _, diags, err := Generate(t.Context(), cfg); err != nil || len(diags) > 0 {
		t.Fatal(diags, err)
	}
	before := written(t, dir)
	for name, text := range map[string]string{"k/k.go": twoForms, "other/other.go": other} {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "Second", "Third"), "= 1", "= 11")
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cfg.alterFile = breaking("k_kgen.go", "\nfunc Kernels() []*runtime.Kernel {", "\n\treturn nothing\n")
	_, diags, err := Generate(t.Context(), cfg)
	if len(diags) > 0 || err == nil {
		t.Fatal(diags, err)
	}
	for _, says := range []string{"internal error in package example.com/m/k", "nothing is written", "please report it", "k_kgen.go:", "undefined: nothing"} {
		if !strings.Contains(err.Error(), says) {
			t.Errorf("the error lacks %q: %v", says, err)
		}
	}
	if after := written(t, dir); fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("files were %v and are %v, or differ", slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after)))
	}
	if _, err := os.Stat(filepath.Join(dir, "generated/other/Third.spv")); err != nil {
		t.Error(err)
	}
}

// TestOtherModules: stubs are checked whose kernels, and the types of whose fields, stand in
// packages of other modules, some of which the kernels' package does not import.
func TestOtherModules(t *testing.T) {
	dir := usermodule.Write(t, map[string]string{
		"lib/go.mod":            "module example.com/lib\n\ngo 1.26.0\n\nrequire github.com/kgen-go/kgen v0.0.0\n",
		"lib/lib.go":            "package lib\n\nimport (\n\t\"example.com/lib/deep\"\n\n\t\"github.com/kgen-go/kgen/dsl\"\n)\n\ntype Op[T any] interface{ Apply(x T) T }\n\ntype Map[T any, O Op[T]] struct {\n\tIn, Out []T\n\tAt deep.Point\n\tMore []deep.Point\n\tDo O\n}\n\nfunc (k Map[T, O]) Kernel(it dsl.Item1) { k.Out[it.GlobalID()] = k.Do.Apply(k.In[it.GlobalID()]) }\n",
		"lib/deep/deep.go":      "package deep\n\nimport \"time\"\n\ntype Point struct{ X, Y int; Took time.Duration }\n",
		"k/k.go":                "package k\n\nimport \"example.com/lib\"\n\ntype Square struct{ By float32 }\n\nfunc (s Square) Apply(x float32) float32 { return s.By * x * x }\n\ntype Squares = lib.Map[float32, Square]\n",
		"internal/own/own.go":   "package own\n\ntype T struct{ A [2]int32 }\n",
		"internal/in/inside.go": "package in\n\nimport (\n\t\"example.com/lib\"\n\t\"example.com/m/internal/own\"\n)\n\ntype Keep struct{}\n\nfunc (Keep) Apply(x own.T) own.T { return x }\n\ntype Kept = lib.Map[own.T, Keep]\n",
	})
	mod := filepath.Join(dir, "go.mod")
	text, err := os.ReadFile(mod)
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, "\nrequire example.com/lib v0.0.0\n\nreplace example.com/lib => ./lib\n"...)
	if err := os.WriteFile(mod, text, 0o666); err != nil {
		t.Fatal(err)
	}
	checked := 0
	cfg := Config{Dir: dir, Patterns: []string{"./k", "./internal/in"}, alterFile: func(name string, text []byte) []byte { checked++; return text }}
	res, diags, err := Generate(t.Context(), cfg)
	if err != nil || len(diags) > 0 || len(res.Warnings) > 0 || checked < 2 {
		t.Fatal(diags, err, res.Warnings, checked)
	}
	// What is wrong with the use of such a type is found, too.
	cfg.alterFile = breaking("k_kgen.go", "\nfunc Kernels() []*runtime.Kernel {", "\n\tvar s kpkg.Squares\n\ts.At.Z++\n")
	if _, _, err := Generate(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "s.At.Z undefined") {
		t.Error(err)
	}
}

// TestNames: what is written compiles whatever kernels and their packages are called.
func TestNames(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds 18 packages, and -short is set")
	}
	files := map[string]string{}
	add := func(at, pkg string, kernels ...string) {
		text := "package " + pkg + "\n\nimport \"github.com/kgen-go/kgen/dsl\"\n"
		for _, k := range kernels {
			text += fmt.Sprintf("\ntype %s struct{ X []int }\n\nfunc (k %s) Kernel(it dsl.NDItem1) { it.Barrier(); k.X[it.GlobalID()] = 1 }\n", k, k)
		}
		files[at+"/n.go"] = text // the forms name it in comments
	}
	for _, pkg := range []string{"any", "string", "error", "nil", "runtime", "kernelimpl", "embed", "context", "unsafe", "atomic", "math", "k", "a", "g", "n", "li"} {
		add("packages/"+pkg+"x", pkg, "K")
	}
	add("kernels", "kernels", "A", "NewA", "NewNewA", "New", "New_A", "AHost", "AKernel", "ALoop0", "Context", "String", "Ä", "Δt", "Sites")
	// Other packages cannot write these aliases, one of which is called as a predeclared type.
	files["hidden/n.go"] = `package hidden

import "github.com/kgen-go/kgen/dsl"

type (
	float32 = int32
	real    = int64
	pair    = struct{ A, B real }
	Vec[T float32 | real] struct{ X, Y T }
	vec     = Vec[real]
	vecs    = []vec
	list[T float32 | real] = []Vec[T]
	Slices[T float32 | real] struct{ S []T }
)

type K struct {
	X  []float32
	N  real
	A  [2]float32
	P  []pair
	V  []vec
	W  Vec[float32]
	VS vecs
	L  list[real]
	In struct{ S []real }
	SL Slices[real]
}

func (k K) Kernel(it dsl.NDItem1) {
	it.Barrier()
	i := it.GlobalID()
	k.X[i] = k.A[0] + k.W.X + float32(k.N)
	k.P[i].A, k.V[i].X, k.VS[i].Y, k.L[i].X = 1, 2, 3, 4
	k.In.S[i], k.SL.S[i] = 5, 6
}
`
	dir := usermodule.Write(t, files)
	res, diags, err := Generate(t.Context(), Config{Dir: dir, Patterns: []string{"./..."}})
	if err != nil || len(diags) > 0 || len(res.Warnings) > 0 {
		t.Errorf("%v, %v, %q", diags, err, res.Warnings)
	}
	cmd := exec.CommandContext(t.Context(), "go", "vet", "./...")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go vet: %v\n%s", err, out)
	}
}

// TestForbiddenImport: what is written for a package may not import what the package itself may, if
// that is internal to a folder without the folder generated. That is an error, and not a package that
// does not compile.
func TestForbiddenImport(t *testing.T) {
	const kernel = "package %s\n\nimport (\n\t\"github.com/kgen-go/kgen/dsl\"\n\t\"example.com/m/%s\"\n)\n\ntype K struct{ X %s }\n\nfunc (k K) Kernel(it dsl.Item1) { k.X%s[it.GlobalID()].A = 1 }\n"
	cases := []struct{ kernels, types, field, part, diag string }{
		{kernels: "k1", types: "k1/internal/vec", field: "[]vec.V", diag: "type vec.V is in package example.com/m/k1/internal/vec, which generated code may not import"},
		{kernels: "k2", types: "k2/internal/vec", field: "vec.S", part: ".V", diag: "type vec.V is in package example.com/m/k2/internal/vec"},
		{kernels: "k3", types: "internal/vec", field: "[]vec.V"},
		{kernels: "k4/internal/k", types: "k4/internal/vec", field: "vec.S", part: ".V"},
	}
	files := map[string]string{}
	var patterns []string
	for _, c := range cases {
		files[c.kernels+"/k.go"] = fmt.Sprintf(kernel, "k", c.types, c.field, c.part)
		files[c.types+"/vec.go"] = "package vec\n\ntype V struct{ A float32 }\n\ntype S struct{ V []V }\n"
		patterns = append(patterns, "./"+c.kernels)
	}
	_, diags, err := Generate(t.Context(), Config{Dir: usermodule.Write(t, files), Patterns: patterns})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		var found []string
		for _, d := range diags {
			if filepath.ToSlash(filepath.Dir(d.Pos.File)) == c.kernels {
				found = append(found, d.Message)
			}
		}
		if (len(found) > 0) != (c.diag != "") || len(found) > 0 && !strings.Contains(found[0], c.diag) {
			t.Errorf("%s with %s of %s: %q, want %q, of %v", c.kernels, c.field, c.types, found, c.diag, diags)
		}
	}
}
