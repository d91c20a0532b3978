//go:build amd64 || arm64

package vkx

import (
	"fmt"
	"syscall"
	"unsafe"
)

// openLoader returns the loader's vkGetInstanceProcAddr.
func openLoader() (uintptr, error) {
	const name = "vulkan-1.dll"
	lib, err := syscall.LoadDLL(name)
	if err != nil {
		if e, ok := err.(*syscall.DLLError); ok {
			err = e.Err
		}
		return 0, fmt.Errorf("%s: %v", name, err)
	}
	fn, err := lib.FindProc("vkGetInstanceProcAddr")
	if err != nil {
		return 0, fmt.Errorf("%s has no vkGetInstanceProcAddr", name)
	}
	return fn.Addr(), nil
}

func invoke(fn uintptr, args []uintptr) uintptr {
	r, _, _ := syscall.SyscallN(fn, args...)
	return r
}

// newCallback makes a C function from a Go function. The C function is never freed.
func newCallback(fn any) uintptr { return syscall.NewCallback(fn) }

// hostTimeDomain is Vulkan's number for the clock of Monotonic.
const hostTimeDomain = timeDomainQueryPerformanceCounterExt

var (
	kernel32       = syscall.NewLazyDLL("kernel32.dll")
	queryCounter   = kernel32.NewProc("QueryPerformanceCounter")
	queryFrequency = kernel32.NewProc("QueryPerformanceFrequency")
)

// hostTime converts a value of QueryPerformanceCounter to nanoseconds.
func hostTime(counter uint64) uint64 {
	frequency := new(uint64)
	queryFrequency.Call(uintptr(unsafe.Pointer(frequency)))
	f := max(*frequency, 1)
	return counter/f*1e9 + counter%f*1e9/f
}

// Monotonic reads QueryPerformanceCounter, in nanoseconds.
func Monotonic() uint64 {
	counter := new(uint64)
	queryCounter.Call(uintptr(unsafe.Pointer(counter)))
	return hostTime(*counter)
}
