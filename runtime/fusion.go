package runtime

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime/internal/dag"
	"github.com/kgen-go/kgen/runtime/internal/fusion"
	"github.com/kgen-go/kgen/runtime/internal/graph"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/launch"
)

// FusionReport says what Graph.Finalize made of the launches of a graph.
type FusionReport struct {
	// Fused says that all of them became one. It is so of graphs without any.
	Fused bool
	// Launches are those that a run makes.
	Launches []FusedLaunch
	// Splits say why launches did not become one, in the order of Finalize, and External why
	// memory is used that was said to be internal.
	Splits, External []string
}

// FusedLaunch is a launch that does what one or several launches of the graph do.
type FusedLaunch struct {
	Name  string   // of the kernel; of several, with pluses between
	Nodes []string // what the nodes' String methods return
	// Internal are the parameters whose memory the launch leaves alone, since its work-items
	// keep what belongs there for themselves; see properties.FusionInternalMemory.
	Internal []string
}

// String prints the report: a line for each launch, and one for each reason.
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

// Report returns what became of the graph's launches.
func (ex *ExecutableGraph) Report() FusionReport {
	if ex == nil {
		return FusionReport{}
	}
	ex.mu.Lock()
	defer ex.mu.Unlock()
	return ex.report
}

// fuseMode is what Finalize was asked for.
type fuseMode uint8

const (
	fuseNever fuseMode = iota
	fuseWhatFits
	fuseAll
)

// openGroups is how many groups a launch is tried with: those that were added to last.
const openGroups = 8

// unit is what becomes one command of a run: a node, or several whose launches are fused.
type unit struct {
	nodes []int // of the executable graph, in order
	step  *step
	group *fusion.Group // of several, or of one launch that more may join; nil for others
	deps  []int         // the units that it depends on
}

// units divides the nodes into units, in an order in which each comes after those that it
// depends on. order has the nodes' edges. The error is about RequireFusion.
func (ex *ExecutableGraph) units(order *dag.Graph) ([]*unit, FusionReport, error) {
	f := &fuser{ex: ex, of: make([]int, len(ex.nodes))}
	for i := range ex.nodes {
		if err := ex.conflict(i); err != nil {
			return nil, FusionReport{}, err
		}
		f.place(i, order.Preds(i))
		if ex.fuse == fuseAll && len(f.splits) > 0 {
			return nil, FusionReport{}, errorf(ErrKernelNotSupported, "the graph cannot be fused: %s", f.splits[0]).
				advise("finalize with EnableFusion, which fuses what it can, or put a graph of its own (AddGraph) between")
		}
	}
	units := f.sorted()
	var r FusionReport
	for _, u := range units {
		s := u.step
		if s.kernel == nil || s.nothing() {
			continue
		}
		l := FusedLaunch{Name: s.kernel.Name()}
		if len(u.nodes) > 1 {
			l.Name = u.group.Name()
			names, not := u.group.Internalize(func(s fusion.Slice) bool { return ex.usedBeside(u, s) })
			l.Internal, r.External = names, append(r.External, not...)
		}
		for _, i := range u.nodes {
			l.Nodes = append(l.Nodes, ex.nodes[i].label(i))
		}
		r.Launches = append(r.Launches, l)
	}
	r.Fused, r.Splits = len(r.Launches) <= 1, f.splits
	return units, r, nil
}

// conflict reports properties of a launch's memory that contradict each other.
func (ex *ExecutableGraph) conflict(i int) error {
	if s := ex.nodes[i].step; ex.fuse != fuseNever && s.kernel != nil && !s.nothing() {
		if c := ex.dev.fusible(s).Conflict(); c != "" {
			return errorf(ErrInvalid, "%s", c)
		}
	}
	return nil
}

// usedBeside reports whether nodes that are not of the unit use the memory.
func (ex *ExecutableGraph) usedBeside(u *unit, s fusion.Slice) bool {
	for i := range ex.nodes {
		if slices.Contains(u.nodes, i) {
			continue
		}
		for _, use := range ex.nodes[i].step.uses().Device {
			if use.Mem == s.Mem && use.Access != 0 && use.Lo < s.Hi && s.Lo < use.Hi {
				return true
			}
		}
	}
	return false
}

// label says what the node is.
func (n *execNode) label(i int) string {
	if n.of != nil {
		return n.of.String()
	}
	return fmt.Sprintf("%d: %s", i, n.step.label)
}

// fuser divides nodes into units.
type fuser struct {
	ex     *ExecutableGraph
	units  []*unit
	of     []int // the units of nodes
	splits []string
}

