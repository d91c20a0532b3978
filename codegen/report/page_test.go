package report_test

import (
	"context"
	"go/scanner"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/codegen/lower"
	"github.com/kgen-go/kgen/codegen/pass"
	"github.com/kgen-go/kgen/codegen/report"
	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/codegen/view"
	"github.com/kgen-go/kgen/internal/tests/sample"
)

// viewExamples is the page of the examples, or of the small ones with -short. Tests must not change it.
var viewExamples = sync.OnceValues(func() (*view.Page, error) {
	patterns := []string{"./examples/..."}
	if testing.Short() {
		patterns = nil
		for _, name := range []string{"life", "options", "quickstart", "wordcount"} {
			patterns = append(patterns, "./examples/"+name+"/...")
		}
	}
	page, _, diags, err := codegen.View(context.Background(), codegen.Config{Dir: "../..", Patterns: patterns})
	if len(diags) > 0 {
		err = diags
	}
	return page, err
})

func examples(t *testing.T) *view.Page {
	t.Helper()
	page, err := viewExamples()
	if err != nil {
		t.Fatal(err)
	}
	return page
}

func viewOf(t *testing.T, patterns ...string) *view.Page {
	t.Helper()
	page, _, diags, err := codegen.View(t.Context(), codegen.Config{Dir: "../..", Patterns: patterns})
	if err != nil || len(diags) > 0 {
		t.Fatal(diags, err)
	}
	return page
}

// TestViewLate: the page says which modules programs make.
func TestViewLate(t *testing.T) {
	sample.Deep(t, "TestLateModules of codegen makes such modules")
	late := map[string]bool{"": false, abi.VariantWords: false, abi.VariantSmall: true}
	seen := map[string]int{}
	for _, k := range viewOf(t, "./prim/move/kernels").Kernels {
		for _, m := range k.Body.Modules {
			if seen[m.Name]++; m.Late != late[m.Name] {
				t.Errorf("%s: the module %q is made late: %v", k.Name, m.Name, m.Late)
			}
		}
	}
	if len(seen) != len(late) {
		t.Errorf("modules %v", seen)
	}
}

// sourceFile returns a file of this module by its name in positions; others have none here.
func sourceFile(t *testing.T, name string) (lines []string, tokens map[[2]int]bool) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../..", name))
	if err != nil {
		return nil, nil
	}
	tokens = map[[2]int]bool{}
	file := token.NewFileSet().AddFile(name, -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	for {
		pos, tok, _ := s.Scan()
		if tok == token.EOF {
			break
		}
		at := file.Position(pos)
		tokens[[2]int{at.Line, at.Column}] = true
	}
	return strings.Split(string(text), "\n"), tokens
}

// TestViewSource: every place that IR has is a token of the source, as go/scanner finds them,
// and its line stands in the page as in the file.
func TestViewSource(t *testing.T) {
	type file struct {
		lines  []string
		tokens map[[2]int]bool
	}
	files := map[string]file{}
	places := 0
	for _, k := range examples(t).Kernels {
		shown := map[string]map[int]string{}
		for _, e := range k.Body.Source {
			if shown[e.File] == nil {
				shown[e.File] = map[int]string{}
			}
			for i, line := range e.Text {
				shown[e.File][e.Line+i] = line
			}
		}
		if shown[k.Pos.File][k.Pos.Line] == "" {
			t.Errorf("%s: %v is not shown", k.Name, k.Pos)
		}
		for _, p := range k.Body.Places {
			name := k.Body.Files[p[0]]
			text, ok := shown[name][p[1]]
			if !ok {
				t.Errorf("%s: %s:%d has IR and is not shown", k.Name, name, p[1])
				continue
			}
			f, ok := files[name]
			if !ok {
				f.lines, f.tokens = sourceFile(t, name)
				files[name] = f
			}
			if f.lines == nil {
				continue // of the standard library
			}
			places++
			if f.lines[p[1]-1] != text {
				t.Errorf("%s:%d is %q, and shown as %q", name, p[1], f.lines[p[1]-1], text)
			}
			if !f.tokens[[2]int{p[1], p[2]}] {
				t.Errorf("%s: no token stands at %s:%d:%d", k.Name, name, p[1], p[2])
			}
		}
	}
	if places < sample.Of(500, 200) {
		t.Errorf("there are %d places alone", places)
	}
}

