package fusion

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/properties"
)

// Launch is a launch that may be fused with other launches.
type Launch struct {
	Source *Source
	Place  int    // index in the graph's sequence
	Global [3]int // number of work-items, in the order of the kernel's indexes
	Local  [3]int // work-group size of a launch over an nd-range, in the order of the kernel's indexes
	// Args is the argument block, which contains the addresses and lengths of slices.
	Args []byte
	// Slices contains the memory range of each parameter that is a slice. The range of a slice
	// without elements is the zero Slice.
	Slices []Slice
	// Memory contains the properties of each parameter's view and buffer.
	Memory []Memory
	// Specs maps the ids of specialization constants to their values. For a local accessor, Specs
	// contains the accessor's length.
	Specs map[uint32]uint64
	// LocalMemory is the size of the kernel's work-group memory, in bytes.
	LocalMemory uint64
	// Native says that the launch may use the device's own matrix instructions. A fused kernel
	// cannot use matrix instructions, because linking expands matrix operations to loops.
	Native bool
	// Properties are the properties of the kernel and of the launch.
	Properties properties.List
}

// Slice is a range of a device's memory.
type Slice struct {
	Mem    any    // comparable value that identifies the memory; nil for a slice without elements
	Lo, Hi uint64 // bounds of the slice in the memory, in bytes
	Len    int    // number of elements
}

// overlapsWith reports whether two slices have memory in common.
func (s *Slice) overlapsWith(t *Slice) bool {
	return s.Mem != nil && s.Mem == t.Mem && s.Lo < t.Hi && t.Lo < s.Hi
}

// Limits of fusion. The limits keep fused launches from being slower than separate launches. A
// kernel that needs too many registers would be slower.
const (
	maxParts  = 32
	maxValues = 4000 // largest number of IR values in a fused kernel, unless RequireFusion is given
	// fewItems is the largest number of work-items of a small launch. A small launch takes less
	// time on the device than the host needs for launching it.
	fewItems = 1 << 14
)

// Group is a list of launches that are fused into one launch. The launches are in the order of the
// graph.
type Group struct {
	Launches []*Launch
	// LaunchBlock is the size of the device's launch blocks, in bytes.
	LaunchBlock int
	// Required says that the launches must be fused even if fusion does not make them faster.
	Required bool
	// Barriers says that the work-items of a work-group meet at a barrier between the launches.
	Barriers bool
	// OneLoop says that at most one of the fused kernels may have loops, unless Required is set.
	// OneLoop is for devices that limit the total number of iterations of all loops that a
	// work-item runs.
	OneLoop bool
	// LocalMemory is the limit of the fused launch's work-group memory, in bytes.
	LocalMemory uint64
	props       properties.List  // merged properties of all launches
	internals   []internalMemory // memory that the fused kernel replaces by variables
}

// Name returns the name of the launch's kernel.
func (l *Launch) Name() string { return l.Source.sourceName() }

// Name returns the names of the group's kernels, joined by pluses.
func (g *Group) Name() string {
	var names []string
	for _, l := range g.Launches {
		names = append(names, l.Name())
	}
	return strings.Join(names, "+")
}

// rangeText describes the launch's range, for error messages.
func (l *Launch) rangeText() string {
	rank := l.Source.ABI.Rank
	switch l.Source.ABI.Form {
	case abi.Task:
		return "one work-item"
	case abi.NDRange:
		return fmt.Sprintf("%v in work-groups of %v", l.Global[:rank], l.Local[:rank])
	}
	return fmt.Sprint(l.Global[:rank])
}

// itemCount returns the number of work-items, or the largest uint64 if the number overflows.
func (l *Launch) itemCount() uint64 {
	items := uint64(1)
	for _, n := range l.Global[:l.Source.ABI.Rank] {
		if hi, lo := bits.Mul64(items, uint64(n)); hi == 0 {
			items = lo
		} else {
			items = math.MaxUint64
		}
	}
	return items
}

// sameRange reports whether two launches run over the same range.
func (l *Launch) sameRange(o *Launch) bool {
	return l.Source.ABI.Rank == o.Source.ABI.Rank && l.Global == o.Global
}

// The method Apart reports whether the fused kernel keeps a separate range for each launch. If so,
// the kernel runs the code of a launch only within the launch's range. The launches are the group's
// launches and the launches in `added`. Separate ranges are needed if the launches have different
// ranges. Separate ranges are also needed if launches over ranges are fused with barriers, because
// the fused launch then has complete work-groups.
func (g *Group) Apart(added ...*Launch) bool {
	if g.Barriers && g.Launches[0].Source.ABI.Form == abi.Range {
		return true
	}
	for _, list := range [2][]*Launch{g.Launches, added} {
		for _, l := range list {
			if !l.sameRange(g.Launches[0]) {
				return true
			}
		}
	}
	return false
}

