package exec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/dag"
	"github.com/kgen-go/kgen/runtime/internal/fusion"
	"github.com/kgen-go/kgen/runtime/internal/stream"
)

// FuseMode says which launches of a graph are fused.
type FuseMode uint8

const (
	FuseNever    FuseMode = iota
	FuseWhatFits          // fuse launches that can be fused
	FuseAll               // fuse all launches; planning fails if this is impossible
)

// ConflictError is the error for a launch whose buffers and views have contradicting properties.
type ConflictError string

func (e ConflictError) Error() string { return string(e) }

// SplitError says why the launches of a graph cannot all be fused into one.
type SplitError string

func (e SplitError) Error() string { return string(e) }

// Report lists the launches that run in place of a graph's launches, and the reasons why launches
// were not fused.
type Report struct {
	Fused            bool // all launches were fused into one
	Launches         []FusedLaunch
	Splits, External []string
}

// FusedLaunch is a launch that does the work of one or several launches of the graph.
type FusedLaunch struct {
	Name     string
	Nodes    []string
	Internal []string
}

// openGroups is the largest number of groups that planning considers for a launch, beginning with
// the newest group.
const openGroups = 8

// A unit consists of the nodes that become one command of a run. If there are several nodes, their
// launches are fused.
type unit struct {
	nodes []int // indices of the nodes in the graph, in order
	step  *Step
	group *fusion.Group // group of the unit's launches; planning may add launches to the group; nil if the unit is not a launch
	deps  []int         // indices of the units that the unit depends on
	// The fields `internal` and `external` are the results of fusion.Group.Internalize for the
	// group.
	internal, external []string
}

// divideUnits divides the nodes into units. In the result, each unit comes after the units that it
// depends on. The parameter `order` contains the nodes' edges. If RequireFusion demands that all
// launches are fused, but some cannot be fused, the error contains the reason.
func (ex *Graph) divideUnits(order *dag.Graph) ([]*unit, Report, error) {
	f := &unitFuser{ex: ex}
	var single []*unit
	for i := range ex.nodes {
		if err := ex.conflictOf(i); err != nil {
			return nil, Report{}, err
		}
		u := ex.singleUnit(i, order.Preds(i))
		single = append(single, u)
		f.placeUnit(u, fusion.GainAny)
		if ex.Fuse == FuseAll && len(f.splits) > 0 {
			return nil, Report{}, SplitError(f.splits[0])
		}
	}
	units, splits := f.sortedUnits(), f.splits
	if size := ex.internalizeAll(units); ex.Fuse == FuseWhatFits && size < saidInternal(single) {
		// A small launch in a group may have prevented the group from fusing later launches. Try an
		// order that fuses small launches last, too.
		careful, why := ex.byGain(single)
		if ex.internalizeAll(careful) > size {
			units, splits = careful, why
		}
	}
	var r Report
	for _, u := range units {
		s := u.step
		if s.Kernel == nil || s.Nothing() {
			continue
		}
		l := FusedLaunch{Name: s.Kernel.Name}
		if len(u.nodes) > 1 {
			l.Name, l.Internal = u.group.Name(), u.internal
			r.External = append(r.External, u.external...)
		}
		for _, i := range u.nodes {
			l.Nodes = append(l.Nodes, ex.nodes[i].nodeLabel(i))
		}
		r.Launches = append(r.Launches, l)
	}
	r.Fused, r.Splits = len(r.Launches) <= 1, splits
	return units, r, nil
}

// byGain divides the nodes into units so that as much memory as possible becomes internal.
// Variables of the fused kernels replace internal memory. First byGain fuses nodes that share
// memory with FusionInternalMemory, then nodes that share other memory, and last small launches.
// Fusing nodes for the latter two reasons never reduces the amount of internal memory. byGain also
// returns the reasons why units were not fused.
func (ex *Graph) byGain(units []*unit) (out []*unit, splits []string) {
	for _, gain := range []fusion.Gain{fusion.GainInternal, fusion.GainMemory, fusion.GainAny} {
		for merged := true; merged; {
			f := &unitFuser{ex: ex, keepInternal: gain != fusion.GainInternal}
			for _, u := range units {
				f.placeUnit(u, gain)
			}
			merged = len(f.units) < len(units)
			units, splits = f.sortedUnits(), f.splits
		}
	}
	return units, splits
}

