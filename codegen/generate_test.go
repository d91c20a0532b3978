package codegen

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/usermodule"
)

const kernels = `package k

import "github.com/kgen-go/kgen/dsl"

// Add adds.
type Add struct{ X, Y []float32 }

func (k Add) Kernel(it dsl.Item1) { k.Y[it.GlobalID()] += k.X[it.GlobalID()] }

type Fill struct {
	By int32
	Y  []int32
}

func (k Fill) Kernel(it dsl.Item2) {
	y, x := it.GlobalID()
	k.Y[y*10+x] = k.By
}

type Once struct{ Y []int32 }

func (k *Once) Kernel(dsl.Task) { k.Y[0] = 1 }
`

// TestDeterministic checks that what is written depends on the kernels alone:
// not on the folder, the number of processors or the run.
func TestDeterministic(t *testing.T) {
	var first map[string]string
	for run := range 2 {
		procs := runtime.GOMAXPROCS(1 + run)
		defer runtime.GOMAXPROCS(procs)
		dir := usermodule.Write(t, map[string]string{"k/k.go": kernels, "l/l.go": strings.Replace(kernels, "package k", "package l", 1)})
		res, diags, err := Generate(context.Background(), Config{Dir: dir, Patterns: []string{"./..."}})
		if err != nil || len(diags) > 0 {
			t.Fatal(diags, err)
		}
		if res.Kernels != 6 || len(res.Written) != 22 {
			t.Errorf("%d kernels, written %v", res.Kernels, res.Written)
		}
		got := map[string]string{}
		for _, name := range tree(t, filepath.Join(dir, "generated")) {
			data, err := os.ReadFile(filepath.Join(dir, "generated", name))
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(data, []byte(dir)) {
				t.Errorf("%s holds the folder's name", name)
			}
			got[name] = string(data)
		}
		if first == nil {
			first = got
		}
		for name := range first {
			if got[name] != first[name] {
				t.Errorf("run %d: %s differs", run, name)
			}
		}
		if testing.Short() {
			continue // make check finds what is written current
		}
		res, _, err = Generate(context.Background(), Config{Dir: dir, Patterns: []string{"./..."}, Check: true})
		if err != nil || len(res.Stale) > 0 {
			t.Errorf("check: %v %v", res.Stale, err)
		}
	}
}

func TestCheckStale(t *testing.T) {
	dir := usermodule.Write(t, map[string]string{"k/k.go": kernels})
	res, _, err := Generate(context.Background(), Config{Dir: dir, Patterns: []string{"./k"}, Check: true})
	if !errors.Is(err, ErrStale) || len(res.Stale) != 11 || len(res.Written) > 0 {
		t.Errorf("stale %v, written %v, error %v", res.Stale, res.Written, err)
	}
}

// TestDiagnostics checks that kernels with errors keep their package from being
// written, and that all of them are reported in order.
func TestDiagnostics(t *testing.T) {
	bad := strings.Replace(kernels, "k.Y[0] = 1", "k.Y[0] = int32(len(os.Args))", 1)
	bad = strings.Replace(bad, "package k\n", "package k\n\nimport \"os\"\n", 1)
	bad = strings.Replace(bad, "k.Y[y*10+x] = k.By", "go func() { k.Y[y*10+x] = k.By }()", 1)
	dir := usermodule.Write(t, map[string]string{"k/k.go": bad})
	res, diags, err := Generate(context.Background(), Config{Dir: dir, Patterns: []string{"./k"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(diags) < 2 || len(res.Written) > 0 {
		t.Errorf("diagnostics %v, written %v", diags, res.Written)
	}
	if !slices.IsSortedFunc(diags, func(a, b *diag.Diagnostic) int { return a.Pos.Line - b.Pos.Line }) {
		t.Errorf("not sorted: %v", diags)
	}
}

func TestDump(t *testing.T) {
	dir := usermodule.Write(t, map[string]string{"k/k.go": kernels})
	for i, name := range DumpNames() {
		if i%12 > 0 && i > 3 && i < len(DumpNames())-10 {
			continue // of the passes, which are alike, one in twelve
		}
		if !sample.Has(name, 12) {
			continue
		}
		var b bytes.Buffer
		res, diags, err := Generate(context.Background(), Config{Dir: dir, Patterns: []string{"./k"}, Dump: name, DumpTo: &b})
		if err != nil || len(diags) > 0 || len(res.Written) > 0 {
			t.Fatal(name, diags, err)
		}
		if name == dumpAlone || name == dumpSmall || name == dumpCancel { // which these have not
			if b.Len() > 0 {
				t.Errorf("%s: %s", name, b.String())
			}
			continue
		}
		for _, k := range []string{"Add", "Fill", "Once"} {
			if !strings.Contains(b.String(), "; example.com/m/k."+k+": ") {
				t.Errorf("%s: no %s in\n%s", name, k, b.String())
			}
		}
	}
	if _, _, err := Generate(context.Background(), Config{Dir: dir, Dump: "nothing"}); err == nil {
		t.Error("an unknown form is taken")
	}
}

// TestReachedByIntrinsic has a kernel that calls what kgen makes of another function, of a
// package that nothing else in the program needs from source.
func TestReachedByIntrinsic(t *testing.T) {
	dir := usermodule.Write(t, map[string]string{"k/k.go": `package k

import (
	"bytes"

	"github.com/kgen-go/kgen/dsl"
)

type Count struct {
	Text []byte
	Out  []int
}

func (k Count) Kernel(it dsl.Item1) { k.Out[it.GlobalID()] = bytes.Count(k.Text, nil) }
`})
	_, diags, err := Generate(context.Background(), Config{Dir: dir, Patterns: []string{"./k"}, onFollowUpPanic: failOnFollowUp})
	if err != nil || len(diags) > 0 {
		t.Errorf("%v, %v", diags, err)
	}
}
