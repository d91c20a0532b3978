//go:build !cgo && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package vkx

import (
	"syscall"
	"unsafe"
)

// hostTimeDomain is Vulkan's number for the clock of Monotonic.
const hostTimeDomain = timeDomainClockMonotonicExt

// Monotonic reads CLOCK_MONOTONIC, in nanoseconds. CLOCK_MONOTONIC is the clock of package time.
func Monotonic() uint64 {
	const clockMonotonic = 1
	t := new(syscall.Timespec)
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(t)), 0)
	return uint64(t.Nano())
}
