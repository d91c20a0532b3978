//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vkx

// Matrices describes a matrix product that the sub-groups of a device can compute. The first factor
// has M rows and K columns, and the second factor has K rows and N columns. A, B, C and Result are
// the element types of the matrices (VkComponentTypeKHR in Vulkan).
type Matrices struct {
	M, N, K         int
	A, B, C, Result Component
	Saturating      bool
}

// Component is an element type of matrices, as a number of VkComponentTypeKHR.
type Component uint32

// Element types of the matrices that kernels can use.
const (
	Float16  Component = 0
	Float32  Component = 1
	Sint8    Component = 3
	Sint32   Component = 5
	Uint8    Component = 7
	Uint32   Component = 9
	BFloat16 Component = 1000141000
)

// mostMatrices is the largest number of matrix products that GetMatrices queries.
const mostMatrices = 64
