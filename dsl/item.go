package dsl

import "github.com/kgen-go/kgen/internal/dslhook"

// KernelHandler is implemented by the arguments of Kernel methods, which are [Task], [Item1] to
// [Item3] and [NDItem1] to [NDItem3]. KernelHandler is sealed.
type KernelHandler interface {
	launch() *dslhook.Launch
}

// Task is the argument of a kernel that runs once (single_task in SYCL).
type Task struct {
	l *dslhook.Launch
}

func (t Task) launch() *dslhook.Launch { return t.l }

// Item1 is a work-item of a one-dimensional range.
type Item1 struct {
	l *dslhook.Launch
	x int
}

func (it Item1) launch() *dslhook.Launch { return it.l }

// GlobalID returns the work-item's index in the range.
func (it Item1) GlobalID() int { return it.x }

// GlobalRange returns the size of the range.
func (it Item1) GlobalRange() int { return it.l.Global[0] }

// GlobalLinearID equals GlobalID.
func (it Item1) GlobalLinearID() int { return it.x }

// Item2 is a work-item of a two-dimensional range.
type Item2 struct {
	l    *dslhook.Launch
	y, x int
}

func (it Item2) launch() *dslhook.Launch { return it.l }

// GlobalID returns the work-item's index in the range.
func (it Item2) GlobalID() (y, x int) { return it.y, it.x }

// GlobalRange returns the size of the range.
func (it Item2) GlobalRange() (y, x int) { return it.l.Global[0], it.l.Global[1] }

// GlobalLinearID returns y*X + x, where X is the range's size along x.
func (it Item2) GlobalLinearID() int { return it.y*it.l.Global[1] + it.x }

// Item3 is a work-item of a three-dimensional range.
type Item3 struct {
	l       *dslhook.Launch
	z, y, x int
}

func (it Item3) launch() *dslhook.Launch { return it.l }

// GlobalID returns the work-item's index in the range.
func (it Item3) GlobalID() (z, y, x int) { return it.z, it.y, it.x }

// GlobalRange returns the size of the range.
func (it Item3) GlobalRange() (z, y, x int) {
	return it.l.Global[0], it.l.Global[1], it.l.Global[2]
}

// GlobalLinearID returns (z*Y + y)*X + x, where Y and X are the range's sizes
// along y and x.
func (it Item3) GlobalLinearID() int {
	return (it.z*it.l.Global[1]+it.y)*it.l.Global[2] + it.x
}
