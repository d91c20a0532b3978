//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/internal/env"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

type driver struct{}

// New returns the Vulkan driver. The driver opens the Vulkan loader when the driver is first asked
// for devices.
func New() hal.Driver { return driver{} }

// `loader` contains the only instance of the process. Creating an instance takes at least a tenth
// of a second, and the binding supports only one instance.
var loader struct {
	sync.Mutex
	instance vkx.Instance
	devices  []physicalDevice // usable devices, in the loader's order
	err      error            // reason why there are no devices, or nil
	open     int              // number of open devices
}

type physicalDevice struct {
	handle vkx.PhysicalDevice
	*vkx.PhysicalDeviceInfo
	matrices []abi.MatrixTuple // matrix products of the device (see matricesOf)
}

// ValidationMessages returns the number of errors and warnings that the validation
// layer has printed since the process began; see KGEN_VALIDATE.
func ValidationMessages() int { return vkx.Messages() }

// Shutdown destroys the process's instance if no device is open. The next call of Enumerate makes a
// new instance. Shutdown is for tests that look for leaks.
func Shutdown() {
	loader.Lock()
	defer loader.Unlock()
	if loader.instance == 0 || loader.open > 0 {
		return
	}
	vkx.DestroyInstance(loader.instance)
	loader.instance, loader.devices, loader.err = 0, nil, nil
}

func (driver) Name() string { return "vulkan" }

// Enumerate lists the usable devices in the loader's order.
func (driver) Enumerate() ([]hal.Info, error) {
	loader.Lock()
	defer loader.Unlock()
	if err := loadDevices(); err != nil {
		return nil, err
	}
	list := make([]hal.Info, len(loader.devices))
	for i, p := range loader.devices {
		list[i] = p.infoOf()
	}
	return list, nil
}

// Open opens the device with index i in Enumerate's list.
func (driver) Open(i int) (hal.Device, error) {
	loader.Lock()
	defer loader.Unlock()
	if err := loadDevices(); err != nil {
		return nil, err
	}
	if i < 0 || i >= len(loader.devices) {
		return nil, fmt.Errorf("vulkan: there is no device %d; there are %d", i, len(loader.devices))
	}
	d, err := openDevice(&loader.devices[i])
	if err != nil {
		return nil, err
	}
	loader.open++
	return d, nil
}

// loadDevices creates the instance and finds the devices. loadDevices does not remember
// a failure, because a driver may be installed later.
func loadDevices() error {
	if loader.instance != 0 {
		return loader.err
	}
	if err := vkx.Open(); err != nil {
		return noLoader(err)
	}
	version := vkx.InstanceVersion()
	if version < minVersion {
		return fmt.Errorf("vulkan: the loader is of Vulkan %v, kgen needs %v; install a newer one", version, minVersion)
	}
	validate := env.On(env.Validate)
	inst, r := vkx.CreateInstance(min(version, vkx.MakeVersion(1, 3, 0)), validate)
	switch {
	case r == vkx.ErrorIncompatibleDriver:
		return fmt.Errorf("vulkan: the loader found no driver; %s", installHint)
	case r == vkx.ErrorLayerNotPresent && validate:
		return fmt.Errorf("vulkan: KGEN_VALIDATE=1, but there is no VK_LAYER_KHRONOS_validation; install it (Debian, Ubuntu: apt install vulkan-validationlayers)")
	case r < 0:
		return check("vkCreateInstance", r)
	}
	physical, r := vkx.EnumeratePhysicalDevices(inst)
	if r < 0 {
		vkx.DestroyInstance(inst)
		return check("vkEnumeratePhysicalDevices", r)
	}
	loader.devices, loader.err = nil, nil
	var missing []string
	for _, p := range physical {
		info := vkx.GetPhysicalDeviceInfo(p)
		if m := missingFeature(info); m != "" {
			missing = append(missing, fmt.Sprintf("%s lacks %s", info.DeviceName, m))
			continue
		}
		d := physicalDevice{p, info, nil}
		d.matrices = matricesOf(&d)
		loader.devices = append(loader.devices, d)
	}
	switch {
	case len(physical) == 0:
		loader.err = fmt.Errorf("vulkan: no driver reports a device; %s", installHint)
	case len(loader.devices) == 0:
		loader.err = fmt.Errorf("vulkan: no usable device: %s; a newer driver may help", strings.Join(missing, "; "))
	}
	if loader.err != nil {
		vkx.DestroyInstance(inst)
		return loader.err
	}
	loader.instance = inst
	return nil
}

