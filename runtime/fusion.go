package runtime

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime/internal/dag"
	"github.com/kgen-go/kgen/runtime/internal/exec"
	"github.com/kgen-go/kgen/runtime/internal/fusion"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/launch"
	"github.com/kgen-go/kgen/runtime/internal/stream"
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
	// internal and external are what Internalize says of the group.
	internal, external []string
}

// units divides the nodes into units, in an order in which each comes after those that it
// depends on. order has the nodes' edges. The error is about RequireFusion.
func (ex *ExecutableGraph) units(order *dag.Graph) ([]*unit, FusionReport, error) {
	f := &fuser{ex: ex}
	var single []*unit
	for i := range ex.nodes {
		if err := ex.conflict(i); err != nil {
			return nil, FusionReport{}, err
		}
		u := ex.single(i, order.Preds(i))
		single = append(single, u)
		f.place(u, fusion.GainAny)
		if ex.fuse == fuseAll && len(f.splits) > 0 {
			return nil, FusionReport{}, errorf(ErrKernelNotSupported, "the graph cannot be fused: %s", f.splits[0]).
				advise("finalize with EnableFusion, which fuses what it can, or put a graph of its own (AddGraph) between")
		}
	}
	units, splits := f.sorted(), f.splits
	if size := ex.internalize(units); ex.fuse == fuseWhatFits && size < saidInternal(single) {
		// A small launch may have joined a group that then had to refuse the ones to come.
		careful, why := ex.byGain(single)
		if ex.internalize(careful) > size {
			units, splits = careful, why
		}
	}
	var r FusionReport
	for _, u := range units {
		s := u.step
		if s.kernel == nil || s.nothing() {
			continue
		}
		l := FusedLaunch{Name: s.kernel.Name()}
		if len(u.nodes) > 1 {
			l.Name, l.Internal = u.group.Name(), u.internal
			r.External = append(r.External, u.external...)
		}
		for _, i := range u.nodes {
			l.Nodes = append(l.Nodes, ex.nodes[i].label(i))
		}
		r.Launches = append(r.Launches, l)
	}
	r.Fused, r.Splits = len(r.Launches) <= 1, splits
	return units, r, nil
}

// byGain divides the nodes into units so that much memory is internal: those that share internal
// memory are fused first, then those that share other memory, and last the small ones. The last two
// steps take no internal memory away. splits say why units did not become one.
func (ex *ExecutableGraph) byGain(units []*unit) (out []*unit, splits []string) {
	for _, gain := range []fusion.Gain{fusion.GainInternal, fusion.GainMemory, fusion.GainAny} {
		for merged := true; merged; {
			f := &fuser{ex: ex, careful: gain != fusion.GainInternal}
			for _, u := range units {
				f.place(u, gain)
			}
			merged = len(f.units) < len(units)
			units, splits = f.sorted(), f.splits
		}
	}
	return units, splits
}

// internalize finds the internal memory of the units, and returns its size in bytes.
func (ex *ExecutableGraph) internalize(units []*unit) (size uint64) {
	for _, u := range units {
		if len(u.nodes) > 1 {
			u.internal, u.external = u.group.Internalize(func(s fusion.Slice) string { return ex.usedBeside(u.nodes, s) })
			size += u.group.InternalSize()
		}
	}
	return size
}

