//go:build cgo

package host

// threadAddresses is the number of bytes of addresses that a thread takes.
const threadAddresses = threadOfC
