package codegen

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/internal/mistakes"
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

// TestMistakes: each mistake gives one diagnostic, at its place.
func TestMistakes(t *testing.T) {
	for i := range mistakes.All {
		m := &mistakes.All[i]
		for _, helper := range []bool{false, true} {
			if helper && m.Body == "" {
				continue
			}
			var f mistakes.File
			f.Kernel("K", mistakes.Use{Mistake: m, Helper: helper})
			src, want := f.Source("kernels")
			diags := compileSnippet(t, src)
			if got := positions(diags); !slices.Equal(got, want) {
				t.Errorf("%s (in a helper: %v): got %v, want %v\n%v", m.Name, helper, got, want, diags)
			}
		}
	}
}

// TestPairs: two mistakes in one kernel are both reported, each once and at its place,
// in either order, in one function or in two.
func TestPairs(t *testing.T) {
	for i := range mistakes.All {
		a := &mistakes.All[i]
		var f mistakes.File
		n := 0
		for j := range mistakes.All {
			b := &mistakes.All[j]
			for _, uses := range [][]mistakes.Use{
				{{Mistake: a}, {Mistake: b}},
				{{Mistake: a, Helper: true}, {Mistake: b}},
				{{Mistake: a}, {Mistake: b, Helper: true}},
			} {
				if mistakes.Fits(uses...) == "" {
					f.Kernel(fmt.Sprintf("K%d", n), uses...)
					n++
				}
			}
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
