package runtime

import "context"

// Prewarm makes kernels ready on the device before their first launch, which else does that while
// it is waited for (milliseconds for each kernel on a GPU): as many at a time as there are
// processors (GOMAXPROCS), and for the launches that [Program.BuildContext] names. Constants have
// their defaults; with other values, a program's Build does the same.
//
//	err := runtime.Prewarm(ctx, dev, blurgen.Kernels()...)
//
// The device keeps what was made as it keeps what launches make: see [Device.Pipelines]. Errors are
// those of BuildContext: ErrSpecConst for a constant that has no default, ErrBuild where the device's
// driver does not take a kernel, ErrDeadline or ErrCanceled when ctx ends first, and ErrInvalid
// for a kernel that is nil.
func Prewarm(ctx context.Context, dev *Device, kernels ...*Kernel) error {
	p, err := NewProgram(dev, kernels...)
	if err != nil {
		return err
	}
	if ctx == nil {
		return errorf(ErrInvalid, "the context is nil")
	}
	p.mu.Lock()
	err = p.check(p.kernels)
	p.mu.Unlock()
	if err != nil {
		return err
	}
	built, err := dev.prepare(ctx, p.kernels, nil)
	letGo(built)
	return err
}
