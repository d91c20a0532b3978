//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"fmt"

	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

// `check` returns an error for a failed Vulkan call. The error wraps the error of package hal that
// corresponds to the result, if there is one.
func check(call string, r vkx.Result) error {
	if r >= 0 {
		return nil
	}
	text := "vulkan: " + call + ": " + vkx.ResultName(r)
	switch r {
	case vkx.ErrorDeviceLost:
		return fmt.Errorf("%s: %w", text, hal.ErrDeviceLost)
	case vkx.ErrorOutOfDeviceMemory, vkx.ErrorOutOfHostMemory, vkx.ErrorTooManyObjects, vkx.ErrorMemoryMapFailed,
		vkx.ErrorFragmentedPool, vkx.ErrorOutOfPoolMemory:
		return fmt.Errorf("%s: %w", text, hal.ErrOutOfMemory)
	}
	return fmt.Errorf("%s: %w", text, hal.ErrDriver)
}
