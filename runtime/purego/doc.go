// Package purego lets programs for Linux that are built without cgo use Vulkan devices:
//
//	import _ "github.com/kgen-go/kgen/runtime/purego" // in any file of the program.
//
// A program that imports the package is linked dynamically, like a program
// with cgo. Such a program loads libvulkan.so.1 when it first asks for devices. Without the import,
// a program built with CGO_ENABLED=0 is static and runs kernels on the host device.
// [runtime.DeviceInfo].Missing then says that the import is missing.
//
// In all other cases the import changes nothing. With cgo, the runtime calls Vulkan by cgo. On
// Windows the runtime uses package syscall. On macOS the runtime imports this package itself.
package purego
