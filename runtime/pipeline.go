package runtime

import (
	"context"
	"errors"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime/internal/exec"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/stream"
)

// findPipeline sets the plan's pipeline. If the pipeline does not exist yet, findPipeline makes it and
// waits. If ctx ends first, the wait ends, but the pipeline is completed, and the next launch uses
// it. The caller must call p.LetGo.
func (d *Device) findPipeline(ctx context.Context, k *Kernel, c *exec.Launch, p *exec.Plan) error {
	if p.Pipeline != nil {
		return nil
	}
	local := exec.DeviceOrder(c.Rank, p.Local)
	cancel := c.Cancel != nil && !d.isHost() && k.code.Leaves()
	sh := exec.Shape{Local: p.Local, SubGroup: p.SubGroup, Small: !cancel && d.hasSmall(k) && k.code.IsSmall(c), Cancel: cancel}
	sh.Native, _ = d.usesNative(k, p.Local, p.SubGroup)
	d.addReserved(c, local, p.SubGroup)
	v, err := d.pipelineFor(ctx, k, sh, local, c)
	p.Pipeline = v
	return err
}

// addReserved adds the values of the reserved specialization constants to a launch. subGroup is the
// sub-group size that the launch requires, or 0.
func (d *Device) addReserved(c *exec.Launch, local [3]uint32, subGroup int) {
	c.Reserve(local, exec.Reserved{
		Correct: d.correctsDivision, Fused: d.byFma, Fused64: d.byFma64, Flushes: d.flushesSubnormals, Whole: d.fillsSubGroups(local), SubGroup: d.dividesSubGroups(subGroup),
	})
}

// dividesSubGroups returns a number that divides the size of every sub-group, except the last sub-group of each
// work-group. The parameter `required` is the sub-group size that a launch requires, or 0.
func (d *Device) dividesSubGroups(required int) int { return max(1, required, d.info.SubGroups[0]) }

// pipelineFor returns a pipeline, and counts the caller as one of its users.
func (d *Device) pipelineFor(ctx context.Context, k *Kernel, sh exec.Shape, local [3]uint32, c *exec.Launch) (*exec.Pipeline, error) {
	v, err := d.pipelines.Find(ctx, k.code, sh, local, c)
	switch err {
	case nil:
		return v, nil
	case exec.ErrClosed:
		return nil, d.usable()
	case ctx.Err():
		return nil, waitError(err)
	}
	return nil, err
}

// hasSmall reports whether the kernel has a module for small launches.
func (d *Device) hasSmall(k *Kernel) bool {
	if !d.smallVariants || k.code.Small == nil || d.isHost() {
		return false
	}
	v, missing := k.code.Variant(d.Has, false)
	return v == nil && missing == 0
}

// pipelineMaker is a device with the methods that package exec needs for making pipelines. The
// type keeps the method Make separate from the methods of Device.
type pipelineMaker Device

// Make makes a pipeline of a kernel, or returns the reason why the pipeline cannot be made.
func (m *pipelineMaker) Make(code *exec.Kernel, sh exec.Shape, desc hal.PipelineDesc) (hal.Pipeline, error) {
	d, k := (*Device)(m), code.Owner.(*Kernel)
	start := hal.Now()
	h, taken, err := d.buildFor(k, sh, desc)
	d.logPipeline(k, sh, taken, h, err, start)
	if err == nil {
		return h, nil
	}
	if e := new(Error); errors.As(err, &e) {
		return nil, err
	}
	if e := d.privateMemoryError(k, desc.Specs, err); e != nil {
		return nil, e
	}
	return nil, backendError(d, k, "the device "+d.Name()+" does not take the kernel", err)
}

