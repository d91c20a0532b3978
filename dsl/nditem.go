package dsl

import "github.com/kgen-go/kgen/internal/dslhook"

// GroupItem is a work-item of an nd-range, which is an [NDItem1], [NDItem2] or [NDItem3]. GroupItem
// is sealed.
type GroupItem interface {
	KernelHandler
	item() *workItem
}

// NDItem1 is a work-item of a one-dimensional nd-range.
type NDItem1 struct{ w *workItem }

func (it NDItem1) item() *workItem         { return it.w }
func (it NDItem1) launch() *dslhook.Launch { return it.w.launch() }

// GlobalID returns the work-item's index in the global range.
func (it NDItem1) GlobalID() int { return it.w.g.base[0] + it.w.local[0] }

// GlobalRange returns the size of the global range.
func (it NDItem1) GlobalRange() int { return it.w.g.l.Global[0] }

// GlobalLinearID equals GlobalID.
func (it NDItem1) GlobalLinearID() int { return it.GlobalID() }

// LocalID returns the work-item's index in its work-group.
func (it NDItem1) LocalID() int { return it.w.local[0] }

// LocalRange returns the size of the work-group.
func (it NDItem1) LocalRange() int { return it.w.g.l.Local[0] }

// LocalLinearID equals LocalID.
func (it NDItem1) LocalLinearID() int { return it.w.lin }

// GroupID returns the work-group's index among the work-groups.
func (it NDItem1) GroupID() int { return it.w.g.id[0] }

// GroupRange returns the number of work-groups.
func (it NDItem1) GroupRange() int { return it.w.g.groups[0] }

// GroupLinearID equals GroupID.
func (it NDItem1) GroupLinearID() int { return it.w.g.lin }

// Barrier waits until every work-item of the work-group has reached the barrier. After the barrier,
// the group sees all earlier writes of its work-items to work-group and device memory.
func (it NDItem1) Barrier() { it.w.wait(atGroupBarrier) }

// Group returns the work-item's work-group.
func (it NDItem1) Group() Group { return Group(it) }

// SubGroup returns the work-item's sub-group.
func (it NDItem1) SubGroup() SubGroup { return SubGroup(it) }

// NDItem2 is a work-item of a two-dimensional nd-range.
type NDItem2 struct{ w *workItem }

func (it NDItem2) item() *workItem         { return it.w }
func (it NDItem2) launch() *dslhook.Launch { return it.w.launch() }

// GlobalID returns the work-item's index in the global range.
func (it NDItem2) GlobalID() (y, x int) {
	w := it.w
	return w.g.base[0] + w.local[0], w.g.base[1] + w.local[1]
}

// GlobalRange returns the size of the global range.
func (it NDItem2) GlobalRange() (y, x int) { return pair(&it.w.g.l.Global) }

// GlobalLinearID returns y*X + x, where X is the global range's size along x.
func (it NDItem2) GlobalLinearID() int {
	y, x := it.GlobalID()
	return y*it.w.g.l.Global[1] + x
}

// LocalID returns the work-item's index in its work-group.
func (it NDItem2) LocalID() (y, x int) { return pair(&it.w.local) }

// LocalRange returns the size of the work-group.
func (it NDItem2) LocalRange() (y, x int) { return pair(&it.w.g.l.Local) }

// LocalLinearID returns y*X + x for LocalID's y and x, where X is LocalRange's x.
func (it NDItem2) LocalLinearID() int { return it.w.lin }

// GroupID returns the work-group's index among the work-groups.
func (it NDItem2) GroupID() (y, x int) { return pair(&it.w.g.id) }

// GroupRange returns the number of work-groups along each dimension.
func (it NDItem2) GroupRange() (y, x int) { return pair(&it.w.g.groups) }

// GroupLinearID returns y*X + x for GroupID's y and x, where X is GroupRange's x.
func (it NDItem2) GroupLinearID() int { return it.w.g.lin }

// Barrier waits until every work-item of the work-group has reached the barrier. After the barrier,
// the group sees all earlier writes of its work-items to work-group and device memory.
func (it NDItem2) Barrier() { it.w.wait(atGroupBarrier) }

// Group returns the work-item's work-group.
func (it NDItem2) Group() Group { return Group(it) }

// SubGroup returns the work-item's sub-group.
func (it NDItem2) SubGroup() SubGroup { return SubGroup(it) }

// NDItem3 is a work-item of a three-dimensional nd-range.
type NDItem3 struct{ w *workItem }

func (it NDItem3) item() *workItem         { return it.w }
func (it NDItem3) launch() *dslhook.Launch { return it.w.launch() }

// GlobalID returns the work-item's index in the global range.
func (it NDItem3) GlobalID() (z, y, x int) {
	w := it.w
	return w.g.base[0] + w.local[0], w.g.base[1] + w.local[1], w.g.base[2] + w.local[2]
}

// GlobalRange returns the size of the global range.
func (it NDItem3) GlobalRange() (z, y, x int) { return triple(&it.w.g.l.Global) }

// GlobalLinearID returns (z*Y + y)*X + x, where Y and X are the global range's
// sizes along y and x.
func (it NDItem3) GlobalLinearID() int {
	z, y, x := it.GlobalID()
	return (z*it.w.g.l.Global[1]+y)*it.w.g.l.Global[2] + x
}

// LocalID returns the work-item's index in its work-group.
func (it NDItem3) LocalID() (z, y, x int) { return triple(&it.w.local) }

// LocalRange returns the size of the work-group.
func (it NDItem3) LocalRange() (z, y, x int) { return triple(&it.w.g.l.Local) }

// LocalLinearID returns (z*Y + y)*X + x for LocalID's z, y and x, where Y and X are LocalRange's.
func (it NDItem3) LocalLinearID() int { return it.w.lin }

// GroupID returns the work-group's index among the work-groups.
func (it NDItem3) GroupID() (z, y, x int) { return triple(&it.w.g.id) }

// GroupRange returns the number of work-groups along each dimension.
func (it NDItem3) GroupRange() (z, y, x int) { return triple(&it.w.g.groups) }

// GroupLinearID returns (z*Y + y)*X + x for GroupID's z, y and x, where Y and X are GroupRange's.
func (it NDItem3) GroupLinearID() int { return it.w.g.lin }

// Barrier waits until every work-item of the work-group has reached the barrier. After the barrier,
// the group sees all earlier writes of its work-items to work-group and device memory.
func (it NDItem3) Barrier() { it.w.wait(atGroupBarrier) }

// Group returns the work-item's work-group.
func (it NDItem3) Group() Group { return Group(it) }

// SubGroup returns the work-item's sub-group.
func (it NDItem3) SubGroup() SubGroup { return SubGroup(it) }

func pair(v *[3]int) (y, x int)      { return v[0], v[1] }
func triple(v *[3]int) (z, y, x int) { return v[0], v[1], v[2] }
