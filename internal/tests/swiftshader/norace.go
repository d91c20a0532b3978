//go:build !race

package swiftshader

// This file declares the constant race, which is false, for builds without the race detector.

const race = false
