package exec

import (
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime/internal/fusion"
	"github.com/kgen-go/kgen/runtime/internal/host"
	"github.com/kgen-go/kgen/runtime/internal/launch"
)

// Kernel contains a kernel's description, Go code and modules.
type Kernel struct {
	Name   string // the package and type name, such as "saxpy.SAXPY"
	ABI    *abi.Kernel
	Host   *host.Kernel // nil for a kernel without Go code
	Source *fusion.Source
	// Small is the variant for small launches. Small is nil if the kernel has no variant for small
	// launches.
	Small *abi.Variant
	// Owner is package runtime's value for the kernel.
	Owner any

	words   []func() ([]uint32, error) // functions that return the modules of the kernel and of its variants
	natives nativeModules
	number  uint32 // number of the kernel, counted from 1 in the order of NewKernel calls
}

var kernels atomic.Uint32

// NewKernel returns a Kernel for a kernel that generated code (a stub) registers.
func NewKernel(k launch.Kernel, name string, owner any) *Kernel {
	out := &Kernel{Name: name, ABI: k.ABI, Host: k.Host, Source: &fusion.Source{ABI: k.ABI}, Owner: owner, number: kernels.Add(1)}
	add := func(words func() ([]uint32, error)) { out.words = append(out.words, sync.OnceValues(words)) }
	add(func() ([]uint32, error) { return moduleWords(k.ABI.SPIRV), nil })
	for i := range k.ABI.Variants {
		v := &k.ABI.Variants[i]
		if v.Make != nil {
			add(func() ([]uint32, error) { return v.Make(k.ABI, v) })
		} else {
			add(func() ([]uint32, error) { return moduleWords(v.SPIRV), nil })
		}
		if v.Products != nil {
			out.Small = v
		}
	}
	return out
}

// Variant returns the variant for a device, or nil for the kernel's own module. The function `has`
// reports whether the device has an aspect. If cancel is set, Variant returns only variants that
// can be cancelled. If the device cannot run any module of the kernel, Variant returns the first
// missing aspect.
func (k *Kernel) Variant(has func(properties.Aspect) bool, cancel bool) (v *abi.Variant, missing properties.Aspect) {
	for i := range k.ABI.Variants {
		for _, a := range k.ABI.Variants[i].Without {
			if missing == 0 && !has(a) {
				missing = a
			}
		}
	}
	if missing == 0 && !cancel {
		return nil, 0
	}
	for i := range k.ABI.Variants {
		v := &k.ABI.Variants[i]
		fits := v.Products == nil && v.Cancel == cancel
		for j := range k.ABI.Variants {
			for _, a := range k.ABI.Variants[j].Without {
				fits = fits && (has(a) || slices.Contains(v.Without, a))
			}
		}
		if fits {
			return v, 0
		}
	}
	return nil, missing
}

// The method Leaves reports whether the kernel has variants that can be cancelled.
func (k *Kernel) Leaves() bool {
	return slices.ContainsFunc(k.ABI.Variants, func(v abi.Variant) bool { return v.Cancel })
}

// IsSmall reports whether l is a small launch and the kernel has a variant for small launches.
// Before the call, all arguments of l must have been set.
func (k *Kernel) IsSmall(l *Launch) bool {
	if k.Small == nil {
		return false
	}
	global, local := DeviceOrder(l.Rank, l.Global), DeviceOrder(l.Rank, l.Local)
	for _, factors := range k.Small.Products {
		product := uint64(1)
		for _, at := range factors {
			x := uint64(0)
			switch {
			case at < 0:
				x = uint64(-at)
			case at < abi.FactorGroups+len(local):
				i := at - abi.FactorGroups
				if local[i] == 0 {
					return false
				}
				x = uint64(global[i] / local[i])
			case at < abi.OffsetArgs:
				x = uint64(global[(at-abi.OffsetRange)/4])
			default:
				x = binary.LittleEndian.Uint64(l.Block[at-abi.OffsetArgs:])
			}
			if product *= x; x > abi.MaxSmall || product > abi.MaxSmall {
				return false
			}
		}
	}
	return true
}

// Module returns the words of the kernel's own module, or of one of its variants. If the generated
// code does not contain the module, the first call makes the module, and concurrent calls wait. All
// later calls return the same words or the same error.
func (k *Kernel) Module(v *abi.Variant) ([]uint32, error) {
	for i := range k.ABI.Variants {
		if v == &k.ABI.Variants[i] {
			return k.words[i+1]()
		}
	}
	return k.words[0]()
}

// moduleWords decodes the 32-bit words of a SPIR-V module from a string.
func moduleWords(s string) []uint32 {
	w := make([]uint32, len(s)/4)
	for i := range w {
		w[i] = uint32(s[4*i]) | uint32(s[4*i+1])<<8 | uint32(s[4*i+2])<<16 | uint32(s[4*i+3])<<24
	}
	return w
}
