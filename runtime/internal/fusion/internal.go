package fusion

import (
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/properties"
)

// This file decides which memory a fused kernel keeps in variables of its work-items, by the
// properties of buffers and views. All of three have to be there, from all who use the memory:
// AccessScope, FusionInternalMemory and NoInit.

// Memory is the properties of a parameter's memory.
type Memory struct {
	Buffer, View     properties.Scope
	Internal, NoInit bool
}

// maxOwnBytes bounds the variables that stand for a work-item's elements of one slice.
const maxOwnBytes = 256

// scope returns the scope that the buffer and the view state together, or false if they
// contradict each other.
func (m Memory) scope() (properties.Scope, bool) {
	switch {
	case m.Buffer == properties.ScopeNone:
		return m.View, true
	case m.View == properties.ScopeNone || m.View == m.Buffer:
		return m.Buffer, true
	}
	return properties.ScopeNone, false
}

// Conflict returns which parameter's memory has properties that contradict each other, or "".
func (l *Launch) Conflict() string {
	for i, m := range l.Memory {
		if _, ok := m.scope(); !ok {
			return fmt.Sprintf("%s: the buffer of %s has AccessScope(%v), and the view AccessScope(%v)", l.Name(), l.Source.ABI.Params[i].Name, m.Buffer, m.View)
		}
	}
	return ""
}

// common returns the scope that two uses of the same memory have: that of both, or none.
func common(a, b properties.Scope) properties.Scope {
	if a == b {
		return a
	}
	return properties.ScopeNone
}

// Internalize finds the memory that becomes internal, of a group that is complete. outside
// reports whether something beside the group uses the memory. It returns the names of its
// parameters, and why other memory that is said to be internal is not.
func (g *Group) Internalize(outside func(s Slice) bool) (names, not []string) {
	var seen []Slice
	for _, l := range g.Launches {
		for i, s := range l.Slices {
			if m := l.Memory[i]; s.Mem == nil || !m.Internal || slices.Contains(seen, s) {
				continue
			}
			seen = append(seen, s)
			name := l.Name() + "." + l.Source.ABI.Params[i].Name
			switch reason := g.external(s); {
			case reason != "":
				not = append(not, name+": "+reason)
			case outside(s):
				not = append(not, name+": other commands of the graph use the memory")
			default:
				g.internal, names = append(g.internal, s), append(names, name)
			}
		}
	}
	return names, not
}

// external returns why memory of the group cannot be internal, or "".
func (g *Group) external(s Slice) string {
	scope, first, written, perItem := properties.ScopeNone, true, false, int64(0)
	for _, l := range g.Launches {
		for i := range l.Slices {
			if !l.Slices[i].overlaps(&s) {
				continue
			}
			m, f, place := l.Memory[i], &l.Source.prints[i], l.Source.place(i)
			own, _ := m.scope()
			if first {
				scope = own
			}
			scope, first = common(scope, own), false
			written = written || f.Access&abi.Write != 0
			switch {
			case l.Slices[i] != s:
				return fmt.Sprintf("%s uses another part of it", l.Name())
			case !m.Internal || !m.NoInit:
				return fmt.Sprintf("%s uses it without the properties FusionInternalMemory and NoInit", l.Name())
			case scope == properties.ScopeNone:
				return "its uses have no AccessScope in common"
			case scope == properties.ScopeWorkGroup && !g.grouped():
				return "memory of work-groups needs launches that state the size of theirs"
			case f.Reach == facts.ReachNone:
			case f.Reach != facts.ReachOwn || !f.Holds(l.block()):
				return place + ", not only at the work-item's own index"
			case f.PerItem*int64(f.Elem.Size) > maxOwnBytes:
				return fmt.Sprintf("%s: %d bytes in each work-item are too many", place, f.PerItem*int64(f.Elem.Size))
			case perItem != 0 && f.PerItem != perItem:
				return fmt.Sprintf("%s, %d elements in each work-item, and others use %d", place, f.PerItem, perItem)
			default:
				perItem = f.PerItem
			}
		}
	}
	if !written {
		return "no kernel writes it"
	}
	return ""
}

// grouped reports whether all launches state the size of their work-groups, the same.
func (g *Group) grouped() bool {
	for _, l := range g.Launches {
		if l.Source.ABI.Form != abi.NDRange && !l.Properties.Has(properties.KeyWorkGroupSize) {
			return false
		}
	}
	return true
}

// perItem returns how many elements of internal memory a work-item has, or 0 for other memory.
func (g *Group) perItem(s Slice) int64 {
	if !slices.Contains(g.internal, s) {
		return 0
	}
	for _, l := range g.Launches {
		for i := range l.Slices {
			if f := &l.Source.prints[i]; l.Slices[i] == s && f.Reach == facts.ReachOwn {
				return f.PerItem
			}
		}
	}
	return 0
}

// Internal reports whether the memory is internal.
func (g *Group) Internal(s Slice) bool { return slices.Contains(g.internal, s) }
