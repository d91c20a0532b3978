// Package stubs is what the stubs of kgen's test kernels call that have Run functions
// alone; see package modules.
package stubs

import (
	"context"

	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/kernelimpl"
)

// A Run runs a kernel of type K over a range of type R on the kernel's own slices, and waits.
type Run[K, R any] = func(ctx context.Context, dev *runtime.Device, k K, r R, opts ...runtime.LaunchOption) error

// A RunTask does so with a task.
type RunTask[K any] = func(ctx context.Context, dev *runtime.Device, k K, opts ...runtime.LaunchOption) error

// Each of the functions below makes the Run function of a kernel for which fill gives a launch
// its arguments.

// Task makes that of a task.
func Task[K any](kernel *runtime.Kernel, fill func(*kernelimpl.Launch, K)) RunTask[K] {
	return func(ctx context.Context, dev *runtime.Device, k K, opts ...runtime.LaunchOption) error {
		l := kernelimpl.NewLaunch(kernel)
		fill(l, k)
		return l.RunTask(ctx, dev, opts)
	}
}

// Range1, Range2 and Range3 make those of kernels over ranges.

func Range1[K any](kernel *runtime.Kernel, fill func(*kernelimpl.Launch, K)) Run[K, runtime.Range1] {
	return over(kernel, fill, (*kernelimpl.Launch).Run1)
}

func Range2[K any](kernel *runtime.Kernel, fill func(*kernelimpl.Launch, K)) Run[K, runtime.Range2] {
	return over(kernel, fill, (*kernelimpl.Launch).Run2)
}

func Range3[K any](kernel *runtime.Kernel, fill func(*kernelimpl.Launch, K)) Run[K, runtime.Range3] {
	return over(kernel, fill, (*kernelimpl.Launch).Run3)
}

// NDRange1, NDRange2 and NDRange3 make those of kernels with work-groups.

func NDRange1[K any](kernel *runtime.Kernel, fill func(*kernelimpl.Launch, K)) Run[K, runtime.NDRange1] {
	return over(kernel, fill, (*kernelimpl.Launch).RunND1)
}

func NDRange2[K any](kernel *runtime.Kernel, fill func(*kernelimpl.Launch, K)) Run[K, runtime.NDRange2] {
	return over(kernel, fill, (*kernelimpl.Launch).RunND2)
}

func NDRange3[K any](kernel *runtime.Kernel, fill func(*kernelimpl.Launch, K)) Run[K, runtime.NDRange3] {
	return over(kernel, fill, (*kernelimpl.Launch).RunND3)
}

func over[K, R any](kernel *runtime.Kernel, fill func(*kernelimpl.Launch, K),
	run func(*kernelimpl.Launch, context.Context, *runtime.Device, R, []runtime.LaunchOption) error) Run[K, R] {
	return func(ctx context.Context, dev *runtime.Device, k K, r R, opts ...runtime.LaunchOption) error {
		l := kernelimpl.NewLaunch(kernel)
		fill(l, k)
		return run(l, ctx, dev, r, opts)
	}
}
