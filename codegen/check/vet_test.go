package check_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/kgen-go/kgen/codegen/check"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/internal/wanttest"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/internal/tests/sample"
)

var vetMessage = regexp.MustCompile(`^(KG\d+): ([^;]*)(?:; (.*))?$`)

// testdata is the packages that tests analyze, by their folders. One load type-checks their imports once.
var testdata = sync.OnceValues(func() (map[string]*packages.Package, error) {
	folders := []string{"./testdata/vet/halves", "./testdata/vet/nokernels"} // which import little
	if !testing.Short() {
		folders = append(folders, "./testdata/declare", "./testdata/reject", "./testdata/vet", "./testdata/vet/helper", ".")
	}
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax}, folders...)
	found := map[string]*packages.Package{}
	for _, p := range pkgs {
		_, below, _ := strings.Cut(p.PkgPath, "/codegen/check")
		found["."+below] = p
	}
	return found, err
})

// vet runs the analyzers on the package in a folder as a driver does, and returns their findings.
func vet(t *testing.T, folder string, analyzers []*analysis.Analyzer) diag.List {
	t.Helper()
	loaded, err := testdata()
	if err != nil {
		t.Fatal(err)
	}
	if loaded[folder] == nil {
		t.Fatalf("no package is in %s", folder)
	}
	graph, err := checker.Analyze(analyzers, []*packages.Package{loaded[folder]}, nil)
	if err != nil {
		t.Fatal(err)
	}
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	var found diag.List
	for _, act := range graph.Roots {
		if act.Err != nil {
			t.Fatal(act.Err)
		}
		fset := act.Package.Fset
		for _, d := range act.Diagnostics {
			m := vetMessage.FindStringSubmatch(d.Message)
			if m == nil || m[1] != d.Category {
				t.Fatalf("category %q, message %q", d.Category, d.Message)
			}
			at := fset.Position(d.Pos)
			file, _ := filepath.Rel(here, at.Filename)
			code, _ := diag.ParseCode(m[1])
			out := found.Add(code, diag.Pos{File: file, Line: at.Line, Col: at.Column}, m[3], "%s", m[2])
			for _, r := range d.Related {
				at := fset.Position(r.Pos)
				file, _ := filepath.Rel(here, at.Filename)
				out.Related = append(out.Related, diag.Related{Pos: diag.Pos{File: file, Line: at.Line, Col: at.Column}, Message: r.Message})
			}
		}
	}
	found.Sort()
	return found
}

// TestVetEqual: within a package, the analyzers find what kgen does, at the same
// places, in the same words, with the same calls.
func TestVetEqual(t *testing.T) {
	sample.Deep(t, "TestVet of cmd/kgenvet compares findings with those of kgen")
	want := checkAll(t, "./testdata/reject")
	want.Sort()
	got := vet(t, "./testdata/reject", check.Analyzers(known))
	wanttest.Compare(t, "testdata/reject", slices.Clone(got))
	if len(got) != len(want) {
		t.Errorf("%d findings; kgen has %d", len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		// One line of vet's holds the message and the hint.
		if got[i].Error() != want[i].Error() || !slices.Equal(got[i].Related, want[i].Related) {
			t.Errorf("got  %v %v\nwant %v %v", got[i], got[i].Related, want[i], want[i].Related)
		}
	}
}

// vetKnown is true of what kernels in testdata/vet use of dsl and sync/atomic.
func vetKnown(name string) bool {
	return strings.HasPrefix(name, "(github.com/kgen-go/kgen/dsl.") || strings.HasPrefix(name, "sync/atomic.") || strings.HasPrefix(name, "math.Float64")
}

// TestVetAbroad: functions of other packages are judged by their facts.
func TestVetAbroad(t *testing.T) {
	sample.Deep(t, "TestVet of cmd/kgenvet has such functions")
	wanttest.Compare(t, "testdata/vet", vet(t, "./testdata/vet", check.Analyzers(vetKnown)))
}

// TestVetHalves: numbers of package half are no integers in the host's code either.
func TestVetHalves(t *testing.T) {
	wanttest.Compare(t, "testdata/vet/halves", vet(t, "./testdata/vet/halves", check.Analyzers(vetKnown)))
}

// TestVetQuiet: nothing is said of packages without kernels.
func TestVetQuiet(t *testing.T) {
	for _, pattern := range []string{"./testdata/vet/nokernels", "./testdata/vet/helper", "."}[:sample.Of(3, 1)] {
		for _, d := range vet(t, pattern, check.Analyzers(vetKnown)) {
			t.Errorf("%s: not wanted: %v", pattern, d)
		}
	}
}

// TestAnalyzers: a rule is an analyzer of its own, which can be turned off.
func TestAnalyzers(t *testing.T) {
	all := check.Analyzers(known)
	if err := analysis.Validate(all); err != nil {
		t.Error(err)
	}
	var maps *analysis.Analyzer
	for _, a := range all {
		if a.Name == "kgenmaps" {
			maps = a
		}
	}
	for _, d := range vet(t, []string{"./testdata/reject", "./testdata/vet/halves"}[sample.Of(0, 1)], []*analysis.Analyzer{maps}) {
		if !strings.Contains(d.Message, "maps") {
			t.Errorf("not wanted: %v", d)
		}
	}
}

// TestVetDeclarations: what is wrong with how kernels are declared is found by the
// analyzers as by package load.
func TestVetDeclarations(t *testing.T) {
	sample.Deep(t, "TestVet of cmd/kgenvet compares findings with those of kgen")
	_, want, err := load.Load(t.Context(), load.Config{Patterns: []string{"./testdata/declare"}})
	if err != nil {
		t.Fatal(err)
	}
	want.Sort()
	wanttest.Compare(t, "testdata/declare", slices.Clone(want))
	got := vet(t, "./testdata/declare", check.Analyzers(known))
	if len(got) != len(want) {
		t.Errorf("%d findings; kgen has %d", len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if got[i].Error() != want[i].Error() {
			t.Errorf("got  %v\nwant %v", got[i], want[i])
		}
	}
}
