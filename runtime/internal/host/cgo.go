//go:build cgo

package host

// threadAddresses is the number of bytes of address space that a thread needs.
const threadAddresses = threadOfC
