// Package purego gives programs for Linux that are built without cgo their Vulkan devices:
//
//	import _ "github.com/kgen-go/kgen/runtime/purego"
//
// A program that imports it is linked with the system's dynamic linker, as one with cgo is, and
// loads libvulkan.so.1 when it first asks for devices. Without it a program that is built with
// CGO_ENABLED=0 is static and runs kernels on the host device, and [runtime.DeviceInfo].Missing says so.
//
// Elsewhere the import changes nothing. With cgo the runtime calls Vulkan by cgo, on Windows by package
// syscall, and on macOS the runtime imports this package itself.
package purego
