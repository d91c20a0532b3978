// Package spirvtools runs the command-line tools of SPIRV-Tools and shaderc in tests. If a tool is missing,
// the test is skipped with a message about the package to install. With KGEN_REQUIRE_VULKAN=1, a missing
// tool fails the test instead.
package spirvtools

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/need"
)

// Env is the target environment for which modules are made.
const Env = "vulkan1.3"

// Missing skips or fails the test because a tool is not installed.
func Missing(t testing.TB, what, debianPackage string) {
	t.Helper()
	need.Missing(t, need.Vulkan, "%s is missing: install the Debian package %s", what, debianPackage)
}

func tool(t testing.TB, name, debianPackage string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, name, debianPackage)
	}
	return path
}

// Validate runs spirv-val on the module. If the module is not valid for [Env], Validate fails the
// test with the tool's message and the module's text. The argument `flags` contains additional
// flags for the tool, such as --scalar-block-layout.
func Validate(t testing.TB, words []uint32, flags ...string) {
	t.Helper()
	if msg := Invalid(t, words, flags...); msg != "" {
		t.Errorf("spirv-val: %s\n%s", msg, Disassemble(t, words))
	}
}

// Invalid runs spirv-val and returns its message, which is empty for a valid module.
func Invalid(t testing.TB, words []uint32, flags ...string) string {
	t.Helper()
	val := tool(t, "spirv-val", "spirv-tools")
	args := append([]string{"--target-env", Env}, flags...)
	out, err := exec.Command(val, append(args, file(t, words))...).CombinedOutput()
	if err == nil {
		return ""
	}
	return string(out) + err.Error()
}

// Disassemble runs spirv-dis, which prints the module with numeric ids and
// without its header.
func Disassemble(t testing.TB, words []uint32) string {
	t.Helper()
	dis := tool(t, "spirv-dis", "spirv-tools")
	out, err := exec.Command(dis, "--raw-id", "--no-header", "--no-indent", "--no-color", file(t, words)).CombinedOutput()
	if err != nil {
		return string(out) + err.Error()
	}
	return string(out)
}

// CompileGLSL compiles a compute shader with glslc for [Env].
func CompileGLSL(t testing.TB, source string, flags ...string) []uint32 {
	t.Helper()
	glslc := tool(t, "glslc", "glslc")
	args := append([]string{"-fshader-stage=compute", "--target-env=" + Env, "-o", "-"}, flags...)
	cmd := exec.Command(glslc, append(args, "-")...)
	cmd.Stdin = bytes.NewReader([]byte(source))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("glslc: %v\n%s", err, stderr.Bytes())
	}
	words := make([]uint32, len(out)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(out[4*i:])
	}
	return words
}

func file(t testing.TB, words []uint32) string {
	t.Helper()
	b := make([]byte, 0, 4*len(words))
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	path := filepath.Join(t.TempDir(), "module.spv")
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}
