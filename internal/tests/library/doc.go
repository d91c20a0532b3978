// Package library tests kernels that call the exported functions and methods of the standard
// library. Each function either returns the same bits in a kernel as on the host, or gives the
// diagnostic that a table of this package lists. The package contains only tests.
//
// The flag -only selects calls by a regular expression. With the flags -spaces 4 -large, the tests
// run nearly all calls on the device. With the flag -crypto, they run sha3, aes and packages of
// golang.org/x/crypto on the device, with published vectors.
package library
