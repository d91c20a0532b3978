package fusion

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/back"
)

// TestCRLF: the file of a kernel's IR may have the ends of lines that git writes on Windows.
func TestCRLF(t *testing.T) {
	for _, s := range testKernels(t) {
		kernel, name := s.ABI, s.ABI.Name
		k := *kernel
		k.Sum = abi.Sum(k.SPIRV, k.Data, k.IR)
		k.IR = strings.ReplaceAll(k.IR, "\n", "\r\n")
		if file := k.Damaged(); file != "" {
			t.Errorf("%s: %s counts as damaged", name, file)
		}
		m, err := back.Restore(&k)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want, err := back.Restore(kernel)
		if err != nil {
			t.Fatal(err)
		}
		if m.String() != want.String() {
			t.Errorf("%s: another module", name)
		}
		if k.IR += "; more"; k.Damaged() == "" {
			t.Errorf("%s: a damaged file counts as whole", name)
		}
	}
}
