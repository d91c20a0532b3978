package load

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/internal/tests/need"
	"github.com/kgen-go/kgen/internal/tests/sample"
)

// module unpacks an archive into a module of its own that uses this one.
func module(t *testing.T, archive string) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	a, err := txtar.ParseFile(filepath.Join("testdata", archive))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	dir := need.Dir(t)
	for _, f := range append(a.Files, txtar.File{Name: "go.sum", Data: sum}) {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		data := strings.ReplaceAll(string(f.Data), "=> KGEN", "=> "+root)
		if err := os.WriteFile(name, []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func load(t *testing.T, dir string, patterns ...string) *Program {
	t.Helper()
	p, diags, err := Load(context.Background(), Config{Dir: dir, Patterns: patterns})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range diags {
		t.Error(d)
	}
	if t.Failed() {
		t.FailNow()
	}
	return p
}

func TestAccept(t *testing.T) {
	p := load(t, module(t, "accept.txtar"), "./...")
	kernels := map[string]*Kernel{}
	var got []string
	for _, pkg := range p.Packages {
		for _, k := range pkg.Kernels {
			short := strings.TrimPrefix(k.FullName(), "example.com/accept/")
			kernels[short] = k
			got = append(got, fmt.Sprintf("%s %v%d %v", short, k.Form, k.Rank, k.Properties))
		}
	}
	want := []string{
		"elsewhere.Scaler Range1 [WorkGroupSize(256)]",
		"forms.Fast Task0 []",
		"forms.Groups NDRange3 []",
		"forms.Once Task0 []",
		"forms.Plane Range2 []",
		"generic.ScaleF32 Range1 [WorkGroupSize(256)]",
		"generic.ScaleF64 Range1 [WorkGroupSize(128)]",
		"layout.K Task0 []",
		"props.Base Range2 [WorkGroupSize(8, 16)]",
		"props.Extended Range2 [WorkGroupSize(8, 16) SubGroupSize(8) DeviceHas(fp16, int8)]",
		"props.Looped Range1 [WorkGroupSizeHint(8) Float(FloatExact)]",
		"props.Promoted Range2 [WorkGroupSize(8, 16)]",
		"props.Replaced Range2 [SubGroupSize(8)]",
		"props.VarAppend Range2 [WorkGroupSize(8, 16) Float(FloatExact)]",
		"props.VarBuffer Range1 [WorkGroupSize(16)]",
		"props.VarCopied Range1 [WorkGroupSize(210)]",
		"props.VarFilled Range2 [SubGroupSize(8) WorkGroupSize(8, 16)]",
		"props.VarList Range1 [Float(FloatExact)]",
		"props.VarPlace Range1 [SubGroupSize(8) WorkGroupSize(32)]",
		"props.VarShared Range1 [Float(FloatFast) WorkGroupSize(128)]",
		"props.VarWide Range1 [WorkGroupSize(11)]",
		"saxpy.SAXPY Range1 [WorkGroupSize(256)]",
		"stubs.K Range1 []",
	}
	if !slices.Equal(got, want) {
		t.Errorf("kernels:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for name, k := range kernels {
		if k.Fn == nil || k.Fn.Blocks == nil {
			t.Errorf("%s: no body", name)
		}
	}
	saxpy := kernels["saxpy.SAXPY"]
	if want := (ir.Pos{File: "saxpy/kernel.go", Line: 9, Col: 6}); p.Pos(saxpy.Pos) != want {
		t.Errorf("position %v, want %v", p.Pos(saxpy.Pos), want)
	}
	if at := p.DiagPos(saxpy.Pos).File; at != filepath.FromSlash("saxpy/kernel.go") || p.Abs("saxpy/kernel.go") != at {
		t.Errorf("DiagPos %q, Abs %q", at, p.Abs("saxpy/kernel.go"))
	}
	if saxpy.Doc != "SAXPY computes a*x + y. It is the simplest kernel.\n" {
		t.Errorf("doc %q", saxpy.Doc)
	}
	for _, name := range []string{"math", "example.com/accept/helper", "example.com/accept/deep"} {
		if !slices.Contains(p.Trace.Sources, name) {
			t.Errorf("%s is not from source: %v", name, p.Trace.Sources)
		}
	}
	if p.Trace.GoList > 2 {
		t.Errorf("%d calls of the go command", p.Trace.GoList)
	}
	if fn := p.SSA.ImportedPackage("example.com/accept/fast").Func("Same"); fn.Blocks == nil {
		t.Error("what has assembly has no body")
	}
	math := p.SSA.ImportedPackage("math")
	for _, name := range []string{"floor", "Floor", "archFloor"} {
		fn := math.Func(name)
		if fn == nil || fn.Blocks == nil {
			t.Errorf("math.%s has no body", name)
		}
	}
	if at := p.Pos(math.Func("Floor").Pos()); at.File != "math/floor.go" {
		t.Errorf("math.Floor is at %v", at)
	}
	testLayout(t, kernels["layout.K"])
}

func testLayout(t *testing.T, k *Kernel) {
	var got []string
	for _, l := range k.Leaves {
		got = append(got, fmt.Sprintf("%s %v %s off %d size %d host %d elem %d/%d", l.Name, l.Kind, l.Type, l.Offset, l.Size, l.HostOffset, l.ElemSize, l.ElemAlign))
	}
	want := []string{
		"Out Slice []int32 off 0 size 16 host 0 elem 4/4",
		"I Value int32 off 16 size 4 host 24 elem 0/0",
		"S Value struct{M int32} off 20 size 4 host 28 elem 0/0",
		"B Value bool off 24 size 1 host 32 elem 0/0",
		"V Value Vec off 28 size 12 host 36 elem 0/0",
		"D Value [2]int64 off 40 size 16 host 48 elem 0/0",
		"In.A Slice []float32 off 56 size 16 host 72 elem 4/4",
		"In.M Value int32 off 72 size 4 host 96 elem 0/0",
		"Bufs[0] Slice []uint8 off 80 size 16 host 104 elem 1/1",
		"Bufs[1] Slice []uint8 off 96 size 16 host 128 elem 1/1",
		"Deep[0].M Value int8 off 112 size 1 host 152 elem 0/0",
		"Deep[0].In[0] Slice []int16 off 120 size 16 host 160 elem 2/2",
		"Deep[1].M Value int8 off 136 size 1 host 184 elem 0/0",
		"Deep[1].In[0] Slice []int16 off 144 size 16 host 192 elem 2/2",
		"E Value struct{} off -1 size 0 host 216 elem 0/0",
	}
	if !slices.Equal(got, want) {
		t.Errorf("leaves:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if k.ArgSize != 160 || !k.Spilled {
		t.Errorf("ArgSize %d, Spilled %v", k.ArgSize, k.Spilled)
	}
	if p := k.Params[0]; p.Kind != abi.Slice || !reflect.DeepEqual(p, k.Leaves[0].Param) {
		t.Errorf("Params[0] = %+v", p)
	}
}

var want = regexp.MustCompile(`// want (KG\d+) "(.*)"`)

// TestReject checks that the diagnostics are just those that the sources want.
func TestReject(t *testing.T) {
	for archive, patterns := range map[string][][]string{
		"reject.txtar":   {{"./..."}},
		"illtyped.txtar": [][]string{{"./reached"}, {"./cgo"}, {"./lostfield"}, {"./toplevel"}, {"./syntax"}, {"./lost"}}[:sample.Of(6, 3)],
	} {
		dir := module(t, archive)
		for _, pattern := range patterns {
			if _, err := exec.LookPath("gcc"); pattern[0] == "./cgo" && (err != nil || os.Getenv("CGO_ENABLED") == "0") {
				continue // the go command leaves its files out
			}
			_, diags, err := Load(context.Background(), Config{Dir: dir, Patterns: pattern})
			if err != nil {
				t.Fatal(err)
			}
			compare(t, dir, strings.TrimSuffix(pattern[0], "/..."), diags)
		}
	}
}

func compare(t *testing.T, dir, below string, diags diag.List) {
	t.Helper()
	type line struct {
		file string
		line int
	}
	got := map[line]diag.List{}
	for _, d := range diags {
		at := line{d.Pos.File, d.Pos.Line}
		got[at] = append(got[at], d)
		if d.Hint == "" && d.Code != diag.Load {
			t.Errorf("no hint: %v", d)
		}
	}
	err := filepath.WalkDir(filepath.Join(dir, below), func(name string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(name, ".go") {
			return err
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		for i, text := range strings.Split(string(src), "\n") {
			at := line{rel, i + 1}
			m := want.FindStringSubmatch(text)
			found := got[at]
			delete(got, at)
			switch {
			case m == nil && len(found) == 0:
			case m == nil:
				t.Errorf("%s:%d: unexpected %v", rel, i+1, found)
			case len(found) != 1 || found[0].Code.String() != m[1] || !regexp.MustCompile(m[2]).MatchString(found[0].Message):
				t.Errorf("%s:%d: got %v, want %s %q", rel, i+1, found, m[1], m[2])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range got {
		t.Errorf("unexpected %v", l)
	}
}

func TestNoKernels(t *testing.T) {
	dir := module(t, "accept.txtar")
	for _, pattern := range []string{"./helper", "./helper/...", "./nowhere"} {
		_, diags, err := Load(context.Background(), Config{Dir: dir, Patterns: []string{pattern}})
		if err == nil && len(diags) != 1 {
			t.Errorf("%s: diagnostics %v, error %v", pattern, diags, err)
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, diags, err := Load(context.Background(), Config{Dir: "../..", Patterns: []string{"./..."}}); err != nil {
			b.Fatal(diags, err)
		}
	}
}

// TestStaleGoMod: what the go command has to say is not lost where it finds nothing.
func TestStaleGoMod(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := need.Dir(t)
	for name, text := range map[string]string{
		"go.mod":      "module example.com/stale\n\ngo 1.26\n\nrequire github.com/kgen-go/kgen v0.0.0\n\nreplace github.com/kgen-go/kgen => " + root + "\n",
		"k/kernel.go": "package k\n\nimport \"github.com/kgen-go/kgen/dsl\"\n\ntype K struct{}\n\nfunc (K) Kernel(it dsl.Item1) {}\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	_, diags, err := Load(context.Background(), Config{Dir: dir, Patterns: []string{"./k"}})
	if err == nil || !strings.Contains(err.Error(), "go.mod") {
		t.Errorf("got %v, %v", diags, err)
	}
}
