//go:build !cgo

package host

// threadAddresses is the number of bytes of addresses that a thread of Go's runtime takes:
// its stack is in the Go heap.
const threadAddresses = 0
