// Package swiftshader repeats tests on SwiftShader, a Vulkan driver for processors without 64-, 16-
// or 8-bit integers and without float64. Other software drivers have these features, and tests can
// only hide the features.
//
// scripts/deps.sh fetches the driver. Without the driver, the tests are skipped with a message. With
// KGEN_REQUIRE_SWIFTSHADER=1, a missing driver fails the tests instead.
package swiftshader

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kgen-go/kgen/internal/env"
	"github.com/kgen-go/kgen/internal/tests/need"
	_ "github.com/kgen-go/kgen/runtime/purego"
)

// keepMemory contains environment variables. They make glibc keep the memory that SwiftShader frees
// in blocks of 100 MB. By default glibc returns this memory to the operating system and gets it
// again page by page. If tests open the driver often, this takes 40 % of their time.
var keepMemory = []string{"MALLOC_ARENA_MAX=1", "MALLOC_TRIM_THRESHOLD_=1000000000", "MALLOC_MMAP_THRESHOLD_=1000000000"}

const (
	// inSwiftShader is set in processes that run tests on SwiftShader.
	inSwiftShader = "KGEN_ON_SWIFTSHADER"
)

// Manifest returns the path of the driver's manifest, or "" if there is none. The environment variable KGEN_SWIFTSHADER
// may contain the path. If the variable is not set, Manifest looks for the driver that scripts/deps.sh fetches.
func Manifest() string {
	name := os.Getenv(env.SwiftShader)
	if name == "" && (runtime.GOOS != "linux" || runtime.GOARCH != "amd64") {
		return "" // scripts/deps.sh fetches a driver for linux/amd64
	}
	if name == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return ""
		}
		name = filepath.Join(dir, "kgen", "swiftshader", "vk_swiftshader_icd.json")
	}
	if _, err := os.Stat(name); err != nil {
		return ""
	}
	return name
}

// Run runs those tests of the calling package that match the pattern. They run in a process whose
// only Vulkan driver is SwiftShader. The argument `flags` contains additional flags for that process.
// Under the race detector Run skips the test, because the same tests run on the other Vulkan device.
func Run(t *testing.T, pattern string, flags ...string) {
	t.Helper()
	if os.Getenv(inSwiftShader) != "" {
		t.Skip("this is SwiftShader")
	}
	if race {
		t.Skip("SwiftShader is slow, and the race detector sees nothing of it")
	}
	manifest := Manifest()
	if manifest == "" && os.Getenv(env.SwiftShader) != "" {
		t.Fatalf("there is no %s, which %s names", os.Getenv(env.SwiftShader), env.SwiftShader)
	}
	if manifest == "" {
		need.Missing(t, need.SwiftShader, "SwiftShader is missing: run scripts/deps.sh, or set %s to its vk_swiftshader_icd.json", env.SwiftShader)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	limit := time.Duration(0) // no limit
	if end, ok := t.Deadline(); ok {
		limit = max(time.Until(end)-10*time.Second, time.Second)
	}
	cmd := exec.Command(exe, append([]string{"-test.run", pattern, "-test.v", "-test.timeout", limit.String(), "-test.short=" + strconv.FormatBool(testing.Short())}, flags...)...)
	cmd.Env = append(os.Environ(), inSwiftShader+"=1", need.Vulkan+"=1", "KGEN_DEVICE=",
		"VK_DRIVER_FILES="+manifest, "VK_ICD_FILENAMES="+manifest, "VK_ADD_DRIVER_FILES=")
	cmd.Env = append(cmd.Env, keepMemory...)
	out, err := cmd.CombinedOutput()
	// Because of these log lines, the command testsum counts the other process's tests as tests of this process.
	for range strings.Count(string(out), "--- PASS") {
		t.Log("device: SwiftShader")
	}
	if !strings.Contains(string(out), "SwiftShader") {
		t.Error("no test says that it ran on SwiftShader")
	}
	if err != nil {
		t.Errorf("%v\n%s", err, withoutPassed(string(out)))
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "SwiftShader:") {
			t.Log(strings.TrimSpace(line))
		}
	}
}

// Whole does the same as Run, but skips the test with -short. Samples of tests in other packages
// cover the differences between SwiftShader and the first Vulkan device.
func Whole(t *testing.T, pattern string, flags ...string) {
	t.Helper()
	if testing.Short() {
		t.Skip("other packages run tests on SwiftShader, and -short is set")
	}
	Run(t, pattern, flags...)
}

// On reports whether tests run in a process that Run started.
func On() bool { return os.Getenv(inSwiftShader) != "" }

// withoutPassed returns the test output without the lines about tests that passed or were skipped.
func withoutPassed(out string) string {
	var b strings.Builder
	for line := range strings.Lines(out) {
		s := strings.TrimSpace(line)
		if !strings.HasPrefix(s, "=== ") && !strings.HasPrefix(s, "--- PASS") && !strings.HasPrefix(s, "--- SKIP") {
			b.WriteString(line)
		}
		if b.Len() > 20000 {
			b.WriteString("…")
			break
		}
	}
	return b.String()
}
