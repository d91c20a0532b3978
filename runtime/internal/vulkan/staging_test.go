//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"bytes"
	"runtime"
	"testing"
)

// TestCopyBytes: all bytes are copied, also the few that are left where the parts of several
// goroutines have round sizes.
func TestCopyBytes(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(16))
	src := make([]byte, 17<<20)
	for i := range src {
		src[i] = byte(i>>8 ^ i | 1)
	}
	for _, size := range []int{0, 1, 2<<20 - 1, 2 << 20, 2<<20 + 1, 8<<20 + 4, 8<<20 + 7, 16<<20 + 15, 16<<20 + 16, 17<<20 - 1} {
		dst := make([]byte, size+1)
		copyBytes(dst[:size], src[:size])
		if !bytes.Equal(dst[:size], src[:size]) || dst[size] != 0 {
			t.Errorf("of %d bytes not all are copied, or more", size)
		}
	}
}
