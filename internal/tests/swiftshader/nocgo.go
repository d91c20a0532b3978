//go:build !cgo

package swiftshader

const cgo = false
