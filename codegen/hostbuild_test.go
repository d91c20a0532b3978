package codegen

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/usermodule"
)

// TestHostFormsBuild: gc and go vet accept the host forms of small kernels, whose regions use little
// of that which a form may declare, and of loops over rows that are read along columns.
func TestHostFormsBuild(t *testing.T) {
	src, err := os.ReadFile("testdata/hostbuild.go")
	if err != nil {
		t.Fatal(err)
	}
	dir := usermodule.Write(t, map[string]string{"k/k.go": string(src)})
	res, diags, err := Generate(t.Context(), Config{Dir: dir, Patterns: []string{"./k"}})
	if err != nil || len(diags) > 0 || len(res.Warnings) > 0 {
		t.Fatal(diags, err, res.Warnings)
	}
	forms, err := os.ReadFile(filepath.Join(dir, "generated/k/k_host_kgen.go"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(forms), "kernelimpl.HostForm {"); n != res.Kernels || n < 20 {
		t.Errorf("%d of %d kernels have host forms", n, res.Kernels)
	}
	if testing.Short() {
		return // Generate has type-checked the forms, and would have warned
	}
	for _, args := range [][]string{{"build", "-gcflags=-e", "./generated/k"}, {"vet", "./generated/k"}} {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %v: %v\n%s", args, err, out)
		}
	}
}
