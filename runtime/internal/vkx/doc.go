// Package vkx calls Vulkan for package vulkan.
//
// It has two sides, of which a program contains one. The cgo side, on Linux, makes some calls by a
// shim in C, because the vulkan-go binding cannot make them safely. These are calls that take
// arrays or nested structs, which the binding keeps in memory that a finalizer frees while the
// driver still reads it; calls that leak; and calls of Vulkan 1.2 and later, which the binding
// lacks. The shim builds structs on the C stack, so no Go pointer outlives its call. The binding
// makes the calls that take plain values.
//
// The pure Go side makes all calls itself, with structs on Go's heap: on Windows by package
// syscall, elsewhere by the functions that package runtime/purego provides.
//
// Every call that can fail goes through an exported function, so that a test can make each of them
// fail in turn: see [Inject].
//
// A feature needs a row of VKX_FEATURES in vkx.h. A feature of a new extension also needs a row of
// VKX_EXTENSION_FEATURES there, and its struct and sType in vk_decl.h. The members of vkx_features,
// the chain and the enabled extensions follow from these rows; go generate writes them for Go.
package vkx
