//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vkx

import "sync/atomic"

// The high half of injectState is a countdown of calls, and its low half is a Result.
var (
	injectState atomic.Int64
	began       atomic.Bool // the injected failure has been returned
)

// Inject makes call number n return r. Only later calls that can fail are counted, beginning with
// 1. If r is ErrorDeviceLost, every later call fails, too, as with a real driver. If n is 0, Inject
// ends the injection. Inject is for tests.
func Inject(n int32, r Result) {
	began.Store(false)
	if n == 0 {
		injectState.Store(0)
		return
	}
	injectState.Store(int64(n)<<32 | int64(uint32(r)))
}

func injected() Result {
	if injectState.Load() == 0 {
		return Success
	}
	for {
		v := injectState.Load()
		n, r := int32(v>>32), Result(int32(uint32(v)))
		switch {
		case v == 0:
			return Success
		case n > 1:
			if injectState.CompareAndSwap(v, int64(n-1)<<32|int64(uint32(r))) {
				return Success
			}
		case r == ErrorDeviceLost:
			began.Store(true)
			return r
		default:
			if injectState.CompareAndSwap(v, 0) {
				return r
			}
		}
	}
}

// Pending reports whether the injected failure has not occurred yet.
func Pending() bool {
	v := injectState.Load()
	return v != 0 && !began.Load()
}