// Range returns the form and range of the fused launch. If the fused launch is over an nd-range,
// and no launch states a work-group size, Range calls the function `size` to choose the work-group
// size.
func (g *Group) Range(size func(items int) int) (form abi.Form, rank int, global, local [3]int) {
	first := g.Launches[0]
	form = first.Source.ABI.Form
	if !g.Apart() {
		return form, first.Source.ABI.Rank, first.Global, first.Local
	}
	most := uint64(0)
	for _, l := range g.Launches {
		most = max(most, l.itemCount())
	}
	items := int(most)
	if form == abi.NDRange || !g.Barriers {
		return form, 1, [3]int{items}, first.Local
	}
	n := 0
	if p, ok := g.props.Get(properties.KeyWorkGroupSize); ok {
		n = p.Dims()[0]
	} else {
		n = size(items)
	}
	return abi.NDRange, 1, [3]int{(items + n - 1) / n * n}, [3]int{n}
}

// The method Alone returns the reason why the launch cannot be fused with any other launch, or "".
func (l *Launch) Alone() string {
	l.Source.readIR()
	if l.Source.whyAlone != "" {
		return l.Source.whyAlone
	}
	for i := range l.Slices {
		for j := range l.Slices[:i] {
			if reason := l.overlapConflict(j, l, i, false); reason != "" && !l.Slices[i].sameElements(&l.Slices[j]) {
				return reason
			}
		}
	}
	return ""
}

// sameElements reports whether two slices contain the same elements of the same memory.
func (s *Slice) sameElements(t *Slice) bool { return *s == *t && s.Mem != nil }

// overlapConflict compares the slice of parameter j of l with the slice of parameter i of `other`.
// If the slices overlap so that the launches cannot be fused, overlapConflict returns the reason,
// otherwise "". The parameter `other` is a launch that runs after l, or l itself. The parameter
// `barriers` says that there is a barrier between the two launches. With a barrier, a work-item may
// also use elements of other work-items of its work-group.
func (l *Launch) overlapConflict(j int, other *Launch, i int, barriers bool) string {
	a, b := &l.Source.paramUses[j], &other.Source.paramUses[i]
	if (a.Access|b.Access)&abi.Write == 0 || a.Access == 0 || b.Access == 0 || !l.Slices[j].overlapsWith(&other.Slices[i]) {
		return ""
	}
	if !l.Slices[j].sameElements(&other.Slices[i]) {
		return fmt.Sprintf("%s and %s, which overlap without being the same elements", l.Source.accessText(j), other.Source.accessText(i))
	}
	if l.Source.ABI.Form == abi.Task && other.Source.ABI.Form == abi.Task {
		return "" // both launches have only one work-item
	}
	hint := ""
	switch meets := l != other && l.barrierSuffices(j, other, i); {
	case meets && barriers:
		return ""
	case meets:
		hint = " of its work-group (InsertBarriers would have them wait for each other)"
	case barriers && l != other:
		hint = l.notInGroup(j, other, i)
	}
	// The message describes the access that may use elements of other work-items.
	for _, x := range [2]struct {
		l, second *Launch
		p, q      int
	}{{other, l, i, j}, {l, other, j, i}} {
		s := x.l.Source
		var what string
		switch f := &s.paramUses[x.p]; {
		case f.Reach != abi.ReachOwn && s.accessPositions()[x.p].Index != "" && !f.Atomic:
			what = fmt.Sprintf("%s %s %s", s.accessPosition(x.p), s.accessVerb(x.p), s.elementText(x.p))
		case f.Reach != abi.ReachOwn:
			what = s.accessText(x.p) + " (not only at the work-item's own index)"
		case !f.Holds(x.l.launchBlock()):
			what = fmt.Sprintf("%s %s %s (with a row length that is not the range's)", s.accessPosition(x.p), s.accessVerb(x.p), s.elementText(x.p))
		default:
			continue
		}
		t := x.second.Source
		verb := map[abi.Access]string{abi.Read: "read", abi.Write: "write", abi.ReadWrite: "use"}[t.paramUses[x.q].Access]
		if s.paramUses[x.p].Access == abi.Read {
			verb = "write" // a read conflicts only with writes
		}
		return fmt.Sprintf("%s, which %s may %s, as %s, in another work-item%s", what, t.accessPosition(x.q), verb, t.elementText(x.q), hint)
	}
	if a.PerItem != b.PerItem {
		return fmt.Sprintf("%s, %d elements in each work-item, and %s, %d elements", l.Source.accessText(j), a.PerItem, other.Source.accessText(i), b.PerItem)
	}
	return ""
}

