//go:build ((darwin || windows) && (amd64 || arm64)) || (!cgo && linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64))

package vkx

import (
	"reflect"
	"sync"
	"unsafe"
)

// The pure Go side makes all calls itself, and calls C functions at their addresses. The driver
// reads structs that Go has laid out. These structs are in Go's heap, where the garbage collector
// does not move them. The package's function `call` is marked uintptrescapes. If an argument of
// `call` converts the address of a struct, escape analysis puts the struct on the heap. The
// variables that a struct on the heap points to are on the heap, too. The conversion in the
// argument also keeps the memory alive until the call returns. Fields that are pointers have the
// type unsafe.Pointer, so that the garbage collector follows them. Handles are plain integers,
// because they need not be addresses.

type ptr = unsafe.Pointer

// callFrame is the memory that one call uses. A frame contains the arguments, and the structs for
// the Vulkan calls that a launch needs. Frames are reused, so a launch allocates no memory for its
// Vulkan calls.
type callFrame struct {
	args [16]uintptr

	begin   commandBufferBeginInfo
	submit  submitInfo
	values  timelineSemaphoreSubmitInfo
	wait    semaphoreWaitInfo
	barrier memoryBarrier
	copy    bufferCopy

	buffer                uintptr
	signal, waited        uintptr // handles of timeline semaphores
	signalValue, waitedAt uint64  // values of the timeline semaphores signal and waited
	stages                uint32
	words                 Commands // commands of the batch, with the data of push constants
}

var frames = sync.Pool{New: func() any {
	f := &callFrame{}
	f.begin.sType = structureTypeCommandBufferBeginInfo
	f.values.sType = structureTypeTimelineSemaphoreSubmitInfo
	f.values.pWaitSemaphoreValues = ptr(&f.waitedAt)
	f.values.signalSemaphoreValueCount, f.values.pSignalSemaphoreValues = 1, ptr(&f.signalValue)
	f.submit.sType, f.submit.pNext = structureTypeSubmitInfo, ptr(&f.values)
	f.submit.commandBufferCount, f.submit.pCommandBuffers = 1, ptr(&f.buffer)
	f.submit.pWaitSemaphores, f.submit.pWaitDstStageMask = ptr(&f.waited), ptr(&f.stages)
	f.submit.signalSemaphoreCount, f.submit.pSignalSemaphores = 1, ptr(&f.signal)
	f.wait.sType, f.wait.semaphoreCount = structureTypeSemaphoreWaitInfo, 1
	f.wait.pSemaphores, f.wait.pValues = ptr(&f.waited), ptr(&f.waitedAt)
	f.barrier.sType = structureTypeMemoryBarrier
	return f
}}

func newFrame() *callFrame { return frames.Get().(*callFrame) }

func (f *callFrame) free() {
	f.words, f.begin.pInheritanceInfo = nil, nil
	frames.Put(f)
}

// The method `call` calls a C function. All addresses among the arguments point into the frame, or
// into memory that the frame's fields refer to. The arguments therefore need not escape to the
// heap, unlike the arguments of the package's function `call`.
func (f *callFrame) call(fn uintptr, args ...uintptr) uintptr {
	return invoke(fn, f.args[:copy(f.args[:], args)])
}

// callResult is like call, but for a C function that returns a VkResult.
func (f *callFrame) callResult(fn uintptr, args ...uintptr) Result {
	return Result(int32(f.call(fn, args...)))
}

// The function `call` calls a C function with integers and addresses, and allocates memory for
// these arguments.
//
//go:uintptrescapes
func call(fn uintptr, args ...uintptr) uintptr { return invoke(fn, args) }

// createObject calls a C function that creates an object. The struct info describes the
// object.
func createObject[H ~uintptr](fn, parent uintptr, info unsafe.Pointer) (H, Result) {
	out := new(H)
	if r := Result(int32(call(fn, parent, uintptr(info), 0, uintptr(ptr(out))))); r < 0 {
		return 0, r
	}
	return *out, Success
}

// cString returns a copy of s with the terminating zero that C strings have.
func cString(s string) unsafe.Pointer { return ptr(unsafe.SliceData(append([]byte(s), 0))) }

// goString returns the C string in the array b as a Go string.
func goString(b []byte) string {
	for i, c := range b {
		if c == 0 {
			return string(b[:i])
		}
	}
	return string(b)
}

// textAt returns the C string at the address p as a Go string.
func textAt(p unsafe.Pointer) string {
	if p == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(p, n)) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(p), n))
}

// pointerTo converts an address from C to a pointer.
func pointerTo(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(ptr(&address)) }

// bool32 converts a bool to Vulkan's bool.
func bool32(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

var hidden string

// Hide makes vkx treat a function as missing in drivers. Only tests call Hide. Hide("") ends the
// effect of an earlier call.
func Hide(name string) { hidden = name }

// fillFunctions sets each field of a struct to the address of the function that the field
// names. fillFunctions returns the name of a missing function, or "".
func fillFunctions(functions any, find func(name string) uintptr) (lacks string) {
	v := reflect.ValueOf(functions).Elem()
	for i := range v.NumField() {
		name := "vk" + v.Type().Field(i).Name
		fn := find(name)
		if fn == 0 || name == hidden {
			lacks = name
		}
		v.Field(i).SetUint(uint64(fn))
	}
	return lacks
}
