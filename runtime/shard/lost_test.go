//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package shard_test

import (
	"errors"
	"slices"
	"testing"

	saxpygen "github.com/kgen-go/kgen/generated/examples/quickstart/saxpy"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
	"github.com/kgen-go/kgen/runtime/shard"
)

// TestLost loses the Vulkan device of a group at each of some calls of its driver. The error names
// the device, and the host device stays usable.
func TestLost(t *testing.T) {
	if devtest.VulkanOrNone(t) == nil {
		t.Skip("only a Vulkan device can be lost")
	}
	host := devtest.Host(t)
	for _, failure := range []vkx.Result{vkx.ErrorDeviceLost, vkx.ErrorOutOfDeviceMemory} {
		failed := 0
		for n := int32(1); ; n += 3 {
			bad := must(runtime.Open(runtime.Select("vulkan")))
			g := must(shard.Of(host, bad))
			xs := numbers(1000)
			x, y := must(shard.Scatter(t.Context(), g, xs, shard.Halo(2))), must(shard.Scatter(t.Context(), g, xs, shard.Halo(2)))
			vkx.Inject(n, failure)
			err := shard.Each(t.Context(), g, func(p shard.Part) error {
				for range 3 {
					if _, err := (saxpygen.SAXPY{A: 1, X: x.On(p), Y: y.On(p)}).ParallelFor(p.Queue, runtime.Range1(x.LenOn(p))); err != nil {
						return err
					}
					if err := y.Exchange(p); err != nil {
						return err
					}
				}
				return nil
			})
			pending := vkx.Pending()
			vkx.Inject(0, 0)
			if err == nil {
				for i := range xs {
					xs[i] += 3 * xs[i]
				}
				got := make([]float32, len(xs))
				if err := y.Gather(t.Context(), got); err != nil && !errors.Is(err, runtime.ErrDeviceLost) {
					t.Errorf("call %d: %v", n, err)
				}
			} else {
				failed++
				var e *shard.Error
				if !errors.As(err, &e) || !errors.Is(err, runtime.ErrDeviceLost) && !errors.Is(err, runtime.ErrMemoryAllocation) {
					t.Errorf("call %d: %v", n, err)
				}
			}
			alone, ones := must(shard.Of(host)), slices.Repeat([]float32{1}, 100)
			z := must(shard.Scatter(t.Context(), alone, ones))
			if err := z.Gather(t.Context(), make([]float32, 100)); err != nil {
				t.Errorf("call %d: the other device fails: %v", n, err)
			}
			x.Close()
			y.Close()
			bad.Close()
			if pending {
				break
			}
		}
		if failed == 0 {
			t.Errorf("no call has failed with %v", failure)
		}
	}
}