// barrierSuffices reports whether l and `other` can be fused if there is a barrier between them.
// Parameter j of l and parameter i of `other` must be the same slice. A barrier is enough if each
// work-group uses the same elements in both launches.
func (l *Launch) barrierSuffices(j int, other *Launch, i int) bool {
	a, one := l.inGroup(j)
	b, two := other.inGroup(i)
	return one && two && a == b
}

// notInGroup returns the reason why l and `other` cannot be fused even with a barrier between them,
// or "". Parameter j of l and parameter i of `other` must be the same slice.
func (l *Launch) notInGroup(j int, other *Launch, i int) string {
	a, b := &l.Source.paramUses[j], &other.Source.paramUses[i]
	if max(a.Reach, b.Reach) != abi.ReachGroup {
		return ""
	}
	for _, x := range [2]struct {
		l *Launch
		f *paramUse
	}{{l, a}, {other, b}} {
		switch {
		case !x.l.statesGroup():
			return fmt.Sprintf(" (%s does not state the size of its work-groups)", x.l.Name())
		case x.f.Reach == abi.ReachGroup && int64(x.l.groupItems())%max(x.f.Multiple, 1) != 0:
			return fmt.Sprintf(" (work-groups of %d are no multiple of %d)", x.l.groupItems(), x.f.Multiple)
		}
	}
	if a.PerItem != b.PerItem {
		return fmt.Sprintf(" (each has %d elements in %s, and %d in %s)", a.PerItem, l.Name(), b.PerItem, other.Name())
	}
	return ""
}

// launchBlock returns the launch block of l, in the layout that abi.Footprint.Holds expects.
func (l *Launch) launchBlock() []byte {
	b := make([]byte, abi.OffsetArgs, abi.OffsetArgs+len(l.Args))
	for k := range 3 {
		binary.LittleEndian.PutUint32(b[abi.OffsetRange+4*k:], l.sizeAlong(k))
	}
	return append(b, l.Args...)
}

// sizeAlong returns the size of the launch's range along x, y or z.
func (l *Launch) sizeAlong(k int) uint32 {
	if rank := l.Source.ABI.Rank; k < rank {
		return uint32(l.Global[rank-1-k])
	}
	return 1
}

// The method Refuses returns the reason why the launch cannot be added at the end of the group, or
// "". The group must have at least one launch.
func (g *Group) Refuses(l *Launch) string {
	first, k := g.Launches[0], l.Source.ABI
	for _, x := range []*Launch{first, l} {
		if reason := x.Alone(); reason != "" {
			return x.Name() + ": " + reason
		}
		if x.Native && !g.Required {
			return x.Name() + ": it uses matrices of the device's own, which a fused kernel would expand"
		}
	}
	rank := k.Rank
	switch {
	case first.Source.ABI.Form != k.Form:
		return fmt.Sprintf("%s runs over %v, and %s over %v", first.Name(), first.rangeText(), l.Name(), l.rangeText())
	case k.Form == abi.NDRange && (first.Source.ABI.Rank != rank || rank > 1 && first.Global != l.Global):
		return fmt.Sprintf("%s runs over %v, and %s over %v", first.Name(), first.rangeText(), l.Name(), l.rangeText())
	case !first.sameRange(l) && (first.itemCount() > abi.MaxRange || l.itemCount() > abi.MaxRange):
		return fmt.Sprintf("%s runs over %v, and %s over %v, which are too many to count", first.Name(), first.rangeText(), l.Name(), l.rangeText())
	case k.Form == abi.NDRange && first.Local != l.Local:
		return fmt.Sprintf("%s runs over %v, and %s over %v", first.Name(), first.rangeText(), l.Name(), l.rangeText())
	case first.Source.module.Float != l.Source.module.Float:
		return fmt.Sprintf("%s has %v, and %s has %v", first.Name(), properties.Float(first.Source.module.Float), l.Name(), properties.Float(l.Source.module.Float))
	case len(g.Launches) >= maxParts:
		return fmt.Sprintf("no more than %d kernels become one", maxParts)
	}
	if g.Barriers && k.Form == abi.Task {
		return l.Name() + ": a task has no work-group whose work-items could meet"
	}
	props, reason := mergeProperties(g.props, l.Properties)
	if p, ok := props.Get(properties.KeyWorkGroupSize); ok && reason == "" && g.Apart(l) && len(p.Dims()) > 1 {
		reason = fmt.Sprintf("it has the property %v, and is fused by linear ids", p)
	}
	if reason != "" {
		return l.Name() + ": " + reason
	}
	if local := g.localMemory() + l.LocalMemory; l.LocalMemory > 0 && local > g.LocalMemory {
		return fmt.Sprintf("%s: with it the work-group memory would be %d bytes, and the device has %d", l.Name(), local, g.LocalMemory)
	}
	size := l.Source.valueCount()
	for _, o := range g.Launches {
		if size += o.Source.valueCount(); size > maxValues && !g.Required {
			return l.Name() + ": the fused kernel would be large"
		}
		if g.OneLoop && !g.Required && o.Source.loops && l.Source.loops {
			return fmt.Sprintf("%s and %s have loops, whose rounds the device's driver counts together and bounds", o.Name(), l.Name())
		}
		for j := range o.Slices {
			for i := range l.Slices {
				if reason := o.overlapConflict(j, l, i, g.Barriers); reason != "" {
					return fmt.Sprintf("%s+%s: %s", o.Name(), l.Name(), reason)
				}
			}
		}
	}
	return ""
}

