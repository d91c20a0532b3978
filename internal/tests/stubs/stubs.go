// Package stubs contains the functions that the stubs of kgen's test kernels call. The comment of
// package modules describes the directive "//kgen:bare", which requests these stubs. Package stubs
// fills in the parameters of a kernel in a loop over the entries of the kernel's description. The
// stubs of other kernels have a line of code for each parameter instead.
package stubs

import (
	"context"
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/modules"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/kernelimpl"
)

// A Run runs a kernel of type K over a range of type R on the kernel's own slices, and waits.
type Run[K, R any] = func(ctx context.Context, dev *runtime.Device, k K, r R, opts ...runtime.LaunchOption) error

// A RunTask runs a kernel of type K as a task, and waits.
type RunTask[K any] = func(ctx context.Context, dev *runtime.Device, k K, opts ...runtime.LaunchOption) error

// Each of the functions below registers a kernel and returns its Run function. kernelBody is the Kernel method. If the
// kernel has a host form (code for the CPU), the first element of extraArgs is the function that creates the host form.
// The other elements of extraArgs are the specialization constants that d.Specs describes.

// Task registers a kernel that runs as a task.
func Task[K any](d *abi.Kernel, kernelBody func(K, dsl.Task), extraArgs ...any) (*runtime.Kernel, RunTask[K]) {
	kernel := registerKernel(d, abi.Task, 0, func(k K) any { return func(it dsl.Task) { kernelBody(k, it) } }, extraArgs)
	return kernel, func(ctx context.Context, dev *runtime.Device, k K, opts ...runtime.LaunchOption) error {
		return launchOf(kernel, &k).RunTask(ctx, dev, opts)
	}
}

// Range1, Range2 and Range3 register kernels over ranges.

func Range1[K any](d *abi.Kernel, body func(K, dsl.Item1), more ...any) (*runtime.Kernel, Run[K, runtime.Range1]) {
	return over(d, abi.Range, 1, func(k K) any { return func(it dsl.Item1) { body(k, it) } }, more, (*kernelimpl.Launch).Run1)
}

func Range2[K any](d *abi.Kernel, body func(K, dsl.Item2), more ...any) (*runtime.Kernel, Run[K, runtime.Range2]) {
	return over(d, abi.Range, 2, func(k K) any { return func(it dsl.Item2) { body(k, it) } }, more, (*kernelimpl.Launch).Run2)
}

func Range3[K any](d *abi.Kernel, body func(K, dsl.Item3), more ...any) (*runtime.Kernel, Run[K, runtime.Range3]) {
	return over(d, abi.Range, 3, func(k K) any { return func(it dsl.Item3) { body(k, it) } }, more, (*kernelimpl.Launch).Run3)
}

// NDRange1, NDRange2 and NDRange3 register kernels with work-groups.

func NDRange1[K any](d *abi.Kernel, body func(K, dsl.NDItem1), more ...any) (*runtime.Kernel, Run[K, runtime.NDRange1]) {
	return over(d, abi.NDRange, 1, func(k K) any { return func(it dsl.NDItem1) { body(k, it) } }, more, (*kernelimpl.Launch).RunND1)
}

func NDRange2[K any](d *abi.Kernel, body func(K, dsl.NDItem2), more ...any) (*runtime.Kernel, Run[K, runtime.NDRange2]) {
	return over(d, abi.NDRange, 2, func(k K) any { return func(it dsl.NDItem2) { body(k, it) } }, more, (*kernelimpl.Launch).RunND2)
}

func NDRange3[K any](d *abi.Kernel, body func(K, dsl.NDItem3), more ...any) (*runtime.Kernel, Run[K, runtime.NDRange3]) {
	return over(d, abi.NDRange, 3, func(k K) any { return func(it dsl.NDItem3) { body(k, it) } }, more, (*kernelimpl.Launch).RunND3)
}

func over[K, R any](d *abi.Kernel, form abi.Form, rank int, bind func(K) any, more []any,
	run func(*kernelimpl.Launch, context.Context, *runtime.Device, R, []runtime.LaunchOption) error) (*runtime.Kernel, Run[K, R]) {
	kernel := registerKernel(d, form, rank, bind, more)
	return kernel, func(ctx context.Context, dev *runtime.Device, k K, r R, opts ...runtime.LaunchOption) error {
		return run(launchOf(kernel, &k), ctx, dev, r, opts)
	}
}

// registerKernel registers a kernel. form and rank describe the item type that the kernel's Kernel method gets.
func registerKernel[K any](d *abi.Kernel, form abi.Form, rank int, bind func(K) any, more []any) *runtime.Kernel {
	if d.SPIRV == "" { // without a module, launches fail (see moduleMissing)
		d.Form, d.Rank = form, rank
	}
	var hostForm func() kernelimpl.HostForm
	var specs []dsl.AnySpecConstant
	for _, m := range more {
		switch m := m.(type) {
		case func() kernelimpl.HostForm:
			hostForm = m
		case dsl.AnySpecConstant:
			specs = append(specs, m)
		default:
			panic(fmt.Sprintf("BUG: a %T as part of kernel %s", m, d.Name))
		}
	}
	kernel := kernelimpl.RegisterForm(d, func(a *kernelimpl.HostArgs) any { return bind(*kernelimpl.HostReceiver[K](a)) }, hostForm, specs...)
	if d.SPIRV == "" {
		kernelimpl.Properties[moduleMissing](kernel)
	} else {
		kernelimpl.Properties[K](kernel)
	}
	kernelLists[d.Package] = append(kernelLists[d.Package], kernel)
	return kernel
}

// kernelLists maps the path of a package to its kernels, in the order of registration. The map is written only
// during package initialization.
var kernelLists = map[string][]*runtime.Kernel{}

// Kernels returns the kernels of a package. Kernels panics if a package of the program has no modules.
func Kernels(pkg modules.Package) []*runtime.Kernel {
	if err := modules.Missing(); err != nil {
		panic(err)
	}
	return slices.Clone(kernelLists[string(pkg)])
}

// moduleMissing replaces the type of a kernel without a module. The runtime calls the Properties method of a
// kernel's type before the kernel is first used in a launch, a program or a graph node. The Properties method
// of moduleMissing panics with the reason, so that each launch returns a runtime.ErrBuild with the reason.
type moduleMissing struct{}

func (moduleMissing) Properties() properties.List { panic(modules.Missing()) }

// launchOf returns a launch with the values of the fields of k.
func launchOf[K any](kernel *runtime.Kernel, k *K) *kernelimpl.Launch {
	l := kernelimpl.NewLaunch(kernel)
	kernelimpl.Receiver(l, k)
	return l
}
