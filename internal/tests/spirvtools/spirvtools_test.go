package spirvtools

import "testing"

func TestInvalidSaysSo(t *testing.T) {
	header := []uint32{0x07230203, 0x00010500, 0, 1, 0}
	if Invalid(t, header) == "" {
		t.Error("a module without a memory model is valid")
	}
	Validate(t, CompileGLSL(t, "#version 450\nvoid main() {}"))
}
