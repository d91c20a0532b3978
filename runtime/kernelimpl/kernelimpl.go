// Package kernelimpl is what the code that kgen generates calls. Nothing else
// may: its API changes with abi.Version.
//
// Generated code registers each kernel once, and launches it by filling a
// [Launch] and calling one of its methods, which ends the Launch's life:
//
//	var saxpyKernel = kernelimpl.Register(&abi.Kernel{…}, func(a *kernelimpl.HostArgs) any {
//		return saxpy.SAXPY{
//			A: kernelimpl.HostValue[float32](a, 0),
//			X: kernelimpl.HostSlice[float32](a, 1),
//			Y: kernelimpl.HostSlice[float32](a, 2),
//		}.Kernel
//	})
//
//	var _ = kernelimpl.Properties[saxpy.SAXPY](saxpyKernel)
//
//	func (k SAXPY) launch() *kernelimpl.Launch {
//		l := kernelimpl.NewLaunch(saxpyKernel)
//		kernelimpl.Value(l, 0, k.A)
//		kernelimpl.View(l, 1, k.X)
//		kernelimpl.View(l, 2, k.Y)
//		return l
//	}
//
//	func (k SAXPY) ParallelFor(q *runtime.Queue, r runtime.Range1, opts ...runtime.LaunchOption) (runtime.Event, error) {
//		return k.launch().ParallelFor1(q, r, opts)
//	}
//
//	func (k SAXPY) Node(r runtime.Range1, opts ...runtime.LaunchOption) runtime.Command {
//		return k.launch().Node1(r, opts)
//	}
//
//	func RunSAXPY(ctx context.Context, dev *runtime.Device, k saxpy.SAXPY, r runtime.Range1, opts ...runtime.LaunchOption) error {
//		l := kernelimpl.NewLaunch(saxpyKernel)
//		kernelimpl.Value(l, 0, k.A)
//		kernelimpl.Slice(l, 1, k.X)
//		kernelimpl.Slice(l, 2, k.Y)
//		return l.Run1(ctx, dev, r, opts)
//	}
//
// The module of a variant may be made of the kernel's IR when a device needs it; [MakeModule] in the
// variant's row does that. [MakeNative] makes one for a device with matrices of its own.
//
// A kernel with a host form, a type that kgen writes to another file, is registered
// by [RegisterForm]; what such types use begins with Host.
//
// The number is always the parameter's row in abi.Kernel.Params. Rows that the
// kernel never reads (Offset -1) may be filled in or left out.
package kernelimpl

import (
	"context"
	"fmt"
	"sync"
	"unsafe"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/dslhook"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/internal/host"
	"github.com/kgen-go/kgen/runtime/internal/launch"
	"github.com/kgen-go/kgen/runtime/internal/variants"
)

// MakeModule makes a module of a kernel's IR, as abi.Variant.Make.
func MakeModule(k *abi.Kernel, v *abi.Variant) ([]uint32, error) { return variants.Make(k, v) }

// MakeNative makes a module of a kernel's IR for a device with matrices of its own, as abi.Kernel.MakeNative.
func MakeNative(k *abi.Kernel, t abi.NativeTarget) (*abi.NativeModule, error) {
	return variants.MakeNative(k, t)
}

// Register makes a kernel known. host rebuilds the kernel's receiver from the
// arguments of a launch and returns its Kernel method, for the host device. specs
// are the constants that k.Specs has rows of, in that order.
func Register(k *abi.Kernel, host func(*HostArgs) any, specs ...dsl.AnySpecConstant) *runtime.Kernel {
	return RegisterForm(k, host, nil, specs...)
}

// RegisterForm is Register for a kernel with a host form, of which form makes one.
func RegisterForm(k *abi.Kernel, f func(*HostArgs) any, form func() HostForm, specs ...dsl.AnySpecConstant) *runtime.Kernel {
	l := launch.Kernel{ABI: k, Host: &host.Kernel{Func: f, Form: form}}
	for _, c := range specs {
		l.Specs = append(l.Specs, dslhook.InfoOf(c))
	}
	return api.NewKernel(l)
}

// api is package runtime's side, which users do not see.
var api = launch.Runtime.(interface {
	NewKernel(launch.Kernel) *runtime.Kernel
	Launch(*runtime.Queue, *runtime.Kernel, *launch.Call, []runtime.LaunchOption) (runtime.Event, error)
	Node(*runtime.Kernel, *launch.Call, []runtime.LaunchOption) runtime.Command
	Run(context.Context, *runtime.Device, *runtime.Kernel, *launch.Call, []runtime.LaunchOption) error
	RunCommand(context.Context, *runtime.Queue, runtime.Command) error
	Usable(*runtime.Queue) error
	States(*runtime.Kernel, func() properties.List)
})

