package runtime

import (
	"context"
	"errors"
	goruntime "runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime/internal/exec"
	"github.com/kgen-go/kgen/runtime/internal/launch"
)

// Build is BuildContext with a context that never ends.
func (p *Program) Build(kernels ...*Kernel) (*Executable, error) {
	return p.BuildContext(context.Background(), kernels...)
}

// BuildContext compiles the program, unless an earlier call has done so, and returns an Executable
// for launches (see [WithProgram]). If the caller names kernels, BuildContext builds only these
// kernels. Constants that these kernels do not read then need no value. After BuildContext, the
// program's constants cannot be changed. Later calls of BuildContext can build other kernels of the
// program.
//
// The device makes several pipelines at a time, up to the number of processors (GOMAXPROCS).
// BuildContext makes pipelines for tasks and for kernels over a range. For a kernel over an
// nd-range, BuildContext makes a pipeline only if the kernel states a work-group size or a hint.
// For a kernel over a range, BuildContext assumes a large range when it chooses the work-group
// size. A launch with a small range, another work-group size or local accessors needs another
// pipeline, which the launch makes itself. BuildContext makes no pipelines for kernels that the
// device cannot run (see [Device.Compatible]). The device keeps the pipelines as long as the
// Executable or the program is in use.
//
// BuildContext returns ErrSpecConst if a constant has no value, or a value that gives an array the
// length 0. BuildContext returns ErrMemoryAllocation if arrays whose lengths are constants are
// larger than the device allows. BuildContext returns ErrBuild if the device's driver does not
// accept a kernel. If ctx ends first, BuildContext returns ErrDeadline or ErrCanceled, and the
// program does not change. After ctx has ended, the driver still completes the pipelines that it
// has begun to make. Later calls of BuildContext and later launches use these pipelines.
func (p *Program) BuildContext(ctx context.Context, kernels ...*Kernel) (*Executable, error) {
	if p == nil || p.dev == nil {
		return nil, errorf(ErrInvalid, "no program")
	}
	if ctx == nil {
		return nil, errorf(ErrInvalid, "the context is nil")
	}
	if err := p.dev.usable(); err != nil {
		return nil, err
	}
	if len(kernels) == 0 {
		kernels = p.kernels
	}
	for _, k := range kernels {
		if !slices.Contains(p.kernels, k) {
			return nil, errorf(ErrInvalid, "a kernel to build that is not in the program")
		}
	}
	p.mu.Lock()
	if p.exe != nil && slices.Equal(p.exe.kernels, kernels) {
		defer p.mu.Unlock()
		return p.exe, nil
	}
	if err := p.checkConstants(kernels); err != nil {
		p.mu.Unlock()
		return nil, err
	}
	p.building++ // while building is above 0, SetSpec cannot set constants
	exe := &Executable{dev: p.dev, program: p, kernels: slices.Clone(kernels), specs: slices.Clone(p.specs)}
	p.mu.Unlock()

	built, err := p.dev.preparePipelines(ctx, exe.kernels, exe.specs)

	p.mu.Lock()
	defer p.mu.Unlock()
	p.building--
	if err != nil {
		return nil, err
	}
	goruntime.AddCleanup(exe, letGo, built)
	p.compiled, p.exe = true, exe
	return exe, nil
}

func letGo(built []*exec.Pipeline) {
	for _, v := range built {
		v.LetGo()
	}
}

// A pipelinePromise describes a pipeline that Build will make.
type pipelinePromise struct {
	kernel *Kernel
	shape  exec.Shape
	local  [3]uint32
	launch *exec.Launch
}

// promisedPipelines lists the pipelines that Build makes for a kernel. Build makes a pipeline if
// the work-group size of launches is predictable.
func (d *Device) promisedPipelines(k *Kernel, set settingList) ([]pipelinePromise, error) {
	if d.isHost() && k.code.Host == nil || slices.ContainsFunc(k.abi.Params, func(p abi.Param) bool { return p.Kind == abi.LocalAccessor }) {
		return nil, nil
	}
	var call launch.Call
	call.Begin(k.abi)
	call.Form, call.Rank = k.abi.Form, k.abi.Rank
	var p exec.Plan
	var err *Error
	if p.SubGroup, err = d.checkSupport(k, k.abi.Properties); err != nil {
		return nil, nil // launches of the kernel will return the error
	}
	if !d.setTypicalRange(k, &call) {
		return nil, nil
	}
	c := new(exec.Launch)
	c.Begin(&call)
	if err := d.checkWorkGroup(k, c, k.abi.Properties, &p); err != nil {
		return nil, nil // launches of the kernel will return the error
	}
	if err := resolveSpecs(k, c, set); err != nil {
		return nil, err.setKernel(k)
	}
	if _, err := d.checkLocalMemory(k, c, p.SubGroup); err != nil && !d.fitsNative(k, c, &p) {
		return nil, err.setKernel(k)
	}
	local := exec.DeviceOrder(c.Rank, p.Local)
	d.addReserved(c, local, p.SubGroup)
	sh := exec.Shape{Local: p.Local, SubGroup: p.SubGroup}
	sh.Native, _ = d.usesNative(k, p.Local, p.SubGroup)
	list := []pipelinePromise{{k, sh, local, c}}
	if d.hasSmall(k) {
		sh.Small = true
		list = append(list, pipelinePromise{k, sh, local, c})
	}
	return list, nil
}

// setTypicalRange sets the range of the call c to a typical range. The exact range does not matter,
// because the range only affects the choice of the work-group size. setTypicalRange returns false
// if the work-group size is not predictable.
func (d *Device) setTypicalRange(k *Kernel, c *launch.Call) bool {
	switch c.Form {
	case abi.Range:
		for i := range c.Rank {
			c.Global[i] = 1 << 20
		}
	case abi.NDRange:
		w, ok := k.abi.Properties.Get(properties.KeyWorkGroupSize)
		if !ok {
			if w, ok = k.abi.Properties.Get(properties.KeyWorkGroupSizeHint); !ok {
				return false
			}
		}
		copy(c.Local[:], w.Dims())
		c.Global = c.Local
	}
	return true
}

// preparePipelines makes the promised pipelines of the kernels (see promisedPipelines), several at
// a time. The caller is counted as a user of each returned pipeline, and must later call
// Pipeline.LetGo.
func (d *Device) preparePipelines(ctx context.Context, kernels []*Kernel, set settingList) (built []*exec.Pipeline, err error) {
	var list []pipelinePromise
	for _, k := range kernels {
		p, err := d.promisedPipelines(k, set)
		if err != nil {
			return nil, err
		}
		list = append(list, p...)
	}
	if err := ctx.Err(); err != nil {
		return nil, waitError(err)
	}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	var next atomic.Int64
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range min(goruntime.GOMAXPROCS(0), len(list)) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(list)) && inner.Err() == nil; i = next.Add(1) - 1 {
				p := &list[i]
				v, e := d.pipelineFor(inner, p.kernel, p.shape, p.local, p.launch)
				mu.Lock()
				if e == nil {
					built = append(built, v)
				} else if err == nil && !errors.Is(e, ErrKernelNotSupported) {
					err = e
					cancel()
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if err == nil && ctx.Err() != nil && len(built) < len(list) {
		err = waitError(ctx.Err())
	}
	if err != nil {
		letGo(built)
		return nil, err
	}
	return built, nil
}
