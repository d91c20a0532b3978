//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

// installHint says how the user can install a missing loader or driver.
var installHint = installOn[runtime.GOOS]

var installOn = map[string]string{
	"linux": "install a Vulkan loader and driver (Debian, Ubuntu: apt install libvulkan1 mesa-vulkan-drivers, which has a CPU device; " +
		"for NVIDIA: the driver package's Vulkan part)",
	"windows": "install the driver of the graphics card's vendor, which has vulkan-1.dll",
	"darwin":  "install a Vulkan loader and MoltenVK 1.3 or later (Homebrew: brew install vulkan-loader molten-vk)",
}

// noLoader returns the reason why the Vulkan loader cannot be opened, and how to install the
// loader.
func noLoader(err error) error {
	if errors.Is(err, vkx.ErrNoLibraries) {
		return fmt.Errorf("vulkan: %v; import _ \"github.com/kgen-go/kgen/runtime/purego\", or build it with CGO_ENABLED=1 "+
			"and a C compiler (Debian, Ubuntu: apt install gcc)", err)
	}
	return fmt.Errorf("vulkan: the loader cannot be opened: %v; %s", err, installHint)
}
