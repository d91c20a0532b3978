// Package modulehook lets tests rewrite modules before they reach a Vulkan driver. With a rewritten module, a driver
// can imitate another driver that computes different results.
package modulehook

// If Rewrite is not nil, it gets each module as words, and returns the module that the driver gets instead. A test sets
// Rewrite before it opens devices.
var Rewrite func(words []uint32) ([]uint32, error)
