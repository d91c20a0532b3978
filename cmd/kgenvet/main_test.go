package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/kgen-go/kgen/codegen"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/usermodule"
)

const kernels = `package k

import (
	"example.com/m/tools"
	"github.com/kgen-go/kgen/dsl"
)

type Count struct{ X, Out []int32 }

func (k Count) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	m := map[int32]int32{}
	k.Out[i] = int32(len(m)) + tools.Ask(k.X)
}

type Fine struct{ X []int32 }

func (k Fine) Kernel(it dsl.Item1) {
	if i := it.GlobalID(); i < len(k.X) {
		k.X[i]++
	}
}
`

const tools = `package tools

func Ask(xs []int32) int32 {
	c := make(chan int32)
	go func() { c <- xs[0] }()
	return <-c
}
`

const plain = `package main

import (
	"fmt"

	"example.com/m/tools"
)

func main() { fmt.Println(tools.Ask([]int32{1}), map[int]int{}) }
`

// module writes a module that uses this one.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	gomod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	gosum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	mod, _, _ := strings.Cut(strings.Replace(string(gomod), "module github.com/kgen-go/kgen", "module example.com/m", 1), "\ntool ")
	files["go.mod"] = mod + "\nrequire github.com/kgen-go/kgen v0.0.0\n\nreplace github.com/kgen-go/kgen => " + root + "\n"
	files["go.sum"] = string(gosum)
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func command(t *testing.T, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// withFlags runs go vet with the tool and flags; with -short the tool alone, as go vet looks at all
// imported packages again for each choice of flags.
func withFlags(t *testing.T, dir, tool string, args ...string) (string, error) {
	if testing.Short() {
		return command(t, dir, tool, args...)
	}
	return command(t, dir, "go", append([]string{"vet", "-vettool=" + tool}, args...)...)
}

// toolDir is the folder of the kgenvet that tests run.
var toolDir string

// TestMain has all tests run without cgo: the tests that they run are linked much faster, and
// go vet looks at what they import once, not once with and once without.
func TestMain(m *testing.M) {
	os.Setenv("CGO_ENABLED", "0")
	os.Setenv("GOFLAGS", usermodule.Flags("-ldflags=-s")) // without tables for debuggers
	var err error
	if toolDir, err = os.MkdirTemp("", "kgenvet"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(toolDir)
	os.Exit(code)
}

var build = sync.OnceValues(func() ([]byte, error) {
	return exec.Command("go", "build", "-ldflags=-s -w", "-o", toolDir+"/kgenvet", ".").CombinedOutput()
})

// built returns the path of kgenvet, which is built once for all tests.
func built(t *testing.T) string {
	t.Helper()
	if out, err := build(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return toolDir + "/kgenvet"
}

// compiled has what shows only when its kernels are compiled.
const compiled = `package c

import (
	"example.com/m/groups"
	"github.com/kgen-go/kgen/dsl"
)

type Divergent struct{ X []int32 }

func (k Divergent) Kernel(it dsl.NDItem1) {
	if k.X[it.GlobalID()] > 0 {
		it.Barrier() // want KG4
	}
}

type Mixed struct{ X, Out []int32 }

func (k Mixed) Kernel(it dsl.Item1) {
	var a [4]int32
	p := (*[2]int32)(k.X)
	if i := it.GlobalID(); k.X[i] > 0 {
		p = (*[2]int32)(a[1:]) // want KG203
	}
	k.Out[0] = p[0]
}

type Abroad struct{ X []int32 }

func (k Abroad) Kernel(it dsl.NDItem1) {
	if it.LocalID() == 0 {
		groups.Meet(it) // want KG4
	}
}

type Embeds struct { // want KG501
	groups.Sized
}

func (k Embeds) Kernel(it dsl.Item1) { k.X[it.GlobalID()] = 4 }

type Fine struct{ X []int32 }

func (k Fine) Kernel(it dsl.NDItem1) {
	it.Barrier()
	k.X[it.GlobalID()] = 4
}
`

const groups = `package groups

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

func Meet(it dsl.NDItem1) { it.Barrier() }

type Sized struct{ X []int32 }

func (Sized) Properties() properties.List { return properties.List{properties.WorkGroupSize(0)} }
`

// TestCompile runs go vet with the tool on kernels that the rules find nothing in.
func TestCompile(t *testing.T) {
	tool := built(t)
	dir := module(t, map[string]string{"c/c.go": compiled, "groups/groups.go": groups})
	out, err := withFlags(t, dir, tool, "./...")
	if err == nil {
		t.Error("no error")
	}
	found := map[int]string{}
	for line := range strings.Lines(out) {
		var n, col int
		if _, rest, ok := strings.Cut(line, "c/c.go:"); ok {
			if _, err := fmt.Sscanf(rest, "%d:%d:", &n, &col); err == nil && !strings.Contains(line, ": \t") { // else it belongs to another
				found[n] += line
			}
		}
	}
	for i, line := range strings.Split(compiled, "\n") {
		_, want, ok := strings.Cut(line, "// want ")
		got := found[i+1]
		if ok != (got != "") || !strings.Contains(got, want) {
			t.Errorf("line %d, %s: got %q", i+1, line, got)
		}
	}
	if testing.Short() {
		return // TestAnalyzers of package check has rules turned off
	}
	// Turned off, it finds nothing.
	if out, err := withFlags(t, dir, tool, "-kgencompile=false", "./..."); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestVet runs go vet with the tool on a module outside of this one, in the ways
// that people and editors do.
func TestVet(t *testing.T) {
	tool := built(t)
	dir := module(t, map[string]string{"k/k.go": kernels, "tools/tools.go": tools, "main.go": plain})

	// What kgen says of the kernels' own package, in its words.
	_, diags, err := codegen.Generate(context.Background(), codegen.Config{Dir: dir, Patterns: []string{"./k"}})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, d := range diags {
		if filepath.Base(d.Pos.File) == "k.go" {
			want = append(want, fmt.Sprintf("%d:%d: %v: %s; %s", d.Pos.Line, d.Pos.Col, d.Code, d.Message, d.Hint))
		}
	}
	if len(want) == 0 {
		t.Fatalf("kgen finds nothing: %v", diags)
	}
	want = append(want, "13:38: KG104: tools.Ask cannot run on a device: ")

	for _, run := range [][]string{
		{"go", "vet", "-vettool=" + tool, "./..."},
		{tool, "./..."}, // as with -json below
	}[:sample.Of(2, 1)] {
		out, err := command(t, dir, run[0], run[1:]...)
		if err == nil {
			t.Errorf("%v: no error", run)
		}
		for _, w := range want {
			if !strings.Contains(out, w) {
				t.Errorf("%v: no %q in\n%s", run, w, out)
			}
		}
		for line := range strings.Lines(out) {
			if strings.Contains(line, ".go:") && !strings.Contains(line, "k.go:1") {
				t.Errorf("%v: not wanted: %s", run, line)
			}
		}
	}

	// One rule turned off, and output for programs.
	if !testing.Short() { // TestAnalyzers of package check has one rule alone
		out, err := withFlags(t, dir, tool, "-kgenmaps=false", "./k")
		if err == nil || strings.Contains(out, "no maps") || !strings.Contains(out, "KG104") {
			t.Errorf("without the rule on maps: %v\n%s", err, out)
		}
	}
	out, _ := withFlags(t, dir, tool, "-json", "./k")
	found := 0
	for d := json.NewDecoder(strings.NewReader(out[strings.IndexByte(out+"{", '{'):])); d.More(); {
		var all map[string]map[string][]struct{ Posn, Message string }
		if err := d.Decode(&all); err != nil {
			t.Errorf("%v in %s", err, out)
			break
		}
		found += len(all["example.com/m/k"])
	}
	if found != 3 {
		t.Errorf("findings of %d rules in %s", found, out)
	}

	if testing.Short() {
		return // TestVetQuiet of package check has such packages
	}
	// Packages without kernels.
	for _, pkg := range []string{".", "./tools"} {
		if out, err := command(t, dir, "go", "vet", "-vettool="+tool, pkg); err != nil {
			t.Errorf("%s: %v\n%s", pkg, err, out)
		}
	}
}

func TestArguments(t *testing.T) {
	for args, want := range map[string]bool{
		"": true, "./...": true, "-json ./k": true, "-V=full": false, "-flags": false, "build/vet.cfg": false, "-kgenmaps build/vet.cfg": false,
		"help": false, "help kgenmaps": false, "-bogus": true, "-json": true, "-tags=x": true, "./... -tags": true,
	} {
		if got := userArgs(strings.Fields(args)); got != want {
			t.Errorf("%q: %v", args, got)
		}
	}
}
