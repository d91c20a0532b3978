// Package golang has kernels in the Go that people write: one for each part of
// the language and of the standard library that the compiler has to resolve.
//
//kgen:bare nospare
package golang

//go:generate go run github.com/kgen-go/kgen/cmd/kgen .
