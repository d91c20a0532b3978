package dsl

// Group is the work-group of a work-item. The ids of a Group are linear, but LocalID and GroupID of
// the work-item have the kernel's rank.
type Group struct{ w *workItem }

// LocalID returns the work-item's linear id in the work-group.
func (g Group) LocalID() int { return g.w.lin }

// LocalRange returns the number of work-items in the work-group.
func (g Group) LocalRange() int { return len(g.w.g.items) }

// MaxLocalRange equals LocalRange, because all work-groups of a launch have the same size.
func (g Group) MaxLocalRange() int { return len(g.w.g.items) }

// GroupID returns the work-group's linear id.
func (g Group) GroupID() int { return g.w.g.lin }

// GroupRange returns the number of work-groups in the launch.
func (g Group) GroupRange() int {
	n := &g.w.g.groups
	return n[0] * n[1] * n[2]
}

// Barrier waits until every work-item of the work-group has reached it.
func (g Group) Barrier() { g.w.wait(atGroupBarrier) }

// SubGroup is the sub-group of a work-item. The device executes the work-items of a sub-group
// together, and their linear ids are consecutive. The last sub-group of a work-group may be smaller
// than the others.
type SubGroup struct{ w *workItem }

// LocalID returns the work-item's lane, its index in the sub-group.
func (s SubGroup) LocalID() int { return s.w.lin % s.w.g.subSize }

// LocalRange returns the number of work-items in this sub-group.
func (s SubGroup) LocalRange() int {
	return min(s.w.g.subSize, len(s.w.g.items)-s.GroupID()*s.w.g.subSize)
}

// MaxLocalRange returns the size of sub-groups that the device uses for the launch. The LocalRange
// of a sub-group never exceeds MaxLocalRange.
func (s SubGroup) MaxLocalRange() int { return s.w.g.subSize }

// GroupID returns the sub-group's index in its work-group.
func (s SubGroup) GroupID() int { return s.w.lin / s.w.g.subSize }

// GroupRange returns the number of sub-groups in the work-group.
func (s SubGroup) GroupRange() int {
	return (len(s.w.g.items) + s.w.g.subSize - 1) / s.w.g.subSize
}

// Barrier waits until every work-item of the sub-group has reached it. After the barrier, the
// sub-group sees all earlier writes of its work-items to work-group and device memory.
func (s SubGroup) Barrier() { s.w.wait(atSubGroupBarrier) }