// place puts a node, which depends on preds, into a unit: a new one, or one whose launch it can
// become part of.
func (f *fuser) place(i int, preds []int) {
	n := &f.ex.nodes[i]
	var deps []int
	for _, p := range preds {
		deps = append(deps, f.of[p])
	}
	slices.Sort(deps)
	deps = slices.Compact(deps)
	join := -1
	var l *fusion.Launch
	if n.step.kernel != nil && !n.step.nothing() {
		switch {
		case f.ex.fuse != fuseNever:
			l = f.ex.dev.fusible(n.step)
			join = f.find(l, deps)
		case n.set.number > 0:
			l = f.ex.dev.fusible(n.step)
			join = slices.IndexFunc(f.units, func(u *unit) bool { return f.ex.nodes[u.nodes[0]].set == n.set })
		}
	}
	if join >= 0 {
		u := f.units[join]
		u.nodes = append(u.nodes, i)
		u.group.Add(l)
		deps = slices.DeleteFunc(deps, func(d int) bool { return d == join })
		u.deps = append(u.deps, deps...)
		f.of[i] = join
		return
	}
	u := &unit{nodes: []int{i}, step: n.step, deps: deps}
	if l != nil {
		u.group = &fusion.Group{Required: f.ex.fuse == fuseAll, Barriers: f.ex.barriers || f.ex.fuse == fuseNever && n.set.barriers,
			OneLoop: f.ex.dev.info.EndsLoops, LocalMemory: uint64(f.ex.dev.info.Limits.LocalMemory),
			LaunchBlock: f.ex.dev.info.Limits.MaxLaunchBlock}
		u.group.Add(l)
	}
	f.of[i] = len(f.units)
	f.units = append(f.units, u)
}

// find returns the unit that a launch can become part of, or -1. Where there are launches before
// it, it notes why it does not become part of the last one's.
func (f *fuser) find(l *fusion.Launch, deps []int) int {
	why, tried := "", 0
	for at := len(f.units) - 1; at >= 0 && tried < openGroups; at-- {
		u := f.units[at]
		if u.group == nil {
			continue
		}
		tried++
		reason := u.group.Refuses(l)
		if reason == "" {
			if between := f.between(at, deps); between >= 0 {
				reason = fmt.Sprintf("%s: the %s has to run between it and %s", l.Name(), f.units[between].step.label, u.group.Name())
			}
		}
		if reason == "" {
			return at
		}
		if why == "" {
			why = reason
		}
	}
	if why != "" {
		f.splits = append(f.splits, why)
	}
	return -1
}

// between returns a unit that depends on the unit at and is or leads to one of deps, or -1: what
// has to run between the unit and something that depends on deps.
func (f *fuser) between(at int, deps []int) int {
	seen := make([]bool, len(f.units))
	var walk func(u int) int
	walk = func(u int) int {
		if u == at || seen[u] {
			return -1
		}
		seen[u] = true
		for _, d := range f.units[u].deps {
			if d == at {
				return u
			}
			if w := walk(d); w >= 0 {
				return w
			}
		}
		return -1
	}
	for _, d := range deps {
		if u := walk(d); u >= 0 {
			return u
		}
	}
	return -1
}

// sorted returns the units so that each comes after those that it depends on, and otherwise in
// the order of their first nodes.
func (f *fuser) sorted() []*unit {
	var out []*unit
	place := make([]int, len(f.units)) // 1 + its place in out
	var visit func(i int)
	visit = func(i int) {
		if place[i] > 0 {
			return
		}
		u := f.units[i]
		for _, d := range u.deps {
			visit(d)
		}
		out = append(out, u)
		place[i] = len(out)
	}
	for i := range f.units {
		visit(i)
	}
	for _, u := range f.units {
		for k, d := range u.deps {
			u.deps[k] = place[d] - 1
		}
		slices.Sort(u.deps)
		u.deps = slices.Compact(u.deps)
	}
	return out
}

// fusible returns a step of the device, a launch, as package fusion has launches.
func (d *Device) fusible(s *step) *fusion.Launch {
	k := s.kernel
	l := &fusion.Launch{
		Source: k.source, Global: s.call.Global, Local: s.call.Local, Args: s.call.Args,
		Slices: make([]fusion.Slice, len(k.abi.Params)), Memory: make([]fusion.Memory, len(k.abi.Params)), Specs: map[uint32]uint64{}, Properties: s.plan.props,
	}
	for i := range s.call.Slices {
		if a := &s.call.Slices[i]; a.Mem != nil && a.Len > 0 {
			l.Slices[a.Param] = fusion.Slice{Mem: a.Mem, Lo: a.Off, Hi: a.Off + a.Size, Len: a.Len}
			l.Memory[a.Param] = fusion.Memory{Buffer: a.Buffer.Scope, View: a.View.Scope,
				Internal: a.Buffer.Internal || a.View.Internal, NoInit: a.Buffer.NoInit || a.View.NoInit}
		}
	}
	for _, v := range s.call.Specs {
		if v.ID < abi.SpecReserved {
			l.Specs[v.ID] = v.Bits
		}
	}
	for i, n := range s.call.Accessors {
		l.Specs[abi.SpecAccessor+uint32(i)] = uint64(n)
	}
	l.LocalMemory, _ = d.checkLocalMemory(k, &s.call) // which has been done before
	return l
}