// Properties hands the Properties method of a kernel's type K, or the fact that K has none, to the
// kernel's registration. The first launch, program or graph node with the kernel calls the method
// and compares its list with the one that kgen has compiled.
func Properties[K any](k *runtime.Kernel) struct{} {
	var method func() properties.List
	if m, ok := any(new(K)).(interface{ Properties() properties.List }); ok {
		method = func() properties.List { return m.Properties() }
	}
	api.States(k, method)
	return struct{}{}
}

// Launch is a launch that is being put together. It is used by one goroutine and
// is over when one of its methods has been called.
type Launch struct {
	call   launch.Call
	kernel *runtime.Kernel
}

var launches = sync.Pool{New: func() any { return new(Launch) }}

// NewLaunch begins a launch of k.
func NewLaunch(k *runtime.Kernel) *Launch {
	l := launches.Get().(*Launch)
	l.kernel = k
	l.call.Begin(k.ABI())
	return l
}

// Value gives the value of parameter i.
func Value[T any](l *Launch, i int, v T) {
	off := l.kernel.ABI().Params[i].Offset
	if off < 0 || unsafe.Sizeof(v) == 0 {
		return
	}
	if off+int(unsafe.Sizeof(v)) > len(l.call.Args) {
		panic(fmt.Sprintf("BUG: %s: parameter %d does not fit its block", l.kernel.Name(), i))
	}
	*(*T)(unsafe.Pointer(&l.call.Args[off])) = v
}

// View gives the device memory of the slice that parameter i is.
func View[T any](l *Launch, i int, v runtime.View[T]) {
	var zero T
	s := v.Arg()
	l.call.Slices = append(l.call.Slices, launch.SliceArg{Param: i, Slice: s, Size: uint64(s.Len) * uint64(unsafe.Sizeof(zero))})
}

// Slice gives the caller's memory for the slice that parameter i is, for the Run
// methods: it is copied to the device, and back if the kernel writes it.
func Slice[T any](l *Launch, i int, s []T) {
	var zero T
	l.call.Host = append(l.call.Host, launch.HostArg{Param: i, Ptr: unsafe.Pointer(unsafe.SliceData(s)),
		Len: len(s), Size: uint64(len(s)) * uint64(unsafe.Sizeof(zero))})
}

// Accessor gives the length of the next local accessor: there is one call for
// each, in the order of their rows.
func Accessor(l *Launch, n int) {
	l.call.Accessors = append(l.call.Accessors, n)
}

// SingleTask launches a task.
func (l *Launch) SingleTask(q *runtime.Queue, opts []runtime.LaunchOption) (runtime.Event, error) {
	l.task()
	return l.launch(q, opts)
}

// ParallelFor1 launches a kernel of Item1.
func (l *Launch) ParallelFor1(q *runtime.Queue, r runtime.Range1, opts []runtime.LaunchOption) (runtime.Event, error) {
	l.call.Range1(int(r))
	return l.launch(q, opts)
}

// ParallelFor2 launches a kernel of Item2.
func (l *Launch) ParallelFor2(q *runtime.Queue, r runtime.Range2, opts []runtime.LaunchOption) (runtime.Event, error) {
	l.call.Range2(r)
	return l.launch(q, opts)
}

// ParallelFor3 launches a kernel of Item3.
func (l *Launch) ParallelFor3(q *runtime.Queue, r runtime.Range3, opts []runtime.LaunchOption) (runtime.Event, error) {
	l.call.Range3(r)
	return l.launch(q, opts)
}

// ParallelForND1 launches a kernel of NDItem1.
func (l *Launch) ParallelForND1(q *runtime.Queue, r runtime.NDRange1, opts []runtime.LaunchOption) (runtime.Event, error) {
	l.call.Range1(int(r.Global))
	l.call.Groups1(int(r.Local))
	return l.launch(q, opts)
}

// ParallelForND2 launches a kernel of NDItem2.
func (l *Launch) ParallelForND2(q *runtime.Queue, r runtime.NDRange2, opts []runtime.LaunchOption) (runtime.Event, error) {
	l.call.Range2(r.Global)
	l.call.Groups2(r.Local)
	return l.launch(q, opts)
}

// ParallelForND3 launches a kernel of NDItem3.
func (l *Launch) ParallelForND3(q *runtime.Queue, r runtime.NDRange3, opts []runtime.LaunchOption) (runtime.Event, error) {
	l.call.Range3(r.Global)
	l.call.Groups3(r.Local)
	return l.launch(q, opts)
}

// NodeTask returns the launch of a task as a value.
func (l *Launch) NodeTask(opts []runtime.LaunchOption) runtime.Command {
	l.task()
	return l.node(opts)
}

