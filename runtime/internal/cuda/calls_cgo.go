//go:build cgo && linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package cuda

/*
#cgo LDFLAGS: -ldl
#cgo CFLAGS: -std=gnu11 -O2
#include <stdlib.h>
#include "shim.h"

#cgo noescape cuda_open
#cgo nocallback cuda_open
#cgo noescape cuda_device_uuid
#cgo nocallback cuda_device_uuid
#cgo nocallback cuda_copy
#cgo nocallback cuda_stream_done
*/
import "C"

import (
	"errors"
	"fmt"
	"syscall"
	"unsafe"
)

// This file calls CUDA's driver through a shim in C. The file is for builds for Linux with cgo, on
// the processors in the build tag.

// Built reports whether the program can open the driver's library.
const Built = true

// The function `result` returns the value of a driver call, or an Error if the call failed.
func result(v C.cuda_value) (uint64, error) {
	if v.call == nil {
		return uint64(v.value), nil
	}
	name := C.GoString(C.cuda_result_name(v.result))
	if name == "" {
		name = fmt.Sprintf("CUresult(%d)", v.result)
	}
	return 0, &Error{C.GoString(v.call), name}
}

// The function `open` opens the library, and returns the library's devices.
func open(name string) ([]UUID, error) {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	var text [512]C.char
	v := C.cuda_open(c, &text[0], C.size_t(len(text)))
	if text[0] != 0 {
		return nil, errors.New("cuda: " + C.GoString(&text[0]))
	}
	if _, err := result(v); err != nil {
		return nil, err
	}
	n, err := result(C.cuda_device_count())
	if err != nil {
		return nil, err
	}
	list := make([]UUID, n)
	for i := range list {
		if _, err := result(C.cuda_device_uuid(C.int32_t(i), (*C.uint8_t)(&list[i][0]))); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func canAccess(device, peer int32) (bool, error) {
	v, err := result(C.cuda_can_access(C.int32_t(device), C.int32_t(peer)))
	return v != 0, err
}

func retain(device int32) (uintptr, error) {
	v, err := result(C.cuda_retain(C.int32_t(device)))
	return uintptr(v), err
}

func release(device int32) error {
	_, err := result(C.cuda_release(C.int32_t(device)))
	return err
}

func createStream(ctx uintptr) (uintptr, error) {
	v, err := result(C.cuda_stream_create(C.uintptr_t(ctx)))
	return uintptr(v), err
}

func destroyStream(ctx, stream uintptr) error {
	_, err := result(C.cuda_stream_destroy(C.uintptr_t(ctx), C.uintptr_t(stream)))
	return err
}

func streamDone(ctx, stream uintptr) (bool, error) {
	v, err := result(C.cuda_stream_done(C.uintptr_t(ctx), C.uintptr_t(stream)))
	return v != 0, err
}

func startCopy(ctx, stream uintptr, dst, src, size uint64) error {
	_, err := result(C.cuda_copy(C.uintptr_t(ctx), C.uintptr_t(stream), C.uint64_t(dst), C.uint64_t(src), C.uint64_t(size)))
	return err
}

func importMemory(ctx uintptr, fd int, size uint64) (uintptr, error) {
	v, err := result(C.cuda_import(C.uintptr_t(ctx), C.int(fd), C.uint64_t(size)))
	if err != nil {
		syscall.Close(fd)
	}
	return uintptr(v), err
}

func mapMemory(ctx, memory uintptr, size uint64) (uint64, error) {
	return result(C.cuda_map(C.uintptr_t(ctx), C.uintptr_t(memory), C.uint64_t(size)))
}

func unmapMemory(ctx uintptr, address uint64) error {
	_, err := result(C.cuda_unmap(C.uintptr_t(ctx), C.uint64_t(address)))
	return err
}

func dropMemory(ctx, memory uintptr) error {
	_, err := result(C.cuda_drop(C.uintptr_t(ctx), C.uintptr_t(memory)))
	return err
}
