// Package call implements parts of the functions in all families. These parts are the options, the
// checks of views, and the scratch memory.
//
// A function makes a Call, adds its views, calls Begin, and launches kernels:
//
//	c := call.New(q, "reduce.SumOn", opts)
//	call.In(c, "v", v)
//	call.Out(c, "out", out, 1)
//	if err := c.Begin(bytes); err != nil { … }
//	parts := call.Room[T](c, n)
//	c.Run(gen.Sum…{…}, groups)
//	return c.End()
package call

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/primimpl"
)

// Options contains the options of a call.
type Options struct {
	Unordered  bool
	Length     runtime.View[int64]
	HasLength  bool
	Scratch    runtime.View[byte]
	HasScratch bool
	Launch     []runtime.LaunchOption
	// Descending and Bits are options of package sort. Elements are sorted by the bits from Bits[0]
	// to Bits[1]-1.
	Descending bool
	Bits       *[2]int
}

// Option sets options.
type Option func(*Options)

// Kernel is the interface of kernels that are launched over an nd-range. The type of a Kernel is a
// struct of a generated package.
type Kernel interface {
	ParallelFor(q *runtime.Queue, r runtime.NDRange1, opts ...runtime.LaunchOption) (runtime.Event, error)
}

// Call is a call of a function on views.
type Call struct {
	q       *runtime.Queue
	name    string
	opts    Options
	in, out []primimpl.Used
	sorts   bool // whether the function accepts Options.Descending
	digits  bool // whether the function accepts Options.Bits
	err     error
	scratch *buffer
	room    runtime.View[byte] // scratch memory that Room has not returned yet
	event   runtime.Event
}

// New returns a call of the function with the given name.
func New(q *runtime.Queue, name string, opts []Option) *Call {
	c := &Call{q: q, name: name}
	c.fail(primimpl.Usable(q))
	for i, o := range opts {
		if o == nil {
			c.Refuse("leave it out", "the option %d is nil", i)
			continue
		}
		o(&c.opts)
	}
	if c.opts.HasLength {
		if n := c.opts.Length.Len(); n != 1 {
			c.Refuse("give a view of one element", "the length is a view of %d elements", n)
		}
		In(c, "the length", c.opts.Length)
	}
	return c
}

// function returns the name of the function that the program has called. The functions on slices call a function on views,
// whose name ends with On, and use the queue of the pool.
func (c *Call) function() string {
	if c.q != nil && primimpl.Usable(c.q) == nil && poolOf(c.q.Device()).queue == c.q {
		return strings.TrimSuffix(c.name, "On")
	}
	return c.name
}

// Length returns the caller's view with the number of elements to process. This view has one
// element. Length returns an empty view if the caller gave no number.
func (c *Call) Length() runtime.View[int64] { return c.opts.Length }

// HasLength reports whether the caller gave a number of elements.
func (c *Call) HasLength() bool { return c.opts.HasLength }

// Unordered reports whether the caller allows results that depend on the order of work-items.
func (c *Call) Unordered() bool { return c.opts.Unordered }

// Sorts makes the call accept the options of package sort, and returns their values. The argument
// `bits` says whether the option for bits is also accepted.
func (c *Call) Sorts(bits bool) (descending bool, of *[2]int) {
	c.sorts, c.digits = true, bits
	return c.opts.Descending, c.opts.Bits
}

// Device returns the device of the call's queue. The call must have no error yet (see Usable).
func (c *Call) Device() *runtime.Device { return c.q.Device() }

// Usable reports whether the call has no error yet.
func (c *Call) Usable() bool { return c.err == nil }

// Refuse makes the call return an error that matches ErrInvalid, unless the call has another error
// already.
func (c *Call) Refuse(remedy, format string, args ...any) {
	c.fail(&runtime.Error{Class: runtime.ErrInvalid, Problem: fmt.Sprintf(format, args...), Remedy: remedy})
}

// fail() stores the first error of the call, and adds the function's name to it.
func (c *Call) fail(err error) {
	if err == nil || c.err != nil {
		return
	}
	c.err = err
	var e *runtime.Error
	if errors.As(err, &e) {
		named := *e
		named.Problem = c.function() + ": " + e.Problem
		c.err = &named
	}
}

// In adds a view that the call reads, with its name.
func In[T any](c *Call, name string, v runtime.View[T]) {
	c.check(primimpl.Use(name, v))
	c.in = append(c.in, primimpl.Use(name, v))
}

// Out adds a view with its name. The call writes the first n elements of the view, and does not
// read them.
func Out[T any](c *Call, name string, v runtime.View[T], n int) {
	c.check(primimpl.Use(name, v))
	if c.err == nil && v.Len() < n {
		c.Refuse("", "%s has %d elements: the function writes %d", name, v.Len(), n)
	}
	if c.err == nil {
		c.out = append(c.out, primimpl.Use(name, v.Slice(0, n)))
	}
}