// Node1 returns the launch of a kernel of Item1 as a value.
func (l *Launch) Node1(r runtime.Range1, opts []runtime.LaunchOption) runtime.Command {
	l.call.Range1(int(r))
	return l.node(opts)
}

// Node2 returns the launch of a kernel of Item2 as a value.
func (l *Launch) Node2(r runtime.Range2, opts []runtime.LaunchOption) runtime.Command {
	l.call.Range2(r)
	return l.node(opts)
}

// Node3 returns the launch of a kernel of Item3 as a value.
func (l *Launch) Node3(r runtime.Range3, opts []runtime.LaunchOption) runtime.Command {
	l.call.Range3(r)
	return l.node(opts)
}

// NodeND1 returns the launch of a kernel of NDItem1 as a value.
func (l *Launch) NodeND1(r runtime.NDRange1, opts []runtime.LaunchOption) runtime.Command {
	l.call.Range1(int(r.Global))
	l.call.Groups1(int(r.Local))
	return l.node(opts)
}

// NodeND2 returns the launch of a kernel of NDItem2 as a value.
func (l *Launch) NodeND2(r runtime.NDRange2, opts []runtime.LaunchOption) runtime.Command {
	l.call.Range2(r.Global)
	l.call.Groups2(r.Local)
	return l.node(opts)
}

// NodeND3 returns the launch of a kernel of NDItem3 as a value.
func (l *Launch) NodeND3(r runtime.NDRange3, opts []runtime.LaunchOption) runtime.Command {
	l.call.Range3(r.Global)
	l.call.Groups3(r.Local)
	return l.node(opts)
}

// RunTask runs a task on the caller's slices and waits.
func (l *Launch) RunTask(ctx context.Context, dev *runtime.Device, opts []runtime.LaunchOption) error {
	l.task()
	return l.run(ctx, dev, opts)
}

// Run1 runs a kernel of Item1 on the caller's slices and waits.
func (l *Launch) Run1(ctx context.Context, dev *runtime.Device, r runtime.Range1, opts []runtime.LaunchOption) error {
	l.call.Range1(int(r))
	return l.run(ctx, dev, opts)
}

// Run2 runs a kernel of Item2 on the caller's slices and waits.
func (l *Launch) Run2(ctx context.Context, dev *runtime.Device, r runtime.Range2, opts []runtime.LaunchOption) error {
	l.call.Range2(r)
	return l.run(ctx, dev, opts)
}

// Run3 runs a kernel of Item3 on the caller's slices and waits.
func (l *Launch) Run3(ctx context.Context, dev *runtime.Device, r runtime.Range3, opts []runtime.LaunchOption) error {
	l.call.Range3(r)
	return l.run(ctx, dev, opts)
}

// RunND1 runs a kernel of NDItem1 on the caller's slices and waits.
func (l *Launch) RunND1(ctx context.Context, dev *runtime.Device, r runtime.NDRange1, opts []runtime.LaunchOption) error {
	l.call.Range1(int(r.Global))
	l.call.Groups1(int(r.Local))
	return l.run(ctx, dev, opts)
}

// RunND2 runs a kernel of NDItem2 on the caller's slices and waits.
func (l *Launch) RunND2(ctx context.Context, dev *runtime.Device, r runtime.NDRange2, opts []runtime.LaunchOption) error {
	l.call.Range2(r.Global)
	l.call.Groups2(r.Local)
	return l.run(ctx, dev, opts)
}

// RunND3 runs a kernel of NDItem3 on the caller's slices and waits.
func (l *Launch) RunND3(ctx context.Context, dev *runtime.Device, r runtime.NDRange3, opts []runtime.LaunchOption) error {
	l.call.Range3(r.Global)
	l.call.Groups3(r.Local)
	return l.run(ctx, dev, opts)
}

// Run has the queue run a launch, which a stub's method Node has returned, and waits.
func Run(ctx context.Context, q *runtime.Queue, launch runtime.Command) error {
	return api.RunCommand(ctx, q, launch)
}

func (l *Launch) launch(q *runtime.Queue, opts []runtime.LaunchOption) (runtime.Event, error) {
	defer l.end()
	return api.Launch(q, l.kernel, &l.call, opts)
}

func (l *Launch) node(opts []runtime.LaunchOption) runtime.Command {
	defer l.end()
	return api.Node(l.kernel, &l.call, opts)
}

func (l *Launch) run(ctx context.Context, dev *runtime.Device, opts []runtime.LaunchOption) error {
	defer l.end()
	return api.Run(ctx, dev, l.kernel, &l.call, opts)
}

// end keeps the launch's storage for another, but nothing of the caller's.
func (l *Launch) end() {
	l.call.End()
	l.kernel = nil
	launches.Put(l)
}

func (l *Launch) task() {
	c := &l.call
	c.Form, c.Rank = abi.Task, 0
}
