package properties

import "slices"

// WorkGroupSize sets the size of work-groups. The arguments are one to three sizes in the kernel's index order (the
// last dimension varies fastest). An nd-range launch must use exactly this size. A range launch is divided into
// work-groups of this size.
func WorkGroupSize(d ...int) Property { return dims(KeyWorkGroupSize, d) }

// WorkGroupSizeHint states the work-group size that the kernel expects. WorkGroupSizeHint is used
// if a launch states no size, and never conflicts with a launch.
func WorkGroupSizeHint(d ...int) Property { return dims(KeyWorkGroupSizeHint, d) }

// SubGroupSize sets the number of work-items in a sub-group.
func SubGroupSize(n int) Property { return dims(KeySubGroupSize, []int{n}) }

// DeviceHas lists every optional feature that the kernel may use. With DeviceHas, the use of an unlisted aspect is a
// diagnostic. A launch on a device without a listed aspect is an error. An empty list asserts that no aspect is used.
func DeviceHas(aspects ...Aspect) Property {
	return Property{key: KeyDeviceHas, aspects: slices.Clone(aspects)}
}

// FloatMode is the mode in which a kernel evaluates floating-point expressions.
type FloatMode uint8

const (
	// FloatGo allows the optimizations that the Go specification allows. It may fuse x*y + z, even if calls and
	// statements separate the two operations, but not across explicit conversions. FloatGo does not reassociate
	// operations.
	FloatGo FloatMode = iota
	// FloatExact rounds every operation, so all devices compute the same bits. Subnormal float32s are an exception,
	// because some devices treat them as zeros (see runtime.Subnormals).
	FloatExact
	// FloatFast allows the device to contract and reassociate operations.
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

// Float sets the kernel's floating-point mode. The default mode is FloatGo.
func Float(m FloatMode) Property {
	return Property{key: KeyFloatMode, dims: [3]int{int(m)}, ndims: 1}
}

func dims(k Key, d []int) Property {
	p := Property{key: k, ndims: len(d)}
	copy(p.dims[:], d)
	return p
}