// fusedKernels are the kernels that a device has linked, by what they were linked from.
type fusedKernels struct {
	mu sync.Mutex
	of map[string]*fusedKernel
}

// maxFused is how many linked kernels a device remembers.
const maxFused = 256

type fusedKernel struct {
	kernel *Kernel
	fused  *fusion.Fused
}

// get returns the kernel of a group.
func (f *fusedKernels) get(g *fusion.Group) (*fusedKernel, error) {
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
	k.kernel.name = linked.Name
	if f.of == nil || len(f.of) >= maxFused {
		f.of = map[string]*fusedKernel{}
	}
	f.of[key] = k
	return k, nil
}

// fusedStep returns the launch that does what the launches of a unit do.
func (d *Device) fusedStep(g *fusion.Group, parts []*step) (*step, error) {
	k, err := d.fused.get(g)
	if err != nil {
		return nil, &Error{Class: ErrBuild, Kernel: g.Name(), Problem: "the kernels were not linked", Err: err}
	}
	s := &step{kernel: k.kernel}
	c := &s.call
	c.Form, c.Rank, c.Global, c.Local = g.Range(func(items int) int { return d.chooseLocal(1, [3]int{items})[0] })
	c.Args = k.fused.Args(g)
	for i, o := range k.fused.Origins {
		if k.kernel.abi.Params[i].Kind != abi.Slice {
			continue
		}
		for _, a := range parts[o.Part].call.Slices {
			if a.Param == o.Param {
				a.Param = i
				c.Slices = append(c.Slices, a)
			}
		}
	}
	if s.plan, err = d.planFor(k.kernel, c, &launchOptions{}); err != nil {
		return nil, err
	}
	passSlices(k.kernel.abi, c)
	s.label = k.kernel.Name() + fmt.Sprint(" ", c.Global[:c.Rank])
	return s, nil
}

// aside returns a launch of a group with memory of its own in the place of what is internal to
// the group, for devices that run the launches one by one. zeros are what has to run before, for
// memory that is not in scratch yet.
func (d *Device) aside(s *step, g *fusion.Group, scratch map[fusion.Slice]*graph.Memory) (apart *step, zeros []*step, err error) {
	if g == nil {
		return s, nil, nil
	}
	var out *step
	for i := range s.call.Slices {
		a := &s.call.Slices[i]
		of := fusion.Slice{Mem: a.Mem, Lo: a.Off, Hi: a.Off + a.Size, Len: a.Len}
		if a.Mem == nil || !g.Internal(of) {
			continue
		}
		if scratch[of] == nil {
			mem, err := d.alloc(a.Size, hal.DeviceMemory)
			if err != nil {
				return nil, nil, err
			}
			scratch[of] = mem
			zeros = append(zeros, zeroing(mem, a.Size))
		}
		if out == nil {
			c := *s
			c.call = commandOf(s.kernel, &s.call, nil).call
			c.call.Specs, c.call.HostSpecs = s.call.Specs, s.call.HostSpecs
			out = &c
		}
		out.call.Slices[i].Mem, out.call.Slices[i].Off = scratch[of], 0
	}
	if out == nil {
		return s, nil, nil
	}
	passSlices(s.kernel.abi, &out.call)
	return out, zeros, nil
}

// zeroing returns what makes new memory zero, as variables of work-items are when a run begins.
// It also makes good what a run that was cancelled has lost there.
func zeroing(mem *graph.Memory, size uint64) *step {
	size = (size + 3) &^ 3 // of which there is more
	return &step{kind: "fill", label: fmt.Sprintf("fill of %d bytes", size), node: graph.Node{
		Cmd:  hal.Command{Op: hal.OpFill, Dst: mem.HAL(), Size: size},
		Uses: []graph.Use{{Mem: mem, Hi: size, Access: abi.Write}},
	}}
}

// fuseModeOf returns what the properties of Finalize ask for.
func (d *Device) fuseModeOf(props properties.List) (fuseMode, error) {
	switch {
	case props.Has(properties.KeyRequireFusion):
		if !d.Has(properties.GraphFusion) {
			return fuseNever, errorf(ErrFeatureNotSupported, "the device %s lacks the aspect %v, which RequireFusion needs", d.Name(), properties.GraphFusion).
				advise("finalize with EnableFusion, which fuses where it can")
		}
		return fuseAll, nil
	case props.Has(properties.KeyEnableFusion) && d.Has(properties.GraphFusion):
		return fuseWhatFits, nil
	}
	return fuseNever, nil
}
