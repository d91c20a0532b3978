package runtime

import "github.com/kgen-go/kgen/runtime/internal/launch"

// This file implements methods that the packages of prim call, through package primimpl.

// CheckView returns the error that a launch on the queue would return for a view. The error contains the
// view's name, which is in the argument name.
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

// Recorded reports whether e is the event of a node of a graph.
func (forStubs) Recorded(e Event) bool { return e.l != nil && e.l.rareFields().node != nil }

// Fuses reports whether kernels on the device may use its instruction for x*y + z rounded once. If
// kernels may use that instruction, math32.HasFMA is true in kernels.
func (forStubs) Fuses(d *Device) bool { return d.byFma }

// Fuses64 is like Fuses, but for float64.
func (forStubs) Fuses64(d *Device) bool { return d.byFma64 }

// orderAlone is the option that OrderAlone returns.
type orderAlone struct{}

func (orderAlone) applyLaunch(o *launchOptions) {
	o.props, o.specs, o.withSpec, o.valuesOf, o.printing = nil, nil, false, nil, nil
}

// OrderAlone returns an option that drops the options before it, except those for the order of
// commands. The dropped options are properties, specialization constants and print options, which
// copies do not accept.
func (forStubs) OrderAlone() LaunchOption { return orderAlone{} }

// Attached returns the value that the device stores under a key. The first call for a key gets the value
// by calling the function in the parameter made. The value becomes garbage with the device.
func (forStubs) Attached(d *Device, key any, made func() any) any {
	v, ok := d.attached.Load(key)
	if !ok {
		v, _ = d.attached.LoadOrStore(key, made())
	}
	return v
}
