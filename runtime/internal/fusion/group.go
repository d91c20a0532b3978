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

// Launch is a launch that may be fused with others.
type Launch struct {
	Source *Source
	Place  int    // index in the graph's sequence
	Global [3]int // number of work-items, in the order of the kernel's indexes
	Local  [3]int // work-group size of an nd-range, in the same order
	// Args is the argument block, with addresses and lengths filled in.
	Args []byte
	// Slices is the memory of the parameters that are slices. A slice without elements is the zero
	// Slice.
	Slices []Slice
	// Memory contains the properties of each parameter's view and buffer.
	Memory []Memory
	// Specs maps the ids of specialization constants to their values. For a local accessor, Specs
	// contains the accessor's length.
	Specs map[uint32]uint64
	// LocalMemory is the size of the kernel's work-group memory, in bytes.
	LocalMemory uint64
	// Native says that the launch may use the device's own matrix instructions. A fused kernel cannot
	// use these instructions, because kernels are linked after their matrices have been expanded to
	// loops.
	Native bool
	// Properties are the properties of the kernel and of the launch.
	Properties properties.List
}

// Slice is a range of a device's memory.
type Slice struct {
	Mem    any    // comparable identity of the memory; nil for a slice without elements
	Lo, Hi uint64 // bounds of the slice in the memory, in bytes
	Len    int    // number of elements
}

// overlapsWith reports whether two slices have memory in common.
func (s *Slice) overlapsWith(t *Slice) bool {
	return s.Mem != nil && s.Mem == t.Mem && s.Lo < t.Hi && t.Lo < s.Hi
}

// Limits of fusion. A fused launch must never be slower than separate launches. A kernel that is too
// large for a device's registers would be slower.
const (
	maxParts  = 32
	maxValues = 4000 // largest number of values in the fused kernel, unless fusion is required
	// A launch of at most this many work-items takes less time on the device than the host needs to
	// launch it.
	fewItems = 1 << 14
)

// Group is a list of launches that are fused, in the order in which they run.
type Group struct {
	Launches []*Launch
	// LaunchBlock is the size of the device's launch blocks, in bytes.
	LaunchBlock int
	// Required says that the launches must be fused even if that is not faster.
	Required bool
	// Barriers says that the work-items of a work-group meet at a barrier between the launches.
	Barriers bool
	// OneLoop says that at most one of the fused kernels may have loops, unless fusion is required.
	// OneLoop is for devices that limit the number of iterations of all loops of a work-item
	// together.
	OneLoop bool
	// LocalMemory is the limit of the fused launch's work-group memory, in bytes.
	LocalMemory uint64
	props       properties.List  // properties of all launches together
	internals   []internalMemory // memory that only the group's launches use
}

// Name returns the kernel's name.
func (l *Launch) Name() string { return l.Source.sourceName() }

// Name returns the names of the group's kernels, joined by pluses.
func (g *Group) Name() string {
	var names []string
	for _, l := range g.Launches {
		names = append(names, l.Name())
	}
	return strings.Join(names, "+")
}

// rangeText returns a text with the launch's range.
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

// itemCount returns the number of work-items, or the largest uint64 if that overflows.
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

// The method Apart reports whether each launch keeps its own range in the fused launch. The fused
// launch consists of the group's launches and the launches in added. Launches keep their ranges if
// the ranges differ. Launches also keep their ranges if the fused launch is over an nd-range,
// because an nd-range has only complete work-groups.
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

// Range returns the form and range of the fused launch. A fused launch over an nd-range needs a
// work-group size. If no launch states one, Range calls size to get it.
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

