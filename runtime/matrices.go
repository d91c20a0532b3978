package runtime

// This file decides which launches use the matrix instructions of a device.

import (
	"fmt"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/exec"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// MatrixProduct is a matrix product that the sub-groups of a device compute. The first factor has M
// rows and K columns, and the second factor has K rows and N columns. Elem is the Go type of the
// factors' elements, such as "half.Float16". Of is the Go type of the sum's elements, such as
// "float32". Kernels can use the product for larger matrices, if their sizes are multiples of M, N
// and K.
type MatrixProduct struct {
	M, N, K  int
	Elem, Of string
}

// String returns the product as "16x16x16 half.Float16 → float32".
func (p MatrixProduct) String() string {
	return fmt.Sprintf("%dx%dx%d %s → %s", p.M, p.N, p.K, p.Elem, p.Of)
}

// usesNative reports whether a launch uses the device's own matrix instructions. The argument
// `local` is the launch's work-group size, in the order of the range's dimensions. subGroup is the
// size of sub-groups that the launch requires, or 0. If usesNative returns false, it also returns
// the reason, or "" if the kernel has no matrices.
func (d *Device) usesNative(k *Kernel, local [3]int, subGroup int) (ok bool, reason string) {
	items, size := 1, d.info.MatrixSubGroup
	for _, n := range local[:k.abi.Rank] {
		items *= n
	}
	v, missing := k.code.Variant(d.Has, false)
	switch {
	case !k.abi.Matrices || d.isHost():
		return false, ""
	case len(k.abi.Parts) > 0:
		return false, "the launch is of several that were fused"
	case k.abi.MakeNative == nil || k.abi.IR == "":
		return false, "the kernel's IR is not there"
	case len(d.info.Matrices) == 0:
		return false, "the device has no matrices of its own"
	case v != nil || missing != 0:
		return false, "the device does not take the kernel's general module"
	case subGroup != 0 && subGroup != size:
		return false, fmt.Sprintf("the launch requires sub-groups of %d, and the device's matrices are those of sub-groups of %d", subGroup, size)
	case items%size != 0:
		return false, fmt.Sprintf("a work-group of %d work-items has a sub-group of less than %d", items, size)
	}
	return true, ""
}

// nativeName is the name, in logs and traces, of the variant that uses the device's own matrix
// instructions.
const nativeName = "native"

// buildFor makes a pipeline of the module that uses the device's own matrix instructions. The
// launch must be allowed to use these instructions, and the driver must accept the module. It must
// be possible to divide the kernel's matrices into the device's matrices. If one of these
// conditions is not met, buildFor calls buildPipeline.
func (d *Device) buildFor(k *Kernel, sh exec.Shape, desc hal.PipelineDesc) (hal.Pipeline, *abi.Variant, error) {
	_, why := d.usesNative(k, sh.Local, sh.SubGroup)
	if sh.Native {
		h, err := d.buildNative(k, sh, desc)
		if err == nil {
			return h, &abi.Variant{Name: nativeName}, nil
		}
		why = err.Error()
	}
	if why != "" && d.logging() {
		d.log.Debug("kgen: matrices expanded", "kernel", k.Name(), "device", d.Name(), "why", why)
	}
	return d.buildPipeline(k, desc, sh.Small, sh.Cancel)
}

// fitsNative reports whether a launch fits into work-group memory if it uses the device's own
// matrix instructions. fitsNative is called for a launch that needs too much memory if loops
// compute its matrices. An element of 8 bits has 1 byte in the device's own matrices, and an
// element of 16 bits has 2 bytes. If loops compute the matrices, each element has 4 bytes.
func (d *Device) fitsNative(k *Kernel, c *exec.Launch, p *exec.Plan) bool {
	if ok, _ := d.usesNative(k, p.Local, p.SubGroup); !ok {
		return false
	}
	m, err := k.code.Native(abi.NativeTarget{Tuples: d.info.Matrices})
	if err != nil {
		return false
	}
	desc := hal.PipelineDesc{LocalSize: exec.DeviceOrder(c.Rank, p.Local), Specs: c.Specs}
	for i, n := range c.Accessors {
		desc.Specs = append(desc.Specs[:len(desc.Specs):len(desc.Specs)], hal.SpecValue{ID: abi.SpecAccessor + uint32(i), Size: 4, Bits: uint64(n)})
	}
	n, err := d.nativeMemory(k, m, &desc)
	return err == nil && n <= d.info.Limits.LocalMemory
}

func (d *Device) buildNative(k *Kernel, sh exec.Shape, desc hal.PipelineDesc) (hal.Pipeline, error) {
	m, err := k.code.Native(abi.NativeTarget{Small: sh.Small, Cancel: sh.Cancel, Tuples: d.info.Matrices})
	if err != nil {
		return nil, err
	}
	if n, err := d.nativeMemory(k, m, &desc); err != nil {
		return nil, err
	} else if n > d.info.Limits.LocalMemory {
		return nil, fmt.Errorf("it takes %d bytes of work-group memory with the device's matrices, and the device has %d", n, d.info.Limits.LocalMemory)
	}
	desc.SPIRV, desc.Loops, desc.Cancels = m.Words, m.Loops, sh.Cancel
	desc.SubGroupSize, desc.FullSubGroups = d.info.MatrixSubGroup, true
	return d.newPipeline(&desc)
}

// nativeMemory returns the number of bytes of work-group memory that the module m uses. The lengths of
// arrays depend on the specialization constants in desc.
func (d *Device) nativeMemory(k *Kernel, m *abi.NativeModule, desc *hal.PipelineDesc) (total int, err error) {
	items := 1
	for _, n := range desc.LocalSize {
		items *= int(n)
	}
	for i := range m.Locals {
		l := &m.Locals[i]
		n := l.Len
		switch {
		case l.Matrices:
			n *= items / d.info.MatrixSubGroup
		case l.Expr != "":
			length, err := evalLength(k, l.Expr, desc.Specs)
			if err != nil {
				return 0, err
			}
			n = int(length)
		case n >= 0:
		case l.Accessor >= 0:
			for _, s := range desc.Specs {
				if s.ID == abi.SpecAccessor+uint32(l.Accessor) {
					n = int(s.Bits)
				}
			}
		default:
			n = items
		}
		if total += max(n, 0) * l.ElemSize; total > d.info.Limits.LocalMemory {
			return total, nil
		}
	}
	return total, nil
}
