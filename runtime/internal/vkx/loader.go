//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vkx

import "errors"

// ErrNoLibraries is the error that Open returns in a program for Linux that was built without cgo
// and does not import package runtime/purego.
var ErrNoLibraries = errors.New("this program was built without cgo")

// CreateInstance creates an instance. There is at most one instance at a time. If validate is set,
// the Khronos validation layer is on, and its messages are printed and counted.
func CreateInstance(version Version, validate bool) (Instance, Result) {
	if r := injected(); r != Success {
		return 0, r
	}
	return createInstance(version, validate)
}

// EnumeratePhysicalDevices returns the physical devices in the loader's order.
func EnumeratePhysicalDevices(inst Instance) ([]PhysicalDevice, Result) {
	for {
		if r := injected(); r != Success {
			return nil, r
		}
		n, r := enumeratePhysicalDevices(inst, nil)
		if r < 0 || n == 0 {
			return nil, r
		}
		list := make([]PhysicalDevice, n)
		n, r = enumeratePhysicalDevices(inst, list)
		if r == Incomplete {
			continue // another device has been added
		}
		return list[:n], r
	}
}
