package properties

import "fmt"

// Aspect is an optional feature of a device, as SYCL uses the word. kgen infers
// the aspects that a kernel needs from its code.
type Aspect uint8

// The aspects. Explicit use of a type uses its aspect; int, uint, indexing and len
// never count as a use of Int64. A launch is refused where the device lacks one that
// the kernel lists, or uses otherwise, but for Int8, Int16 and Int64: kernels run
// without those in words of 32 bits, if they need no Atomic64. Nor is SubGroups needed
// for what work-groups do.
const (
	AspectInvalid Aspect = iota
	// FP16 is 16-bit floating-point arithmetic and storage.
	FP16
	// FP64 is float64 arithmetic.
	FP64
	// Int8 is native 8-bit integer storage in buffers.
	Int8
	// Int16 is native 16-bit integer storage in buffers.
	Int16
	// Int64 is native 64-bit integer arithmetic.
	Int64
	// Atomic64 is 64-bit integer atomics in buffers and work-group memory.
	Atomic64
	// AtomicFloat32 is native float32 atomic addition in buffers. No kernel needs
	// it; one that lists it in DeviceHas uses it.
	AtomicFloat32
	// AtomicFloat64 is the same for float64.
	AtomicFloat64
	// SubGroups is algorithms over sub-groups.
	SubGroups
	// PrivateAlloca is private memory sized by specialization constants.
	PrivateAlloca
	// GraphFusion is the fusion of a graph's kernels.
	GraphFusion
	// CPU is a device that is the host's processor.
	CPU
	// GPU is a device that is a graphics processor.
	GPU
	numAspects
)

// aspectNames has the names of each aspect: in directives, and of its constant.
var aspectNames = [numAspects]struct{ name, constant string }{
	AspectInvalid: {"invalid", "AspectInvalid"},
	FP16:          {"fp16", "FP16"},
	FP64:          {"fp64", "FP64"},
	Int8:          {"int8", "Int8"},
	Int16:         {"int16", "Int16"},
	Int64:         {"int64", "Int64"},
	Atomic64:      {"atomic64", "Atomic64"},
	AtomicFloat32: {"atomic_float32", "AtomicFloat32"},
	AtomicFloat64: {"atomic_float64", "AtomicFloat64"},
	SubGroups:     {"sub_groups", "SubGroups"},
	PrivateAlloca: {"private_alloca", "PrivateAlloca"},
	GraphFusion:   {"graph_fusion", "GraphFusion"},
	CPU:           {"cpu", "CPU"},
	GPU:           {"gpu", "GPU"},
}

// String returns the aspect's name as it stands in a //kgen:device_has directive.
func (a Aspect) String() string {
	if a < numAspects {
		return aspectNames[a].name
	}
	return fmt.Sprintf("Aspect(%d)", uint8(a))
}

// GoString returns the aspect as Go has it, such as properties.FP16.
func (a Aspect) GoString() string {
	if a < numAspects {
		return "properties." + aspectNames[a].constant
	}
	return fmt.Sprintf("properties.Aspect(%d)", uint8(a))
}

// Valid reports whether a is one of the constants of this package.
func (a Aspect) Valid() bool { return a > AspectInvalid && a < numAspects }

// Aspects returns all aspects in a fixed order.
func Aspects() []Aspect {
	var all []Aspect
	for a := AspectInvalid + 1; a < numAspects; a++ {
		all = append(all, a)
	}
	return all
}

// ParseAspect returns the aspect with the given name.
func ParseAspect(name string) (Aspect, bool) {
	for a := AspectInvalid + 1; a < numAspects; a++ {
		if aspectNames[a].name == name {
			return a, true
		}
	}
	return AspectInvalid, false
}
