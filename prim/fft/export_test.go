package fft

import "github.com/kgen-go/kgen/runtime"

// AsGPU has the host device run the kernel that GPUs run for powers of two, or not, and returns a function that undoes
// it.
func AsGPU(gpu bool) (undo func()) {
	old := onHost
	onHost = func(runtime.DeviceInfo) bool { return !gpu }
	return func() { onHost = old }
}

// Chunk sets the number of elements that are transformed together, and returns a function that undoes it.
func Chunk(n int) (undo func()) {
	old := chunk
	chunk = n
	return func() { chunk = old }
}

// Root returns exp(-2πi*k/n).
func Root(k, n int) complex128 { return root(k, n) }