var numbers = regexp.MustCompile(`%\d+|\bb\d+\b`)

// plain is a text of IR without the numbers of values and blocks.
func plain(lines []string) string { return numbers.ReplaceAllString(strings.Join(lines, "\n"), "#") }

// TestViewPasses: what the page has of passes gives the texts that -dump prints, but for
// numbers.
func TestViewPasses(t *testing.T) {
	pattern := []string{"./examples/imagefilter/...", "./examples/quickstart/..."}[sample.Of(0, 1)]
	page := viewOf(t, pattern)
	prog, diags, err := load.Load(t.Context(), load.Config{Dir: "../..", Patterns: []string{pattern}, Intrinsic: lower.Intrinsic})
	if err != nil || len(diags) > 0 {
		t.Fatal(diags, err)
	}
	n := 0
	for _, pkg := range prog.Packages {
		for _, k := range pkg.Kernels {
			b := page.Kernels[n].Body
			if page.Kernels[n].Name != k.Name {
				t.Fatal(page.Kernels[n].Name, k.Name)
			}
			n++
			shown := b.Built
			next, idle := 0, 0
			_, _, err := codegen.Compile(prog, k, func(form string, m *ir.Module) {
				switch {
				case form == ir.Built.String():
				case next < len(b.Passes) && b.Passes[next].Name == form:
					shown = view.Apply(shown, b.Passes[next].Edits)
					next++
				case slices.Contains(b.Idle, form):
					idle++
				default:
					if i := slices.IndexFunc(b.Modules, func(m view.Module) bool { return m.Name == form }); i > 0 {
						v := view.Apply(shown, b.Modules[i].Edits)
						if b.Modules[i].IR != nil {
							v = *b.Modules[i].IR
						}
						if plain(v.Text)+"\n" != numbers.ReplaceAllString(m.String(), "#") {
							t.Errorf("%s: the IR of module %s is another one", k.Name, form)
						}
						return
					}
					t.Errorf("%s: the page does not know %s", k.Name, form)
				}
				if plain(shown.Text)+"\n" != numbers.ReplaceAllString(m.String(), "#") {
					t.Errorf("%s: IR behind %s is another one", k.Name, form)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			if next != len(b.Passes) || next+idle != len(pass.Passes()) {
				t.Errorf("%s: %d passes of %d were seen, and %d without effect", k.Name, next, len(b.Passes), idle)
			}
		}
	}
}

// sameOp has ops of IR that are one instruction each.
var sameOp = map[string]string{"FMul": "OpFMul", "FAdd": "OpFAdd", "IMul": "OpIMul", "SLt": "OpSLessThan", "ULt": "OpULessThan", "Phi": "OpPhi", "Select": "OpSelect", "FDiv": "OpFDiv"}

// TestViewModules compares the modules in the page with those in the folder generated, and
// looks whether SPIR-V is linked to the IR that it is written for.
func TestViewModules(t *testing.T) {
	linked, variants := 0, 0
	for _, k := range examples(t).Kernels {
		b := k.Body
		folder := filepath.Join("../../generated", strings.TrimPrefix(k.Package, "github.com/kgen-go/kgen/"))
		first := b.Built
		for _, p := range b.Passes {
			first = view.Apply(first, p.Edits)
		}
		if k.Bytes != b.Modules[0].Bytes || b.Modules[0].Name != "" {
			t.Errorf("%s: %d bytes, %+v", k.Name, k.Bytes, b.Modules[0].Name)
		}
		for i, m := range b.Modules {
			name := filepath.Join(folder, k.Name+".spv")
			if i > 0 {
				name = filepath.Join(folder, k.Name+"."+m.Name+".spv")
				variants++
			}
			module, err := os.ReadFile(name)
			if m.Late && os.IsNotExist(err) {
				continue // programs make this variant; see TestViewLate
			}
			if err != nil || m.Late {
				t.Errorf("%s: made late: %v, error: %v", name, m.Late, err)
				continue
			}
			if m.Bytes != len(module) {
				t.Errorf("%s has %d bytes, and %d in the page", name, len(module), m.Bytes)
			}
			if m.Text == nil {
				continue
			}
			s, err := spirv.ParseBytes(module)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(m.Text, "\n") + "\n"; got != spirv.Disassemble(s) {
				t.Errorf("%s: the page has another text", name)
			}
			text := view.Apply(first, m.Edits)
			if m.IR != nil {
				text = *m.IR
			}
			if len(m.From) != len(m.Text) || len(text.At) != len(text.Text) {
				t.Fatalf("%s: %d and %d, %d and %d lines", name, len(m.From), len(m.Text), len(text.At), len(text.Text))
			}
			linked += links(t, name, &m, text)
		}
	}
	if linked < sample.Of(1000, 500) || variants < sample.Of(20, 8) {
		t.Errorf("%d operations of %d variants were compared", linked, variants)
	}
}

var opOf = regexp.MustCompile(`^\t(?:%\d+ = )?(\w+)`)

// links compares operations with the instructions that are said to be written for them.
func links(t *testing.T, name string, m *view.Module, text view.Listing) (n int) {
	t.Helper()
	written := map[int][]string{}
	for i, from := range m.From {
		if from >= 0 {
			written[from] = append(written[from], m.Text[i])
		}
	}
	for i, line := range text.Text {
		op := opOf.FindStringSubmatch(line)
		if op == nil {
			if strings.HasPrefix(line, "b") && len(written[i]) != 1 {
				t.Errorf("%s: %q is %q", name, line, written[i])
			}
			continue
		}
		want := sameOp[op[1]]
		if want == "" {
			continue
		}
		n++
		if got := strings.Join(written[i], "\n"); !strings.Contains(got, " = "+want+" ") {
			t.Errorf("%s: %q is %q", name, line, got)
		}
	}
	return n
}

// TestViewCommon looks at what is said to be the same in all work-items of a group.
func TestViewCommon(t *testing.T) {
	value, label := regexp.MustCompile(`^\t%(\d+) = (.*)`), regexp.MustCompile(`^b(\d+):`)
	mark := func(marks, number string) byte {
		n, err := strconv.Atoi(number)
		if err != nil {
			t.Fatal(err)
		}
		return (marks + strings.Repeat(".", n+1))[n]
	}
	counts := map[byte]int{}
	for _, k := range examples(t).Kernels {
		b := k.Body
		barriers := strings.HasPrefix(k.Shape, "nd-range")
		text := b.Built
		order := codegen.DumpNames()
		for _, p := range b.Passes {
			if slices.Index(order, p.Name) <= slices.Index(order, "narrow") {
				text = view.Apply(text, p.Edits)
			}
		}
		block := byte(0)
		for _, line := range text.Text {
			if m := label.FindStringSubmatch(line); m != nil {
				block = mark(b.Blocks, m[1])
				if counts[block]++; block == '.' {
					t.Errorf("%s: nothing is said of %q", k.Name, line)
				}
			}
			if strings.HasPrefix(line, "\tBarrier WorkGroup") && (block != 'u' || !barriers) {
				t.Errorf("%s: a barrier stands in a block that is marked %q", k.Name, block)
			}
			m := value.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			got, want := mark(b.Values, m[1]), byte(0)
			switch {
			case strings.Contains(m[2], " GlobalInvocationId."), strings.Contains(m[2], " LocalInvocationId."):
				want = 'd'
			case strings.HasPrefix(m[2], "Arg "), strings.Contains(m[2], " WorkgroupId."):
				want = 'u'
			}
			if counts[got]++; want != 0 && got != want {
				t.Errorf("%s: %q is marked %q", k.Name, line, got)
			}
		}
	}
	if counts['u'] < sample.Of(200, 50) || counts['d'] < sample.Of(300, 150) {
		t.Errorf("%d are uniform and %d divergent", counts['u'], counts['d'])
	}
}

// TestViewFacts compares what the page says of checks and integers with kgen -explain.
func TestViewFacts(t *testing.T) {
	patterns := []string{"./codegen/report/testdata/footprint", "./codegen/report/testdata/bounds", "./examples/blockmatmul/..."}
	if testing.Short() {
		patterns = patterns[1:2]
	}
	reports, diags, err := codegen.ExplainPasses(t.Context(), codegen.Config{Dir: "../..", Patterns: patterns}, report.Bounds, report.Narrow, report.Fusion)
	if err != nil || len(diags) > 0 {
		t.Fatal(diags, err)
	}
	page := viewOf(t, patterns...)
	if len(page.Kernels) != len(reports) {
		t.Fatalf("%d kernels and %d reports", len(page.Kernels), len(reports))
	}
	fused := 0
	for i, k := range page.Kernels {
		r, b := reports[i], k.Body
		if k.Package+"."+k.Name != r.Kernel || k.Checks != sumTimes(r.Bounds.Remain) || k.Wide != sumTimes(r.Narrow.Remain) {
			t.Errorf("%s has %d checks and %d integers of 64 bits; the report on %s says %d and %d", k.Name, k.Checks, k.Wide, r.Kernel, sumTimes(r.Bounds.Remain), sumTimes(r.Narrow.Remain))
		}
		for _, list := range []struct {
			got  []view.Finding
			want []report.Finding
		}{{b.Checks.Remain, r.Bounds.Remain}, {b.Integers.Remain, r.Narrow.Remain}} {
			if len(list.got) != len(list.want) {
				t.Fatalf("%s: %d findings of %d", k.Name, len(list.got), len(list.want))
			}
			for j, f := range list.got {
				w := list.want[j]
				// The report has the file as seen from here.
				if f.Pos.File != strings.TrimPrefix(filepath.ToSlash(w.Pos.File), "../../") || f.Pos.Line != w.Pos.Line || f.Expr != w.Expr || !strings.HasPrefix(f.Why, w.Why) || f.Hint != w.Hint {
					t.Errorf("%s: %+v in the page, %+v in the report", k.Name, f, w)
				}
			}
		}
		for j, s := range b.Slices {
			if w := r.Fusion[j]; s.Name != w.Slice || s.Use != w.String() {
				t.Errorf("%s: %+v in the page, %+v in the report", k.Name, s, w)
			}
		}
		n := 0
		for _, f := range b.Fused {
			n += f.Times
		}
		if fused += n; n != k.Fused {
			t.Errorf("%s: %d sums are fused, and %d listed", k.Name, k.Fused, n)
		}
	}
	if fused == 0 {
		t.Error("nothing is fused")
	}
}

// TestViewMatrices: the page has the lines of the report on matrices.
func TestViewMatrices(t *testing.T) {
	sample.Deep(t, "TestExplainMatrices runs the report")
	pattern := "./internal/tests/guide"
	reports, diags, err := codegen.ExplainPasses(t.Context(), codegen.Config{Dir: "../..", Patterns: []string{pattern}}, report.Matrices)
	if err != nil || len(diags) > 0 {
		t.Fatal(diags, err)
	}
	found := 0
	for i, k := range viewOf(t, pattern).Kernels {
		var want []string
		r := reports[i]
		for _, m := range r.MatrixMemory {
			want = append(want, m.String())
		}
		for _, u := range r.Matrices {
			want = append(want, u.String())
			for _, tile := range u.Tiles {
				want = append(want, tile.String())
			}
		}
		for j, m := range k.Body.Matrices {
			if found++; j >= len(want) || m.Text != want[j] || len(k.Body.Matrices) != len(want) {
				t.Fatalf("%s: %v in the page, want %q", k.Name, k.Body.Matrices, want)
			}
		}
	}
	if found == 0 {
		t.Error("no kernel has matrices")
	}
}

// TestViewFailed: kernels with mistakes stand beside the others, with what is wrong at its
// place.
func TestViewFailed(t *testing.T) {
	sample.Deep(t, "TestViewLoad has kernels with mistakes")
	page, _, diags, err := codegen.View(t.Context(), codegen.Config{Dir: "../check/testdata", Patterns: []string{"./reject"}})
	if err != nil || len(diags) == 0 {
		t.Fatal(diags, err)
	}
	failed, problems := 0, 0
	for _, k := range page.Kernels {
		if !k.Failed {
			if len(k.Body.Modules) == 0 || len(k.Body.Problems) > 0 {
				t.Errorf("%s has %d modules and %v", k.Name, len(k.Body.Modules), k.Body.Problems)
			}
			continue
		}
		failed++
		for _, p := range k.Body.Problems {
			problems++
			if p.Code == "" || p.Message == "" || !shows(k.Body.Source, p.Pos) {
				t.Errorf("%s: %+v is not shown", k.Name, p)
			}
		}
	}
	if failed == 0 || failed == len(page.Kernels) || problems < failed {
		t.Errorf("%d of %d kernels have failed, with %d problems", failed, len(page.Kernels), problems)
	}

	page, _, diags, err = codegen.View(t.Context(), codegen.Config{Dir: "../..", Patterns: []string{"./abi"}})
	if err != nil || len(diags) != 1 || len(page.Problems) != 1 || page.Problems[0].Code != "KG006" || len(page.Kernels) > 0 {
		t.Errorf("a package without kernels: %+v, %v, %v", page, diags, err)
	}
	if _, _, _, err := codegen.View(t.Context(), codegen.Config{Dir: "/nonexistent"}); err == nil {
		t.Error("a folder that there is not: no error")
	}
}

// TestViewLoad: what loading finds stands with the kernels that it concerns, and the rest with
// the packages.
func TestViewLoad(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile("../../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.sum": string(sum),
		"go.mod": "module example.com/m\n\ngo 1.26.0\n\nrequire github.com/kgen-go/kgen v0.0.0\n\nreplace github.com/kgen-go/kgen => " + root + "\n",
		"k.go": `package m

import "github.com/kgen-go/kgen/dsl"

type Good struct{ X []int32 }

func (k Good) Kernel(it dsl.Item1) { k.X[it.GlobalID()] = 1 }

type Field struct {
	M map[int]int
	X []int32
}

func (k Field) Kernel(it dsl.Item1) { k.X[it.GlobalID()] = 1 }

type Body struct{ X []int32 }

func (k Body) Kernel(it dsl.Item1) { k.X[it.GlobalID()] = "x" }

type Callee struct{ X []int32 }

func (k Callee) Kernel(it dsl.Item1) { k.X[it.GlobalID()] = callee() }

func callee() int32 { return "x" }
`,
		"other/k.go": "package other\n\nimport \"github.com/kgen-go/kgen/dsl\"\n\nvar v int32 = \"x\"\n\ntype K struct{ X []int32 }\n\nfunc (k K) Kernel(it dsl.Item1) { k.X[0] = v }\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	page, _, diags, err := codegen.View(t.Context(), codegen.Config{Dir: dir, Patterns: []string{"./..."}})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]int{}
	for _, k := range page.Kernels {
		if got[k.Name] = nil; k.Failed != (len(k.Body.Problems) > 0) {
			t.Errorf("%s has failed: %v, with %v", k.Name, k.Failed, k.Body.Problems)
		}
		for _, p := range k.Body.Problems {
			got[k.Name] = append(got[k.Name], p.Pos.Line)
			if !shows(k.Body.Source, p.Pos) {
				t.Errorf("%s: %v is not shown", k.Name, p)
			}
		}
	}
	for _, p := range page.Problems {
		got[""] = append(got[""], p.Pos.Line)
	}
	want := map[string][]int{"Good": nil, "Field": {10}, "Body": {18}, "Callee": {24}, "": {5}}
	if !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("got %v, want %v of %v", got, want, diags)
	}
}

func shows(source []view.Excerpt, p view.Pos) bool {
	return slices.ContainsFunc(source, func(e view.Excerpt) bool {
		return e.File == p.File && e.Line <= p.Line && p.Line < e.Line+len(e.Text)
	})
}

// sumTimes counts findings, each as often as its function is inlined.
func sumTimes(fs []report.Finding) (n int) {
	for _, f := range fs {
		n += f.Times
	}
	return n
}
