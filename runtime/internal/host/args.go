package host

import (
	"fmt"
	"unsafe"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// Func rebuilds a kernel's receiver from a launch's arguments and returns its
// Kernel method: a func(dsl.Task), func(dsl.Item1..3) or func(dsl.NDItem1..3).
type Func func(*Args) any

// Kernel is a kernel as generated code registers it: its Go, and its host form if it
// has one.
type Kernel struct {
	Func Func
	Form func() Form
}

// Args are the arguments of one launch.
type Args struct {
	kernel    *abi.Kernel
	block     []byte
	slices    []hal.SliceArg
	accessors []int
}

// Params returns the rows of the parameters.
func (a *Args) Params() []abi.Param { return a.kernel.Params }

// Bytes returns the value of parameter i, which the kernel reads, as it lies in memory.
func (a *Args) Bytes(i int) []byte {
	p := &a.kernel.Params[i]
	return a.block[p.Offset:][:p.Size]
}

// Value returns the value of parameter i, zero if the kernel never reads it.
func Value[T any](a *Args, i int) T {
	var v T
	if off := a.kernel.Params[i].Offset; off >= 0 {
		if int(unsafe.Sizeof(v))+off > len(a.block) {
			panic(fmt.Sprintf("BUG: %s: parameter %d does not fit its block", a.kernel.FullName(), i))
		}
		if unsafe.Sizeof(v) > 0 {
			v = *(*T)(unsafe.Pointer(&a.block[off]))
		}
	}
	return v
}

// Slice returns the slice that parameter i is; its capacity equals its length.
func Slice[T any](a *Args, i int) []T {
	for k := range a.slices {
		if s := &a.slices[k]; s.Param == i {
			if s.Len == 0 || s.Memory == nil {
				return nil
			}
			p := unsafe.Add(s.Memory.(*memory).ptr, s.Offset)
			return unsafe.Slice((*T)(p), s.Len)
		}
	}
	return nil
}

// Len returns the length of the local accessor that parameter i is.
func Len(a *Args, i int) int {
	n := 0
	for k := range i {
		if a.kernel.Params[k].Kind == abi.LocalAccessor {
			n++
		}
	}
	if n >= len(a.accessors) {
		return 0
	}
	return a.accessors[n]
}
