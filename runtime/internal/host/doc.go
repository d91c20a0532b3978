// Package host is the backend that runs kernels as Go code on the processor.
//
// Device memory is Go memory, or mapped memory if it is large. A [budget] keeps device memory below
// the limits of the process. The batches of a device run in order, one at a time, on a goroutine or
// in Submit. Commands therefore run one after another, and barriers cost nothing. The work-items of
// a launch run in parallel on GOMAXPROCS goroutines. A goroutine runs a chunk of the work-items of
// a range kernel, or a work-group of an nd-range kernel. Package dsl executes the work-items. This
// package divides the work-items among goroutines and turns panics into faults. If generated code
// contains a host form of the kernel, a [Form], the form executes the work-items instead of package
// dsl. Host forms are not used under the race detector, or if KGEN_HOST_FORM is "off".
//
// The backend needs neither cgo nor a driver.
package host
