package properties

import "slices"

// WorkGroupSize fixes the number of work-items in a work-group: one to three
// sizes, in the kernel's index order (last dimension fastest). An nd-range
// launch must use exactly this size; a range launch is divided by it.
func WorkGroupSize(d ...int) Property { return dims(KeyWorkGroupSize, d) }

// WorkGroupSizeHint names the size of work-group that the kernel expects. It is
// used where a launch gives none, and never conflicts with a launch.
func WorkGroupSizeHint(d ...int) Property { return dims(KeyWorkGroupSizeHint, d) }

// SubGroupSize fixes the number of work-items in a sub-group.
func SubGroupSize(n int) Property { return dims(KeySubGroupSize, []int{n}) }

// DeviceHas lists every optional feature that the kernel may use. With it, a
// use of an unlisted aspect is a diagnostic, and a launch on a device without a
// listed one is an error. An empty list asserts that no aspect is used.
func DeviceHas(aspects ...Aspect) Property {
	return Property{key: KeyDeviceHas, aspects: slices.Clone(aspects)}
}

// FloatMode says how floating-point expressions are evaluated.
type FloatMode uint8

const (
	// FloatGo allows what the Go specification allows: x*y + z may be fused, also
	// where calls and statements stand between the two, but for explicit conversions;
	// nothing is reassociated.
	FloatGo FloatMode = iota
	// FloatExact rounds every operation, so all devices agree bit for bit, but for
	// subnormal float32s, which some take for zeros: see runtime.Subnormals.
	FloatExact
	// FloatFast lets the device contract and reassociate.
	FloatFast
)

// String returns the name of the mode's constant.
func (m FloatMode) String() string {
	switch m {
	case FloatGo:
		return "FloatGo"
	case FloatExact:
		return "FloatExact"
	case FloatFast:
		return "FloatFast"
	}
	return "FloatMode(?)"
}

// Float sets the kernel's floating-point mode; the default is FloatGo.
func Float(m FloatMode) Property {
	return Property{key: KeyFloatMode, dims: [3]int{int(m)}, ndims: 1}
}

func dims(k Key, d []int) Property {
	p := Property{key: k, ndims: len(d)}
	copy(p.dims[:], d)
	return p
}
