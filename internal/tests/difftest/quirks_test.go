package difftest

import (
	"path"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/quirktest"
)

// TestQuirks runs the kernels of this folder that show drivers' bugs without kgen's workarounds,
// and logs which of these the Vulkan device does not need.
func TestQuirks(t *testing.T) {
	prefix := map[string]string{"atomics": "Atomic", "corpus": "", "golang": "", "groups": "", "words": "Words"}
	in := func(c quirktest.Case) bool {
		_, ok := prefix[path.Base(c.Package)]
		return ok && path.Dir(c.Package) == "internal/tests/difftest"
	}
	quirktest.Kernels(t, "TestDevices|TestGeneral|TestWords", quirktest.Cases(in), func(c quirktest.Case) string {
		name := c.Kernel
		if path.Base(c.Package) == "words" {
			name = strings.TrimPrefix(name, "Convert")
		}
		return prefix[path.Base(c.Package)] + name
	})
}
