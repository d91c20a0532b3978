//go:build cgo && linux && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package vulkan

import "slices"

// preserving returns a module that has signed zeros, infinities and NaNs kept in
// arithmetic of those of its floats' widths for which the device promises it; widths is the
// sum of them. Without that, drivers may take there to be none (SPIR-V, 3.2.6), and NVIDIA's
// does. Not all devices promise it, so modules do not ask for it themselves.
func preserving(words []uint32, widths uint32) []uint32 {
	const (
		header                                                                    = 5
		opEntryPoint, opExecutionMode, opCapability, opTypeFloat, opFunction      = 15, 16, 17, 22, 54
		capabilitySignedZeroInfNanPreserve, executionModeSignedZeroInfNanPreserve = 4466, 4461
	)
	used, afterCapabilities, afterModes, main := uint32(0), header, 0, uint32(0)
	for i := header; i < len(words); {
		op, n := words[i]&0xffff, int(words[i]>>16)
		if n == 0 || i+n > len(words) || op == opFunction {
			break
		}
		switch {
		case op == opCapability && n > 1 && words[i+1] == capabilitySignedZeroInfNanPreserve:
			return words // it knows what it needs
		case op == opCapability:
			afterCapabilities = i + n
		case op == opEntryPoint && n > 2:
			main, afterModes = words[i+2], i+n
		case op == opExecutionMode:
			afterModes = i + n
		case op == opTypeFloat && n > 2:
			used |= words[i+2]
		}
		i += n
	}
	used &= widths
	if used == 0 || afterModes == 0 {
		return words
	}
	var modes []uint32
	for width := uint32(16); width <= 64; width *= 2 {
		if used&width != 0 {
			modes = append(modes, 4<<16|opExecutionMode, main, executionModeSignedZeroInfNanPreserve, width)
		}
	}
	return slices.Concat(words[:afterCapabilities], []uint32{2<<16 | opCapability, capabilitySignedZeroInfNanPreserve},
		words[afterCapabilities:afterModes], modes, words[afterModes:])
}
