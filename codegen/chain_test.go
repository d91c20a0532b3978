package codegen

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/diag"
)

// TestChains: what is wrong in a function that a kernel calls through another is
// reported with the code that it has in the kernel itself, with the calls that
// lead there, and with a hint.
func TestChains(t *testing.T) {
	codes := map[diag.Code]bool{}
	all := maps.Clone(language)
	all["others"] = []snippet{
		no("KG206", "var a [1 << 33]int8; a[i] = 1; k.Out[i] = int32(a[0])"),
		no("KG401", "t := dsl.Local[[2]int32](it); if l > 3 { t[0] = 1; it.Barrier() }"),
		no("KG402", "s := dsl.LocalSlice[int32](it, i); s[0] = 1"),
	}
	for _, row := range slices.Sorted(maps.Keys(all)) {
		for _, s := range all[row] {
			if s.code == "" || s.body == "" {
				continue
			}
			src := s.source()
			deep := strings.Replace(src, ") Kernel(it ", ") inner(it ", 1)
			form := "Item1"
			if strings.Contains(src, "NDItem1") {
				form = "NDItem1"
			}
			deep += fmt.Sprintf("\nfunc (k K) outer(it dsl.%[1]s) { k.inner(it) }\n\nfunc (k K) Kernel(it dsl.%[1]s) { k.outer(it) }\n", form)
			lines := strings.Count(deep, "\n") - 2 // the line of outer
			plain, diags := compileSnippet(t, src), compileSnippet(t, deep)
			if len(diags) == 0 || diags[0].Code != plain[0].Code {
				t.Errorf("%s: got %v, want %v\nin\n%s", row, diags, plain[0].Code, deep)
				continue
			}
			for _, d := range diags {
				codes[d.Code] = true
				n := len(d.Related)
				if d.Code == diag.Load {
					continue
				}
				if n < 2 || !strings.Contains(d.Related[n-1].Message, "Kernel") || d.Related[n-1].Pos.Line != lines+2 || d.Related[n-2].Pos.Line != lines {
					t.Errorf("%s: %v is related to %v\nin\n%s", row, d, d.Related, deep)
				}
				if d.Hint == "" {
					t.Errorf("%s: %v has no hint", row, d)
				}
			}
		}
	}
	for _, c := range diag.Codes() {
		// Codes of packages, kernels and declarations stand in no call.
		if c > 100 && c < diag.WrongForm && !codes[c] {
			t.Errorf("no case for %v", c)
		}
	}
}

// TestRangeFuncChain: the call that a range over a function stands for has a position.
func TestRangeFuncChain(t *testing.T) {
	const body = "for _, x := range slices.All(k.X) { var p *int32; for j := range 3 { y := int32(j); if p == nil { p = &y } }; k.Out[i] = *p + x }"
	diags := compileSnippet(t, no("KG203", body).source())
	if len(diags) != 1 || len(diags[0].Related) != 2 {
		t.Fatalf("got %v", diags)
	}
	for _, r := range diags[0].Related {
		if r.Pos.Line == 0 {
			t.Errorf("%s: no position", r.Message)
		}
	}
}

// TestLibraryCalls: what is wrong in a library's function is told of each call that leads
// to it, and of a call once.
func TestLibraryCalls(t *testing.T) {
	const src = `package kernels

import (
	"slices"

	"github.com/kgen-go/kgen/dsl"
)

type K struct {
	X []int
}

func (k K) size() int {
	return len(slices.Collect(slices.Values(k.X))) // wrong
}

func (k K) Kernel(it dsl.Item1) {
	a := slices.Collect(slices.Values(k.X))           // wrong
	b := slices.Sorted(slices.Values(k.X))            // wrong
	k.X[0] = len(a) + len(b) + k.size() + k.size()
	k.X[1] = len(slices.Concat(k.X, k.X))             // wrong
	k.X[2] = len(slices.Concat(k.X, k.X))             // wrong
}

type L struct{ X []int }

func (k L) Kernel(it dsl.Item1) {
	k.X[0] = len(slices.Sorted(slices.Values(k.X)))   // wrong
}
`
	diags := compileSnippet(t, src)
	diags.Sort()
	got := map[int]int{}
	for _, d := range diags {
		for _, r := range d.Related {
			if strings.HasSuffix(r.Pos.File, "kernels.go") {
				got[r.Pos.Line]++
				break
			}
		}
	}
	for i, line := range strings.Split(src, "\n") {
		want := 0
		if strings.HasSuffix(line, "// wrong") {
			want = 1
		}
		if got[i+1] != want {
			t.Errorf("line %d has %d, want %d: %s", i+1, got[i+1], want, line)
		}
	}
	if t.Failed() {
		t.Log(diags)
	}
}
