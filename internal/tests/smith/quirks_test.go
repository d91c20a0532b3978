package smith

import (
	"path"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/quirktest"
	"github.com/kgen-go/kgen/properties"
)

// TestQuirks runs the kept programs that show drivers' bugs without kgen's workarounds, and
// logs which of these the Vulkan device does not need.
func TestQuirks(t *testing.T) {
	quirktest.Asked(t)
	dev := devtest.Vulkan(t)
	modules := "words"
	if dev.Has(properties.Int8) && dev.Has(properties.Int16) && dev.Has(properties.Int64) {
		modules = "general,small,words"
	}
	cases := quirktest.Cases(func(c quirktest.Case) bool { return strings.HasPrefix(c.Name, "internal/tests/smith/testdata/") })
	quirktest.Programs(t, dev.Name(), cases, func(c quirktest.Case) (string, error) {
		file := strings.TrimPrefix(c.Name, "internal/tests/smith/")
		args := []string{"-test.run", "^TestKept$", "-programs-kept", file}
		if path.Dir(file) == "testdata/groups" {
			args = []string{"-test.run", "^TestKeptGroups$", "-kept", file}
		}
		_, failed, err := quirktest.Child(nil, append(args, "-modules", modules, "-disabled", c.Disabled()[0])...)
		return failed, err
	})
}
