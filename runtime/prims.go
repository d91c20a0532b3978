package runtime

import "github.com/kgen-go/kgen/runtime/internal/launch"

// This file has the functions that the packages of prim call, through package primimpl.

// CheckView returns the error that a launch on the queue would return for a view. name is the name
// of the view in the error.
func (forStubs) CheckView(q *Queue, name string, s launch.Slice) error {
	switch {
	case s.Len == launch.NoBuffer:
		return errorf(ErrKernelArgument, "%s is a view of a nil buffer", name).advise(nilBuffer)
	case s.Mem == nil:
		return nil
	case s.Mem.Stream() != q.dev.stream:
		return errorf(ErrKernelArgument, "%s is a view of another device's buffer", name).
			advise("copy it to a buffer of %s", q.dev.Name())
	case s.Mem.Released():
		return errorf(ErrKernelArgument, "%s is a view of a closed buffer", name)
	}
	return nil
}

// Recorded reports whether an event is that of a node of a graph.
func (forStubs) Recorded(e Event) bool { return e.l != nil && e.l.rare().node != nil }

// Fuses reports whether kernels on the device may use its instruction for x*y + z rounded once: math32.HasFMA.
func (forStubs) Fuses(d *Device) bool { return d.byFma }

// orderAlone is the option of a command that takes those of launches for the order alone.
type orderAlone struct{}

func (orderAlone) applyLaunch(o *launchOptions) {
	o.props, o.specs, o.withSpec, o.valuesOf, o.printing = nil, nil, false, nil, nil
}

// OrderAlone returns an option that drops the options before it, except those for the order of
// commands. It drops properties, specialization constants and print options, which copies do not
// have.
func (forStubs) OrderAlone() LaunchOption { return orderAlone{} }

// Attached returns the value that the device has under a key. made makes the value at its first
// use. The value becomes garbage with the device.
func (forStubs) Attached(d *Device, key any, made func() any) any {
	v, ok := d.attached.Load(key)
	if !ok {
		v, _ = d.attached.LoadOrStore(key, made())
	}
	return v
}
