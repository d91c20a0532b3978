package idioms_test

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/quirktest"
)

// TestQuirks runs the idioms that show drivers' bugs without kgen's workarounds, and logs which
// of these the Vulkan device does not need.
func TestQuirks(t *testing.T) {
	names := map[string]string{} // of cases, such as Scaled[int64], by those of kernels, ScaledInt64
	for i := range cases {
		name, arg, _ := strings.Cut(strings.TrimSuffix(cases[i].name, "]"), "[")
		if arg != "" {
			arg = strings.ToUpper(arg[:1]) + arg[1:]
		}
		if name == "SaturateS" || name == "SaturateU" { // whose instances are called Saturate alike
			name = "Saturate"
		}
		names[name+arg] = cases[i].name
	}
	of := quirktest.Cases(func(c quirktest.Case) bool { return c.Package == "internal/tests/difftest/idioms" })
	for _, c := range of {
		if names[c.Kernel] == "" {
			t.Errorf("no case runs %s", c.Name)
		}
	}
	quirktest.Kernels(t, "TestDevices|TestWords", of, func(c quirktest.Case) string { return names[c.Kernel] })
}
