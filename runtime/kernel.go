package runtime

import (
	"context"
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/internal/dslhook"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime/internal/exec"
	"github.com/kgen-go/kgen/runtime/internal/fusion"
	"github.com/kgen-go/kgen/runtime/internal/host"
	"github.com/kgen-go/kgen/runtime/internal/launch"
	"github.com/kgen-go/kgen/runtime/internal/watch"
)

// Kernel is a compiled kernel. Generated packages list theirs.
type Kernel struct {
	abi  *abi.Kernel
	host *host.Kernel
	name string
	// words are the modules: the kernel's own, then those of its variants.
	words  []func() []uint32
	specs  []specVar
	small  *abi.Variant   // for small launches, or nil
	own    *spirv.Module  // of LoadModule, or nil
	source *fusion.Source // what graphs link the kernel from
	watch  *watch.Set     // the variables that its modules have the values of

	// stated compares the kernel's Properties method with its list; nil where it has no method
	// to ask. once guards differs, the result.
	stated  func() *Error
	once    sync.Once
	differs *Error

	output *output // nil if it does not print
	number uint32  // of kernels, as they are made
}

var kernels atomic.Uint32

// forStubs is what generated code calls, through package kernelimpl.
type forStubs struct{}

func init() { launch.Runtime = forStubs{} }

// NewKernel makes a kernel of what a stub registers.
func (forStubs) NewKernel(k launch.Kernel) *Kernel { return newKernel(k) }

// Launch launches a kernel on a queue.
func (forStubs) Launch(q *Queue, k *Kernel, c *launch.Call, opts []LaunchOption) (Event, error) {
	l := launchOf(c)
	defer l.End()
	return q.launch(k, l, opts)
}

// Node returns a launch as a value.
func (forStubs) Node(k *Kernel, c *launch.Call, opts []LaunchOption) Command {
	return Command{commandOf(k, c, opts)}
}

// Run runs a kernel on slices of the caller's memory.
func (forStubs) Run(ctx context.Context, d *Device, k *Kernel, c *launch.Call, opts []LaunchOption) error {
	l := launchOf(c)
	defer l.End()
	return d.run(ctx, k, l, opts)
}

func newKernel(k launch.Kernel) *Kernel {
	out := &Kernel{abi: k.ABI, host: k.Host, name: shortName(k.ABI), specs: specVars(&k), watch: watch.New(k.ABI.Variables), source: &fusion.Source{ABI: k.ABI}}
	out.output, out.number = newOutput(k.ABI), kernels.Add(1)
	add := func(s string) {
		out.words = append(out.words, sync.OnceValue(func() []uint32 { return moduleWords(s) }))
	}
	add(k.ABI.SPIRV)
	for i := range k.ABI.Variants {
		add(k.ABI.Variants[i].SPIRV)
		if k.ABI.Variants[i].Products != nil {
			out.small = &k.ABI.Variants[i]
		}
	}
	return out
}

// variant returns the variant that a device takes which has the aspects that has
// reports: nil for the kernel's own module. It returns the first aspect that is
// missing if there is none. Where cancel is set, it is one of those that leave.
func (k *Kernel) variant(has func(properties.Aspect) bool, cancel bool) (v *abi.Variant, missing properties.Aspect) {
	for i := range k.abi.Variants {
		for _, a := range k.abi.Variants[i].Without {
			if missing == 0 && !has(a) {
				missing = a
			}
		}
	}
	if missing == 0 && !cancel {
		return nil, 0
	}
	for i := range k.abi.Variants {
		v := &k.abi.Variants[i]
		fits := v.Products == nil && v.Cancel == cancel
		for j := range k.abi.Variants {
			for _, a := range k.abi.Variants[j].Without {
				fits = fits && (has(a) || slices.Contains(v.Without, a))
			}
		}
		if fits {
			return v, 0
		}
	}
	return nil, missing
}

// leaves reports whether the kernel has variants that leave when they are asked to.
func (k *Kernel) leaves() bool {
	return slices.ContainsFunc(k.abi.Variants, func(v abi.Variant) bool { return v.Cancel })
}

// isSmall reports whether the kernel has a variant for small launches and c, whose
// arguments are complete, is one.
func (k *Kernel) isSmall(c *exec.Launch) bool {
	if k.small == nil {
		return false
	}
	global, local := deviceOrder(c.Rank, c.Global), deviceOrder(c.Rank, c.Local)
	for _, factors := range k.small.Products {
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
				x = binary.LittleEndian.Uint64(c.Block[at-abi.OffsetArgs:])
			}
			if product *= x; x > abi.MaxSmall || product > abi.MaxSmall {
				return false
			}
		}
	}
	return true
}

// module returns the words of the kernel's own module, or of one of its variants.
func (k *Kernel) module(v *abi.Variant) []uint32 {
	for i := range k.abi.Variants {
		if v == &k.abi.Variants[i] {
			return k.words[i+1]()
		}
	}
	return k.words[0]()
}

// Name returns the kernel's package and type name, such as "saxpy.SAXPY".
func (k *Kernel) Name() string { return k.name }

// ABI returns the kernel's description, which must not be changed.
func (k *Kernel) ABI() *abi.Kernel { return k.abi }

// Properties returns the properties that the kernel itself states.
func (k *Kernel) Properties() properties.List {
	return append(properties.List(nil), k.abi.Properties...)
}

// Aspects returns the aspects that the kernel needs of a device, sorted. Int8,
// Int16 and Int64 are among them only where kgen could not compile the kernel for
// devices without them, and SubGroups only where its code uses sub-groups.
func (k *Kernel) Aspects() []properties.Aspect {
	return append([]properties.Aspect(nil), k.abi.Aspects...)
}

// spec returns the kernel's rows of a constant, or nil.
func (k *Kernel) spec(c *dslhook.SpecInfo) *specVar {
	for i := range k.specs {
		if k.specs[i].info == c {
			return &k.specs[i]
		}
	}
	return nil
}

// moduleWords returns the words of a module.
func moduleWords(s string) []uint32 {
	w := make([]uint32, len(s)/4)
	for i := range w {
		w[i] = uint32(s[4*i]) | uint32(s[4*i+1])<<8 | uint32(s[4*i+2])<<16 | uint32(s[4*i+3])<<24
	}
	return w
}

// Usable reports why nothing can be launched on a queue.
func (forStubs) Usable(q *Queue) error { return q.usable() }
