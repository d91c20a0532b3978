// Package props contains kernels with properties, and kernels that use aspects.
//
//kgen:bare nospare views=Add,Group1,Group2,Group3,Items1,Items2,Items3,Once,Slow
package props

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go tool kgen .

// Keys declares one property of each kind.
type Keys struct{ Out []int32 }

// Properties returns the kernel's properties.
func (Keys) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(2, 8), properties.WorkGroupSizeHint(2, 8), properties.SubGroupSize(8),
		properties.DeviceHas(properties.SubGroups)}
}

// Kernel stores its local ids.
func (k Keys) Kernel(it dsl.NDItem2) {
	y, x := it.GlobalID()
	_, w := it.GlobalRange()
	ly, lx := it.LocalID()
	k.Out[y*w+x] = int32(ly*100 + lx)
}

// Ordered declares only the work-group size.
type Ordered struct{ Out []int32 }

// Properties returns the kernel's properties.
func (Ordered) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(2, 8)}
}

// Kernel stores its local ids.
func (k Ordered) Kernel(it dsl.NDItem2) {
	ly, lx := it.LocalID()
	k.Out[it.GlobalLinearID()] = int32(ly*100 + lx)
}

const side = 8

// Base declares properties for the kernels that embed it.
type Base struct{}

// Properties returns the kernel's properties.
func (Base) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(side, side)}
}

// Add adds elements. Add gets its properties from the embedded Base.
type Add struct {
	Base
	A, B, C []int32
}

// Kernel adds one element.
func (k Add) Kernel(it dsl.Item2) {
	y, x := it.GlobalID()
	_, w := it.GlobalRange()
	k.C[y*w+x] = k.A[y*w+x] + k.B[y*w+x]
}

// Mul is another kernel with the properties of Base.
type Mul struct {
	Base
	A, B, C []int32
}

// Kernel multiplies one element.
func (k Mul) Kernel(it dsl.NDItem2) {
	y, x := it.GlobalID()
	_, w := it.GlobalRange()
	k.C[y*w+x] = k.A[y*w+x] * k.B[y*w+x]
}

// More declares properties in addition to the properties of Base.
type More struct {
	Base
	Out []int32
}

// Properties returns the kernel's properties.
func (m More) Properties() properties.List {
	list := m.Base.Properties()
	if list.Has(properties.KeySubGroupSize) {
		return list
	}
	return append(list, properties.SubGroupSize(8))
}

// Kernel writes the size of its sub-group.
func (k More) Kernel(it dsl.NDItem2) {
	y, x := it.GlobalID()
	_, w := it.GlobalRange()
	k.Out[y*w+x] = int32(it.SubGroup().MaxLocalRange())
}

// Other overrides the properties of Base.
type Other struct {
	Base
	Out []int32
}

// Properties returns the kernel's properties.
func (Other) Properties() properties.List { return properties.List{properties.SubGroupSize(8)} }

// Kernel writes the size of its sub-group.
func (k Other) Kernel(it dsl.NDItem2) {
	y, x := it.GlobalID()
	_, w := it.GlobalRange()
	k.Out[y*w+x] = int32(it.SubGroup().MaxLocalRange())
}

// Sizes has the properties of Base and of the launch.
type Sizes struct {
	Base
	Out []int32
}

// Kernel writes the sizes of its sub-group and of its work-group.
func (k Sizes) Kernel(it dsl.NDItem2) {
	y, x := it.LocalRange()
	k.Out[it.GlobalLinearID()] = int32(it.SubGroup().MaxLocalRange()*10000 + y*100 + x)
}

// These kernels have no properties, and run over ranges, over nd-ranges or as tasks.
type (
	Once   struct{ Out []int32 }
	Items1 struct{ Out []int32 }
	Items2 struct{ Out []int32 }
	Items3 struct{ Out []int32 }
	Group1 struct{ Out []int32 }
	Group2 struct{ Out []int32 }
	Group3 struct{ Out []int32 }
)

// Kernel counts.
func (k Once) Kernel(dsl.Task) { k.Out[0]++ }

// Kernel counts.
func (k Items1) Kernel(it dsl.Item1) { k.Out[it.GlobalLinearID()]++ }

// Kernel counts.
func (k Items2) Kernel(it dsl.Item2) { k.Out[it.GlobalLinearID()]++ }

// Kernel counts.
func (k Items3) Kernel(it dsl.Item3) { k.Out[it.GlobalLinearID()]++ }

// Kernel writes the size of its work-group.
func (k Group1) Kernel(it dsl.NDItem1) { k.Out[it.GlobalLinearID()] = int32(it.LocalRange()) }

// Kernel writes the size of its work-group.
func (k Group2) Kernel(it dsl.NDItem2) {
	y, x := it.LocalRange()
	k.Out[it.GlobalLinearID()] = int32(y*10 + x)
}

// Kernel writes the size of its work-group.
func (k Group3) Kernel(it dsl.NDItem3) {
	z, y, x := it.LocalRange()
	k.Out[it.GlobalLinearID()] = int32(z*100 + y*10 + x)
}

// Cube requires a work-group of 2 by 2 by 2 work-items.
type Cube struct{ Out []int32 }

