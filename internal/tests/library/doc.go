// Package library holds kernels to what the standard library exports for them: each
// function and method of its packages either gives in a kernel the bits that it has
// on the host, or the diagnostic that a table here says. It has nothing but tests.
package library
