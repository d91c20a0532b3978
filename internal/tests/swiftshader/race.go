//go:build race

package swiftshader

// This file declares the constant race, which is true, for builds with the race detector. The
// function Run then skips its test.

const race = true
