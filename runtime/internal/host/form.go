package host

import (
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/internal/env"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// Form is Go code that kgen generated for a work-group of a kernel, or for some work-items of a
// kernel over a range. A Form runs one work-group after another, and only one goroutine at a time
// uses it. The type of a Form embeds a [Group].
type Form interface {
	Begin() // called at the beginning of a launch
	Run()
	group() *Group
}

// spareForm is a form that runs only launches that may be cancelled.
type spareForm interface{ Spare() }

// Group contains the fields that all types of forms have in common. The elements of each array are
// in the order x, y, z.
type Group struct {
	ID       [3]int // index of the work-group
	Local    [3]int // size of the work-group
	Items    int
	SubGroup int
	Global   [3]int
	Lo, Hi   int    // the form runs the work-items Lo to Hi-1 of a range
	Dead     []bool // one flag per work-item: whether the work-item has left the kernel
	// Sites contains one line for each fault site of the form. The fields of a line are separated
	// by tabs. The first field is the site's kind as a number, and the second field is the position
	// file:line:col. A line may omit the file if it is the same as in the previous line. The other
	// fields of a line are optional. The field "unsigned" means that [abi.Site.Unsigned] is set.
	// The last field is the site's message as a Go string literal.
	Sites string

	anyDead bool
	memory  [][]uint64
	l       *formLaunch
}

func (g *Group) group() *Group { return g }

// formLaunch is a launch that a form runs.
type formLaunch struct {
	c       *hal.Command
	p       *pipeline
	block   []byte // the launch block
	claimed atomic.Bool
	*stopFlag
}

// formWanted reports whether kernels run in their host forms. Tests that compare forms with
// coroutines set KGEN_HOST_FORM.
func formWanted() bool {
	const fits = unsafe.Sizeof(uintptr(0)) == 8 // forms assume the offsets of struct fields on 64-bit machines
	switch env.Get(env.HostForm) {
	case "on":
		return fits
	case "off":
		return false
	}
	return fits && !raceEnabled
}

// subGroupWanted returns the size of sub-groups for kernels that do not require one.
func subGroupWanted() int {
	if n, err := strconv.Atoi(env.Get(env.HostSubGroup)); err == nil {
		return n
	}
	return DefaultSubGroup
}

// launchForm runs a launch by means of host forms.
func launchForm(c *hal.Command, p *pipeline, stop *stopFlag) {
	l := &formLaunch{c: c, p: p, stopFlag: stop, block: make([]byte, abi.OffsetArgs, abi.OffsetArgs+len(c.Args))}
	for d, n := range c.Global {
		*(*uint32)(unsafe.Pointer(&l.block[abi.OffsetRange+4*d])) = n
	}
	l.block = append(l.block, c.Args...)
	total, chunk := 1, 64
	sizes := c.Groups
	if p.kernel.Form != abi.NDRange {
		sizes, chunk = c.Global, maxChunk
	}
	for _, n := range sizes {
		total *= int(n)
	}
	runParallel(total, chunk, stop, func() (func(lo, hi int), func()) {
		f := p.forms.Get().(Form)
		g := f.group()
		g.beginLaunch(l)
		l.guardPanics(func() { f.Begin() })
		return func(lo, hi int) {
				l.guardPanics(func() {
					if p.kernel.Form != abi.NDRange {
						g.Lo, g.Hi = lo, hi
						f.Run()
						return
					}
					for i := lo; i < hi && !stop.mustStop(); i++ {
						g.nextGroup(i)
						f.Run()
					}
				})
			}, func() {
				g.l = nil
				p.forms.Put(f)
			}
	})
}

// guardPanics calls f. A panic of f is a bug in a host form, whose code kgen generated.
func (l *formLaunch) guardPanics(f func()) {
	defer func() {
		if v := recover(); v != nil && l.claimFault() {
			*l.c.Fault = hal.Fault{Set: true, Err: fmt.Errorf("BUG: the host form of %s: %v\n%s", l.p.kernel.FullName(), v, debug.Stack())}
		}
	}()
	f()
}

// claimFault reports whether the caller may set the launch's fault. Only the first caller may set the
// fault.
func (l *formLaunch) claimFault() bool {
	return l.claimed.CompareAndSwap(false, true) && l.c.Fault != nil
}

// beginLaunch prepares the group for a launch.
func (g *Group) beginLaunch(l *formLaunch) {
	g.l, g.SubGroup, g.Items = l, l.p.subGroup, 1
	for d := range g.Local {
		g.Global[d] = int(l.c.Global[d])
		g.Local[d] = max(int(l.p.local[d]), 1)
		g.Items *= g.Local[d]
	}
	if len(g.Dead) != g.Items {
		g.Dead, g.anyDead = make([]bool, g.Items), false
	}
}

// nextGroup prepares the group for the work-group with index i.
func (g *Group) nextGroup(i int) {
	n := &g.l.c.Groups
	x, y := max(int(n[0]), 1), max(int(n[1]), 1)
	g.ID = [3]int{i % x, i / x % y, i / x / y}
	if g.anyDead {
		clear(g.Dead)
		g.anyDead = false
	}
}

// Int32, Int64, Float32 and Float64 return the argument at an offset of the launch block.
func (g *Group) Int32(off int) int32     { return BlockValue[int32](g, off) }
func (g *Group) Int64(off int) int64     { return BlockValue[int64](g, off) }
func (g *Group) Float32(off int) float32 { return BlockValue[float32](g, off) }
func (g *Group) Float64(off int) float64 { return BlockValue[float64](g, off) }

// Base returns the global id, in dimension d, of the group's first work-item.
func (g *Group) Base(d int) int { return g.ID[d] * g.Local[d] }

// Leave records that a work-item has left the kernel.
func (g *Group) Leave(li int) { g.Dead[li], g.anyDead = true, true }

// AnyDead reports whether any work-item has left the kernel.
func (g *Group) AnyDead() bool { return g.anyDead }

// Fault records a fault at a site of the form, unless the launch has a fault already. The parameter
// id is the work-item's global id, without trailing zeros.
func (g *Group) Fault(site int, a, b int64, id ...int32) {
	if g.l.claimFault() {
		s := g.siteNumber(site)
		f := hal.Fault{Set: true, A: a, B: b, Pos: s.Pos, Kind: s.Kind, Message: s.Message, Unsigned: s.Unsigned}
		for i, n := range id {
			f.GlobalID[i] = uint32(n)
		}
		*g.l.c.Fault = f
	}
}

// siteNumber returns the form's site with the number n.
func (g *Group) siteNumber(n int) abi.Site {
	var s abi.Site
	file := ""
	lines := strings.Split(g.Sites, "\n")
	for _, line := range lines[:n+1] {
		kind, rest, _ := strings.Cut(line, "\t")
		at, rest, _ := strings.Cut(rest, "\t")
		switch strings.Count(at, ":") {
		case 0: // the site has no position
		case 1:
			at = file + at
		default:
			file = at[:strings.LastIndex(at[:strings.LastIndex(at, ":")], ":")+1]
		}
		k, err := strconv.ParseUint(kind, 10, 8)
		s = abi.Site{Kind: abi.FaultKind(k), Pos: at}
		rest, s.Unsigned = strings.CutPrefix(rest, "unsigned")
		if rest = strings.TrimPrefix(rest, "\t"); rest != "" && err == nil {
			s.Message, err = strconv.Unquote(rest)
		}
		if err != nil {
			panic(fmt.Sprintf("BUG: the site of a fault is %q", line))
		}
	}
	return s
}

// Cancelled returns the flag that tells the form to end early.
func (g *Group) Cancelled() *atomic.Bool { return g.l.asked }

// Stop records that the form ends early. Stop returns -1, which ends the work-group.
func (g *Group) Stop() int {
	g.l.stopped.Store(true)
	return -1
}

// Stopping reports whether the form must end early, and if so, records that the form ends early.
func (g *Group) Stopping() bool { return g.l.mustStop() }

// Diverge records that work-items of a group wait at different barriers. Diverge returns -1, which
// ends the work-group.
func (g *Group) Diverge() int {
	if g.l.claimFault() {
		*g.l.c.Fault = hal.Fault{Set: true, Kind: abi.FaultPanic,
			Message: "dsl: divergent barriers: the work-items of one group wait at different barriers"}
	}
	return -1
}

// SubGroups returns the number of sub-groups of the group.
func (g *Group) SubGroups() int { return (g.Items + g.SubGroup - 1) / g.SubGroup }

// Members returns the index of a sub-group's first work-item, and the index of its last work-item
// plus one.
func (g *Group) Members(sub int) (lo, hi int) {
	return sub * g.SubGroup, min((sub+1)*g.SubGroup, g.Items)
}

// Leader returns the index of a sub-group's first work-item that has not left the kernel, or -1.
func (g *Group) Leader(sub int) int {
	lo, hi := g.Members(sub)
	for ; g.anyDead && lo < hi && g.Dead[lo]; lo++ {
	}
	if lo == hi {
		return -1
	}
	return lo
}

// FaultOf records a fault of the group's work-item with index li.
func (g *Group) FaultOf(site, li int) {
	x, y, z := li%g.Local[0], li/g.Local[0]%g.Local[1], li/g.Local[0]/g.Local[1]
	g.Fault(site, 0, 0, int32(g.Base(0)+x), int32(g.Base(1)+y), int32(g.Base(2)+z))
}

// Pointer returns the memory of the slice of parameter i, or nil if the slice is empty.
func (g *Group) Pointer(i int) unsafe.Pointer {
	for k := range g.l.c.Slices {
		if s := &g.l.c.Slices[k]; s.Param == i {
			if s.Len == 0 || s.Memory == nil {
				return nil
			}
			return unsafe.Add(s.Memory.(*memory).ptr, s.Offset)
		}
	}
	return nil
}

// Data returns the kernel's constant data.
func (g *Group) Data() unsafe.Pointer { return unsafe.Pointer(unsafe.StringData(g.l.p.kernel.Data)) }

// Allot allocates memory of the given size in bytes for the form's variable i.
func (g *Group) Allot(i, bytes int) {
	for len(g.memory) <= i {
		g.memory = append(g.memory, nil)
	}
	n := (max(bytes, 0) + 7) / 8
	if cap(g.memory[i]) < n {
		g.memory[i] = make([]uint64, n)
	}
	g.memory[i] = g.memory[i][:n]
}

// Memory returns the memory of variable i.
func (g *Group) Memory(i int) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(g.memory[i])) }

// Zero sets the memory of variable i to zero.
func (g *Group) Zero(i int) { clear(g.memory[i]) }

// BlockValue returns the value at an offset of the launch block. BlockValue returns zero if the
// block is too short.
func BlockValue[T any](g *Group, off int) T {
	var v T
	if off+int(unsafe.Sizeof(v)) <= len(g.l.block) {
		v = *(*T)(unsafe.Pointer(&g.l.block[off]))
	}
	return v
}

// SpecBits returns the value of the specialization constant with the given id.
func (g *Group) SpecBits(id uint32) (bits uint64, ok bool) {
	if d := id - abi.SpecLocalSizeX; d < 3 {
		return uint64(g.Local[d]), true
	}
	if id == abi.SpecSubGroup {
		return uint64(g.SubGroup), true
	}
	for _, s := range g.l.p.specBits {
		if s.ID == id {
			return s.Bits, true
		}
	}
	return 0, false
}

// newForms returns the pool of a pipeline's forms.
func newForms(f func() Form) *sync.Pool { return &sync.Pool{New: func() any { return f() }} }
