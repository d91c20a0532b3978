package properties

import "fmt"

// Aspect is an optional feature of a device, as in SYCL. kgen infers the aspects that a kernel
// needs from its code.
type Aspect uint8

// A kernel uses the aspect of a type if the kernel's code names the type. The types int and uint do
// not use Int64, and neither do indexing and len. A launch fails if the device lacks an aspect that
// the kernel lists or uses. Without Int8, Int16 or Int64, a device can still run a kernel that does
// not use Atomic64, because the kernel can compute with 32-bit words. Group functions of
// work-groups do not need SubGroups.
const (
	AspectInvalid Aspect = iota
	// FP16 is the aspect of 16-bit floating-point arithmetic and storage.
	FP16
	// FP64 is the aspect of float64 arithmetic.
	FP64
	// Int8 is the aspect of native 8-bit integer storage in buffers.
	Int8
	// Int16 is the aspect of native 16-bit integer storage in buffers.
	Int16
	// Int64 is the aspect of native 64-bit integer arithmetic.
	Int64
	// Atomic64 is the aspect of 64-bit integer atomics in buffers and work-group memory.
	Atomic64
	// AtomicFloat32 is the aspect of native float32 atomic addition in buffers. No kernel needs
	// AtomicFloat32. A kernel uses AtomicFloat32 only if the kernel's DeviceHas property lists
	// AtomicFloat32.
	AtomicFloat32
	// AtomicFloat64 is the aspect of native float64 atomic addition in buffers.
	AtomicFloat64
	// SubGroups is the aspect of functions over sub-groups, such as reductions and scans.
	SubGroups
	// PrivateAlloca is the aspect of private arrays whose lengths are specialization constants.
	PrivateAlloca
	// GraphFusion is the aspect of devices that can fuse the kernels of a graph.
	GraphFusion
	// CPU is the aspect of devices that run on the host's processor.
	CPU
	// GPU is the aspect of graphics processors.
	GPU
	numAspects
)

// aspectNames contains, for each aspect, the name in directives and the name of the Go constant.
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

// String returns the aspect's name, as in a //kgen:device_has directive.
func (a Aspect) String() string {
	if a < numAspects {
		return aspectNames[a].name
	}
	return fmt.Sprintf("Aspect(%d)", uint8(a))
}

// GoString returns the aspect as Go source, such as properties.FP16.
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
