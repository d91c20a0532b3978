package codegen

import (
	"flag"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/internal/mistakes"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/usermodule"
)

// positions returns where diagnostics stand and their codes, in order.
func positions(diags diag.List) []string {
	var out []string
	for _, d := range diags {
		out = append(out, fmt.Sprintf("%d:%d %v", d.Pos.Line, d.Pos.Col, d.Code))
	}
	slices.Sort(out)
	return out
}

// failOnFollowUp makes tests fail where a stage panics over what is left of a wrong kernel.
func failOnFollowUp(bug any) { panic(bug) }

// TestMistakes: each mistake gives one diagnostic, at its place.
func TestMistakes(t *testing.T) {
	for i := range mistakes.All {
		m := &mistakes.All[i]
		for _, helper := range []bool{false, true} {
			if helper && m.Body == "" || testing.Short() && m.Body != "" && helper != (i%2 > 0) {
				continue // with -short, every other mistake is in a helper alone
			}
			var f mistakes.File
			f.Kernel("K", mistakes.Use{Mistake: m, Helper: helper})
			src, want := f.Source("kernels")
			diags := compileSnippet(t, src)
			diags.Sort()
			for _, d := range diags {
				quality(t, m, helper, d)
			}
			if got := positions(diags); !slices.Equal(got, want) {
				t.Errorf("%s (in a helper: %v): got %v, want %v\n%v", m.Name, helper, got, want, diags)
			}
		}
	}
}

// quality checks what makes a diagnostic useful: that it says what to write instead, in
// the user's words, where it stands and how the kernel gets there.
func quality(t *testing.T, m *mistakes.Mistake, helper bool, d *diag.Diagnostic) {
	t.Helper()
	if d.Hint == "" && d.Code != diag.Load {
		t.Errorf("%s: no hint: %v", m.Name, d)
	}
	for _, text := range []string{d.Message, d.Hint} {
		if strings.ContainsAny(text, "$") || strings.Contains(text, "ssa") || strings.Contains(text, "%!") ||
			strings.Contains(strings.ReplaceAll(text, "/example.com/kernels/kernels.go", ""), "example.com/") {
			t.Errorf("%s: not the user's words: %v", m.Name, d)
		}
	}
	if words := strings.Fields(d.Message); d.Code != diag.Load && d.Code != diag.Directive && len(words) < 6 {
		t.Errorf("%s: a message of %d words does not say why: %v", m.Name, len(words), d)
	}
	if d.Code != diag.Directive && helper {
		if n := len(d.Related); n == 0 || d.Related[n-1].Message != "called here from (kernels.K).Kernel" {
			t.Errorf("%s: related to %v: %v", m.Name, d.Related, d)
		}
	}
	for _, r := range d.Related {
		if r.Pos.Line < 1 || r.Pos.Col < 1 || r.Pos.File == "" {
			t.Errorf("%s: %s has no position", m.Name, r.Message)
		}
	}
}

var allPairs = flag.Bool("pairs", false, "try pairs of mistakes in all ways, and not a sixteenth of them in one way each")

// TestPairs: two mistakes in one kernel are both reported, each once and at its place,
// in either order, in one function or in two. mistakes.Fits knows the pairs that cannot
// be. All kernels of one mistake are in one package, so that they hide nothing of each
// other, either.
func TestPairs(t *testing.T) {
	for i := range mistakes.All {
		a := &mistakes.All[i]
		var f mistakes.File
		n := 0
		for j := range mistakes.All {
			b := &mistakes.All[j]
			for way, uses := range [][]mistakes.Use{
				{{Mistake: a}, {Mistake: b}},
				{{Mistake: a, Helper: true}, {Mistake: b}},
				{{Mistake: a}, {Mistake: b, Helper: true}},
			} {
				if !*allPairs && (way != (i+j)%3 || (i^j)&sample.Of(15, 127) != 0) {
					continue
				}
				if mistakes.Fits(uses...) == "" {
					f.Kernel(fmt.Sprintf("K%d", n), uses...)
					n++
				}
			}
		}
		if n == 0 {
			continue
		}
		src, want := f.Source("kernels")
		diags := compileSnippet(t, src)
		diags.Sort()
		slices.Sort(want)
		compareMistakes(t, a.Name, src, positions(diags), want)
	}
}

// compareMistakes says for each kernel of a source what it lacks and what it has too much.
func compareMistakes(t *testing.T, name, src string, got, want []string) {
	t.Helper()
	if slices.Equal(got, want) {
		return
	}
	lines := strings.Split(src, "\n")
	around := func(at string) string {
		var line, col int
		fmt.Sscanf(at, "%d:%d", &line, &col)
		from, to := line-1, line-1
		for from > 0 && !strings.HasPrefix(lines[from], "type K") {
			from--
		}
		for to < len(lines)-1 && !strings.HasPrefix(lines[to], "type K") {
			to++
		}
		return strings.Join(lines[from:to], "\n")
	}
	rest := map[string]int{}
	for _, w := range want {
		rest[w]++
	}
	for _, g := range got {
		rest[g]--
	}
	shown := 0
	for _, at := range slices.Sorted(maps.Keys(rest)) {
		if rest[at] != 0 {
			if shown++; shown <= 3 {
				t.Errorf("%s: %s: %+d\n%s", name, at, -rest[at], around(at))
			}
		}
	}
	if shown > 0 {
		t.Errorf("%s: %d differ", name, shown)
	}
}

