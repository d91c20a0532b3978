// Package vkx calls Vulkan for package vulkan.
//
// It opens the loader and makes the calls that the vulkan-go binding cannot make
// safely: those that take arrays or nested structs, which the binding keeps in
// memory that a finalizer frees while the driver still reads it, those that leak,
// and those of Vulkan 1.2 and later, which it lacks. Structs are built on the C
// stack, so no Go pointer outlives its call. Handles, result codes and the calls
// that take plain values are the binding's.
//
// Every call that can fail goes through this package, so that a test can make
// each of them fail in turn: see [Inject].
//
// A feature of a struct that vkx_features already has takes a row of the X list in vkx.h. A feature of
// a new extension also takes, in vkx.c, the extension's EXT_ bit, its name at the same place in the
// list of names, NUM_EXT, the struct in vkx_features and its CHAIN; and in vk_decl.h the struct and
// its sType. A member that is not chained is never found.
package vkx
