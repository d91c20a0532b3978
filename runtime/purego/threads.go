//go:build !cgo && linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package purego

import "github.com/kgen-go/kgen/runtime/internal/host"

// The C library creates the program's threads, as in programs with cgo.
func init() { host.UseThreadsOfC() }
