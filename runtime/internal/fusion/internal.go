package fusion

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/properties"
)

// This file decides which memory becomes internal. A fused kernel replaces internal memory by
// private variables or by work-group memory. For all uses of the memory, the buffer or view must
// have the three properties AccessScope, FusionInternalMemory and NoInit.

// Memory contains the properties of a parameter's buffer and view. The fields Buffer and View are
// the values of AccessScope.
type Memory struct {
	Buffer, View     properties.Scope
	Internal, NoInit bool
}

// internalMemory describes memory that a fused kernel replaces by private variables or by
// work-group memory.
type internalMemory struct {
	Slice
	perItem int64  // number of elements that each work-item keeps in private variables; 0 if shared is set
	shared  bool   // the elements are kept in work-group memory, one for each work-item
	room    uint64 // size in bytes of the memory in each work-group, if shared is set
}

// maxOwnBytes is the largest size, in bytes, of the private variables that replace a work-item's
// elements of a slice.
const maxOwnBytes = 256

// statedScope returns the AccessScope of the buffer or of the view. If the buffer and the view have
// different scopes, the second result is false.
func (m Memory) statedScope() (properties.Scope, bool) {
	switch {
	case m.Buffer == properties.ScopeNone:
		return m.View, true
	case m.View == properties.ScopeNone || m.View == m.Buffer:
		return m.Buffer, true
	}
	return properties.ScopeNone, false
}

// isGroupScope reports whether the AccessScope of the memory is ScopeWorkGroup.
func (m Memory) isGroupScope() bool {
	s, ok := m.statedScope()
	return ok && s == properties.ScopeWorkGroup
}

// usesOwnIds reports whether each work-group uses only its own elements of parameter p. The indexes
// of these elements are the linear ids of the work-group's work-items. Either kgen has proved this
// fact, or the property AccessScope asserts the fact and the fused kernel checks the indexes. If
// usesOwnIds returns true, the launch has one dimension and states its work-group size.
func (l *Launch) usesOwnIds(p int) bool {
	f := &l.Source.paramUses[p]
	return l.Memory[p].isGroupScope() && l.statesGroup() && l.Source.ABI.Rank == 1 && !f.Atomic &&
		(f.Reach == abi.ReachAny || f.PerItem == 1)
}

// provedOwnIds reports whether kgen has proved that usesOwnIds is true. The fused kernel does not
// check the indexes if provedOwnIds returns true.
func (l *Launch) provedOwnIds(p int) bool {
	_, ok := l.provedInGroup(p)
	return ok || l.Source.paramUses[p].Reach == abi.ReachNone
}

// provedInGroup reports whether kgen has proved that each work-group uses only the elements of
// parameter p that belong to its own work-items. The result perItem is the number of elements of
// each work-item. If the launch does not state its work-group size, the second result is false.
func (l *Launch) provedInGroup(p int) (perItem int64, ok bool) {
	f := &l.Source.paramUses[p]
	return f.PerItem, l.statesGroup() && f.HoldsInGroups(l.launchBlock(), l.groupItems())
}

// inGroup is like provedInGroup, but also returns true if usesOwnIds is true.
func (l *Launch) inGroup(p int) (perItem int64, ok bool) {
	if perItem, ok = l.provedInGroup(p); !ok && l.usesOwnIds(p) {
		return 1, true
	}
	return perItem, ok
}

// statesGroup reports whether the launch states the size of its work-groups.
func (l *Launch) statesGroup() bool {
	return l.Source.ABI.Form == abi.NDRange || l.Properties.Has(properties.KeyWorkGroupSize)
}

// Conflict describes a parameter whose memory has contradicting properties, or returns "".
func (l *Launch) Conflict() string {
	for i, m := range l.Memory {
		if _, ok := m.statedScope(); !ok {
			return fmt.Sprintf("%s: the buffer of %s has AccessScope(%v), and the view AccessScope(%v)", l.Name(), l.Source.ABI.Params[i].Name, m.Buffer, m.View)
		}
	}
	return ""
}

// commonScope returns the scope if a and b are equal, otherwise ScopeNone.
func commonScope(a, b properties.Scope) properties.Scope {
	if a == b {
		return a
	}
	return properties.ScopeNone
}

// notWritten is the reason why memory cannot be internal if no launch of the group writes to it.
const notWritten = "no kernel writes it"

// Internalize decides which memory of a complete group becomes internal, and returns the names of
// the parameters with this memory. The function outsideUse describes a use of memory outside the
// group, or returns "". The result notInternal contains the reasons why other memory with the
// property FusionInternalMemory does not become internal.
func (g *Group) Internalize(outsideUse func(s Slice) string) (names, notInternal []string) {
	var seen []Slice
	g.internals = nil
	for _, l := range g.Launches {
		for i, s := range l.Slices {
			if m := l.Memory[i]; s.Mem == nil || !m.Internal || slices.Contains(seen, s) {
				continue
			}
			seen = append(seen, s)
			name := l.Name() + "." + l.Source.ABI.Params[i].Name
			in, reason := g.internalFor(s)
			if reason == "" || reason == notWritten {
				reason = cmp.Or(outsideUse(s), reason)
			}
			if reason != "" {
				notInternal = append(notInternal, name+": "+reason)
				continue
			}
			g.internals, names = append(g.internals, in), append(names, name)
		}
	}
	return names, notInternal
}

