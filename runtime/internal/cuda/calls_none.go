//go:build !(cgo && linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64))

package cuda

// Built reports whether the program can open the driver's library.
const Built = false

// Without a library there is no device, so only the first of the following functions is ever
// called.

func open(string) ([]UUID, error) { return nil, ErrNone }

func canAccess(device, peer int32) (bool, error)                     { return false, ErrNone }
func retain(device int32) (uintptr, error)                           { return 0, ErrNone }
func release(device int32) error                                     { return ErrNone }
func createStream(ctx uintptr) (uintptr, error)                      { return 0, ErrNone }
func destroyStream(ctx, stream uintptr) error                        { return ErrNone }
func streamDone(ctx, stream uintptr) (bool, error)                   { return false, ErrNone }
func startCopy(ctx, stream uintptr, dst, src, n uint64) error        { return ErrNone }
func importMemory(ctx uintptr, fd int, size uint64) (uintptr, error) { return 0, ErrNone }
func mapMemory(ctx, memory uintptr, size uint64) (uint64, error)     { return 0, ErrNone }
func unmapMemory(ctx uintptr, address uint64) error                  { return ErrNone }
func dropMemory(ctx, memory uintptr) error                           { return ErrNone }
