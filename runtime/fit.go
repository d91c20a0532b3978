package runtime

import (
	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/internal/matrix"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// Fit says how a kernel runs on a device. A Fit is computed from the descriptions of the kernel and
// of the device. The driver may still reject the kernel's module when the module is compiled.
type Fit struct {
	Kernel string // package and type name
	// Variant names the module that the device uses. Variant is "general" for the kernel's own
	// module, and "host" for the kernel's Go code. On a device that lacks a feature, Variant is the
	// name of a variant, such as "words". Variant is "" if the device cannot run the kernel.
	Variant string
	// Small says that the kernel has a separate module for small launches.
	Small bool
	// Err is nil, or an error of class ErrKernelNotSupported that says why the kernel cannot run on the
	// device.
	Err error
}

// Fit says how a kernel runs on the device, which need not be open.
func (i DeviceInfo) Fit(k *Kernel) Fit {
	if k == nil {
		return Fit{Err: errorf(ErrInvalid, "no kernel")}
	}
	l := i.Limits
	d := &Device{backend: i.Backend, info: hal.Info{Name: i.Name, Aspects: i.Aspects, SubGroups: [2]int{i.MinSubGroup, i.MaxSubGroup},
		Limits: hal.Limits{MaxWorkGroupSize: l.MaxWorkGroupSize, MaxWorkItems: l.MaxWorkItems, LocalMemory: l.LocalMemory}}}
	f := Fit{Kernel: k.Name()}
	if _, err := d.checkSupport(k, k.abi.Properties); err != nil {
		f.Err = err.setKernel(k)
		return f
	}
	if i.Backend == "host" {
		if f.Variant = "host"; k.code.Host == nil {
			f.Variant, f.Err = "", errorf(ErrKernelNotSupported, "it has no Go code that the host device could run").setKernel(k)
		}
		return f
	}
	v, missing := k.code.Variant(d.Has, false)
	if missing != 0 {
		f.Err = d.aspectError(k, "needs", missing).setKernel(k)
		return f
	}
	if !fixedMemory(k.abi, uint64(l.LocalMemory), i.MaxSubGroup) {
		f.Err = errorf(ErrMemoryAllocation, "its work-group memory takes more than the %d bytes that the device %s has", l.LocalMemory, i.Name).setKernel(k)
		return f
	}
	f.Variant, f.Small = variantName(v), v == nil && k.code.Small != nil
	return f
}

// fixedMemory reports whether the kernel's arrays in work-group memory need at most `limit` bytes,
// if sub-groups have the given size. Arrays of unknown length are not counted.
func fixedMemory(k *abi.Kernel, limit uint64, subGroup int) bool {
	total := uint64(0)
	for i := range k.Locals {
		l := &k.Locals[i]
		if l.Shape != "" && l.Len <= matrix.MaxHeld*subGroup {
			continue // work-items hold the matrix, so it needs no work-group memory
		}
		if l.Expr == "" && l.Len > 0 {
			total += uint64(l.Len) * uint64(l.ElemSize)
		}
	}
	return total <= limit
}
