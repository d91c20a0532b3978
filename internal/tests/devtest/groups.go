package devtest

import (
	"context"
	"fmt"
	"testing"

	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/shard"
)

// Groups runs an example on one, two and three devices. The example checks its own results. The first two devices
// are the host device. The third device is the Vulkan device, if it exists.
func Groups(t *testing.T, run func(ctx context.Context, g *shard.Group) error) {
	t.Helper()
	devs := []*runtime.Device{Host(t), Host(t)}
	if v := VulkanOrNone(t); v != nil {
		devs = append(devs, v)
	}
	for n := range devs {
		t.Run(fmt.Sprint(n+1), func(t *testing.T) {
			g, err := shard.Of(devs[:n+1]...)
			if err != nil {
				t.Fatal(err)
			}
			if err := run(t.Context(), g); err != nil {
				t.Error(err)
			}
		})
	}
}
