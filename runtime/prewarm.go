package runtime

import "context"

// Prewarm makes the pipelines of kernels before their first launches. Without Prewarm, the first
// launch of a kernel makes the pipeline, which takes milliseconds on a GPU. Prewarm makes pipelines
// for the launches that [Program.BuildContext] describes, and makes at most GOMAXPROCS pipelines at
// a time. Specialization constants have their default values. For other values of specialization
// constants, use Program.Build.
//
//	err := runtime.Prewarm(ctx, dev, blurgen.Kernels()...) // makes the pipelines of all kernels of a package.
//
// The device keeps these pipelines as it keeps the pipelines of launches (see [Device.Pipelines]).
// Prewarm returns the errors of BuildContext. The error is ErrSpecConst if a constant has no
// default, and ErrBuild if the device's driver does not accept a kernel. If ctx ends first, the
// error is ErrDeadline or ErrCanceled. If a kernel is nil, the error is ErrInvalid.
func Prewarm(ctx context.Context, dev *Device, kernels ...*Kernel) error {
	p, err := NewProgram(dev, kernels...)
	if err != nil {
		return err
	}
	if ctx == nil {
		return errorf(ErrInvalid, "the context is nil")
	}
	p.mu.Lock()
	err = p.checkConstants(p.kernels)
	p.mu.Unlock()
	if err != nil {
		return err
	}
	built, err := dev.preparePipelines(ctx, p.kernels, nil)
	letGo(built)
	return err
}
