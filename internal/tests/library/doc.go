// Package library holds kernels to what the standard library exports for them: each
// function and method of its packages either gives in a kernel the bits that it has
// on the host, or the diagnostic that a table here says. It has nothing but tests.
//
// -only regexp chooses calls, -spaces 4 -large runs nearly all of them on the device, and -crypto runs
// sha3, aes and packages of golang.org/x/crypto there, with published vectors.
package library
