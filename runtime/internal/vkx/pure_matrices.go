//go:build ((darwin || windows) && (amd64 || arm64)) || (!cgo && linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64))

package vkx

// GetMatrices returns the matrix products of a physical device, which must have the feature
// CooperativeMatrix.
func GetMatrices(p PhysicalDevice) []Matrices {
	if cooperativeMatrices == 0 {
		return nil
	}
	all, n := make([]cooperativeMatrixPropertiesKHR, mostMatrices), new(uint32)
	for i := range all {
		all[i].sType = structureTypeCooperativeMatrixPropertiesKhr
	}
	*n = uint32(len(all))
	if Result(int32(call(cooperativeMatrices, uintptr(p), uintptr(ptr(n)), uintptr(ptr(&all[0]))))) < 0 {
		return nil
	}
	var list []Matrices
	for _, m := range all[:*n] {
		if m.scope == scopeSubgroupKhr {
			list = append(list, Matrices{int(m.MSize), int(m.NSize), int(m.KSize), Component(m.AType), Component(m.BType), Component(m.CType), Component(m.ResultType), m.saturatingAccumulation != 0})
		}
	}
	return list
}