var deviceTypes = map[vkx.PhysicalDeviceType]hal.DeviceType{
	vkx.PhysicalDeviceTypeDiscreteGpu:   hal.DiscreteGPU,
	vkx.PhysicalDeviceTypeIntegratedGpu: hal.IntegratedGPU,
	vkx.PhysicalDeviceTypeVirtualGpu:    hal.VirtualGPU,
	vkx.PhysicalDeviceTypeCpu:           hal.VulkanCPU,
}

// nvidiaPrivate is the size of the memory that NVIDIA's driver (580.159.04) has for private arrays.
// The memory contains the arrays of all work-items that the GPU can run at once. If the arrays that
// the compiler does not keep in registers need more memory, vkCreateComputePipelines returns
// VK_ERROR_UNKNOWN. An H200 runs 132 times 64 sub-groups of 32 work-items, so each work-item can
// have 15,872 bytes of private arrays. The driver accepts arrays of 15,856 bytes, but not of 15,880
// bytes.
const nvidiaPrivate = 4 << 30

// infoOf describes a physical device. infoOf leaves out facts that the backend probes when it opens
// the device, such as the treatment of subnormals.
func infoOf(p *vkx.PhysicalDeviceInfo) hal.Info {
	kind, ok := deviceTypes[p.DeviceType]
	if !ok {
		kind = hal.OtherDevice
	}
	types, _ := memoryTypes(p, ^uint32(0))
	heap := p.MemoryHeaps[p.MemoryTypes[types.device].Heap].Size
	info := hal.Info{
		Name:       p.DeviceName,
		Driver:     strings.TrimSpace(p.DriverName + " " + p.DriverInfo),
		API:        fmt.Sprintf("Vulkan %v", p.APIVersion),
		Type:       kind,
		Aspects:    aspectsOf(p),
		UUID:       p.DeviceUUID,
		Timestamps: timestampBits(p) > 0,
		SubGroups:  [2]int{int(p.MinSubgroupSize), int(p.MaxSubgroupSize)},
		Limits: hal.Limits{
			MaxWorkItems:      int(p.MaxComputeWorkGroupInvocations),
			LocalMemory:       int(p.MaxComputeSharedMemorySize),
			MaxAllocation:     heap,
			MaxLaunchBlock:    int(p.MaxPushConstantsSize),
			ComputeUnits:      int(p.ComputeUnits),
			PreferredItems:    min(256, int(p.MaxComputeWorkGroupInvocations), int(p.MaxComputeWorkGroupSize[0])),
			DeviceMemory:      heap,
			MemoryIsHostSpeed: types.hostSpeed,
		},
	}
	// Vulkan guarantees that an allocation of maxMemoryAllocationSize works. NVIDIA's drivers allow
	// far larger allocations, so Alloc also tries larger allocations.
	if p.MaxBufferSize != 0 {
		info.Limits.MaxAllocation = min(heap, p.MaxBufferSize)
	}
	if a := p.PCI; a != nil {
		info.PCI = fmt.Sprintf("%04x:%02x:%02x.%x", a[0], a[1], a[2], a[3])
	}
	for i := range 3 {
		info.Limits.MaxWorkGroupSize[i] = int(p.MaxComputeWorkGroupSize[i])
		info.Limits.MaxGroups[i] = int(p.MaxComputeWorkGroupCount[i])
	}
	// Vulkan has no limit for private memory, and drivers do not check its size. NVIDIA's hardware
	// supports 512 KiB per work-item, and Mesa on the CPU crashes with 2 MiB.
	info.Limits.PrivateMemory = 512 << 10
	if kind == hal.VulkanCPU {
		info.Limits.PrivateMemory = 1 << 20
	}
	if n := uint64(p.ResidentItems); n > 0 {
		info.Limits.PrivateBacked = int(min(uint64(info.Limits.PrivateMemory), nvidiaPrivate/n&^15))
	}
	if kind == hal.VulkanCPU && info.Limits.ComputeUnits == 0 {
		info.Limits.ComputeUnits = runtime.NumCPU()
	}
	return info
}
