//go:build !cgo

package host

// threadAddresses is the number of bytes of address space that a thread needs. threadAddresses is 0
// for threads of Go's runtime, which have their stacks in the Go heap.
var threadAddresses = 0

// UseThreadsOfC says that the C library creates the threads, as with cgo.
func UseThreadsOfC() { threadAddresses = threadOfC }
