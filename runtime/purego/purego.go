//go:build (darwin && (amd64 || arm64)) || (!cgo && linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64))

package purego

import (
	"github.com/ebitengine/purego"

	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

// This file lets package vkx load libraries without cgo. The file is for builds for macOS, and for
// builds for Linux without cgo.

func init() {
	vkx.UseLibraries(&vkx.Libraries{
		Open:     func(name string) (uintptr, error) { return purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL) },
		Symbol:   purego.Dlsym,
		Call:     purego.SyscallN,
		Callback: func(fn any) uintptr { return purego.NewCallback(fn) },
	})
}
