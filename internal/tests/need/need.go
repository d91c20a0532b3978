// Package need ends tests that lack something which not every machine has, such as a
// Vulkan device. They are skipped and say what is missing; where the environment
// promises it they fail.
package need

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
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
	// Models promises the models and data of examples, which scripts/models.sh fetches.
	Models = env.RequireModels
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

// Dir returns a folder that is removed when the test ends, as tb.TempDir does. Debian's wine lacks the
// call of Windows by which TempDir removes files; Dir removes them one by one there.
func Dir(tb testing.TB) string {
	tb.Helper()
	if runtime.GOOS != "windows" {
		return tb.TempDir()
	}
	dir, err := os.MkdirTemp("", "test")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		var all []string
		filepath.WalkDir(dir, func(path string, _ fs.DirEntry, _ error) error {
			all = append(all, path)
			return nil
		})
		slices.Reverse(all)
		for _, path := range all {
			os.Remove(path) // the system removes the rest some day
		}
	})
	return dir
}
