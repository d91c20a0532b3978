//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vkx

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
	Float16  Component = 0
	Float32  Component = 1
	Sint8    Component = 3
	Sint32   Component = 5
	Uint8    Component = 7
	Uint32   Component = 9
	BFloat16 Component = 1000141000
)

// mostMatrices bounds the products that are asked for.
const mostMatrices = 64
