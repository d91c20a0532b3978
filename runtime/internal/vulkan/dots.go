//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/internal/env"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

// dotBits maps each instruction for sums of products to a bit of vkx.Dots. The bit is set if the
// instruction is fast.
var dotBits = map[spirv.Op]vkx.Dots{
	spirv.OpUDot: vkx.DotsUnsigned, spirv.OpSDot: vkx.DotsSigned, spirv.OpSUDot: vkx.DotsMixed,
	spirv.OpUDotAccSat: vkx.DotsUnsignedSaturating, spirv.OpSDotAccSat: vkx.DotsSignedSaturating, spirv.OpSUDotAccSat: vkx.DotsMixedSaturating,
}

// hasDot reports whether kernels use the device's instruction op for sums of products.
func hasDot(p *vkx.PhysicalDeviceInfo, op spirv.Op) bool {
	fast := p.Dots
	switch env.Get(env.Dots) {
	case "always":
		fast = vkx.AllDots
	case "never":
		fast = 0
	}
	return p.Has(vkx.ShaderIntegerDotProduct) && fast&dotBits[op] != 0
}
