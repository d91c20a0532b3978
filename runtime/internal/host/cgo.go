//go:build cgo

package host

// threadAddresses is the number of bytes of addresses that a thread of the C library takes:
// a stack of 8 MiB and an arena of 64 MiB (glibc's HEAP_MAX_SIZE on 64 bits).
const threadAddresses = 72 << 20