// buildPipeline makes a pipeline of the kernel's own module or of a variant. The variant may be
// needed because of the device, because the launch is small, or because the launch may be
// cancelled. buildPipeline also returns the variant, which is nil for the kernel's own module. If
// the driver fails to compile a module, buildPipeline tries a variant, which computes the same
// results with other code.
func (d *Device) buildPipeline(k *Kernel, desc hal.PipelineDesc, small, cancel bool) (h hal.Pipeline, taken *abi.Variant, err error) {
	if d.isHost() {
		h, err = d.newPipeline(&desc)
		return h, nil, err
	}
	if k.own != nil {
		if err := d.checkModule(k.own, k.abi, desc.Specs); err != nil {
			return nil, nil, err.setKernel(k)
		}
	}
	if name := k.abi.Damaged(); name != "" {
		return nil, nil, errorf(ErrBuild, "the file %s that was built in is not the one that its stubs were written with", name).setKernel(k).
			advise("run kgen again, and commit what it writes")
	}
	v, missing := k.code.Variant(d.Has, cancel)
	if missing != 0 && cancel {
		v, missing = k.code.Variant(d.Has, false)
	}
	if missing != 0 {
		return nil, nil, d.aspectError(k, "needs", missing).setKernel(k)
	}
	d.logPassedOver(k, v)
	if v == nil && small {
		if h, err := d.buildVariant(k, k.code.Small, desc); err == nil || notMade(err) {
			return h, k.code.Small, err
		}
	}
	h, err = d.buildVariant(k, v, desc)
	if cancel && errors.Is(err, hal.ErrPipeline) {
		return d.buildPipeline(k, desc, false, false) // this pipeline works, but cannot be cancelled
	}
	if v == nil && errors.Is(err, hal.ErrPipeline) {
		for i := range k.abi.Variants {
			if k.abi.Variants[i].Products != nil || k.abi.Variants[i].Cancel != cancel {
				continue
			}
			if h, err := d.buildVariant(k, &k.abi.Variants[i], desc); err == nil || notMade(err) {
				return h, &k.abi.Variants[i], err
			}
		}
	}
	return h, v, err
}

// buildVariant makes a pipeline of the variant v. If v is nil, buildVariant makes a pipeline of the
// kernel's own module.
func (d *Device) buildVariant(k *Kernel, v *abi.Variant, desc hal.PipelineDesc) (hal.Pipeline, error) {
	words, err := d.moduleWords(k, v)
	if err != nil {
		return nil, err
	}
	desc.SPIRV, desc.Loops = words, k.abi.Loops
	if v != nil {
		desc.Loops, desc.Cancels = v.Loops, v.Cancel
	}
	if v != nil && slices.Contains(v.Without, properties.Int64) {
		desc.Specs = exec.SplitSpecs(k.abi, desc.Specs)
	}
	h, err := d.newPipeline(&desc)
	if err != nil {
		d.logRefused(k, v, err.Error())
	}
	return h, err
}

// moduleWords returns the words of the module of the variant v. If v is nil, moduleWords returns
// the words of the kernel's own module. If the stub does not contain the words, moduleWords makes
// the words from the kernel's IR.
func (d *Device) moduleWords(k *Kernel, v *abi.Variant) ([]uint32, error) {
	start := hal.Now()
	words, err := k.code.Module(v)
	if err != nil {
		e := errorf(ErrBuild, "its module %s, which is made of the file %s.kir that was built in, is not there", v.Name, k.abi.Name).setKernel(k).
			advise("run go generate with the version of kgen that go.mod has, and commit what it writes")
		e.Err = err
		return nil, e
	}
	d.logModuleMade(k, v, start)
	return words, nil
}

// notMade reports whether err is an error of moduleWords. After an error of moduleWords, the caller
// tries no other module.
func notMade(err error) bool { return errors.As(err, new(*Error)) }

func (d *Device) newPipeline(desc *hal.PipelineDesc) (hal.Pipeline, error) {
	if !d.stream.Enter() {
		return nil, stream.ErrClosed
	}
	defer d.stream.Leave()
	return d.hal.NewPipeline(desc)
}
