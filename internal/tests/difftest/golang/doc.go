// Package golang contains kernels in idiomatic Go. Each kernel covers one part of the language or of the standard
// library that the compiler has to resolve.
//
//kgen:bare nospare
package golang

//go:generate go run github.com/kgen-go/kgen/cmd/kgen .
