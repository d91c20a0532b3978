package host

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/internal/env"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// DefaultSubGroup is the size of sub-groups for kernels that do not require one.
const DefaultSubGroup = 32

const maxSubGroup = env.MaxSubGroup

// New returns the driver of the host device. The driver always has exactly one device.
func New() hal.Driver { return driver{} }

type driver struct{}

func (driver) Name() string { return "host" }

func (driver) Enumerate() ([]hal.Info, error) { return []hal.Info{hostInfo()}, nil }

func (driver) Open(i int) (hal.Device, error) {
	if i != 0 {
		return nil, fmt.Errorf("the host has no device %d", i)
	}
	return newDevice(), nil
}

// hostInfo describes the host device. Work-group sizes are limited as on most GPUs, because the
// host needs a goroutine for each work-item of a work-group. The local memory is at least as large
// as on the largest GPUs, because work-group memory is ordinary memory on the host.
func hostInfo() hal.Info {
	procs := runtime.GOMAXPROCS(0)
	cores := "cores"
	if procs == 1 {
		cores = "core"
	}
	memory := sharedBudget.totalLimit()
	return hal.Info{
		Name:   fmt.Sprintf("host (%s/%s, %d %s)", runtime.GOOS, runtime.GOARCH, procs, cores),
		Driver: "Go " + strings.TrimPrefix(runtime.Version(), "go"),
		API:    "Go",
		Type:   hal.HostCPU,
		// The host has all aspects except GPU, because the Go compiler compiles all kernels.
		Aspects:   slices.DeleteFunc(properties.Aspects(), func(a properties.Aspect) bool { return a == properties.GPU }),
		SubGroups: [2]int{1, maxSubGroup},
		Limits: hal.Limits{
			MaxWorkGroupSize:  [3]int{1024, 1024, 1024},
			MaxWorkItems:      1024,
			MaxGroups:         [3]int{1<<31 - 1, 1<<31 - 1, 1<<31 - 1},
			LocalMemory:       1 << 20,
			PrivateMemory:     1 << 20, // the same limit as on other devices
			MaxAllocation:     memory,
			MaxLaunchBlock:    1 << 16,
			ComputeUnits:      procs,
			PreferredItems:    256,
			DeviceMemory:      memory,
			MemoryIsHostSpeed: true,
		},
		Subnormals:    hal.KeepsSubnormals,
		ExactDivide:   true,
		ExactDivide64: true,
		Fused:         true,
		Timestamps:    true,
	}
}
