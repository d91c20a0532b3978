// Package corpus holds kernels that use every construct of the language. The
// differential test runs each on the host device, where gc has compiled it, and
// on the other devices, and compares all memory.
//
//kgen:bare nospare views=Small
package corpus

//go:generate go tool kgen .
