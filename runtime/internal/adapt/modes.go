package adapt

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/spirv"
)

// Preserve returns a module with a declaration that arithmetic preserves signed zeros, infinities
// and NaNs. The declaration is added for each float width that the module uses and the device
// supports. The argument `widths` is the sum of the float widths for which the device supports the
// declaration. Without the declaration, drivers may assume that signed zeros, infinities and NaNs
// do not occur (SPIR-V, 3.2.6), and NVIDIA's driver assumes so. Not all devices support this
// declaration, so the modules that kgen generates do not have it. Preserve does not change a module
// that has the declaration already. Preserve also does not change a module of a SPIR-V version
// before 1.4, where the declaration would need an extension.
func Preserve(words []uint32, widths uint32) []uint32 {
	const header, version14 = 5, 0x10400
	if len(words) < header || words[1] < version14 {
		return words
	}
	used, afterCapabilities, afterModes := uint32(0), header, 0
	var entries []uint32
	for i := header; i < len(words); {
		op, n := spirv.Op(words[i]&0xffff), int(words[i]>>16)
		if n == 0 || i+n > len(words) || op == spirv.OpFunction {
			break
		}
		switch {
		case op == spirv.OpCapability && n > 1 && spirv.Capability(words[i+1]) == spirv.CapabilitySignedZeroInfNanPreserve:
			return words
		case op == spirv.OpCapability:
			afterCapabilities = i + n
		case op == spirv.OpEntryPoint && n > 2:
			entries, afterModes = append(entries, words[i+2]), i+n
		case op == spirv.OpExecutionMode:
			afterModes = i + n
		case op == spirv.OpTypeFloat && n > 2:
			used |= words[i+2]
		}
		i += n
	}
	used &= widths
	if used == 0 || len(entries) == 0 {
		return words
	}
	capability := []uint32{2<<16 | uint32(spirv.OpCapability), uint32(spirv.CapabilitySignedZeroInfNanPreserve)}
	var modes []uint32
	for _, entry := range entries {
		for width := uint32(16); width <= 64; width *= 2 {
			if used&width != 0 {
				modes = append(modes, 4<<16|uint32(spirv.OpExecutionMode), entry, uint32(spirv.ExecutionModeSignedZeroInfNanPreserve), width)
			}
		}
	}
	return slices.Concat(words[:afterCapabilities], capability, words[afterCapabilities:afterModes], modes, words[afterModes:])
}
