package beamkgen

import "github.com/kgen-go/kgen/runtime"

// Failure says of an element why it has no result: a work-item panicked when the element alone was a batch.
type Failure struct {
	Function string // name of the Function
	Position int    // index of the element in the batch in which it was at first
	Batch    int    // number of elements of that batch
	Kernel   string // package and name of the kernel, as in runtime.Fault
	Pos      string // file:line:col in the kernel's source
	Item     []int  // work-item, when the element was a batch of its own
	Message  string // text of the runtime.Fault
}

// faultOf returns the fault that is an error's only cause. It returns nil for other errors, and
// if a further error was joined with the fault: then the device may not have computed what it was to.
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
