//go:build cgo

package host

// threadAddresses is the size of the address space that a thread needs, in bytes.
const threadAddresses = threadOfC
