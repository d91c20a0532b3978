package valid

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/spirv"
)

// shader is a module with cooperative matrices that glslc wrote.
const shader = root + "/internal/bench/glsl/tensor16.spv"

// TestCooperative: a shader with cooperative matrices is accepted, and refused with an operand changed.
func TestCooperative(t *testing.T) {
	if err := check(read(t, shader)); err != nil {
		t.Fatal(err)
	}
	// change changes the module's first instruction of an op.
	change := func(op spirv.Op, f func(m *spirv.Module, in *spirv.Instruction)) error {
		m, err := spirv.Parse(read(t, shader))
		if err != nil {
			t.Fatal(err)
		}
		for in := range m.All {
			if in.Op == op {
				f(m, in)
				_, err := Check(m, entryPoint, nil)
				return err
			}
		}
		t.Fatalf("the shader has no %v", op)
		return nil
	}
	word := func(i int, from func(m *spirv.Module) uint32) func(*spirv.Module, *spirv.Instruction) {
		return func(m *spirv.Module, in *spirv.Instruction) { in.Words[i] = from(m) }
	}
	// first returns the result of the first instruction of an op that fits.
	first := func(op spirv.Op, fits func(in *spirv.Instruction) bool) func(*spirv.Module) uint32 {
		return func(m *spirv.Module) uint32 {
			for in := range m.All {
				if in.Op == op && (fits == nil || fits(in)) {
					return uint32(in.Result)
				}
			}
			t.Fatalf("the shader has no such %v", op)
			return 0
		}
	}
	number := func(n uint32) func(*spirv.Module) uint32 {
		return first(spirv.OpConstant, func(in *spirv.Instruction) bool { return len(in.Words) == 1 && in.Words[0] == n })
	}
	for _, x := range []struct {
		name string
		op   spirv.Op
		f    func(*spirv.Module, *spirv.Instruction)
		want string
	}{
		{"elements", spirv.OpTypeCooperativeMatrixKHR, word(0, first(spirv.OpTypeBool, nil)), "not numbers"},
		{"scope", spirv.OpTypeCooperativeMatrixKHR, word(1, number(2)), "scope"},
		{"rows", spirv.OpTypeCooperativeMatrixKHR, word(2, number(0)), "rows and columns"},
		{"use", spirv.OpTypeCooperativeMatrixKHR, word(4, number(16)), "no such use"},
		{"layout", spirv.OpCooperativeMatrixLoadKHR, word(1, number(9)), "no such layout"},
		{"pointer", spirv.OpCooperativeMatrixLoadKHR, word(0, number(9)), "not a pointer"},
		{"result", spirv.OpCooperativeMatrixLoadKHR, func(m *spirv.Module, in *spirv.Instruction) {
			in.Type = spirv.ID(first(spirv.OpTypeInt, nil)(m))
		}, "not a cooperative matrix"},
		{"factors", spirv.OpCooperativeMatrixMulAddKHR, func(_ *spirv.Module, in *spirv.Instruction) {
			in.Words[0], in.Words[1] = in.Words[1], in.Words[0]
		}, "other uses"},
		{"signs", spirv.OpCooperativeMatrixMulAddKHR, func(_ *spirv.Module, in *spirv.Instruction) { in.Words = append(in.Words, 1) }, "signs"},
		{"operands", spirv.OpCooperativeMatrixMulAddKHR, func(_ *spirv.Module, in *spirv.Instruction) { in.Words = append(in.Words, 64) }, "no such operands"},
		{"stored", spirv.OpCooperativeMatrixStoreKHR, word(1, number(16)), "not a cooperative matrix"},
	} {
		if err := change(x.op, x.f); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, want an error with %q", x.name, err, x.want)
		}
	}
}
