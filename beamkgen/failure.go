package beamkgen

import "github.com/kgen-go/kgen/runtime"

// Failure says why an element has no result: a work-item panicked when the element was a batch of its own.
type Failure struct {
	Function string // name of the Function
	Position int    // index of the element in its first batch, from 0
	Batch    int    // number of elements of its first batch
	Kernel   string // package and name of the kernel, as in runtime.Fault
	Pos      string // file:line:col in the kernel's source
	Item     []int  // work-item in the batch of this element alone, as Fault.GlobalID
	Message  string // text of the runtime.Fault
}

// faultOf returns the fault that is an error's only cause. If several faults were joined, it returns the first.
// It returns nil if there is any other cause: then results may be missing for another reason.
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
