//go:build !((linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64)))

package vulkan

import (
	"fmt"
	"runtime"

	"github.com/kgen-go/kgen/runtime/internal/hal"
)

type driver struct{}

// New returns a driver without devices. The errors of the driver say why the driver has no devices.
func New() hal.Driver { return driver{} }

func (driver) Name() string { return "vulkan" }

func (driver) Enumerate() ([]hal.Info, error) { return nil, errMissing() }

func (driver) Open(int) (hal.Device, error) { return nil, errMissing() }

func errMissing() error {
	return fmt.Errorf("vulkan: there is no Vulkan backend for %s/%s; use the host device, or a 64-bit Linux, Windows or macOS", runtime.GOOS, runtime.GOARCH)
}

// ValidationMessages returns 0, because there is no validation layer.
func ValidationMessages() int { return 0 }

// Shutdown does nothing.
func Shutdown() {}
