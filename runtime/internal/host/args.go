package host

import (
	"fmt"
	"unsafe"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// Func makes a kernel's receiver from the arguments of a launch. Func returns the receiver's Kernel
// method, which is a func(dsl.Task), func(dsl.Item1..3) or func(dsl.NDItem1..3).
type Func func(*Args) any

// Kernel is a kernel that generated code registers. Kernel contains the kernel's own Go code and,
// if there is one, the kernel's host form. The host form of a kernel is faster Go code, which kgen
// has generated from the kernel.
type Kernel struct {
	Func Func
	Form func() Form
}

// Args contains the arguments of one launch.
type Args struct {
	kernel    *abi.Kernel
	block     []byte
	slices    []hal.SliceArg
	accessors []int
	global    [3]uint32
	internal  []*memory // maps the index of a parameter to the memory of an internal slice; nil if the kernel has no internal slices
}

// Params returns the descriptions of the parameters.
func (a *Args) Params() []abi.Param { return a.kernel.Params }

// Bytes returns the bytes of the value of parameter i. The kernel must read the parameter.
func (a *Args) Bytes(i int) []byte {
	p := &a.kernel.Params[i]
	return a.block[p.Offset:][:p.Size]
}

// Value returns the value of parameter i, or zero if the kernel never reads it.
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

// Slice returns the slice of parameter i. The capacity of the slice equals its length.
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

// Internal returns the internal slice of parameter i, which only the kernel itself uses.
func Internal[T any](a *Args, i int) []T {
	if m := a.internal[i]; m != nil {
		return unsafe.Slice((*T)(m.ptr), a.elemCount(i))
	}
	return nil
}

// elemCount returns the number of elements of an internal slice.
func (a *Args) elemCount(i int) uint64 {
	n := uint64(a.kernel.Params[i].Internal)
	for _, size := range a.global {
		n *= uint64(max(size, 1))
	}
	return n
}

// allocInternal allocates the internal slices, which are initially zero. When the launch ends, the
// internal slices are freed.
func (a *Args) allocInternal(d *device) error {
	for i := range a.kernel.Params {
		p := &a.kernel.Params[i]
		if p.Internal == 0 {
			continue
		}
		m, err := d.Alloc(a.elemCount(i)*uint64(p.ElemSize), hal.DeviceMemory)
		if err != nil {
			a.freeInternal()
			return fmt.Errorf("field %s of %s, which is internal and has %d elements on the host: %w", p.Name, a.kernel.FullName(), a.elemCount(i), err)
		}
		if a.internal == nil {
			a.internal = make([]*memory, len(a.kernel.Params))
		}
		a.internal[i] = m.(*memory)
	}
	return nil
}

// freeInternal frees the internal slices.
func (a *Args) freeInternal() {
	for _, m := range a.internal {
		if m != nil {
			m.Free()
		}
	}
	a.internal = nil
}

// Len returns the length of the local accessor of parameter i.
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
