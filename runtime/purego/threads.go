//go:build !cgo && linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package purego

import "github.com/kgen-go/kgen/runtime/internal/host"

// Threads are made by the C library, as with cgo.
func init() { host.UseThreadsOfC() }
