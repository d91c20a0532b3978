package codegen

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/golden"
	"github.com/kgen-go/kgen/internal/tests/sample"
)

// TestGolden prints kernels as they are lowered and as they are emitted. Those of shapes,
// which are many, are printed as they are lowered alone: the passes have texts of their own, and
// a change of what is emitted shows in internal/modules.
func TestGolden(t *testing.T) {
	all := []string{dumpBuilt, "expand", dumpWords, dumpSPIRV}
	for _, c := range []struct {
		pattern string
		forms   []string
	}{{"../examples/quickstart/saxpy", all[sample.Of(0, 2):]}, {"../examples/matmul/gemm", all[:sample.Of(len(all), 0)]}, {"./testdata/shapes", all[:1]}} {
		for _, form := range c.forms {
			var out bytes.Buffer
			_, diags, err := Generate(context.Background(), Config{Patterns: []string{c.pattern}, Dump: form, DumpTo: &out})
			if err != nil || len(diags) > 0 {
				t.Fatal(diags, err)
			}
			name := c.pattern[strings.LastIndexByte(c.pattern, '/')+1:]
			golden.Equal(t, "testdata/golden/"+name+"."+form, out.Bytes())
		}
	}
}
