// Package purego lets programs for Linux that are built without cgo use Vulkan devices:
//
//	import _ "github.com/kgen-go/kgen/runtime/purego" // in any file of the program.
//
// A program that imports the package is linked dynamically, like a program with cgo, and loads
// libvulkan.so.1 when it first asks for devices. Without the import, a program built with
// CGO_ENABLED=0 is static and runs kernels on the host device. If the import is missing, the field
// Missing of [runtime.DeviceInfo] says so.
//
// With cgo, and on systems other than Linux, the import changes nothing. With cgo, the runtime
// calls Vulkan by cgo. On Windows the runtime uses package syscall. On macOS the runtime imports
// this package itself.
package purego
