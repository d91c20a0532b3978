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
	FuseWhatFits          // fuse the launches that can be fused
	FuseAll               // fuse all launches, or fail to plan
)

// ConflictError is the error for a launch whose memory has properties that contradict each other.
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

// openGroups is the number of groups that planning tries to add a launch to. Planning tries the
// newest groups first.
const openGroups = 8

// A unit consists of one or several nodes that become one command of a run. The launches of several
// nodes are fused.
type unit struct {
	nodes []int // indices of the nodes in the graph, in order
	step  *Step
	group *fusion.Group // group of the unit's launches, to which planning may add more; nil for other commands
	deps  []int         // units that the unit depends on
	// The fields internal and external are the results of fusion.Group.Internalize for the group.
	internal, external []string
}

// divideUnits divides the nodes into units. In the result, each unit comes after the units that it
// depends on. The parameter order contains the nodes' edges. The error says why launches cannot be
// fused although RequireFusion demands it.
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
		// A group may have refused later launches only because a small launch had joined the group.
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

// byGain divides the nodes into units so that as much memory as possible is internal. First byGain
// fuses nodes that share internal memory, then nodes that share other memory, and last small nodes.
// The last two steps never reduce the internal memory. byGain also returns the reasons why units
// were not fused.
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

// internalizeAll finds the internal memory of the units, and returns its size in bytes.
func (ex *Graph) internalizeAll(units []*unit) (size uint64) {
	for _, u := range units {
		if len(u.nodes) > 1 {
			u.internal, u.external = u.group.Internalize(func(s fusion.Slice) string { return ex.usedBeside(u.nodes, s) })
			size += u.group.InternalSize()
		}
	}
	return size
}

// saidInternal returns the size in bytes of all memory whose properties say that it is internal.
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

// usedBeside looks for nodes that use the memory but are not in the unit. usedBeside returns a text
// about one of these nodes, or "". If some of them write the memory, the text is about the first
// that does.
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

// singleUnit returns the unit of one node, which depends on the nodes preds.
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

// unitFuser combines units into larger ones.
type unitFuser struct {
	ex           *Graph
	keepInternal bool // do not fuse units if fusing reduces the internal memory
	units        []*unit
	unitNow      []int // maps a placed unit to the index of the unit that contains it now
	splits       []string
}

// placeUnit adds a unit, which depends only on units placed before. placeUnit may add
// the unit on its own, or fuse it with an earlier unit.
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

// findUnit looks for a unit that u can become part of. findUnit returns the unit's index and the
// group of both units, or -1. If u follows a launch, findUnit records the reason why u does
// not become part of the last launch's unit.
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

// lostMemory returns the name of memory that would no longer be internal if two units were
// fused. lostMemory returns "" if there is no such memory.
func (f *unitFuser) lostMemory(a, b *unit, merged *fusion.Group) string {
	had := f.ex.internalizeAll([]*unit{a, b})
	both := &unit{nodes: slices.Concat(a.nodes, b.nodes), group: merged}
	if f.ex.internalizeAll([]*unit{both}) >= had {
		return ""
	}
	lost := slices.Concat(a.internal, b.internal)
	for _, name := range both.internal {
		if i := slices.Index(lost, name); i >= 0 { // several parameters may have the same name
			lost = slices.Delete(lost, i, i+1)
		}
	}
	return fmt.Sprintf("%s: fused with %s, %s would no longer be internal", b.group.Name(), a.group.Name(), strings.Join(lost, " and "))
}

// unitBetween looks among the units in deps and their predecessors for a unit that depends on the
// unit with index at. A new unit that depends on the units in deps has to run after the unit that
// unitBetween returns. unitBetween returns -1 if there is no such unit.
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

// sortedUnits returns the units in an order in which each unit comes after the units that it
// depends on. Otherwise units keep the order of their first nodes.
func (f *unitFuser) sortedUnits() []*unit {
	var out []*unit
	place := make([]int, len(f.units)) // index of the unit in out, plus 1
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

// launchApart returns a launch of a group for devices that run the group's launches one by one.
// launchApart replaces the group's internal memory by ordinary memory. launchApart also returns steps
// that must run before the launch, because they set that memory to zero. These steps are for memory that
// is not in the map scratch yet.
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
