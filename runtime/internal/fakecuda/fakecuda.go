// Package fakecuda provides a library that replaces CUDA's driver in tests, on machines without an
// NVIDIA GPU. The test compiles the library from C. The memory of the library's devices is memory
// of the host. Lavapipe exports this memory.
package fakecuda

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/need"
	"github.com/kgen-go/kgen/runtime/internal/cuda"
)

//go:embed testdata/fake.c
var source []byte

// Environment variables that tests set to make the library fail. The file testdata/fake.c explains
// the values of these variables.
const (
	Fail  = "FAKE_CUDA_FAIL"
	Wrong = "FAKE_CUDA_WRONG"
	Hang  = "FAKE_CUDA_HANG"
	Apart = "FAKE_CUDA_APART"
)

// Library is the library that a test uses in place of CUDA's driver.
type Library struct{ log string }

// The function Use replaces CUDA's library by the fake library until the test ends. The fake
// library has devices with the given UUIDs. When the function is called, no device may be open. If
// the program was built without cgo, the function skips the test.
func Use(tb testing.TB, uuids ...[16]byte) *Library {
	tb.Helper()
	if !cuda.Built {
		tb.Skip(cuda.ErrNone)
	}
	binary, err := compiled()
	if errors.Is(err, exec.ErrNotFound) {
		need.Missing(tb, need.Vulkan, "no C compiler: %v", err)
	}
	dir := tb.TempDir() // loading the library from a new file name resets its state
	lib, l := filepath.Join(dir, "libfakecuda.so"), &Library{log: filepath.Join(dir, "log")}
	if err := errors.Join(err, os.WriteFile(lib, binary, 0o777)); err != nil {
		tb.Fatal(err)
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
	return l
}

// The function `compiled` compiles the library, and returns the contents of the library's file.
var compiled = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "fakecuda")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file, lib := filepath.Join(dir, "fake.c"), filepath.Join(dir, "libfakecuda.so")
	if err := os.WriteFile(file, source, 0o666); err != nil {
		return nil, err
	}
	compiler := os.Getenv("CC")
	if compiler == "" {
		compiler = "cc"
	}
	cmd := exec.Command(compiler, "-std=gnu11", "-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o", lib, file, "-lpthread")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	return os.ReadFile(lib)
})

// Calls returns the number of successful calls of each function of the library. Only functions that
// make, free or copy an object are counted.
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

// The method Freed reports an error if the test has not freed all objects that it made with the
// library. The test must first close all devices.
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