// InPlace adds a view v, which the call reads, and a view out. The call writes the first n elements
// of out. The views v and out may be the same memory, but must not overlap otherwise.
func InPlace[T any](c *Call, name string, v runtime.View[T], to string, out runtime.View[T], n int) {
	outs := len(c.out)
	Out(c, to, out, n)
	if len(c.out) > outs && primimpl.Use(name, v).Same(c.out[outs]) {
		c.check(primimpl.Use(name, v))
		return
	}
	In(c, name, v)
}

func (c *Call) check(u primimpl.Used) {
	if c.err == nil {
		c.fail(u.Check(c.q))
	}
}

// Begin checks the call, and allocates the given number of bytes of scratch memory.
func (c *Call) Begin(bytes int) error {
	if c.opts.Descending && !c.sorts {
		c.Refuse("leave it out", "the function has no order that sort.Descending changes")
	}
	if c.opts.Bits != nil && !c.digits {
		c.Refuse("leave it out", "the function does not sort by bits, which sort.Bits gives")
	}
	if c.opts.HasScratch && c.err == nil {
		u := primimpl.Use("the scratch memory", c.opts.Scratch)
		c.check(u)
		switch n := c.opts.Scratch.Len(); {
		case c.err != nil:
		case n < bytes:
			c.Refuse("ask ScratchBytes of the package", "the scratch memory has %d bytes: the function needs %d", n, bytes)
		case !u.Aligned(align):
			c.Refuse("", "the scratch memory begins at no multiple of %d bytes", align)
		}
		c.out = append(c.out, u)
	}
	for i, o := range c.out {
		for _, v := range c.in {
			c.refuseOverlap(o, v)
		}
		for _, v := range c.out[:i] {
			c.refuseOverlap(o, v)
		}
	}
	if c.err != nil {
		return c.err
	}
	if c.opts.HasScratch {
		c.room = c.opts.Scratch
	} else if bytes > 0 {
		var err error
		if c.scratch, err = poolOf(c.q.Device()).takeBuffer(bytes); err != nil {
			c.fail(err)
			return c.err
		}
		c.room = primimpl.Cast[byte](c.scratch.All())
	}
	return nil
}

// refuseOverlap refuses a call with two views that share elements.
func (c *Call) refuseOverlap(u, v primimpl.Used) {
	if u.Overlaps(v) {
		c.Refuse("use another view", "%s overlaps %s", u.Name(), v.Name())
	}
}

// The constant `align` is the alignment of parts of the scratch memory, in bytes.
const align = 16

// Bytes returns the number of bytes of scratch memory that Room uses for n elements of type T.
func Bytes[T any](n int) int {
	var zero T
	return (n*int(unsafe.Sizeof(zero)) + align - 1) / align * align
}

// Room returns the next n elements of the scratch memory. The values of these elements are
// unspecified.
func Room[T any](c *Call, n int) runtime.View[T] {
	size := Bytes[T](n)
	v := primimpl.Cast[T](c.room.Slice(0, size)).Slice(0, n)
	c.room = c.room.Slice(size, c.room.Len())
	return v
}

// Over launches a kernel over a range, unless an earlier launch of the call has failed.
func Over[R runtime.Range](c *Call, k interface {
	ParallelFor(*runtime.Queue, R, ...runtime.LaunchOption) (runtime.Event, error)
}, r R, opts ...runtime.LaunchOption) {
	if c.err != nil {
		return
	}
	if len(c.opts.Launch) > 0 {
		opts = append(slices.Clip(c.opts.Launch), opts...)
	}
	ev, err := k.ParallelFor(c.q, r, opts...)
	c.launched(ev, err)
}

// Run launches a kernel with the given number of work-groups and work-group size, unless an earlier
// launch of the call has failed.
func (c *Call) Run(k Kernel, groups, size int, opts ...runtime.LaunchOption) {
	Over(c, k, runtime.NDRange1{Global: runtime.Range1(groups * size), Local: runtime.Range1(size)}, opts...)
}

// Nested calls another function, unless an earlier launch has failed. That function gets the call's
// launch options and the given scratch memory.
func (c *Call) Nested(scratch runtime.View[byte], f func(opts ...Option) (runtime.Event, error)) {
	if c.err != nil {
		return
	}
	c.launched(f(func(o *Options) { o.Launch, o.Scratch, o.HasScratch = c.opts.Launch, scratch, true }))
}

// Enqueue enqueues a command, unless an earlier launch of the call has failed. If an option is only
// for launches, as runtime.With is, it does not apply to the command.
func (c *Call) Enqueue(command runtime.Command) {
	if c.err != nil {
		return
	}
	ev, err := c.q.Enqueue(command, append(slices.Clip(c.opts.Launch), primimpl.OrderAlone())...)
	c.launched(ev, err)
}

func (c *Call) launched(ev runtime.Event, err error) {
	c.fail(err)
	if err == nil {
		c.event = ev
	}
}

// End returns the event of the last launch, and gives the scratch memory back to its pool. The next
// function that uses the scratch memory runs after the call's launches. If the call was recorded
// into a graph, the graph keeps the scratch memory.
func (c *Call) End() (runtime.Event, error) {
	if c.scratch != nil && !primimpl.Recorded(c.event) {
		poolOf(c.q.Device()).giveBack(c.scratch)
	}
	c.scratch = nil
	return c.event, c.err
}
