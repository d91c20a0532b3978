//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vkx

// Matrices is a matrix product that sub-groups support: M rows of K elements times K rows of N. A,
// B, C and Result are Vulkan's VkComponentTypeKHR of the matrices.
type Matrices struct {
	M, N, K         int
	A, B, C, Result Component
	Saturating      bool
}

// Component is Vulkan's type of a matrix's elements.
type Component uint32

// The components that kernels can use.
const (
	Float16  Component = 0
	Float32  Component = 1
	Sint8    Component = 3
	Sint32   Component = 5
	Uint8    Component = 7
	Uint32   Component = 9
	BFloat16 Component = 1000141000
)

// mostMatrices is the largest number of products that are queried.
const mostMatrices = 64