// Properties returns the kernel's properties.
func (Cube) Properties() properties.List { return properties.List{properties.WorkGroupSize(2, 2, 2)} }

// Kernel counts.
func (k Cube) Kernel(it dsl.NDItem3) { k.Out[it.GlobalLinearID()]++ }

// Four requires a work-group of 4 work-items.
type Four struct{ Out []int32 }

// Properties returns the kernel's properties.
func (Four) Properties() properties.List { return properties.List{properties.WorkGroupSize(4)} }

// Kernel counts.
func (k Four) Kernel(it dsl.NDItem1) { k.Out[it.GlobalID()]++ }

// FourItems requires work-groups of 4 work-items, and runs over a range.
type FourItems struct{ Out []int32 }

// Properties returns the kernel's properties.
func (FourItems) Properties() properties.List { return properties.List{properties.WorkGroupSize(4)} }

// Kernel counts.
func (k FourItems) Kernel(it dsl.Item1) { k.Out[it.GlobalID()]++ }

// Huge requires a work-group size that no device supports.
type Huge struct{ Out []int32 }

// Properties returns the kernel's properties.
func (Huge) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(1<<32 - 1)}
}

// Kernel counts.
func (k Huge) Kernel(it dsl.NDItem1) { k.Out[it.GlobalID()]++ }

// HugeSub requires a sub-group size that no device supports.
type HugeSub struct{ Out []int32 }

// Properties returns the kernel's properties.
func (HugeSub) Properties() properties.List {
	return properties.List{properties.SubGroupSize(1<<31 - 1)}
}

// Kernel counts.
func (k HugeSub) Kernel(it dsl.NDItem1) { k.Out[it.GlobalID()]++ }

// Hinted has a hint for work-groups of 32 work-items.
type Hinted struct{ Out []int32 }

// Properties returns the kernel's properties.
func (Hinted) Properties() properties.List {
	return properties.List{properties.WorkGroupSizeHint(32)}
}

// Kernel writes the size of its work-group.
func (k Hinted) Kernel(it dsl.NDItem1) { k.Out[it.GlobalID()] = int32(it.LocalRange()) }

// Trivial requires aspect fp64 without using float64.
type Trivial struct{ Out []int32 }

// Properties returns the kernel's properties.
func (Trivial) Properties() properties.List {
	return properties.List{properties.DeviceHas(properties.FP64)}
}

// Kernel counts.
func (k Trivial) Kernel(dsl.Task) { k.Out[0]++ }

// Deep uses float64 in a function that another function calls.
type Deep struct{ Out []int32 }

// Kernel runs once.
func (k Deep) Kernel(dsl.Task) { k.Out[0] = outer(k.Out[0]) }

func outer(x int32) int32 { return inner(x) + 1 }

func inner(x int32) int32 { return int32(float64(x) * 1.5) }

// Plain uses no aspect, though its package has functions that use aspects.
type Plain struct{ Out []int32 }

// Kernel runs once.
func (k Plain) Kernel(dsl.Task) { k.Out[0]++ }

// OnHost uses float64, but runs only on the host.
func OnHost(x float64) float64 { return x / 3 }

// Annotated calls a function whose directive lists an aspect that the function does not use.
type Annotated struct{ Out []int32 }

// Kernel runs once.
func (k Annotated) Kernel(dsl.Task) { k.Out[0] = wants(k.Out[0]) }

// The directive of function `wants` lists aspect fp64, but the function does not use it.
//
//kgen:device_has fp64
//kgen:device_has int16
func wants(x int32) int32 { return x + 1 }

// Half calls a function whose directive lists fp16, although Go has no type for 16-bit floats.
type Half struct{ Out []int32 }

// Kernel runs once.
func (k Half) Kernel(dsl.Task) { k.Out[0] = half(k.Out[0]) }

//kgen:device_has fp16
func half(x int32) int32 { return x / 2 }

// Attributes declares properties that a query returns before the kernel is built.
type Attributes struct{ Out []int32 }

// Properties returns the kernel's properties.
func (Attributes) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(8, 8), properties.SubGroupSize(8), properties.DeviceHas(properties.FP16)}
}

// Kernel counts.
func (k Attributes) Kernel(it dsl.NDItem2) { k.Out[it.GlobalLinearID()]++ }

// Sized is a generic kernel whose work-group size depends on its type argument.
type Sized[T int32 | float32] struct{ Out []T }

// Properties returns the kernel's properties.
func (Sized[T]) Properties() properties.List {
	var zero T
	if _, ok := any(zero).(float32); ok {
		return properties.List{properties.WorkGroupSize(2)}
	}
	return properties.List{properties.WorkGroupSize(4)}
}

// Kernel counts.
func (k Sized[T]) Kernel(it dsl.Item1) { k.Out[it.GlobalID()]++ }

// Instances of Sized.
type (
	SizedInt   = Sized[int32]
	SizedFloat = Sized[float32]
)

// Slow is a kernel that runs long on the host device.
type Slow struct {
	Rounds int
	Out    []uint32
}

// Kernel runs once.
func (k Slow) Kernel(t dsl.Task) {
	x := uint32(1)
	for range k.Rounds {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
	}
	k.Out[0] = x
}