// internalizeAll finds the memory that variables replace in the fused launches of the units. The
// result is the size of this memory in bytes.
func (ex *Graph) internalizeAll(units []*unit) (size uint64) {
	for _, u := range units {
		if len(u.nodes) > 1 {
			u.internal, u.external = u.group.Internalize(func(s fusion.Slice) string { return ex.usedBeside(u.nodes, s) })
			size += u.group.InternalSize()
		}
	}
	return size
}

// saidInternal returns the size in bytes of all memory with the property FusionInternalMemory.
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

// conflictOf returns an error if the properties of a launch's memory contradict each
// other.
func (ex *Graph) conflictOf(i int) error {
	if s := ex.nodes[i].step; ex.Fuse != FuseNever && s.Kernel != nil && !s.Nothing() {
		if c := s.fusionLaunch().Conflict(); c != "" {
			return ConflictError(c)
		}
	}
	return nil
}

// usedBeside looks for nodes outside the unit that use the memory s. usedBeside returns a text
// about the first node that writes to the memory. If no node writes to the memory, the text is
// about the first node that reads the memory. If no node uses the memory, usedBeside returns "".
func (ex *Graph) usedBeside(nodes []int, s fusion.Slice) (reason string) {
	for i := range ex.nodes {
		if slices.Contains(nodes, i) {
			continue
		}
		for _, use := range ex.nodes[i].step.Uses().Device {
			if use.Mem != s.Mem || use.Access == 0 || use.Lo >= s.Hi || s.Lo >= use.Hi {
				continue
			}
			verb := map[abi.Access]string{abi.Read: "read", abi.Write: "written", abi.ReadWrite: "read and written"}[use.Access]
			text := fmt.Sprintf("the memory is %s by %s, which is not part of this launch", verb, ex.nodes[i].nodeLabel(i))
			if use.Access != abi.Read {
				return text
			}
			reason = cmp.Or(reason, text)
		}
	}
	return reason
}

// nodeLabel returns the node's name for reports.
func (n *Node) nodeLabel(i int) string {
	if n.Owner != nil {
		return n.Label
	}
	return fmt.Sprintf("%d: %s", i, n.step.Label)
}

// singleUnit returns a unit that consists only of node i. The unit depends on the nodes preds.
func (ex *Graph) singleUnit(i int, preds []int) *unit {
	n := &ex.nodes[i]
	u := &unit{nodes: []int{i}, step: n.step, deps: preds}
	if n.step.Kernel == nil || n.step.Nothing() || ex.Fuse == FuseNever && n.fusedSet.number == 0 {
		return u
	}
	u.group = &fusion.Group{Required: ex.Fuse == FuseAll, Barriers: ex.Barriers || ex.Fuse == FuseNever && n.fusedSet.barriers,
		OneLoop: ex.OneLoop, LocalMemory: ex.LocalMemory, LaunchBlock: ex.LaunchBlock}
	l := n.step.fusionLaunch()
	l.Place = i
	u.group.Add(l)
	return u
}

// unitFuser fuses units into larger units.
type unitFuser struct {
	ex           *Graph
	keepInternal bool // do not fuse units if less memory would be internal after fusing
	units        []*unit
	unitNow      []int // index in `units` of the unit that now contains the i-th placed unit
	splits       []string
}

// placeUnit adds a unit, which may depend only on units that were placed before. placeUnit fuses
// the unit with an earlier unit if possible.
func (f *unitFuser) placeUnit(u *unit, gain fusion.Gain) {
	var deps []int
	for _, p := range u.deps {
		deps = append(deps, f.unitNow[p])
	}
	slices.Sort(deps)
	deps = slices.Compact(deps)
	join, group := -1, (*fusion.Group)(nil)
	switch {
	case u.group == nil:
	case f.ex.Fuse != FuseNever:
		join, group = f.findUnit(u, deps, gain)
	default:
		set := f.ex.nodes[u.nodes[0]].fusedSet
		if join = slices.IndexFunc(f.units, func(u *unit) bool { return f.ex.nodes[u.nodes[0]].fusedSet == set }); join >= 0 {
			group = f.units[join].group
			group.Add(u.group.Launches[0])
		}
	}
	if join < 0 {
		f.unitNow = append(f.unitNow, len(f.units))
		f.units = append(f.units, &unit{nodes: u.nodes, step: u.step, group: u.group, deps: deps})
		return
	}
	to := f.units[join]
	to.group, to.nodes = group, slices.Concat(to.nodes, u.nodes)
	slices.Sort(to.nodes)
	to.deps = append(to.deps, slices.DeleteFunc(deps, func(d int) bool { return d == join })...)
	f.unitNow = append(f.unitNow, join)
}

