//go:build !cgo

package host

// threadAddresses is the number of bytes of addresses that a thread takes. A thread of Go's runtime has
// its stack in the Go heap.
var threadAddresses = 0

// UseThreadsOfC says that threads are the C library's, as with cgo.
func UseThreadsOfC() { threadAddresses = threadOfC }
