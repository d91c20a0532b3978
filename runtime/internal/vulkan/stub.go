//go:build !(cgo && linux && (amd64 || arm64 || loong64 || ppc64le || riscv64))

package vulkan

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/kgen-go/kgen/runtime/internal/hal"
)

type driver struct{}

// New returns a driver without devices, whose errors say why.
func New() hal.Driver { return driver{} }

func (driver) Name() string { return "vulkan" }

func (driver) Enumerate() ([]hal.Info, error) { return nil, errMissing() }

func (driver) Open(int) (hal.Device, error) { return nil, errMissing() }

func errMissing() error {
	if runtime.GOOS != "linux" {
		return fmt.Errorf("vulkan: there is no Vulkan backend for %s yet; use the host device, or a 64-bit Linux", runtime.GOOS)
	}
	switch runtime.GOARCH {
	case "amd64", "arm64", "loong64", "ppc64le", "riscv64":
		return errors.New("vulkan: this binary was built without cgo; build it with CGO_ENABLED=1 and a C compiler (Debian, Ubuntu: apt install gcc)")
	}
	return fmt.Errorf("vulkan: there is no Vulkan backend for linux/%s; use the host device, or a little-endian 64-bit Linux", runtime.GOARCH)
}

// ValidationMessages returns 0: nothing is validated.
func ValidationMessages() int { return 0 }

// Shutdown does nothing.
func Shutdown() {}
