//go:build cgo && linux && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package vulkan

import "github.com/kgen-go/kgen/runtime/internal/vkx"

// capabilities says which feature lets a module declare a capability (Vulkan 1.3,
// appendix "Vulkan Environment for SPIR-V"). Those that every device here has,
// or that an aspect stands for as a whole, are not listed.
var capabilities = []struct {
	number  uint32
	name    string
	feature vkx.Feature
}{
	{9, "Float16", vkx.ShaderFloat16},
	{10, "Float64", vkx.ShaderFloat64},
	{11, "Int64", vkx.ShaderInt64},
	{12, "Int64Atomics", vkx.ShaderBufferInt64Atomics},
	{6033, "AtomicFloat32AddEXT", vkx.ShaderBufferFloat32AtomicAdd},
	{6034, "AtomicFloat64AddEXT", vkx.ShaderBufferFloat64AtomicAdd},
	{22, "Int16", vkx.ShaderInt16},
	{39, "Int8", vkx.ShaderInt8},
	{4433, "StorageBuffer16BitAccess", vkx.StorageBuffer16BitAccess},
	{4448, "StorageBuffer8BitAccess", vkx.StorageBuffer8BitAccess},
}

// unsupported returns the names of the capabilities that a module declares and
// the device has no feature for: a driver need not refuse such a module, and may
// do anything with it.
func unsupported(spirv []uint32, has func(vkx.Feature) bool) []string {
	var names []string
	for _, c := range declared(spirv) {
		for _, row := range capabilities {
			if c == row.number && !has(row.feature) {
				names = append(names, row.name)
			}
		}
	}
	return names
}

// groupNonUniform is the capability that all modules with sub-groups declare.
const groupNonUniform = 61

// declared returns the capabilities that a module declares.
func declared(spirv []uint32) []uint32 {
	const header, opCapability = 5, 17
	var list []uint32
	for i := header; i+1 < len(spirv) && spirv[i]&0xffff == opCapability && spirv[i]>>16 > 0; i += int(spirv[i] >> 16) {
		list = append(list, spirv[i+1])
	}
	return list
}
