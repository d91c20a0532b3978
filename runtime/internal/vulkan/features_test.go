//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/spirv/features"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

// TestEveryAspectHasARow: an aspect is in the table of features, or has a question of its own.
func TestEveryAspectHasARow(t *testing.T) {
	for _, a := range properties.Aspects() {
		if len(features.Device(a)) == 0 && also[a] == nil {
			t.Errorf("nothing says which devices have %v", a)
		}
	}
	for f := range vkx.NumFeatures {
		if s := vkx.Feature(f).String(); s == "" || s == "?" {
			t.Errorf("feature %d has no name", f)
		}
	}
}

// TestFeaturesAreKnown: the table of features has names that Vulkan has. Modules whose
// features are not enabled are refused, so that an aspect takes features that are.
func TestFeaturesAreKnown(t *testing.T) {
	disabled := []string{"shaderBufferFloat32AtomicMinMax", "shaderBufferFloat64AtomicMinMax"}
	for _, r := range features.Rows {
		for _, name := range append([]string{r.Device}, r.Also...) {
			_, enabled := vkx.FeatureNamed(name)
			if _, operation := subGroupBits[name]; name != "" && !enabled && !operation && !slices.Contains(disabled, name) {
				t.Errorf("%v needs %q, which package vkx does not enable", r.Capability, name)
			}
		}
	}
}

// TestAspectsTakeFeatures: a device without one of an aspect's features has all other aspects.
func TestAspectsTakeFeatures(t *testing.T) {
	all := aspectsOf(gpu())
	for name, want := range map[string][]properties.Aspect{
		"shaderFloat16":                  {properties.FP16},
		"storageBuffer16BitAccess":       {properties.FP16, properties.Int16},
		"shaderFloat64":                  {properties.FP64, properties.AtomicFloat64},
		"storageBuffer8BitAccess":        {properties.Int8},
		"shaderInt8":                     {properties.Int8},
		"shaderInt16":                    {properties.Int16},
		"shaderInt64":                    {properties.Int64, properties.Atomic64},
		"shaderBufferInt64Atomics":       {properties.Atomic64},
		"shaderSharedInt64Atomics":       {properties.Atomic64},
		"shaderBufferFloat32AtomicAdd":   {properties.AtomicFloat32},
		"shaderBufferFloat64AtomicAdd":   {properties.AtomicFloat64},
		"VK_SUBGROUP_FEATURE_BALLOT_BIT": {properties.SubGroups},
		"timelineSemaphore":              nil,
	} {
		p := gpu()
		p.Features &^= featureBits(name)
		p.SubgroupOperations &^= uint32(subGroupBits[name])
		have := aspectsOf(p)
		var lost []properties.Aspect
		for _, a := range all {
			if !slices.Contains(have, a) {
				lost = append(lost, a)
			}
		}
		if !slices.Equal(lost, want) {
			t.Errorf("without %s, the device lacks %v, want %v", name, lost, want)
		}
	}
}

// featureBits returns the bits of features.
func featureBits(names ...string) (set uint64) {
	for _, n := range names {
		if f, ok := vkx.FeatureNamed(n); ok {
			set |= 1 << f
		}
	}
	return set
}

// gpu is a discrete GPU with everything.
func gpu() *vkx.PhysicalDeviceInfo {
	local := vkx.MemoryPropertyDeviceLocalBit
	visible := vkx.MemoryPropertyHostVisibleBit | vkx.MemoryPropertyHostCoherentBit
	cached := vkx.MemoryPropertyHostCachedBit
	return &vkx.PhysicalDeviceInfo{
		APIVersion: vkx.MakeVersion(1, 3, 5), DeviceName: "Test GPU",
		DeviceType: vkx.PhysicalDeviceTypeDiscreteGpu,
		Features:   1<<vkx.NumFeatures - 1, SubgroupStages: ^uint32(0), SubgroupOperations: ^uint32(0), SubgroupSize: 32,
		QueueFamilies: []vkx.QueueFlags{
			vkx.QueueGraphicsBit | vkx.QueueComputeBit | vkx.QueueTransferBit,
			vkx.QueueTransferBit, vkx.QueueComputeBit | vkx.QueueTransferBit,
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
	if m := missingFeature(p); m != "" {
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
	p.DeviceType = vkx.PhysicalDeviceTypeIntegratedGpu
	if s, _ := memoryTypes(p, ^uint32(0)); s.device != 6 || !s.hostSpeed {
		t.Errorf("integrated GPU: %+v", s)
	}
	if s, ok := memoryTypes(p, 1<<1|1<<2); !ok || s != (typeSet{device: 1, host: 2, upload: 2}) {
		t.Errorf("types 1 and 2 only: %+v", s)
	}

	p.Features &^= featureBits("bufferDeviceAddress", "shaderInt64")
	p.QueueFamilies = p.QueueFamilies[1:2]
	if m := missingFeature(p); m != "bufferDeviceAddress, a queue for compute" {
		t.Errorf("lacks %s", m)
	}
	got := aspectsOf(p)
	if slices.Contains(got, properties.Int64) || slices.Contains(got, properties.Atomic64) || !slices.Contains(got, properties.FP64) {
		t.Errorf("aspects without shaderInt64: %v", got)
	}
	p.APIVersion = vkx.MakeVersion(1, 1, 0)
	if m := missingFeature(p); !strings.Contains(m, "Vulkan 1.2.0") {
		t.Errorf("lacks %s", m)
	}
}
