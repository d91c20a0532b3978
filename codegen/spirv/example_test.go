package spirv_test

import (
	"fmt"

	"github.com/kgen-go/kgen/codegen/spirv"
)

// The smallest compute module: an entry point that does nothing.
func Example() {
	b := spirv.NewBuilder()
	b.Capability(spirv.CapabilityShader)
	b.MemoryModel(spirv.AddressingModelLogical, spirv.MemoryModelGLSL450)
	void := b.TypeVoid()
	main := b.Function(void, b.TypeFunction(void), spirv.FunctionControlNone)
	main.Label(0)
	main.Return()
	b.EntryPoint(spirv.ExecutionModelGLCompute, main.ID, "main")
	b.ExecutionMode(main.ID, spirv.ExecutionModeLocalSize, 64, 1, 1)

	m, err := b.Module()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(spirv.Disassemble(m))
	// Output:
	// OpCapability Shader
	// OpMemoryModel Logical GLSL450
	// OpEntryPoint GLCompute %3 "main"
	// OpExecutionMode %3 LocalSize 64 1 1
	// %1 = OpTypeVoid
	// %2 = OpTypeFunction %1
	// %3 = OpFunction %1 None %2
	// %4 = OpLabel
	// OpReturn
	// OpFunctionEnd
}
