package codegen

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/sample"
)

// longAndDeep returns a kernel of so many lines, of which some stand in so many
// statements, each within the one before it: ifs, loops and switches by turns.
func longAndDeep(lines, depth int) string {
	var b strings.Builder
	b.WriteString("package kernels\n\nimport \"github.com/kgen-go/kgen/dsl\"\n\ntype K struct {\n\tN uint32\n\tX []uint32\n}\n\n" +
		"func (k K) Kernel(it dsl.Item1) {\n\ts := k.X[it.GlobalID()]\n")
	for d := range depth {
		switch d % 3 {
		case 0:
			fmt.Fprintf(&b, "\tif s&%d != 0 {\n\ts++\n", 1<<(d%32))
		case 1:
			fmt.Fprintf(&b, "\tfor i%d := uint32(0); i%d < k.N; i%d++ {\n\ts ^= i%d\n", d, d, d, d)
		case 2:
			fmt.Fprintf(&b, "\tswitch s %% 5 {\n\tcase 1:\n\ts += 3\n\tcase 2:\n")
		}
	}
	b.WriteString(strings.Repeat("\t}\n", depth))
	for n := strings.Count(b.String(), "\n") + 2; n < lines; n++ {
		fmt.Fprintf(&b, "\ts = s*%d + s>>%d\n", 2*n+1, 1+n%30)
	}
	b.WriteString("\tk.X[it.GlobalID()] = s\n}\n")
	return b.String()
}

// TestLongAndDeep: a kernel of ten thousand lines, some of them in fifty statements within
// each other, compiles before guarded gives up.
func TestLongAndDeep(t *testing.T) {
	if n, err := shared().compileAll(longAndDeep(sample.Of(10000, 1500), 50), nil); n != 1 || err != nil {
		t.Errorf("%d kernels, %v", n, err)
	}
}