// internalFor returns the description of the memory s as internal memory, or the reason why the
// memory cannot be internal.
func (g *Group) internalFor(s Slice) (in internalMemory, reason string) {
	in.Slice = s
	scope, first, written := properties.ScopeNone, true, false
	why, elem := "", 0 // `why` is the reason why private variables cannot replace s, and `elem` is the size of an element in bytes
	for _, l := range g.Launches {
		for i := range l.Slices {
			if !l.Slices[i].overlapsWith(&s) {
				continue
			}
			m, f := l.Memory[i], &l.Source.paramUses[i]
			own, _ := m.statedScope()
			if first {
				scope = own
			}
			scope, first = commonScope(scope, own), false
			written = written || f.Access&abi.Write != 0
			switch {
			case l.Slices[i] != s:
				return in, fmt.Sprintf("%s uses another part of it", l.Name())
			case !m.Internal || !m.NoInit:
				return in, fmt.Sprintf("%s uses it without the properties FusionInternalMemory and NoInit", l.Name())
			case scope == properties.ScopeNone:
				return in, "its uses have no AccessScope in common"
			case scope == properties.ScopeWorkGroup && !g.allStateGroup():
				return in, "memory of work-groups needs launches that state the size of theirs"
			case f.Reach == abi.ReachNone:
				continue
			case f.Reach != abi.ReachOwn || !f.Holds(l.launchBlock()):
				if why == "" {
					why = l.Source.accessText(i) + ", not only at the work-item's own index"
				}
				in.shared = true
			case f.PerItem*int64(f.ElemSize) > maxOwnBytes:
				return in, fmt.Sprintf("%s: %d bytes in each work-item are too many", l.Source.accessText(i), f.PerItem*int64(f.ElemSize))
			case in.perItem != 0 && f.PerItem != in.perItem:
				return in, fmt.Sprintf("%s, %d elements in each work-item, and others use %d", l.Source.accessText(i), f.PerItem, in.perItem)
			default:
				in.perItem = f.PerItem
			}
			elem = l.Source.ABI.Params[i].ElemSize
		}
	}
	switch {
	case !written:
		return in, notWritten
	case in.shared && (scope != properties.ScopeWorkGroup || !g.canShare(s)):
		return in, why
	case in.shared:
		in.perItem = 0
		if room := uint64(elem * g.Launches[0].groupItems()); g.localMemory()+g.sharedMemory()+room > g.LocalMemory {
			return in, fmt.Sprintf("%s, and the device's work-group memory, %d bytes, has no room for %d more", why, g.LocalMemory, room)
		}
		in.room = uint64(elem * g.Launches[0].groupItems())
	}
	return in, ""
}

// canShare reports whether work-group memory can replace s. The fused launch must be over an
// nd-range, and usesOwnIds must be true for all uses of s.
func (g *Group) canShare(s Slice) bool {
	if !g.Barriers && g.Launches[0].Source.ABI.Form != abi.NDRange {
		return false
	}
	for _, l := range g.Launches {
		for i := range l.Slices {
			if l.Slices[i] == s && l.Source.paramUses[i].Reach != abi.ReachNone && !l.usesOwnIds(i) {
				return false
			}
		}
	}
	return true
}

// groupItems returns the work-group size along x that the launch states. For a launch over a range,
// the size along x is the whole work-group size, because launches that are fused with barriers use
// linear ids.
func (l *Launch) groupItems() int {
	if l.Source.ABI.Form == abi.NDRange {
		return l.Local[l.Source.ABI.Rank-1]
	}
	p, _ := l.Properties.Get(properties.KeyWorkGroupSize)
	dims := p.Dims()
	return dims[len(dims)-1]
}

// sharedMemory returns the size in bytes of the work-group memory that replaces internal memory.
func (g *Group) sharedMemory() (size uint64) {
	for i := range g.internals {
		size += g.internals[i].room
	}
	return size
}

// allStateGroup reports whether all launches state their work-group size. In a group, all stated
// sizes are equal.
func (g *Group) allStateGroup() bool {
	return !slices.ContainsFunc(g.Launches, func(l *Launch) bool { return !l.statesGroup() })
}

// internalAs returns the description of the slice's internal memory, or the zero value if the slice
// is not internal.
func (g *Group) internalAs(s Slice) internalMemory {
	for _, in := range g.internals {
		if in.Slice == s {
			return in
		}
	}
	return internalMemory{}
}

// InternalSize returns the size, in bytes, of the memory that Internalize has made internal.
func (g *Group) InternalSize() (size uint64) {
	for i := range g.internals {
		size += g.internals[i].Hi - g.internals[i].Lo
	}
	return size
}

// Internal reports whether the memory is internal.
func (g *Group) Internal(s Slice) bool {
	return slices.ContainsFunc(g.internals, func(in internalMemory) bool { return in.Slice == s })
}
