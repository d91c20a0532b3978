package valid

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/need"
	"github.com/kgen-go/kgen/internal/tests/sample"
)

// TestGLSL: compute shaders that use what GLSL has for kernels are accepted, as glslc
// compiles them with and without its optimizer, for each version of Vulkan.
func TestGLSL(t *testing.T) {
	if _, err := exec.LookPath("glslc"); err != nil {
		need.Missing(t, need.Vulkan, "no glslc; install it (Debian, Ubuntu: apt install glslc)")
	}
	files, _ := filepath.Glob("testdata/*.comp")
	if len(files) < 5 {
		t.Fatalf("only %v", files)
	}
	for _, f := range files {
		for _, env := range []string{"vulkan1.1", "vulkan1.2", "vulkan1.3"} {
			for _, optimize := range []string{"-O0", "-O", "-Os"} {
				name := fmt.Sprint(filepath.Base(f), env, optimize)
				if !sample.Has(name, 8) { // glslc takes 0.15 s
					continue
				}
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					out := filepath.Join(t.TempDir(), "out.spv")
					if b, err := exec.Command("glslc", "--target-env="+env, optimize, "-g", f, "-o", out).CombinedOutput(); err != nil {
						t.Fatalf("%v\n%s", err, b)
					}
					words := read(t, out)
					if said := spirvVal(t, t.TempDir(), words); said != "" {
						t.Skip("spirv-val refuses it: " + said)
					}
					if err := check(words); err != nil {
						t.Error(err)
					}
				})
			}
		}
	}
}
