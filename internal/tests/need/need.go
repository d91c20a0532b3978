// Package need ends tests whose requirements the machine lacks, such as a Vulkan device. A test
// that lacks a requirement is skipped with a message. If an environment variable promises the
// requirement, the test fails instead of being skipped.
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

// These environment variables make promises about the machine, unless their values are empty or 0.
const (
	// Vulkan promises a Vulkan device, the go command, the SPIR-V tools, and the tests of the Go
	// distribution.
	Vulkan = env.RequireVulkan
	// SwiftShader promises the driver SwiftShader.
	SwiftShader = env.RequireSwiftShader
	// Matrices promises that the Vulkan device has native matrix instructions, and that spirv-val supports
	// them.
	Matrices = env.RequireMatrices
	// Models promises the models and data of examples, which scripts/models.sh fetches.
	Models = env.RequireModels
)

// Promised reports whether the environment variable with the given name has a value, and the value is not 0.
func Promised(name string) bool {
	v := os.Getenv(name)
	return v != "" && v != "0"
}

// Missing skips the test because a requirement is missing. If the variable promises it, Missing fails the test.
func Missing(tb testing.TB, name, format string, args ...any) {
	tb.Helper()
	what := fmt.Sprintf(format, args...)
	if Promised(name) {
		tb.Fatalf("%s (%s is set)", what, name)
	}
	tb.Skip(what)
}

// Dir returns a folder that is removed when the test ends, like tb.TempDir. TempDir removes files
// by a Windows call that Debian's wine lacks. In wine, Dir removes the files one by one.
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
			os.Remove(path) // the operating system removes remaining files later
		}
	})
	return dir
}
