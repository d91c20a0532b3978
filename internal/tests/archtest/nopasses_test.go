package archtest

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestNoPasses: a program that never finalizes a graph does not have the compiler in it, though
// package runtime imports its back half. What keeps it out is that no variable of a package is
// initialized with code that leads to the passes.
func TestNoPasses(t *testing.T) {
	program := filepath.Join(t.TempDir(), "program")
	build := exec.Command("go", "build", "-o", program, "./examples/quickstart")
	build.Dir = "../../.."
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux") // which needs no linker but Go's, and writes ELF
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	symbols, err := file.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	has := map[string]bool{}
	for _, s := range symbols {
		has[s.Name] = true
	}
	for _, name := range []string{"codegen/back.Compile", "codegen/pass.RunFrom", "codegen/pass/loops.Ahead", "codegen/pass/quirks.nvidiaHides", "codegen/spirv/emit.Emit"} {
		if has[module+"/"+name] {
			t.Errorf("the program has %s", name)
		}
	}
	if !has[module+"/runtime.(*Queue).enqueueLaunch"] {
		t.Error("the program has no launch: are the names right?")
	}
}