// findUnit looks for a unit with which u can be fused. findUnit returns the unit's index and the
// merged group of both units, or -1. If there is no such unit, findUnit records the reason why u
// cannot be fused with the newest group.
func (f *unitFuser) findUnit(u *unit, deps []int, gain fusion.Gain) (at int, group *fusion.Group) {
	why, tried := "", 0
	for at := len(f.units) - 1; at >= 0 && tried < openGroups; at-- {
		to := f.units[at]
		if to.group == nil {
			continue
		}
		tried++
		group, reason := to.group.Merge(u.group, gain)
		if reason == "" {
			if between := f.unitBetween(at, deps); between >= 0 {
				reason = fmt.Sprintf("%s: the %s has to run between it and %s", u.group.Name(), f.units[between].step.Label, to.group.Name())
			}
		}
		if reason == "" && f.keepInternal {
			reason = f.lostMemory(to, u, group)
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

// lostMemory returns a text with the names of memory that would no longer be internal after fusing
// two units. If all memory would still be internal, lostMemory returns "".
func (f *unitFuser) lostMemory(a, b *unit, merged *fusion.Group) string {
	had := f.ex.internalizeAll([]*unit{a, b})
	both := &unit{nodes: slices.Concat(a.nodes, b.nodes), group: merged}
	if f.ex.internalizeAll([]*unit{both}) >= had {
		return ""
	}
	lost := slices.Concat(a.internal, b.internal)
	for _, name := range both.internal {
		if i := slices.Index(lost, name); i >= 0 { // remove only one entry, because several parameters may have the same name
			lost = slices.Delete(lost, i, i+1)
		}
	}
	return fmt.Sprintf("%s: fused with %s, %s would no longer be internal", b.group.Name(), a.group.Name(), strings.Join(lost, " and "))
}

// unitBetween looks for a unit that must run between unit `at` and a new unit. The new unit depends
// on the units in deps. unitBetween returns the index of a unit on which the new unit depends, and
// which depends on unit `at`. Without such a unit, unitBetween returns -1.
func (f *unitFuser) unitBetween(at int, deps []int) int {
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

// sortedUnits sorts the units, so that each unit comes after the units that it depends on. As far
// as possible, units keep the order of their first nodes.
func (f *unitFuser) sortedUnits() []*unit {
	var out []*unit
	place := make([]int, len(f.units)) // index of each unit in `out`, plus 1; 0 for a unit that is not in `out` yet
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

// launchApart prepares a launch of a group for devices that run the group's launches as separate
// launches. launchApart replaces internal memory by newly allocated memory, and lists the allocated
// memory in the map `scratch`. For memory that is not yet in `scratch`, launchApart also returns
// steps that set the memory to zero before the launch.
func (ex *Graph) launchApart(s *Step, g *fusion.Group, scratch map[fusion.Slice]*stream.Memory) (apart *Step, zeros []*Step, err error) {
	if g == nil {
		return s, nil, nil
	}
	var out *Step
	for i := range s.Launch.Placed {
		a := &s.Launch.Placed[i]
		of := fusion.Slice{Mem: a.Mem, Lo: a.Off, Hi: a.Off + a.Size, Len: a.Len}
		if a.Mem == nil || !g.Internal(of) {
			continue
		}
		if scratch[of] == nil {
			mem, err := ex.dev.Alloc(a.Size)
			if err != nil {
				return nil, nil, err
			}
			scratch[of] = mem
			zeros = append(zeros, zeroStep(mem, a.Size))
		}
		if out == nil {
			c := *s
			c.Launch = NewLaunch(s.Launch.Call)
			c.Launch.Placed = slices.Clone(s.Launch.Placed)
			c.Launch.Specs, c.Launch.HostSpecs = s.Launch.Specs, s.Launch.HostSpecs
			out = &c
		}
		out.Launch.Placed[i].Mem, out.Launch.Placed[i].Off = scratch[of], 0
	}
	if out == nil {
		return s, nil, nil
	}
	out.Launch.Pass(s.Kernel.ABI)
	return out, zeros, nil
}
