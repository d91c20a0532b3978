package beamkgen

import "github.com/kgen-go/kgen/runtime"

// Failure describes why an element has no result. An element has no result if a work-item panics in
// a batch that contains only this element.
type Failure struct {
	Function string // name of the Function
	Position int    // index (from 0) of the element in the first batch that contained the element
	Batch    int    // number of elements of the first batch that contained the element
	Kernel   string // package and name of the kernel, as in runtime.Fault
	Pos      string // file:line:col in the kernel's source
	Item     []int  // global id of the work-item in the batch of only this element, as in Fault.GlobalID
	Message  string // text of the runtime.Fault
}

// faultOf returns the fault that caused an error. If several faults were joined, faultOf returns
// the first fault. If any joined error is not a fault, faultOf returns nil, because results may
// then be missing for another reason than a fault.
func faultOf(err error) *runtime.Fault {
	switch e := err.(type) {
	case *runtime.Fault:
		return e
	case interface{ Unwrap() error }:
		return faultOf(e.Unwrap())
	case interface{ Unwrap() []error }:
		var first *runtime.Fault
		for _, err := range e.Unwrap() {
			fault := faultOf(err)
			if fault == nil {
				return nil
			}
			if first == nil {
				first = fault
			}
		}
		return first
	}
	return nil
}
