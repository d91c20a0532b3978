//go:build cgo

package swiftshader

const cgo = true
