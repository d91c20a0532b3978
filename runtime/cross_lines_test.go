//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package runtime_test

import (
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/internal/ferry"
	"github.com/kgen-go/kgen/runtime/internal/vulkan"
)

// TestCopyAcrossTwoLines copies between launches on devices whose large copies go beside kernels.
func TestCopyAcrossTwoLines(t *testing.T) {
	devtest.Vulkan(t)
	vulkan.TwoLines(true)
	defer vulkan.TwoLines(false)
	ferry.Stage(true)
	defer ferry.Stage(false)
	const n, rounds = 1 << 19, 6
	for _, b := range []*runtime.Device{devtest.Vulkan(t), devtest.Host(t)} {
		a := devtest.Vulkan(t)
		x, y, z := must(runtime.NewBuffer[uint32](a, n)), must(runtime.NewBuffer[uint32](b, n)), must(runtime.NewBuffer[uint32](a, n))
		qa, qb := a.NewQueue(), b.NewQueue()
		for range rounds {
			must(incrementing(qa, x))
			must(qa.Enqueue(runtime.Copy(y.All(), x.All())))
			for range 3 {
				must(incrementing(qa, z)) // beside the copy
			}
			must(incrementing(qb, y))
			must(qb.Enqueue(runtime.Copy(x.All(), y.All())))
		}
		expect(t, x, 2*rounds)
		expect(t, y, 2*rounds)
		expect(t, z, 3*rounds)
	}
}
