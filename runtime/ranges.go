package runtime

import (
	"context"
	"math"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime/internal/stream"
)

// Range1 is the number of work-items of a one-dimensional launch. A dimension
// has at most 2^31-1 work-items.
type Range1 int

// Range2 is the number of work-items of a two-dimensional launch. The last dimension varies
// fastest, as in Range2{rows, columns}.
type Range2 [2]int

// Range3 is the number of work-items of a three-dimensional launch. The last dimension varies
// fastest.
type Range3 [3]int

// NDRange1 is a one-dimensional range divided into work-groups. Global must be a
// multiple of Local.
type NDRange1 struct{ Global, Local Range1 }

// NDRange2 is a two-dimensional range divided into work-groups. Each dimension of Global must be a
// multiple of the same dimension of Local.
type NDRange2 struct{ Global, Local Range2 }

// NDRange3 is a three-dimensional range divided into work-groups. Each dimension of Global must be
// a multiple of the same dimension of Local.
type NDRange3 struct{ Global, Local Range3 }

// RoundUp returns an nd-range in which Global is rounded up to the next multiple of Local. The nd-range
// then consists of complete work-groups that cover Global. The kernel must skip work-items past the end:
//
//	r := runtime.NDRange1{Global: runtime.Range1(len(x)), Local: 256}.RoundUp() // covers the elements of x.
//
// RoundUp does not change an nd-range if Local is not positive, if Global is negative, or if Global
// rounded up does not fit an int. A launch over an nd-range with invalid sizes returns an error
// (ErrInvalid, ErrNDRange).
func (r NDRange1) RoundUp() NDRange1 {
	r.Global = Range1(roundUp(int(r.Global), int(r.Local)))
	return r
}

// RoundUp rounds each dimension of Global up to the next multiple of the same dimension of Local,
// as NDRange1.RoundUp does.
func (r NDRange2) RoundUp() NDRange2 {
	for d := range r.Global {
		r.Global[d] = roundUp(r.Global[d], r.Local[d])
	}
	return r
}

// RoundUp rounds each dimension of Global up to the next multiple of the same dimension of Local,
// as NDRange1.RoundUp does.
func (r NDRange3) RoundUp() NDRange3 {
	for d := range r.Global {
		r.Global[d] = roundUp(r.Global[d], r.Local[d])
	}
	return r
}

// roundUp returns the least multiple of local that is at least global. If a size is negative, or the multiple does not
// fit an int, roundUp returns global.
func roundUp(global, local int) int {
	if global < 0 || local <= 0 || global%local == 0 || global > math.MaxInt-local {
		return global
	}
	return global - global%local + local
}

// maxRange is the largest size of one dimension.
const maxRange = abi.MaxRange

// LaunchOption is an option of a launch.
type LaunchOption interface{ applyLaunch(*launchOptions) }

type launchOptions struct {
	ctx   context.Context // context of the launch; nil without WithContext
	after []*stream.Event
	props properties.List
	err   error // first error of the options themselves

	specs    settingList
	withSpec bool
	valuesOf []*Program // programs that the values of WithSpecValue belong to
	exe      *Executable
	printing []PrintOption
}

func (o *launchOptions) fail(err error) {
	if o.err == nil {
		o.err = err
	}
}

type launchFunc func(*launchOptions)

func (f launchFunc) applyLaunch(o *launchOptions) { f(o) }

type dependsOn []Event

func (d dependsOn) applyLaunch(o *launchOptions) {
	for _, e := range d {
		if e.l != nil {
			o.after = append(o.after, &e.l.ev)
			if out := e.l.rareFields().output; out != nil {
				o.after = append(o.after, &out.ev)
			}
		}
	}
}

// DependsOn makes the launch start after the events are done. Launches that use the same memory do
// not need DependsOn, because the runtime orders reads and writes of the same memory.
func DependsOn(events ...Event) LaunchOption { return dependsOn(events) }

// WithContext ends the launch when ctx ends.
//
// A launch waits if the device is thousands of launches behind, or if it depends on another
// device's events. When ctx ends, a launch that still waits returns an error of class ErrDeadline
// or ErrCanceled, and the kernel is not launched. Without WithContext the launch waits as long as
// necessary.
//
// A recorded launch is cancelled when ctx ends. If the launch has not started, it does not run. If
// the launch is running, it stops at the end of an iteration of one of its loops. On Vulkan, a
// running launch stops only if the kernel has the directive //kgen:cancel. A wait for a cancelled
// launch also returns an error of class ErrDeadline or ErrCanceled, which contains the cause of the
// context (see context.WithCancelCause). A cancelled launch may leave
// memory unwritten. A command that reads this memory returns the same error, until copies or
// fills have overwritten the memory completely. Launches do not count, because a kernel may leave
// elements as they are.
//
// If WithContext is given several times, the last context applies. Run has its own context and does
// not accept this option (ErrInvalid).
func WithContext(ctx context.Context) LaunchOption { return withContext{ctx} }

type withContext struct{ ctx context.Context }

func (w withContext) applyLaunch(o *launchOptions) {
	if w.ctx == nil {
		o.fail(errorf(ErrInvalid, "the context is nil"))
	}
	o.ctx = w.ctx
}

type with properties.List

func (w with) applyLaunch(o *launchOptions) { o.props = append(o.props, w...) }

// With adds properties to the launch. The properties are merged with the kernel's own properties into one list. If both
// lists have a property with the same key, the values must be equal (ErrInvalid otherwise).
func With(props ...properties.Property) LaunchOption { return with(props) }
