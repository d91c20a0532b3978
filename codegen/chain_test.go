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
	tried := map[string]bool{} // with -short, a code has one case
	all := maps.Clone(language)
	all["others"] = []snippet{
		no("KG206", "var a [1 << 33]int8; a[i] = 1; k.Out[i] = int32(a[0])"),
		no("KG401", "t := dsl.Local[[2]int32](it); if l > 3 { t[0] = 1; it.Barrier() }"),
		no("KG402", "s := dsl.LocalSlice[int32](it, i); s[0] = 1"),
	}
	for _, row := range slices.Sorted(maps.Keys(all)) {
		for _, s := range all[row] {
			if s.code == "" || s.body == "" || testing.Short() && tried[s.code] {
				continue
			}
			tried[s.code] = true
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
