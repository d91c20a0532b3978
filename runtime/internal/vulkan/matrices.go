//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

// elemNames maps Vulkan's component types to the names of element types in kernels.
var elemNames = map[vkx.Component]string{
	vkx.Float16: "half.Float16", vkx.BFloat16: "half.BFloat16", vkx.Float32: "float32", vkx.Sint8: "int8", vkx.Sint32: "int32", vkx.Uint8: "uint8", vkx.Uint32: "uint32",
}

// matricesOf returns the matrix products that the device computes and kernels can use.
func matricesOf(p *physicalDevice) []abi.MatrixTuple {
	if !p.Has(vkx.CooperativeMatrix) || !p.Has(vkx.ComputeFullSubgroups) {
		return nil
	}
	var list []abi.MatrixTuple
	for _, m := range vkx.GetMatrices(p.handle) {
		t := abi.MatrixTuple{M: m.M, N: m.N, K: m.K, Elem: elemNames[m.A], Of: elemNames[m.C]}
		has := m.A != vkx.BFloat16 || p.Has(vkx.ShaderBFloat16Type) && p.Has(vkx.ShaderBFloat16CooperativeMatrix)
		if t.Elem != "" && t.Of != "" && m.A == m.B && m.C == m.Result && !m.Saturating && has {
			list = append(list, t)
		}
	}
	return list
}

// infoOf describes the device, including its matrix products.
func (p *physicalDevice) infoOf() hal.Info {
	info := infoOf(p.PhysicalDeviceInfo)
	info.Matrices, info.MatrixSubGroup = p.matrices, int(p.SubgroupSize)
	return info
}
