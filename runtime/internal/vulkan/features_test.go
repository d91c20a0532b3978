//go:build cgo && linux && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package vulkan

import (
	"slices"
	"strings"
	"testing"

	vk "github.com/vulkan-go/vulkan"

	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

func TestEveryAspectHasARow(t *testing.T) {
	for _, a := range properties.Aspects() {
		n := 0
		for _, row := range aspects {
			if row.aspect == a {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%v has %d rows", a, n)
		}
	}
	for f := range vkx.NumFeatures {
		if s := vkx.Feature(f).String(); s == "" || s == "?" {
			t.Errorf("feature %d has no name", f)
		}
	}
}

// gpu is a discrete GPU with everything.
func gpu() *vkx.PhysicalDeviceInfo {
	local := vk.MemoryPropertyFlags(vk.MemoryPropertyDeviceLocalBit)
	visible := vk.MemoryPropertyFlags(vk.MemoryPropertyHostVisibleBit | vk.MemoryPropertyHostCoherentBit)
	cached := vk.MemoryPropertyFlags(vk.MemoryPropertyHostCachedBit)
	return &vkx.PhysicalDeviceInfo{
		APIVersion: vk.Version(vk.MakeVersion(1, 3, 5)), DeviceName: "Test GPU",
		DeviceType: vk.PhysicalDeviceTypeDiscreteGpu,
		Features:   1<<vkx.NumFeatures - 1, SubgroupStages: ^uint32(0), SubgroupOperations: ^uint32(0), SubgroupSize: 32,
		QueueFamilies: []vk.QueueFlags{
			vk.QueueFlags(vk.QueueGraphicsBit | vk.QueueComputeBit | vk.QueueTransferBit),
			vk.QueueFlags(vk.QueueTransferBit), vk.QueueFlags(vk.QueueComputeBit | vk.QueueTransferBit),
		},
		MemoryHeaps: []vkx.MemoryHeap{{Size: 80 << 30}, {Size: 64 << 30}},
		MemoryTypes: []vkx.MemoryType{
			{Flags: 0, Heap: 1}, {Flags: local, Heap: 0}, {Flags: visible, Heap: 1},
			{Flags: visible | cached, Heap: 1}, {Flags: local | visible, Heap: 0}, {Flags: local | 0x40, Heap: 0},
		},
	}
}

func TestChoices(t *testing.T) {
	p := gpu()
	if m := lacks(p); m != "" {
		t.Errorf("a GPU with everything lacks %s", m)
	}
	if f, ok := queueFamily(p); f != 2 || !ok {
		t.Errorf("queue family %d, want the one without graphics", f)
	}
	if s, ok := memoryTypes(p, ^uint32(0)); !ok || s != (typeSet{device: 1, host: 3, upload: 4}) {
		t.Errorf("discrete GPU: %+v", s)
	}
	if got := aspectsOf(p); len(got) != len(properties.Aspects())-1 || slices.Contains(got, properties.CPU) {
		t.Errorf("aspects: %v", got)
	}
	p.MemoryTypes = append(p.MemoryTypes, vkx.MemoryType{Flags: p.MemoryTypes[3].Flags | p.MemoryTypes[1].Flags})
	if s, _ := memoryTypes(p, ^uint32(0)); s.device != 1 || s.hostSpeed {
		t.Errorf("discrete GPU with mapped memory: %+v", s)
	}
	p.DeviceType = vk.PhysicalDeviceTypeIntegratedGpu
	if s, _ := memoryTypes(p, ^uint32(0)); s.device != 6 || !s.hostSpeed {
		t.Errorf("integrated GPU: %+v", s)
	}
	if s, ok := memoryTypes(p, 1<<1|1<<2); !ok || s != (typeSet{device: 1, host: 2, upload: 2}) {
		t.Errorf("types 1 and 2 only: %+v", s)
	}

	p.Features &^= 1<<vkx.BufferDeviceAddress | 1<<vkx.ShaderInt64
	p.QueueFamilies = p.QueueFamilies[1:2]
	if m := lacks(p); m != "bufferDeviceAddress, a queue for compute" {
		t.Errorf("lacks %s", m)
	}
	got := aspectsOf(p)
	if slices.Contains(got, properties.Int64) || slices.Contains(got, properties.Atomic64) || !slices.Contains(got, properties.FP64) {
		t.Errorf("aspects without shaderInt64: %v", got)
	}
	p.APIVersion = vk.Version(vk.MakeVersion(1, 1, 0))
	if m := lacks(p); !strings.Contains(m, "Vulkan 1.2.0") {
		t.Errorf("lacks %s", m)
	}
}