// Gain is a condition for fusing two groups. If Group.Required is set, groups are fused without
// this condition.
type Gain uint8

const (
	GainAny      Gain = iota // the groups use the same memory, or all launches of the second group are small
	GainMemory               // the groups use the same memory, which a fused launch loads only once
	GainInternal             // the groups use the same memory, and the memory has the property FusionInternalMemory in both groups
)

// Merge returns a group that contains the launches of g and the launches of o. No launch of g may
// depend on a launch of o. If the groups cannot be merged, or if merging is not worthwhile, Merge
// returns the reason.
func (g *Group) Merge(o *Group, gain Gain) (merged *Group, reason string) {
	m, rest := *g, o.Launches
	m.Launches, m.internals = slices.Clone(g.Launches), nil
	if last := g.Launches[len(g.Launches)-1]; o.Launches[0].Place < last.Place {
		// Some launches of o come before launches of g in the graph. Merge therefore adds the
		// launches of both groups in the graph's order.
		rest = slices.Concat(g.Launches, o.Launches)
		slices.SortStableFunc(rest, func(a, b *Launch) int { return cmp.Compare(a.Place, b.Place) })
		m.Launches, m.props = nil, nil
	}
	for _, l := range rest {
		if len(m.Launches) > 0 {
			if reason := m.Refuses(l); reason != "" {
				return nil, reason
			}
		}
		m.Add(l)
	}
	if !g.Required && !g.isFaster(o, gain) {
		return nil, o.Name() + ": it shares no memory with the kernels before it"
	}
	return &m, ""
}

// isFaster reports whether the two groups meet the condition `gain`.
func (g *Group) isFaster(o *Group, gain Gain) bool {
	if gain == GainAny && !slices.ContainsFunc(o.Launches, func(l *Launch) bool { return l.itemCount() > fewItems }) {
		return true // small launches are faster if they are fused, because launching takes most of their time
	}
	for _, a := range g.Launches {
		for i := range a.Slices {
			for _, b := range o.Launches {
				for j := range b.Slices {
					if a.Slices[i].sameElements(&b.Slices[j]) && (gain != GainInternal || a.Memory[i].Internal && b.Memory[j].Internal) {
						return true
					}
				}
			}
		}
	}
	return false
}

// localMemory returns the size of the group's work-group memory, in bytes.
func (g *Group) localMemory() (size uint64) {
	for _, l := range g.Launches {
		size += l.LocalMemory
	}
	return size
}

// Add adds a launch for which Refuses returns "".
func (g *Group) Add(l *Launch) {
	g.props, _ = mergeProperties(g.props, l.Properties)
	g.Launches = append(g.Launches, l)
}

// mergeProperties returns the properties of a kernel that is fused from two kernels with the
// properties a and b. If a and b contradict each other, mergeProperties returns the reason.
func mergeProperties(a, b properties.List) (out properties.List, conflict string) {
	out = slices.Clone(a)
	for _, p := range b {
		at := slices.IndexFunc(out, func(q properties.Property) bool { return q.Key() == p.Key() })
		switch {
		case at < 0:
			out = append(out, p)
		case out[at].Equal(p):
		case p.Key() == properties.KeyDeviceHas:
			all := append(out[at].Aspects(), p.Aspects()...)
			slices.Sort(all)
			out[at] = properties.DeviceHas(slices.Compact(all)...)
		case p.Key() == properties.KeyWorkGroupSizeHint: // keep the hint of the first kernel
		default:
			return nil, fmt.Sprintf("its %v conflicts with the %v of a kernel before it", p, out[at])
		}
	}
	return out, ""
}
