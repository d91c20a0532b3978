package specbench

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/internal/bench/specbench/kernels/kernelsgen"
)

// TestChecks compares what kgen left to be checked where a size is a constant and
// where it is a specialization constant: the same, but that the limit is a number only
// where it is a constant.
func TestChecks(t *testing.T) {
	sites := map[string][]abi.Site{}
	for _, k := range kernelsgen.Kernels() {
		sites[k.ABI().Name] = k.ABI().Sites
	}
	for _, name := range []string{"MatMul", "Blur", "Median"} {
		c, s := sites[name+"Constant"], sites[name+"Spec"]
		if d := cmp.Diff(c, s, cmpopts.IgnoreFields(abi.Site{}, "Limit")); d != "" || len(c) == 0 {
			t.Errorf("%s has other checks with a constant (-) than with a specialization constant (+):\n%s", name, d)
		}
	}
}
