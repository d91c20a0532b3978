// Package library tests kernels with the exported functions and methods of the standard library.
// Each of them either gives the same bits in a kernel as on the host, or the diagnostic in a table
// here. The package has only tests.
//
// -only regexp chooses calls, -spaces 4 -large runs nearly all of them on the device, and -crypto runs
// sha3, aes and packages of golang.org/x/crypto there, with published vectors.
package library