// saidInternal returns the size of all memory that is said to be internal, in bytes.
func saidInternal(units []*unit) (size uint64) {
	seen := map[fusion.Slice]bool{}
	for _, u := range units {
		if u.group == nil {
			continue
		}
		for _, l := range u.group.Launches {
			for i, s := range l.Slices {
				if s.Mem != nil && l.Memory[i].Internal && !seen[s] {
					seen[s] = true
					size += s.Hi - s.Lo
				}
			}
		}
	}
	return size
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

// usedBeside says which other node than those of a unit uses the memory, or returns "": the first one
// that writes it, or else the first one.
func (ex *ExecutableGraph) usedBeside(nodes []int, s fusion.Slice) (reason string) {
	for i := range ex.nodes {
		if slices.Contains(nodes, i) {
			continue
		}
		for _, use := range ex.nodes[i].step.uses().Device {
			if use.Mem != s.Mem || use.Access == 0 || use.Lo >= s.Hi || s.Lo >= use.Hi {
				continue
			}
			verb := map[abi.Access]string{abi.Read: "read", abi.Write: "written", abi.ReadWrite: "read and written"}[use.Access]
			text := fmt.Sprintf("the memory is %s by %s, which is not part of this launch", verb, ex.nodes[i].label(i))
			if use.Access != abi.Read {
				return text
			}
			reason = cmp.Or(reason, text)
		}
	}
	return reason
}

// label says what the node is.
func (n *execNode) label(i int) string {
	if n.of != nil {
		return n.of.String()
	}
	return fmt.Sprintf("%d: %s", i, n.step.label)
}

// single returns the unit of one node, which depends on those of preds.
func (ex *ExecutableGraph) single(i int, preds []int) *unit {
	n := &ex.nodes[i]
	u := &unit{nodes: []int{i}, step: n.step, deps: preds}
	if n.step.kernel == nil || n.step.nothing() || ex.fuse == fuseNever && n.set.number == 0 {
		return u
	}
	u.group = &fusion.Group{Required: ex.fuse == fuseAll, Barriers: ex.barriers || ex.fuse == fuseNever && n.set.barriers,
		OneLoop: ex.dev.info.EndsLoops, LocalMemory: uint64(ex.dev.info.Limits.LocalMemory),
		LaunchBlock: ex.dev.info.Limits.MaxLaunchBlock}
	l := ex.dev.fusible(n.step)
	l.Place = i
	u.group.Add(l)
	return u
}

// fuser makes units of smaller ones.
type fuser struct {
	ex      *ExecutableGraph
	careful bool // fuse nothing that takes internal memory away
	units   []*unit
	of      []int // of each unit that was placed, the one that it is part of
	splits  []string
}

// place adds a unit, which depends on units that were placed before: as one more, or as part of
// one that it can be fused with.
func (f *fuser) place(u *unit, gain fusion.Gain) {
	var deps []int
	for _, p := range u.deps {
		deps = append(deps, f.of[p])
	}
	slices.Sort(deps)
	deps = slices.Compact(deps)
	join, group := -1, (*fusion.Group)(nil)
	switch {
	case u.group == nil:
	case f.ex.fuse != fuseNever:
		join, group = f.find(u, deps, gain)
	default:
		set := f.ex.nodes[u.nodes[0]].set
		if join = slices.IndexFunc(f.units, func(u *unit) bool { return f.ex.nodes[u.nodes[0]].set == set }); join >= 0 {
			group = f.units[join].group
			group.Add(u.group.Launches[0])
		}
	}
	if join < 0 {
		f.of = append(f.of, len(f.units))
		f.units = append(f.units, &unit{nodes: u.nodes, step: u.step, group: u.group, deps: deps})
		return
	}
	to := f.units[join]
	to.group, to.nodes = group, slices.Concat(to.nodes, u.nodes)
	slices.Sort(to.nodes)
	to.deps = append(to.deps, slices.DeleteFunc(deps, func(d int) bool { return d == join })...)
	f.of = append(f.of, join)
}

// find returns the unit that u can become part of, and the group that the two are, or -1. Where
// there are launches before it, it notes why it does not become part of the last one's.
func (f *fuser) find(u *unit, deps []int, gain fusion.Gain) (at int, group *fusion.Group) {
	why, tried := "", 0
	for at := len(f.units) - 1; at >= 0 && tried < openGroups; at-- {
		to := f.units[at]
		if to.group == nil {
			continue
		}
		tried++
		group, reason := to.group.Merge(u.group, gain)
		if reason == "" {
			if between := f.between(at, deps); between >= 0 {
				reason = fmt.Sprintf("%s: the %s has to run between it and %s", u.group.Name(), f.units[between].step.label, to.group.Name())
			}
		}
		if reason == "" && f.careful {
			reason = f.loses(to, u, group)
		}
		if reason == "" {
			return at, group
		}
		if why == "" {
			why = reason
		}
	}
	if why != "" {
		f.splits = append(f.splits, why)
	}
	return -1, nil
}

// loses says which memory would no longer be internal if two units became one, or returns "".
func (f *fuser) loses(a, b *unit, merged *fusion.Group) string {
	had := f.ex.internalize([]*unit{a, b})
	both := &unit{nodes: slices.Concat(a.nodes, b.nodes), group: merged}
	if f.ex.internalize([]*unit{both}) >= had {
		return ""
	}
	lost := slices.Concat(a.internal, b.internal)
	for _, name := range both.internal {
		if i := slices.Index(lost, name); i >= 0 { // several may have one name
			lost = slices.Delete(lost, i, i+1)
		}
	}
	return fmt.Sprintf("%s: fused with %s, %s would no longer be internal", b.group.Name(), a.group.Name(), strings.Join(lost, " and "))
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
		Source: k.code.Source, Global: s.launch.Global, Local: s.launch.Local, Args: s.launch.Block,
		Slices: make([]fusion.Slice, len(k.abi.Params)), Memory: make([]fusion.Memory, len(k.abi.Params)), Specs: map[uint32]uint64{}, Properties: s.plan.Props,
	}
	for i := range s.launch.Placed {
		if a := &s.launch.Placed[i]; a.Mem != nil && a.Len > 0 {
			l.Slices[a.Param] = fusion.Slice{Mem: a.Mem, Lo: a.Off, Hi: a.Off + a.Size, Len: a.Len}
			l.Memory[a.Param] = fusion.Memory{Buffer: a.Buffer.Scope, View: a.View.Scope,
				Internal: a.Buffer.Internal || a.View.Internal, NoInit: a.Buffer.NoInit || a.View.NoInit}
		}
	}
	for _, v := range s.launch.Specs {
		if v.ID < abi.SpecReserved {
			l.Specs[v.ID] = v.Bits
		}
	}
	for i, n := range s.launch.Accessors {
		l.Specs[abi.SpecAccessor+uint32(i)] = uint64(n)
	}
	l.LocalMemory = s.plan.LocalMemory
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
	s, c := &step{kernel: k.kernel}, &launch.Call{}
	c.Form, c.Rank, c.Global, c.Local = g.Range(func(items int) int { return d.chooseLocal(1, [3]int{items})[0] })
	c.Args = k.fused.Args(g)
	for i, o := range k.fused.Origins {
		if k.kernel.abi.Params[i].Kind != abi.Slice {
			continue
		}
		for _, a := range parts[o.Part].launch.Placed {
			if a.Param == o.Param {
				a.Param = i
				c.Slices = append(c.Slices, a)
			}
		}
	}
	s.launch.Begin(c)
	if s.plan, err = d.planFor(k.kernel, &s.launch, &launchOptions{}); err != nil {
		return nil, err
	}
	s.launch.Pass(k.kernel.abi)
	s.label = k.kernel.Name() + fmt.Sprint(" ", c.Global[:c.Rank])
	return s, nil
}

