//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/need"
	"github.com/kgen-go/kgen/runtime/internal/backendtest"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

// TestSubGroupSize has the validation layers say which size of sub-groups the driver is
// asked for: on devices with one size, no kernel could tell. A process of its own believes
// in a size that the device does not have, and asks for it.
func TestSubGroupSize(t *testing.T) {
	if os.Getenv("KGEN_TEST_SUBGROUP") == "1" {
		d := open(t)
		phys := *d.phys
		if !phys.Has(vkx.SubgroupSizeControl) || phys.RequiredSubgroupSizeStages&uint32(vkx.ShaderStageComputeBit) == 0 {
			fmt.Println("not settable")
			os.Exit(0)
		}
		desc := backendtest.Desc("increment")
		desc.SubGroupSize = int(phys.MaxSubgroupSize)
		if _, err := d.NewPipeline(&desc); err != nil || ValidationMessages() != 0 {
			fmt.Println("refused:", err)
			os.Exit(0)
		}
		phys.MaxSubgroupSize *= 2
		d.phys = &phys
		desc.SubGroupSize = int(phys.MaxSubgroupSize)
		_, err := d.NewPipeline(&desc)
		fmt.Println("asked:", err, ValidationMessages())
		os.Exit(0)
	}
	open(t) // or the test is skipped
	cmd := exec.Command(os.Args[0], "-test.run=^TestSubGroupSize$")
	cmd.Env = append(os.Environ(), "KGEN_TEST_SUBGROUP=1", "KGEN_VALIDATE=1")
	out, err := cmd.CombinedOutput()
	switch text := string(out); {
	case strings.Contains(text, "VK_LAYER_KHRONOS_validation"):
		need.Missing(t, need.Vulkan, "no validation layers: %s", text)
	case strings.Contains(text, "not settable"):
		t.Skip("the device's sub-groups have a size that nothing changes")
	case err != nil || !strings.Contains(text, "asked: ") || !strings.Contains(text, "requiredSubgroupSize"):
		t.Errorf("no message about the size that was asked for: %v\n%s", err, text)
	}
}

// TestSubGroupNotSettable has a device with several sizes, of which none can be asked for.
func TestSubGroupNotSettable(t *testing.T) {
	d := open(t)
	phys := *d.phys
	phys.RequiredSubgroupSizeStages, phys.MinSubgroupSize, phys.MaxSubgroupSize = 0, 4, 16
	real := d.phys
	d.phys = &phys
	defer func() { d.phys = real }()
	desc := backendtest.Desc("increment")
	for _, n := range []int{4, 8, 16} {
		desc.SubGroupSize = n
		if _, err := d.NewPipeline(&desc); !errors.Is(err, hal.ErrNotSupported) {
			t.Errorf("sub-groups of %d: %v", n, err)
		}
	}
}
