// Package adapt rewrites SPIR-V modules for devices that differ from kgen's assumptions. For
// example, a device may flush subnormals, lose negative zeros and NaNs, round float16s differently
// than package half, treat atomics as barriers, or end loops early. Each function takes the words
// of a module and returns the rewritten words, or the same words if the device needs no change. No
// function modifies its argument.
//
// The package calls no driver and needs no cgo.
package adapt
