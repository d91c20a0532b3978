package runtime

import "context"

// Prewarm makes the pipelines of kernels before their first launches. Otherwise the first launch
// makes its pipeline, which takes milliseconds for each kernel on a GPU. Prewarm makes as many
// pipelines at a time as there are processors (GOMAXPROCS), for the launches that
// [Program.BuildContext] describes. Constants have their defaults; for other values, use a
// program's Build.
//
//	err := runtime.Prewarm(ctx, dev, blurgen.Kernels()...)
//
// The device keeps these pipelines as it keeps those of launches: see [Device.Pipelines]. Errors
// are those of BuildContext: ErrSpecConst for a constant that has no default, and ErrBuild if the
// device's driver does not accept a kernel. If ctx ends first, the error is ErrDeadline or
// ErrCanceled. A nil kernel is ErrInvalid.
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
