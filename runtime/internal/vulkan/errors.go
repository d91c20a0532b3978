//go:build cgo && linux && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package vulkan

import (
	"fmt"

	vk "github.com/vulkan-go/vulkan"

	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

// check turns a failed call into an error that wraps one of hal's, if one fits.
func check(call string, r vk.Result) error {
	if r >= 0 {
		return nil
	}
	text := "vulkan: " + call + ": " + vkx.ResultName(r)
	switch r {
	case vk.ErrorDeviceLost:
		return fmt.Errorf("%s: %w", text, hal.ErrDeviceLost)
	case vk.ErrorOutOfDeviceMemory, vk.ErrorOutOfHostMemory, vk.ErrorTooManyObjects, vk.ErrorMemoryMapFailed,
		vk.ErrorFragmentedPool, vk.ErrorOutOfPoolMemory:
		return fmt.Errorf("%s: %w", text, hal.ErrOutOfMemory)
	}
	return fmt.Errorf("%s: %w", text, hal.ErrDriver)
}
