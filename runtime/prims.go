package runtime

import "github.com/kgen-go/kgen/runtime/internal/launch"

// This file implements methods that the packages of prim call, through package primimpl.

// CheckView returns the error that a launch on the queue would return for a view. The argument name
// is the view's name in the error.
func (forStubs) CheckView(q *Queue, name string, s launch.Slice) error {
	switch {
	case s.Len == launch.NoBuffer:
		return errorf(ErrKernelArgument, "%s is a view of a nil buffer", name).advise(nilBuffer)
	case s.Mem == nil:
		return nil
	case s.Mem.Stream() != q.dev.stream:
		return foreignView(name, deviceOf(s.Mem), q.dev)
	case s.Mem.Released():
		return errorf(ErrKernelArgument, "%s is a view of a closed buffer", name)
	}
	return nil
}

// Recorded reports whether e is the event of a node of a graph.
func (forStubs) Recorded(e Event) bool { return e.l != nil && e.l.rareFields().node != nil }

// Fuses reports whether kernels may use the device's instruction that computes x*y + z and rounds once. In kernels,
// math32.HasFMA has the same value.
func (forStubs) Fuses(d *Device) bool { return d.byFma }

// Fuses64 is like Fuses, but for float64.
func (forStubs) Fuses64(d *Device) bool { return d.byFma64 }

// orderAlone is the option that OrderAlone returns.
type orderAlone struct{}

func (orderAlone) applyLaunch(o *launchOptions) {
	o.props, o.specs, o.withSpec, o.valuesOf, o.printing = nil, nil, false, nil, nil
}

// OrderAlone returns an option that keeps only those earlier options that concern the order of
// commands. Properties, specialization constants and print options are dropped, because copies do
// not accept them.
func (forStubs) OrderAlone() LaunchOption { return orderAlone{} }

// Attached returns the value that the device stores under a key. The first call for a key calls the
// function `made`, and stores the result of `made`. The garbage collector frees the value together
// with the device.
func (forStubs) Attached(d *Device, key any, made func() any) any {
	v, ok := d.attached.Load(key)
	if !ok {
		v, _ = d.attached.LoadOrStore(key, made())
	}
	return v
}
