//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/codegen/spirv/features"
)

// missingFeatures returns the names of a module's capabilities that the device does not support.
// The device supports a capability if it has the capability's feature (Vulkan 1.3, appendix "Vulkan
// Environment for SPIR-V"). A driver may accept a module with unsupported capabilities, but the
// behaviour is then undefined.
func missingFeatures(words []uint32, has func(feature string) bool) []string {
	var names []string
	for _, c := range moduleCapabilities(words) {
		if row := features.Of(c); row != nil && row.Device != "" && !has(row.Device) {
			names = append(names, c.String())
		}
	}
	return names
}

// moduleCapabilities returns the capabilities that a module declares.
func moduleCapabilities(words []uint32) []spirv.Capability {
	const header = 5
	var list []spirv.Capability
	for i := header; i+1 < len(words) && spirv.Op(words[i]&0xffff) == spirv.OpCapability && words[i]>>16 > 0; i += int(words[i] >> 16) {
		list = append(list, spirv.Capability(words[i+1]))
	}
	return list
}
