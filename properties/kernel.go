package properties

import "slices"

// WorkGroupSize sets the size of work-groups. The arguments are one to three sizes in the kernel's
// index order (the last dimension varies fastest). A launch over an nd-range must use exactly this
// work-group size. A launch over a range is divided into work-groups of this size.
func WorkGroupSize(d ...int) Property { return dims(KeyWorkGroupSize, d) }

// WorkGroupSizeHint states the work-group size that the kernel expects. WorkGroupSizeHint applies
// only if a launch states no size.
func WorkGroupSizeHint(d ...int) Property { return dims(KeyWorkGroupSizeHint, d) }

// SubGroupSize sets the number of work-items in a sub-group.
func SubGroupSize(n int) Property { return dims(KeySubGroupSize, []int{n}) }

// DeviceHas lists every optional feature that the kernel may use. If a kernel with DeviceHas uses
// an unlisted aspect, kgen reports a diagnostic. A launch fails on a device without a listed
// aspect. An empty list asserts that no aspect is used.
func DeviceHas(aspects ...Aspect) Property {
	return Property{key: KeyDeviceHas, aspects: slices.Clone(aspects)}
}

// FloatMode is the mode in which a kernel evaluates floating-point expressions.
type FloatMode uint8

const (
	// FloatGo allows the optimizations that the Go specification allows. FloatGo may fuse x*y + z,
	// even if the product and the sum are in different statements or functions. An explicit
	// conversion of the product prevents this fusion. FloatGo does not reassociate operations.
	FloatGo FloatMode = iota
	// FloatExact rounds every operation, so all devices compute the same bits. Results with
	// subnormal float32s may differ, because some devices treat subnormals as zeros (see
	// runtime.Subnormals).
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
