// Package library tests kernels with the exported functions and methods of the standard library. Each
// function either returns the same bits in a kernel as on the host, or gives the diagnostic that a table of
// this package lists. The package contains only tests.
//
// The flag -only selects calls by a regular expression. The flags -spaces 4 -large run nearly all calls on
// the device. The flag -crypto runs sha3, aes and packages of golang.org/x/crypto on the device, with
// published vectors.
package library
