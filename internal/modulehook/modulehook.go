// Package modulehook lets tests rewrite modules before they reach a Vulkan driver. With a rewritten module, a driver
// can imitate another driver that computes different results.
package modulehook

// Rewrite, if not nil, is called with the words of each module, and returns the words of the module
// for the driver. A test sets Rewrite before it opens devices.
var Rewrite func(words []uint32) ([]uint32, error)
