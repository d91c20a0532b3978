package runtime

import (
	"fmt"
	"strings"
	"sync"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime/internal/exec"
	"github.com/kgen-go/kgen/runtime/internal/fusion"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/launch"
	"github.com/kgen-go/kgen/runtime/internal/stream"
)

// FusionReport describes the launches that Graph.Finalize made from the launches of a graph.
type FusionReport struct {
	// Fused says that all launches were fused into one launch, or that the graph has no launches.
	Fused bool
	// Launches lists the launches of each run of the executable graph.
	Launches []FusedLaunch
	// Splits lists the reasons why launches were not fused, in the order of the launches. External
	// lists the reasons why memory with the property FusionInternalMemory could not be replaced by
	// private or work-group memory.
	Splits, External []string
}

// FusedLaunch is a launch that does the work of one or several launches of the graph.
type FusedLaunch struct {
	Name  string   // name of the kernel, or names of several kernels joined by pluses
	Nodes []string // names of the launch's nodes, as Node.String returns them
	// Internal lists the parameters whose elements are only in private or work-group memory during
	// the launch; see properties.FusionInternalMemory.
	Internal []string
}

// String returns the report as text, with one line for each launch and one line for each reason.
func (r FusionReport) String() string {
	var b strings.Builder
	for _, l := range r.Launches {
		fmt.Fprintf(&b, "%s: %s\n", l.Name, strings.Join(l.Nodes, ", "))
		for _, name := range l.Internal {
			fmt.Fprintf(&b, "\tinternal: %s\n", name)
		}
	}
	for _, s := range r.Splits {
		fmt.Fprintf(&b, "not fused: %s\n", s)
	}
	for _, s := range r.External {
		fmt.Fprintf(&b, "not internal: %s\n", s)
	}
	return b.String()
}

// Report describes the launches that Finalize has made from the graph's launches.
func (ex *ExecutableGraph) Report() FusionReport {
	if ex == nil {
		return FusionReport{}
	}
	r := ex.graph.Report()
	out := FusionReport{Fused: r.Fused, Splits: r.Splits, External: r.External}
	for _, l := range r.Launches {
		out.Launches = append(out.Launches, FusedLaunch(l))
	}
	return out
}

// graphPlanner is a Device with the methods that package exec needs for planning graphs. The
// planning methods belong to graphPlanner, so that they are not part of the API of Device.
type graphPlanner Device

// Compile sets the pipeline of a step.
func (p *graphPlanner) Compile(s *exec.Step, l *exec.Launch, plan *exec.Plan) error {
	return (*Device)(p).findPipeline(backgroundCtx, s.Kernel.Owner.(*Kernel), l, plan)
}

// Alloc allocates memory of the device.
func (p *graphPlanner) Alloc(size uint64) (*stream.Memory, error) {
	return (*Device)(p).alloc(size, hal.DeviceMemory)
}

// fusedKernels maps the key of a group of launches to the kernel that was linked for the group.
type fusedKernels struct {
	mu sync.Mutex
	of map[string]*fusedKernel
}

// maxFused is the largest number of linked kernels that a device keeps.
const maxFused = 256

type fusedKernel struct {
	kernel *Kernel
	fused  *fusion.Fused
}

// linkedKernel returns the kernel that is linked from a group's kernels. The first call for a group
// links the kernel.
func (f *fusedKernels) linkedKernel(g *fusion.Group) (*fusedKernel, error) {
	key := g.Key()
	f.mu.Lock()
	defer f.mu.Unlock()
	if k := f.of[key]; k != nil {
		return k, nil
	}
	linked, err := g.Link()
	if err != nil {
		return nil, err
	}
	k := &fusedKernel{newKernel(launch.Kernel{ABI: linked.ABI}), linked}
	k.kernel.code.Name = linked.Name
	if f.of == nil || len(f.of) >= maxFused {
		f.of = map[string]*fusedKernel{}
	}
	f.of[key] = k
	return k, nil
}

// Fuse returns one launch that does the work of all launches of a group.
func (p *graphPlanner) Fuse(g *fusion.Group, parts []*exec.Step) (*exec.Step, error) {
	d := (*Device)(p)
	k, err := d.fused.linkedKernel(g)
	if err != nil {
		return nil, &Error{Class: ErrBuild, Kernel: g.Name(), Problem: "the kernels were not linked", Err: err}
	}
	s, c := &exec.Step{Kernel: k.kernel.code}, &launch.Call{}
	c.Form, c.Rank, c.Global, c.Local = g.Range(func(items int) int { return d.chooseLocal(1, [3]int{items})[0] })
	c.Args = k.fused.Args(g)
	for i, o := range k.fused.Origins {
		if k.kernel.abi.Params[i].Kind != abi.Slice {
			continue
		}
		for _, a := range parts[o.Part].Launch.Placed {
			if a.Param == o.Param {
				a.Param = i
				c.Slices = append(c.Slices, a)
			}
		}
	}
	s.Launch.Begin(c)
	if s.Plan, err = d.planFor(k.kernel, &s.Launch, &launchOptions{}); err != nil {
		return nil, err
	}
	s.Launch.Pass(k.kernel.abi)
	s.Label = k.kernel.Name() + fmt.Sprint(" ", c.Global[:c.Rank])
	return s, nil
}

// fuseModeOf returns the FuseMode that the properties of Finalize request.
func (d *Device) fuseModeOf(props properties.List) (exec.FuseMode, error) {
	switch {
	case props.Has(properties.KeyRequireFusion):
		if !d.Has(properties.GraphFusion) {
			return exec.FuseNever, errorf(ErrFeatureNotSupported, "the device %s lacks the aspect %v, which RequireFusion needs", d.Name(), properties.GraphFusion).
				advise("finalize with EnableFusion, which fuses where it can")
		}
		return exec.FuseAll, nil
	case props.Has(properties.KeyEnableFusion) && d.Has(properties.GraphFusion):
		return exec.FuseWhatFits, nil
	}
	return exec.FuseNever, nil
}
