// Package launch declares the types of the values that generated code passes to package runtime,
// through package kernelimpl. The package is internal, so that users of package runtime cannot call
// functions that only generated code may call.
package launch

import (
	"unsafe"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/internal/dslhook"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime/internal/host"
	"github.com/kgen-go/kgen/runtime/internal/stream"
)

// Runtime is a value of package runtime that implements methods for package kernelimpl. Users of
// package runtime cannot call these methods.
var Runtime any

// Kernel is a kernel that a stub registers, with its description and its Go code.
type Kernel struct {
	ABI  *abi.Kernel
	Host *host.Kernel
	// Specs lists the specialization constants that ABI.Specs describes, in the same order.
	Specs []*dslhook.SpecInfo
}

// Slice is a slice of device memory. Slice is the content of a runtime.View.
type Slice struct {
	Mem *stream.Memory // nil for an empty slice
	Off uint64         // offset in bytes
	Len int            // number of elements; NoBuffer for a view of a nil buffer
	// Buffer and View contain the properties of the buffer and of the view.
	Buffer, View Memory
}

// Memory contains the properties of memory that affect the fusion of launches in graphs.
type Memory struct {
	Scope    properties.Scope
	Internal bool // the property FusionInternalMemory was given
	NoInit   bool
	Bad      bool // a given property is not a property of memory
}

// The method With returns the properties m with further properties added.
func (m Memory) With(props []properties.Property) Memory {
	for _, p := range props {
		switch {
		case p.Validate() != nil:
			m.Bad = true
		case p.Key() == properties.KeyAccessScope:
			m.Scope = p.Scope()
		case p.Key() == properties.KeyFusionInternalMemory:
			m.Internal = true
		case p.Key() == properties.KeyNoInit:
			m.NoInit = true
		default:
			m.Bad = true
		}
	}
	return m
}

// NoBuffer is the length of a view of a nil buffer. A view of a nil buffer cannot be used.
const NoBuffer = -1

// SliceArg is the argument for a slice parameter, if the slice is in device memory.
type SliceArg struct {
	Param int
	Slice
	Size uint64 // size in bytes
}

// HostArg is the argument for a slice parameter, if the slice is in the caller's memory.
type HostArg struct {
	Param int
	Ptr   unsafe.Pointer
	Len   int    // number of elements
	Size  uint64 // size in bytes
}

// Call describes a launch that a stub requests, with the launch's arguments and range. Only package
// runtime reads a Call. Later launches reuse the storage of a Call's slices.
type Call struct {
	Form   abi.Form
	Rank   int
	Global [3]int // sizes of the range; the last of the Rank dimensions varies fastest
	Local  [3]int // work-group size of an nd-range

	Args      []byte // values of parameters; values of slice parameters are zero
	Slices    []SliceArg
	Host      []HostArg
	Accessors []int

	// Own is package runtime's state for launches, which is stored with the Call for reuse. Stubs
	// do not use the field Own.
	Own any
}

// Begin prepares a call for a launch of k. The call must be new, or End must have been called.
func (c *Call) Begin(k *abi.Kernel) {
	if cap(c.Args) < k.ArgSize {
		c.Args = make([]byte, k.ArgSize)
	}
	c.Args = c.Args[:k.ArgSize]
}

// End resets the call, but keeps its storage. End sets the arguments to zero.
func (c *Call) End() {
	clear(c.Args)
	clear(c.Slices)
	clear(c.Host)
	c.Args, c.Slices, c.Host, c.Accessors = c.Args[:0], c.Slices[:0], c.Host[:0], c.Accessors[:0]
	c.Form, c.Rank, c.Global, c.Local = 0, 0, [3]int{}, [3]int{}
}

// Range1 makes the call a launch of a range of one dimension.
func (c *Call) Range1(n int) { c.Form, c.Rank, c.Global = abi.Range, 1, [3]int{n} }

// Range2 makes the call a launch of a range of two dimensions.
func (c *Call) Range2(n [2]int) { c.Form, c.Rank, c.Global = abi.Range, 2, [3]int{n[0], n[1]} }

// Range3 makes the call a launch of a range of three dimensions.
func (c *Call) Range3(n [3]int) { c.Form, c.Rank, c.Global = abi.Range, 3, n }

// Groups1 divides a range of one dimension into work-groups.
func (c *Call) Groups1(n int) { c.Form, c.Local = abi.NDRange, [3]int{n} }

// Groups2 divides a range of two dimensions into work-groups.
func (c *Call) Groups2(n [2]int) { c.Form, c.Local = abi.NDRange, [3]int{n[0], n[1]} }

// Groups3 divides a range of three dimensions into work-groups.
func (c *Call) Groups3(n [3]int) { c.Form, c.Local = abi.NDRange, n }
