// Package vkx calls Vulkan for package vulkan.
//
// The package has a cgo side and a pure Go side. A program contains only one of the two sides. The
// cgo side, on Linux, makes some calls through a shim in C, because the vulkan-go binding cannot
// make them safely. The shim makes calls with arrays or nested structs, which a finalizer of the
// binding may free while the driver still reads them. The shim also makes calls that leak memory in
// the binding, and calls of Vulkan 1.2 and later, which the binding lacks. The shim builds structs
// on the C stack, so no Go pointer outlives its call. The binding makes the calls that take plain
// values.
//
// The pure Go side makes all calls itself, with structs on Go's heap. On Windows, the pure Go side
// calls functions with package syscall. On other systems, the pure Go side uses the functions that
// package runtime/purego provides.
//
// Exported functions make all calls that can fail, so that a test can make each of these calls fail
// (see [Inject]).
//
// To add a feature, add an entry to the list VKX_FEATURES in vkx.h. For a feature of a new
// extension, also add an entry to VKX_EXTENSION_FEATURES in vkx.h, and the extension's struct and
// sType to vk_decl.h. The members of vkx_features, the chain and the enabled extensions follow from
// these entries. The command go generate writes the Go declarations for these entries.
package vkx
