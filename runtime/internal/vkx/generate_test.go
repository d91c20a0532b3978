package vkx_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/need"
)

// TestGenerated: zdecl.go is what go generate writes of vk_decl.h and vkx.h today.
func TestGenerated(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		need.Missing(t, need.Vulkan, "no go command: %v", err)
	}
	dir := t.TempDir()
	if out, err := exec.Command("go", "run", "./_gen", "-o", filepath.Join(dir, "zdecl.go")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"zdecl.go", "zdecl_test.go"} {
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != string(want) {
			t.Errorf("%s is not of today's headers: run go generate ./runtime/internal/vkx (%v)", name, err)
		}
	}
}
