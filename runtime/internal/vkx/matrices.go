//go:build cgo && linux && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package vkx

// #include "vkx.h"
import "C"

import (
	"unsafe"

	vk "github.com/vulkan-go/vulkan"
)

// CooperativeMatrix is the feature of matrices that sub-groups hold.
const CooperativeMatrix = Feature(C.VKX_cooperativeMatrix)

// Matrices is a product of matrices that sub-groups have: M rows of K elements by K rows of N. A, B, C and Result
// are of Vulkan's type VkComponentTypeKHR.
type Matrices struct {
	M, N, K         int
	A, B, C, Result Component
	Saturating      bool
}

// Component is Vulkan's type of the elements of matrices.
type Component uint32

// The components that are known.
const (
	Float16 Component = 0
	Float32 Component = 1
	Sint8   Component = 3
	Sint32  Component = 5
	Uint8   Component = 7
	Uint32  Component = 9
)

// GetMatrices returns the products that a physical device has, which has the feature CooperativeMatrix.
func GetMatrices(p vk.PhysicalDevice) []Matrices {
	var all [64]C.vkx_matrices
	n := C.vkx_get_matrices(C.uintptr_t(uintptr(unsafe.Pointer(p))), &all[0], C.uint32_t(len(all)))
	var list []Matrices
	for _, m := range all[:n] {
		list = append(list, Matrices{int(m.m), int(m.n), int(m.k), Component(m.a), Component(m.b), Component(m.c), Component(m.result), m.saturating != 0})
	}
	return list
}