// aside returns a launch of a group with memory of its own in the place of what is internal to
// the group, for devices that run the launches one by one. zeros are what has to run before, for
// memory that is not in scratch yet.
func (d *Device) aside(s *step, g *fusion.Group, scratch map[fusion.Slice]*stream.Memory) (apart *step, zeros []*step, err error) {
	if g == nil {
		return s, nil, nil
	}
	var out *step
	for i := range s.launch.Placed {
		a := &s.launch.Placed[i]
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
			c.launch = exec.NewLaunch(s.launch.Call)
			c.launch.Placed = slices.Clone(s.launch.Placed)
			c.launch.Specs, c.launch.HostSpecs = s.launch.Specs, s.launch.HostSpecs
			out = &c
		}
		out.launch.Placed[i].Mem, out.launch.Placed[i].Off = scratch[of], 0
	}
	if out == nil {
		return s, nil, nil
	}
	out.launch.Pass(s.kernel.abi)
	return out, zeros, nil
}

// zeroing returns what makes new memory zero, as variables of work-items are when a run begins.
// It also makes good what a run that was cancelled has lost there.
func zeroing(mem *stream.Memory, size uint64) *step {
	size = (size + 3) &^ 3 // of which there is more
	return &step{kind: "fill", label: fmt.Sprintf("fill of %d bytes", size), node: stream.Command{
		Cmd:  hal.Command{Op: hal.OpFill, Dst: mem.HAL(), Size: size},
		Uses: []stream.Use{{Mem: mem, Hi: size, Access: abi.Write}},
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
