// Package devtest runs the example programs as tests.
package devtest

import (
	"context"
	"os"
	"strconv"
	"testing"

	"github.com/kgen-go/kgen/runtime"
)

// Run runs an example, which checks its results itself, on each device there is.
func Run(t *testing.T, run func(ctx context.Context, dev *runtime.Device) error) {
	t.Helper()
	vulkan := false
	for i, info := range runtime.Devices() {
		vulkan = vulkan || info.Backend == "vulkan"
		t.Run(info.Backend, func(t *testing.T) {
			dev, err := runtime.Open(runtime.Select(strconv.Itoa(i)))
			if err != nil {
				t.Fatal(err)
			}
			// In validation mode Close reports what the layers had to say.
			defer func() {
				if err := dev.Close(); err != nil {
					t.Error(err)
				}
			}()
			t.Log(dev)
			if err := run(t.Context(), dev); err != nil {
				t.Error(err)
			}
		})
	}
	if !vulkan && os.Getenv("KGEN_REQUIRE_VULKAN") != "" {
		t.Error("KGEN_REQUIRE_VULKAN is set and there is no Vulkan device")
	}
}
