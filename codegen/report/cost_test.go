package report_test

import (
	"errors"
	"github.com/kgen-go/kgen/codegen"
	"github.com/kgen-go/kgen/codegen/report"
	"github.com/kgen-go/kgen/internal/tests/usermodule"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const costly = `package k

import "github.com/kgen-go/kgen/dsl"

type Copy struct{ X, Y []int32 }

func (k Copy) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Y[i] = k.X[i]
}

type Wide struct{ X, Y []int64 }

func (k Wide) Kernel(it dsl.Item1) {
	if i := it.GlobalID(); i < len(k.X) && i < len(k.Y) {
		k.Y[i] = k.X[i] * 3
	}
}

type Same struct{ X []int32 }

func (k Same) Kernel(it dsl.Item1) { k.X[it.GlobalID()]++ }

type Gone struct{ X []int32 }

func (k Gone) Kernel(it dsl.Item1) { k.X[it.GlobalID()]-- }
`

// TestCosts: -check -diff says what has changed in what kernels cost, and nothing of those
// that are current.
func TestCosts(t *testing.T) {
	dir := usermodule.Write(t, map[string]string{"k/k.go": costly, "other/o.go": strings.Replace(costly, "package k", "package other", 1)})
	generate := func(check bool) (string, *codegen.Result) {
		t.Helper()
		res, diags, err := codegen.Generate(t.Context(), codegen.Config{Dir: dir, Patterns: []string{"./..."}, Check: check, Diff: check})
		if len(diags) > 0 || err != nil && !errors.Is(err, codegen.ErrStale) {
			t.Fatal(diags, err)
		}
		var b strings.Builder
		if err := report.WriteCosts(&b, res.Costs); err != nil {
			t.Fatal(err)
		}
		return b.String(), res
	}
	if !testing.Short() { // one is new below
		if got, _ := generate(true); strings.Count(got, ": new\n\tchecks: ") != 8 || !strings.Contains(got, "example.com/m/k.Copy: new\n\tchecks: 2\n\tCopy.spv: new, ") {
			t.Errorf("all new: %s", got)
		}
	}
	generate(false)
	if !testing.Short() {
		if got, _ := generate(true); got != "" {
			t.Errorf("all current: %s", got)
		}
	}
	edit := func(old, new string) {
		t.Helper()
		name := filepath.Join(dir, "k/k.go")
		text, err := os.ReadFile(name)
		if err != nil || !strings.Contains(string(text), old) {
			t.Fatal(old, err)
		}
		if err := os.WriteFile(name, []byte(strings.Replace(string(text), old, new, 1)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	edit("	i := it.GlobalID()\n", "	i := it.GlobalID()\n	if i >= len(k.X) || i >= len(k.Y) {\n		return\n	}\n") // no checks
	edit("k.X[i] * 3", "k.X[i] * 3 / (k.X[i] | 1)")                                                            // more work
	edit("Gone", "Came")
	edit("Gone", "Came")
	if err := os.RemoveAll(filepath.Join(dir, "other")); err != nil {
		t.Fatal(err)
	}
	got, res := generate(true)
	for _, want := range []string{
		`example\.com/m/k\.Came: new\n\tchecks: 1\n\tCame\.spv: new, \d+ instructions, \d+ 64-bit operations, \d+ bytes\n`,
		`example\.com/m/k\.Copy:\n\tchecks: 2 → 0 \(-2\)\n\tCopy\.spv: instructions: \d+ → \d+ \(-\d+\)\n(\tCopy\.spv: 64-bit.*\n)?\tCopy\.spv: size: \d+ → \d+ bytes \(-\d+\)\n`,
		`example\.com/m/k\.Gone: removed\n`,
		`example\.com/m/k\.Same:\n\tchanged, at the same cost\n`, // its lines have moved
		`example\.com/m/k\.Wide:\n\tWide\.spv: instructions: \d+ → \d+ \(\+\d+\)\n\tWide\.spv: 64-bit operations: \d+ → \d+ \(\+\d+\)\n`,
		`example\.com/m/other\.Wide: removed\n`,
	} {
		if !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if len(res.Costs) != 9 {
		t.Errorf("%d changes: %s", len(res.Costs), got)
	}
	if testing.Short() {
		return
	}
	// What is told is what generating does, once more.
	generate(false)
	if got, _ := generate(true); got != "" {
		t.Errorf("current again: %s", got)
	}
}

// TestSizeOf counts by hand.
func TestSizeOf(t *testing.T) {
	dir := usermodule.Write(t, map[string]string{"k/k.go": costly})
	if _, diags, err := codegen.Generate(t.Context(), codegen.Config{Dir: dir, Patterns: []string{"./k"}}); err != nil || len(diags) > 0 {
		t.Fatal(diags, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "generated/k/Copy.spv"))
	if err != nil {
		t.Fatal(err)
	}
	var dump strings.Builder
	if _, diags, err := codegen.Generate(t.Context(), codegen.Config{Dir: dir, Patterns: []string{"./k"}, Dump: "spirv", DumpTo: &dump}); err != nil || len(diags) > 0 {
		t.Fatal(diags, err)
	}
	one := strings.Split(dump.String(), "OpCapability Shader\n")[1]
	_, body, _ := strings.Cut(one, "= OpFunction ")
	_, body, _ = strings.Cut(body, "\n")
	want := report.Size{Bytes: len(text)}
	for line := range strings.Lines(body) {
		if line = strings.TrimSpace(line); strings.Contains(line, "Op") && !regexp.MustCompile(`\bOp(Label|Function|FunctionEnd|FunctionParameter)\b`).MatchString(line) {
			want.Instructions++
		}
	}
	long := regexp.MustCompile(`(%\w+) = OpTypeInt 64 `).FindStringSubmatch(one)
	if long == nil {
		t.Fatal("the module has no 64-bit integers")
	}
	values := map[string]bool{}
	for _, m := range regexp.MustCompile(`(%\w+) = Op\w+ (%\w+)`).FindAllStringSubmatch(one, -1) {
		values[m[1]] = m[2] == long[1]
	}
	for line := range strings.Lines(body) {
		if m := regexp.MustCompile(`(%\w+) = Op(\w+) %\w+ (%\w+)`).FindStringSubmatch(line); m != nil &&
			(values[m[1]] || regexp.MustCompile(`^[US]?(Less|Greater)|^I(Not)?Equal`).MatchString(m[2]) && values[m[3]]) {
			want.Wide++
		}
	}
	if got, err := report.SizeOf(text); err != nil || got != want || got.Wide == 0 || got.Instructions == 0 {
		t.Errorf("got %+v, want %+v (%v)\n%s", got, want, err, one)
	}
}
