//go:build race

package swiftshader

const race = true