// TestMistakesInPackages: what is wrong with one package hides nothing of another, and
// what several kernels call is reported once.
func TestMistakesInPackages(t *testing.T) {
	files := map[string]string{
		"shared/shared.go": "package shared\n\nfunc Chan(n int) { go Chan(n) }\n\nvar Fs = [2]func(int32) int32{}\n\n" +
			"func Twice(fs [2]func(int32) int32, n int) int32 { return fs[n:][0](1) }\n",
	}
	want := []string{"shared.go 3:20 KG102", "shared.go 7:61 KG201"}
	for _, pkg := range []string{"one", "two"} {
		var f mistakes.File
		for i := range mistakes.All {
			if m := &mistakes.All[i]; m.Code != "KG001" {
				f.Kernel(fmt.Sprintf("K%d", i), mistakes.Use{Mistake: m})
			}
		}
		src, in := f.Source(pkg)
		files[pkg+"/"+pkg+".go"] = src
		for _, w := range in {
			want = append(want, pkg+".go "+w)
		}
		files[pkg+"/calls.go"] = "package " + pkg + "\n\nimport (\n\"example.com/m/shared\"\n\"github.com/kgen-go/kgen/dsl\"\n)\n\n" +
			"func one(x int32) int32 { return x }\n"
		for _, name := range []string{"First", "Second"} {
			files[pkg+"/calls.go"] += "\ntype " + name + " struct{ Out []int32 }\n\nfunc (k " + name + ") Kernel(it dsl.Item1) {\n" +
				"shared.Chan(1)\nk.Out[0] = shared.Twice([2]func(int32) int32{one, one}, it.GlobalID())\n}\n"
		}
	}
	_, diags, err := Generate(t.Context(), Config{Dir: usermodule.Write(t, files), Patterns: []string{"./..."}, onFollowUpPanic: failOnFollowUp})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range diags {
		got = append(got, fmt.Sprintf("%s %d:%d %v", filepath.Base(d.Pos.File), d.Pos.Line, d.Pos.Col, d.Code))
	}
	slices.Sort(got)
	slices.Sort(want)
	for i := range max(len(got), len(want)) {
		if i == len(got) || i == len(want) || got[i] != want[i] {
			t.Fatalf("from the %dth on: got %v, want %v", i, got[i:min(i+5, len(got))], want[i:min(i+5, len(want))])
		}
	}
}

// TestOnce: what several kernels, calls or instances of a generic function come to is
// reported once, though each would say it in other words.
func TestOnce(t *testing.T) {
	const src = `package kernels

import "github.com/kgen-go/kgen/dsl"

type First struct{ X, Out []int32 }

func (k First) Kernel(it dsl.NDItem1) {
	meet(it, it.GlobalID())
	meet(it, int(k.Out[0]))
	k.Out[0] = pick([2][]int32{k.X, k.Out}, 1)[it.LocalID()]
	k.Out[1] = int32(pick([2]func() int{}, it.LocalID())())
}

type Second struct{ X, Out []float32 }

func (k Second) Kernel(it dsl.NDItem1) {
	meet(it, it.LocalID())
	k.Out[0] = pick([2][]float32{k.X, k.Out}, it.LocalID())[0]
}

func meet(it dsl.NDItem1, i int) {
	if i > 3 {
		it.Barrier()
	}
}

func pick[T any](xs [2]T, i int) T {
	return xs[i:][0]
}
`
	diags := compileSnippet(t, src)
	diags.Sort()
	if got, want := positions(diags), []string{"23:13 KG401", "28:11 KG201"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v: %v", got, want, diags)
	}
}

// TestLoopBound has a barrier in a loop whose bound differs between work-items. The diagnostic names the loop, and not
// the bounds check before the barrier.
func TestLoopBound(t *testing.T) {
	const src = `package kernels

import "github.com/kgen-go/kgen/dsl"

type K struct{ X []int32 }

func (k K) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[64]int32](it)
	i, l := it.GlobalID(), it.LocalID()
	for j := 0; j < int(k.X[i]); j++ {
		share(it, tile, l)
	}
}

func share(it dsl.NDItem1, tile *[64]int32, l int) {
	tile[l]++
	it.Barrier()
}
`
	diags := compileSnippet(t, src)
	if len(diags) != 1 || len(diags[0].Related) == 0 || diags[0].Related[0].Pos.Line != 10 {
		t.Errorf("got %+v, want KG401 with the loop in line 10", diags)
	}
}

// TestMapField has a field that is a map. The diagnostic says how to pass the data instead.
func TestMapField(t *testing.T) {
	const src = `package kernels

import "github.com/kgen-go/kgen/dsl"

type K struct {
	M   map[int32]int32
	Out []int32
}

func (k K) Kernel(it dsl.Item1) { k.Out[0] = k.M[1] }
`
	diags := compileSnippet(t, src)
	if len(diags) == 0 || diags[0].Code != diag.FieldType || !strings.Contains(diags[0].Hint, "two slices") {
		t.Errorf("got %+v, want KG007 with advice", diags)
	}
}

// TestNoGroups has a barrier in a kernel over a range. The diagnostic says which item has barriers.
func TestNoGroups(t *testing.T) {
	const src = `package kernels

import "github.com/kgen-go/kgen/dsl"

type K struct{ Out []int32 }

func (k K) Kernel(it dsl.Item2) { it.Barrier() }
`
	diags := compileSnippet(t, src)
	if len(diags) == 0 || diags[0].Code != diag.Load || !strings.Contains(diags[0].Hint, "write dsl.NDItem2, and give its launch a runtime.NDRange2") {
		t.Errorf("got %+v, want KG001 with advice", diags)
	}
}
