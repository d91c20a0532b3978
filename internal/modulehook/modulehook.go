// Package modulehook lets tests rewrite modules on their way to a Vulkan driver, so that a
// driver can stand for one that computes other things.
package modulehook

// Rewrite, if not nil, returns the module that the driver gets in place of another one. A test
// sets it before it opens devices.
var Rewrite func(words []uint32) ([]uint32, error)
