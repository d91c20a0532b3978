//go:build cgo && linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package vkx

// #include "vkx.h"
import "C"

// GetMatrices returns the shapes and types of the matrix products that a physical device supports. The device
// must have the feature CooperativeMatrix.
func GetMatrices(p PhysicalDevice) []Matrices {
	var all [mostMatrices]C.vkx_matrices
	n := C.vkx_get_matrices(C.uintptr_t(p), &all[0], C.uint32_t(len(all)))
	var list []Matrices
	for _, m := range all[:n] {
		list = append(list, Matrices{int(m.m), int(m.n), int(m.k), Component(m.a), Component(m.b), Component(m.c), Component(m.result), m.saturating != 0})
	}
	return list
}
