package runtime_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/internal/ferry"
)

// pairs runs a test on pairs of devices: the host device twice, and the host beside each Vulkan
// device and each two Vulkan devices, with copies that go directly and in pieces through other
// memory of the host.
func pairs(t *testing.T, test func(t *testing.T, a, b *runtime.Device)) {
	infos := runtime.Devices()
	for i := range infos {
		for j := range infos {
			if i == j && infos[i].Backend != "host" {
				continue
			}
			t.Run(fmt.Sprintf("%s%d-%s%d", infos[i].Backend, i, infos[j].Backend, j), func(t *testing.T) {
				a, b := devtest.Index(t, i), devtest.Index(t, j)
				t.Run("direct", func(t *testing.T) { test(t, a, b) })
				t.Run("staged", func(t *testing.T) {
					ferry.Stage(true)
					defer ferry.Stage(false)
					test(t, a, b)
				})
			})
		}
	}
}

// TestCopyAcross copies between two devices, between launches on both.
func TestCopyAcross(t *testing.T) {
	pairs(t, func(t *testing.T, a, b *runtime.Device) {
		const n, rounds = 5000, 40
		x, y := must(runtime.NewBuffer[uint32](a, n)), must(runtime.NewBuffer[uint32](b, n+7))
		qa, qb := a.NewQueue(), b.NewQueue()
		for i := range rounds {
			must(incrementing(qa, x))
			q := qa
			if i%3 == 0 {
				q = qb
			}
			must(q.Enqueue(runtime.Copy(y.Slice(5, n+5), x.All())))
			must(launchOn(qb, increment, y.Slice(5, n+5)))
			must(qb.Enqueue(runtime.Copy(x.All(), y.Slice(5, n+5))))
		}
		got, far := make([]uint32, n), make([]uint32, n+7)
		if err := errors.Join(x.CopyTo(ctx, qa, got), y.CopyTo(ctx, qb, far), qa.Wait(ctx), qb.Wait(ctx)); err != nil {
			t.Fatal(err)
		}
		if i := slices.IndexFunc(got, func(v uint32) bool { return v != 2*rounds }); i >= 0 {
			t.Errorf("x[%d] is %d, and not %d", i, got[i], 2*rounds)
		}
		if far[4] != 0 || far[5] != 2*rounds || far[n+4] != 2*rounds || far[n+5] != 0 {
			t.Errorf("the copy is at another place: %d %d … %d %d", far[4], far[5], far[n+4], far[n+5])
		}
	})
}
