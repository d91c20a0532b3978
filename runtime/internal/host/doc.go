// Package host is the backend that runs kernels as the Go code they are.
//
// Its device memory is Go memory, or mapped where it is large, within what the process may
// have (a [budget]). The batches of a device run in order, one at a time, on a goroutine or
// in Submit, so all commands are ordered and barriers cost nothing; the
// work-items of one launch run in parallel on GOMAXPROCS goroutines, range
// kernels in chunks, nd-range kernels by work-group. Package dsl executes the
// items; this package feeds it and turns panics into faults. Where generated code
// has a host form of the kernel, a [Form], that executes them instead, but under the
// race detector and where KGEN_HOST_FORM is "off".
//
// It needs nothing of the machine: no cgo, no driver.
package host
