package codegen

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/golden"
)

// TestGolden prints kernels as they are lowered and as they are emitted.
func TestGolden(t *testing.T) {
	for _, pattern := range []string{"../examples/quickstart/saxpy", "../examples/matmul/gemm", "./testdata/shapes"} {
		for _, form := range []string{dumpBuilt, "expand", dumpWords, dumpSPIRV} {
			var out bytes.Buffer
			_, diags, err := Generate(context.Background(), Config{Patterns: []string{pattern}, Dump: form, DumpTo: &out})
			if err != nil || len(diags) > 0 {
				t.Fatal(diags, err)
			}
			name := pattern[strings.LastIndexByte(pattern, '/')+1:]
			golden.Equal(t, "testdata/golden/"+name+"."+form, out.Bytes())
		}
	}
}
