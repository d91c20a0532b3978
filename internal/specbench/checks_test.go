package specbench

import (
	"testing"

	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/internal/specbench/kernels/kernelsgen"
)

// TestChecks compares what kgen left to be checked where a size is a constant and
// where it is a specialization constant: the same.
func TestChecks(t *testing.T) {
	faults := map[string]int{}
	for _, k := range kernelsgen.Kernels() {
		words := make([]uint32, len(k.ABI().SPIRV)/4)
		for i := range words {
			for j := range 4 {
				words[i] |= uint32(k.ABI().SPIRV[4*i+j]) << (8 * j)
			}
		}
		m, err := spirv.Parse(words)
		if err != nil {
			t.Fatal(err)
		}
		for in := range m.All {
			if in.Op == spirv.OpFunctionCall { // records a fault
				faults[k.ABI().Name]++
			}
		}
	}
	for _, name := range []string{"MatMul", "Blur", "Median"} {
		if c, s := faults[name+"Constant"], faults[name+"Spec"]; c != s || c == 0 {
			t.Errorf("%s has %d checks with a constant, and %d with a specialization constant", name, c, s)
		}
	}
}
