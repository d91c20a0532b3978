// Package need ends tests that lack something which not every machine has, such as a
// Vulkan device. They are skipped and say what is missing; where the environment
// promises it they fail.
package need

import (
	"fmt"
	"os"
	"testing"

	"github.com/kgen-go/kgen/internal/env"
)

// Variables of the environment that promise something, unless they are empty or 0.
const (
	// Vulkan promises a Vulkan device, and what else the tests run: the go command, the
	// SPIR-V tools, the Go distribution's own tests.
	Vulkan = env.RequireVulkan
	// SwiftShader promises that driver.
	SwiftShader = env.RequireSwiftShader
	// Matrices promises that the Vulkan device has matrices of its own, and a spirv-val that knows them.
	Matrices = env.RequireMatrices
)

// Promised reports whether the variable promises what it stands for.
func Promised(name string) bool {
	v := os.Getenv(name)
	return v != "" && v != "0"
}

// Missing ends the test for want of something that the variable promises.
func Missing(tb testing.TB, name, format string, args ...any) {
	tb.Helper()
	what := fmt.Sprintf(format, args...)
	if Promised(name) {
		tb.Fatalf("%s (%s is set)", what, name)
	}
	tb.Skip(what)
}
