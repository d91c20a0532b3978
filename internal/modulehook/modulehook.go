// Package modulehook lets tests rewrite modules before they reach a Vulkan driver. So a driver can imitate
// another driver, which computes different results.
package modulehook

// Rewrite, if not nil, returns the module that the driver gets in place of the module in argument words.
// A test sets Rewrite before it opens devices.
var Rewrite func(words []uint32) ([]uint32, error)
