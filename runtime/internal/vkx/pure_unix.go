//go:build (darwin && (amd64 || arm64)) || (!cgo && linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64))

package vkx

import (
	"fmt"
	"runtime"
)

// Libraries contains functions that open C libraries and call the functions in them.
type Libraries struct {
	Open     func(name string) (uintptr, error)
	Symbol   func(library uintptr, name string) (uintptr, error)
	Call     func(fn uintptr, args ...uintptr) (r1, r2, err uintptr)
	Callback func(fn any) uintptr // function that makes a C function from a Go function
}

// linkedLibraries is nil in a program that does not import package runtime/purego. A program
// that imports that package is linked with the system's dynamic linker.
var linkedLibraries *Libraries

// UseLibraries sets the functions for calling C. Package runtime/purego calls UseLibraries when the
// program starts.
func UseLibraries(l *Libraries) { linkedLibraries = l }

// openLoader returns the loader's vkGetInstanceProcAddr.
func openLoader() (uintptr, error) {
	if linkedLibraries == nil {
		return 0, ErrNoLibraries
	}
	names := []string{"libvulkan.so.1", "libvulkan.so"}
	if runtime.GOOS == "darwin" {
		names = nil
		for _, dir := range []string{"", "/usr/local/lib/", "/opt/homebrew/lib/"} {
			for _, name := range []string{"libvulkan.1.dylib", "libvulkan.dylib", "libMoltenVK.dylib"} {
				names = append(names, dir+name)
			}
		}
	}
	var first error
	for _, name := range names {
		lib, err := linkedLibraries.Open(name)
		if err != nil {
			if first == nil {
				first = err
			}
			continue
		}
		fn, err := linkedLibraries.Symbol(lib, "vkGetInstanceProcAddr")
		if err != nil || fn == 0 {
			return 0, fmt.Errorf("%s has no vkGetInstanceProcAddr", name)
		}
		return fn, nil
	}
	return 0, first
}

func invoke(fn uintptr, args []uintptr) uintptr {
	r, _, _ := linkedLibraries.Call(fn, args...)
	return r
}

// newCallback makes a C function from a Go function. The C function is never freed.
func newCallback(fn any) uintptr { return linkedLibraries.Callback(fn) }

// hostTime converts a value of the host's clock to nanoseconds.
func hostTime(v uint64) uint64 { return v }
