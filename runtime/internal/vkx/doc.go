// Package vkx calls Vulkan for package vulkan.
//
// It has two sides; a program is built with one of them. The cgo side, on Linux, makes by a shim in C the calls that
// the vulkan-go binding cannot make safely: those that take arrays or nested structs, which the binding keeps
// in memory that a finalizer frees while the driver still reads it, those that leak, and those of
// Vulkan 1.2 and later, which it lacks. Structs are built on the C stack, so no Go pointer outlives its
// call. The calls that take plain values are the binding's. The pure Go side makes all calls itself, with
// structs of Go's heap: on Windows by package syscall, elsewhere by what package runtime/purego provides.
//
// Every call that can fail goes through an exported function, so that a test can make
// each of them fail in turn: see [Inject].
//
// A feature takes a row of VKX_FEATURES in vkx.h. A feature of a new extension also takes a row of
// VKX_EXTENSION_FEATURES there, and in vk_decl.h the struct and its sType. Members of vkx_features, the
// chain and the extensions that are enabled come of these rows; go generate writes them for Go.
package vkx
