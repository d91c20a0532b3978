package runtime

import (
	"context"
	"sync"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/internal/dslhook"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime/internal/exec"
	"github.com/kgen-go/kgen/runtime/internal/launch"
	"github.com/kgen-go/kgen/runtime/internal/watch"
)

// Kernel is a compiled kernel. Generated packages provide their kernels as values of type Kernel.
type Kernel struct {
	abi    *abi.Kernel
	code   *exec.Kernel
	specs  []specVar
	own    *spirv.Module // module of LoadModule, or nil
	watch  *watch.Set    // variables whose values are constants in the kernel's modules
	output *printOutput  // nil if the kernel does not print

	// statedDiffers compares the result of the kernel's Properties method with the list in the kernel's
	// description. statedDiffers is nil if the kernel has no Properties method. statedOnce guards
	// statedError, which is the result of the comparison.
	statedDiffers func() *Error
	statedOnce    sync.Once
	statedError   *Error
}

// forStubs implements the functions that generated code calls through package kernelimpl.
type forStubs struct{}

func init() { launch.Runtime = forStubs{} }

// NewKernel makes a kernel from the description that a stub registers.
func (forStubs) NewKernel(k launch.Kernel) *Kernel { return newKernel(k) }

// Launch launches a kernel on a queue.
func (forStubs) Launch(q *Queue, k *Kernel, c *launch.Call, opts []LaunchOption) (Event, error) {
	l := launchOf(c)
	defer l.End()
	return q.enqueueLaunch(k, l, opts)
}

// Node returns a launch as a Command.
func (forStubs) Node(k *Kernel, c *launch.Call, opts []LaunchOption) Command {
	return Command{commandOf(k, c, opts)}
}

// Run runs a kernel on slices of the caller's memory.
func (forStubs) Run(ctx context.Context, d *Device, k *Kernel, c *launch.Call, opts []LaunchOption) error {
	l := launchOf(c)
	defer l.End()
	return d.runOnSlices(ctx, k, l, opts)
}

func newKernel(k launch.Kernel) *Kernel {
	out := &Kernel{abi: k.ABI, specs: specVars(&k), watch: watch.New(k.ABI.Variables), output: newOutput(k.ABI)}
	out.code = exec.NewKernel(k, shortName(k.ABI), out)
	return out
}

// Name returns the kernel's package and type name, such as "saxpy.SAXPY".
func (k *Kernel) Name() string { return k.code.Name }

// ABI returns the kernel's description, which must not be changed.
func (k *Kernel) ABI() *abi.Kernel { return k.abi }

// Properties returns the properties that the kernel's own Properties method states.
func (k *Kernel) Properties() properties.List {
	return append(properties.List(nil), k.abi.Properties...)
}

// Aspects returns the aspects that a device must have to run the kernel, sorted. The list contains
// Int8, Int16 and Int64 only if kgen could not compile the kernel for devices without them. The
// list contains SubGroups only if the kernel's code uses sub-groups.
func (k *Kernel) Aspects() []properties.Aspect {
	return append([]properties.Aspect(nil), k.abi.Aspects...)
}

// specFor returns the kernel's entry for a specialization constant, or nil.
func (k *Kernel) specFor(c *dslhook.SpecInfo) *specVar {
	for i := range k.specs {
		if k.specs[i].info == c {
			return &k.specs[i]
		}
	}
	return nil
}

// Usable returns an error if no command can be launched on the queue.
func (forStubs) Usable(q *Queue) error { return q.usable() }
