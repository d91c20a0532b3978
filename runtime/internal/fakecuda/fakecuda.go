// Package fakecuda has a library that stands in for CUDA's driver in tests, on machines without an
// NVIDIA GPU. The test compiles the library from C. Its devices have the memory that lavapipe
// exports, which is memory of the host.
package fakecuda

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/need"
	"github.com/kgen-go/kgen/runtime/internal/cuda"
)

//go:embed testdata/fake.c
var source []byte

// Variables of the environment, which tests set to change what the library does. The file fake.c
// explains their values.
const (
	Fail  = "FAKE_CUDA_FAIL"
	Wrong = "FAKE_CUDA_WRONG"
	Hang  = "FAKE_CUDA_HANG"
	Apart = "FAKE_CUDA_APART"
)

// Library is the library of a test.
type Library struct{ log string }

// Use makes package cuda open the library, which has devices with the given UUIDs, until the test
// ends. No device may be open. Use skips the test if the program was built without cgo.
func Use(tb testing.TB, uuids ...[16]byte) *Library {
	tb.Helper()
	dir := tb.TempDir()
	file, lib := filepath.Join(dir, "fake.c"), filepath.Join(dir, "libfakecuda.so")
	l := &Library{log: filepath.Join(dir, "log")}
	if err := os.WriteFile(file, source, 0o666); err != nil {
		tb.Fatal(err)
	}
	compiler := os.Getenv("CC")
	if compiler == "" {
		compiler = "cc"
	}
	if _, err := exec.LookPath(compiler); err != nil {
		need.Missing(tb, need.Vulkan, "no C compiler: %v", err)
	}
	if out, err := exec.Command(compiler, "-std=gnu11", "-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o", lib, file, "-lpthread").CombinedOutput(); err != nil {
		tb.Fatalf("%v\n%s", err, out)
	}
	var list []string
	for _, u := range uuids {
		list = append(list, fmt.Sprintf("%x", u))
	}
	tb.Setenv("FAKE_CUDA_UUIDS", strings.Join(list, ","))
	tb.Setenv("FAKE_CUDA_LOG", l.log)
	for _, name := range []string{Fail, Wrong, Hang, Apart} {
		tb.Setenv(name, "")
	}
	before := cuda.UseLibrary(lib)
	tb.Cleanup(func() { cuda.UseLibrary(before) })
	if err := cuda.Has([16]byte{}); errors.Is(err, cuda.ErrNone) {
		tb.Skip(err)
	}
	return l
}

// Calls returns how many calls of each function have succeeded that makes, frees or copies.
func (l *Library) Calls(tb testing.TB) map[string]int {
	tb.Helper()
	text, err := os.ReadFile(l.log)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		tb.Fatal(err)
	}
	calls := map[string]int{}
	for line := range strings.Lines(string(text)) {
		calls[strings.TrimSpace(line)]++
	}
	return calls
}

// Freed reports an error unless all was freed that calls have made. All devices are closed.
func (l *Library) Freed(tb testing.TB) {
	tb.Helper()
	calls := l.Calls(tb)
	for _, p := range [][2]string{
		{"cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease_v2"}, {"cuStreamCreate", "cuStreamDestroy_v2"},
		{"cuImportExternalMemory", "cuDestroyExternalMemory"}, {"cuExternalMemoryGetMappedBuffer", "cuMemFree_v2"},
	} {
		if calls[p[0]] != calls[p[1]] {
			tb.Errorf("%d calls of %s, and %d of %s", calls[p[0]], p[0], calls[p[1]], p[1])
		}
	}
}