// overlapConflict compares the slices of parameter j of l and of parameter i of other. If they
// overlap so that the launches cannot be fused, overlapConflict returns the reason, else "". The
// parameter other is a launch that runs after l, or l itself. If there is a barrier between the
// two, any work-item of a work-group may use the elements that belong to the group's work-items.
func (l *Launch) overlapConflict(j int, other *Launch, i int, barriers bool) string {
	a, b := &l.Source.paramUses[j], &other.Source.paramUses[i]
	if (a.Access|b.Access)&abi.Write == 0 || a.Access == 0 || b.Access == 0 || !l.Slices[j].overlapsWith(&other.Slices[i]) {
		return ""
	}
	if !l.Slices[j].sameElements(&other.Slices[i]) {
		return fmt.Sprintf("%s and %s, which overlap without being the same elements", l.Source.accessText(j), other.Source.accessText(i))
	}
	if l.Source.ABI.Form == abi.Task && other.Source.ABI.Form == abi.Task {
		return "" // the same work-item accesses the element in both launches
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
	// If an access may be to elements that do not belong to the work-item, the message is about
	// that access.
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
			verb = "write" // only writes conflict with reads
		}
		return fmt.Sprintf("%s, which %s may %s, as %s, in another work-item%s", what, t.accessPosition(x.q), verb, t.elementText(x.q), hint)
	}
	if a.PerItem != b.PerItem {
		return fmt.Sprintf("%s, %d elements in each work-item, and %s, %d elements", l.Source.accessText(j), a.PerItem, other.Source.accessText(i), b.PerItem)
	}
	return ""
}

// barrierSuffices reports whether a barrier in each work-group between l and other is enough to fuse them.
// Parameter j of l and parameter i of other are the same slice. The barrier is enough if each
// work-group uses the same elements in both launches.
func (l *Launch) barrierSuffices(j int, other *Launch, i int) bool {
	a, one := l.inGroup(j)
	b, two := other.inGroup(i)
	return one && two && a == b
}

// notInGroup returns the reason why barriers between l and other are not enough to fuse them, or
// "". Parameter j of l and parameter i of other are the same slice, whose indices stay within
// work-groups.
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

// launchBlock returns the launch block of l in the layout that Footprint.Holds reads.
func (l *Launch) launchBlock() []byte {
	b := make([]byte, abi.OffsetArgs, abi.OffsetArgs+len(l.Args))
	for k := range 3 {
		binary.LittleEndian.PutUint32(b[abi.OffsetRange+4*k:], l.sizeAlong(k))
	}
	return append(b, l.Args...)
}

// sizeAlong returns the launch's size along x, y or z.
func (l *Launch) sizeAlong(k int) uint32 {
	if rank := l.Source.ABI.Rank; k < rank {
		return uint32(l.Global[rank-1-k])
	}
	return 1
}

// Refuses returns the reason why the launch cannot be added at the end of the group, or "". The
// group has at least one launch.
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

// Gain is the condition for fusing two groups. Gain does not apply if fusion is required.
type Gain uint8

const (
	GainAny      Gain = iota // the groups have common memory, or all launches of the second group are small
	GainMemory               // the groups have common memory, which a fused launch loads only once
	GainInternal             // the groups have common memory, with the property FusionInternalMemory in both
)

// Merge returns a group that contains the launches of both g and o. No launch of g may depend on a
// launch of o. If the groups cannot be merged, or if merging is not worthwhile, Merge returns the
// reason.
func (g *Group) Merge(o *Group, gain Gain) (merged *Group, reason string) {
	m, rest := *g, o.Launches
	m.Launches, m.internals = slices.Clone(g.Launches), nil
	if last := g.Launches[len(g.Launches)-1]; o.Launches[0].Place < last.Place {
		// Some launches of o are before launches of g in the graph, so add all of them in the
		// graph's order.
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

// isFaster reports whether fusing the launches of both groups meets the condition gain.
func (g *Group) isFaster(o *Group, gain Gain) bool {
	if gain == GainAny && !slices.ContainsFunc(o.Launches, func(l *Launch) bool { return l.itemCount() > fewItems }) {
		return true // launching takes most of the time of small launches
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

// Add adds a launch that the group does not refuse.
func (g *Group) Add(l *Launch) {
	g.props, _ = mergeProperties(g.props, l.Properties)
	g.Launches = append(g.Launches, l)
}

// mergeProperties returns the properties of a kernel fused from kernels with the properties a and
// b. If a and b contradict each other, mergeProperties returns the reason.
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
		case p.Key() == properties.KeyWorkGroupSizeHint: // the fused kernel keeps the hint of the first kernel
		default:
			return nil, fmt.Sprintf("its %v conflicts with the %v of a kernel before it", p, out[at])
		}
	}
	return out, ""
}
