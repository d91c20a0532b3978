package archtest

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoPasses: a program that never finalizes a graph does not have the compiler in it, though
// package runtime imports its back half. What keeps it out is that no variable of a package is
// initialized with code that leads to the passes.
func TestNoPasses(t *testing.T) {
	program := filepath.Join(t.TempDir(), "program")
	build := exec.Command("go", "build", "-o", program, "./examples/quickstart")
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	symbols, err := exec.Command("go", "tool", "nm", program).Output()
	if err != nil || len(symbols) < 1000 {
		t.Fatal(len(symbols), err)
	}
	for _, name := range []string{"codegen/back.Compile", "codegen/pass.RunFrom", "codegen/pass/loops.Ahead", "codegen/pass/quirks.nvidiaHides", "codegen/spirv/emit.Emit"} {
		if strings.Contains(string(symbols), "/"+name+"\n") {
			t.Errorf("the program has %s", name)
		}
	}
	if !strings.Contains(string(symbols), "/runtime.(*Queue).launch\n") {
		t.Error("the program has no launch: are the names right?")
	}
}
