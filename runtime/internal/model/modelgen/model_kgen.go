// Package modelgen has stubs as kgen writes them, for the kernels of package
// model. They have no modules: the tests run them on the host device.
package modelgen

import (
	"context"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/internal/model"
	"github.com/kgen-go/kgen/runtime/kernelimpl"
)

// The code is for this version of the ABI.
const (
	_ = abi.EnforceVersion(abi.Version - 13)
	_ = abi.EnforceVersion(13 - abi.Version)
)

// Kernels returns the kernels of package model.
func Kernels() []*runtime.Kernel {
	return []*runtime.Kernel{groupSumKernel, index2Kernel, index3Kernel, local3Kernel, mixKernel, reverseKernel,
		saxpyKernel, sumKernel, transpose2Kernel, trapKernel}
}

var saxpyKernel = kernelimpl.Register(&abi.Kernel{
	Name: "SAXPY", Package: "github.com/kgen-go/kgen/runtime/internal/model",
	Form: abi.Range, Rank: 1, ArgSize: 40, Items: 4,
	Params: []abi.Param{
		{Name: "A", Kind: abi.Value, Type: "float32", Offset: 0, Size: 4, HostOffset: 0},
		{Name: "X", Kind: abi.Slice, Type: "[]float32", Offset: 8, Size: 16, HostOffset: 8, ElemSize: 4, ElemAlign: 4, Access: abi.Read},
		{Name: "Y", Kind: abi.Slice, Type: "[]float32", Offset: 24, Size: 16, HostOffset: 32, ElemSize: 4, ElemAlign: 4, Access: abi.ReadWrite},
	},
	Sites: []abi.Site{
		{Kind: abi.FaultIndex, Pos: "runtime/internal/model/model.go:19:2"},
		{Kind: abi.FaultIndex, Pos: "runtime/internal/model/model.go:19:18"},
	},
}, func(a *kernelimpl.HostArgs) any {
	return model.SAXPY{
		A: kernelimpl.HostValue[float32](a, 0),
		X: kernelimpl.HostSlice[float32](a, 1),
		Y: kernelimpl.HostSlice[float32](a, 2),
	}.Kernel
})

var _ = kernelimpl.Properties[model.SAXPY](saxpyKernel)

// SAXPY launches model.SAXPY.
type SAXPY struct {
	A    float32
	X, Y runtime.View[float32]
}

func (k SAXPY) launch() *kernelimpl.Launch {
	l := kernelimpl.NewLaunch(saxpyKernel)
	kernelimpl.Value(l, 0, k.A)
	kernelimpl.View(l, 1, k.X)
	kernelimpl.View(l, 2, k.Y)
	return l
}

// ParallelFor launches the kernel for every work-item of r.
func (k SAXPY) ParallelFor(q *runtime.Queue, r runtime.Range1, opts ...runtime.LaunchOption) (runtime.Event, error) {
	return k.launch().ParallelFor1(q, r, opts)
}

// Run launches the kernel for every work-item of r, and waits. If ctx ends first, the
// launch ends with ctx, as by [runtime.WithContext].
func (k SAXPY) Run(ctx context.Context, q *runtime.Queue, r runtime.Range1, opts ...runtime.LaunchOption) error {
	return kernelimpl.Run(ctx, q, k.Node(r, opts...))
}

// Node returns such a launch as a value, for a graph.
func (k SAXPY) Node(r runtime.Range1, opts ...runtime.LaunchOption) runtime.Command {
	return k.launch().Node1(r, opts)
}

// RunSAXPY runs the kernel on host slices and waits.
func RunSAXPY(ctx context.Context, dev *runtime.Device, k model.SAXPY, r runtime.Range1, opts ...runtime.LaunchOption) error {
	l := kernelimpl.NewLaunch(saxpyKernel)
	kernelimpl.Value(l, 0, k.A)
	kernelimpl.Slice(l, 1, k.X)
	kernelimpl.Slice(l, 2, k.Y)
	return l.Run1(ctx, dev, r, opts)
}

var sumKernel = kernelimpl.Register(&abi.Kernel{
	Name: "Sum", Package: "github.com/kgen-go/kgen/runtime/internal/model",
	Form: abi.Task, ArgSize: 32, Items: 1,
	Params: []abi.Param{
		{Name: "X", Kind: abi.Slice, Type: "[]int64", Offset: 0, Size: 16, HostOffset: 0, ElemSize: 8, ElemAlign: 8, Access: abi.Read},
		{Name: "Out", Kind: abi.Slice, Type: "[]int64", Offset: 16, Size: 16, HostOffset: 24, ElemSize: 8, ElemAlign: 8, Access: abi.Write},
	},
	Aspects: []properties.Aspect{properties.Int64},
}, func(a *kernelimpl.HostArgs) any {
	return model.Sum{
		X:   kernelimpl.HostSlice[int64](a, 0),
		Out: kernelimpl.HostSlice[int64](a, 1),
	}.Kernel
})

var _ = kernelimpl.Properties[model.Sum](sumKernel)

// Sum launches model.Sum.
type Sum struct {
	X, Out runtime.View[int64]
}

// SingleTask launches the kernel.
func (k Sum) SingleTask(q *runtime.Queue, opts ...runtime.LaunchOption) (runtime.Event, error) {
	l := kernelimpl.NewLaunch(sumKernel)
	kernelimpl.View(l, 0, k.X)
	kernelimpl.View(l, 1, k.Out)
	return l.SingleTask(q, opts)
}

// RunSum runs the kernel on host slices and waits.
func RunSum(ctx context.Context, dev *runtime.Device, k model.Sum, opts ...runtime.LaunchOption) error {
	l := kernelimpl.NewLaunch(sumKernel)
	kernelimpl.Slice(l, 0, k.X)
	kernelimpl.Slice(l, 1, k.Out)
	return l.RunTask(ctx, dev, opts)
}

var mixKernel = kernelimpl.Register(&abi.Kernel{
	Name: "Mix", Package: "github.com/kgen-go/kgen/runtime/internal/model",
	Form: abi.Range, Rank: 1, ArgSize: 72, Items: 4,
	Params: []abi.Param{
		{Name: "Out", Kind: abi.Slice, Type: "[]int32", Offset: 0, Size: 16, HostOffset: 0, ElemSize: 4, ElemAlign: 4, Access: abi.ReadWrite},
		{Name: "Unused", Kind: abi.Slice, Type: "[]int32", Offset: -1, HostOffset: 24, ElemSize: 4, ElemAlign: 4},
		{Name: "S", Kind: abi.Value, Type: "struct{ I, J int32 }", Offset: 16, Size: 8, HostOffset: 48},
		{Name: "In[0].M", Kind: abi.Value, Type: "int32", Offset: 24, Size: 4, HostOffset: 56},
		{Name: "In[0].V", Kind: abi.Slice, Type: "[]int32", Offset: 32, Size: 16, HostOffset: 64, ElemSize: 4, ElemAlign: 4, Access: abi.Read},
		{Name: "In[1].M", Kind: abi.Value, Type: "int32", Offset: 48, Size: 4, HostOffset: 88},
		{Name: "In[1].V", Kind: abi.Slice, Type: "[]int32", Offset: 56, Size: 16, HostOffset: 96, ElemSize: 4, ElemAlign: 4, Access: abi.Read},
	},
}, func(a *kernelimpl.HostArgs) any {
	return model.Mix{
		Out:    kernelimpl.HostSlice[int32](a, 0),
		Unused: kernelimpl.HostSlice[int32](a, 1),
		S:      kernelimpl.HostValue[struct{ I, J int32 }](a, 2),
		In: [2]model.Part{{
			M: kernelimpl.HostValue[int32](a, 3),
			V: kernelimpl.HostSlice[int32](a, 4),
		}, {
			M: kernelimpl.HostValue[int32](a, 5),
			V: kernelimpl.HostSlice[int32](a, 6),
		}},
	}.Kernel
})

var _ = kernelimpl.Properties[model.Mix](mixKernel)

// Mix launches model.Mix.
type Mix struct {
	Out    runtime.View[int32]
	Unused runtime.View[int32]
	S      struct{ I, J int32 }
	In     [2]MixPart
}

// MixPart is model.Part with device memory.
type MixPart struct {
	M int32
	V runtime.View[int32]
}

// ParallelFor launches the kernel over r.
func (k Mix) ParallelFor(q *runtime.Queue, r runtime.Range1, opts ...runtime.LaunchOption) (runtime.Event, error) {
	l := kernelimpl.NewLaunch(mixKernel)
	kernelimpl.View(l, 0, k.Out)
	kernelimpl.View(l, 1, k.Unused)
	kernelimpl.Value(l, 2, k.S)
	kernelimpl.Value(l, 3, k.In[0].M)
	kernelimpl.View(l, 4, k.In[0].V)
	kernelimpl.Value(l, 5, k.In[1].M)
	kernelimpl.View(l, 6, k.In[1].V)
	return l.ParallelFor1(q, r, opts)
}

// RunMix runs the kernel on host slices and waits.
func RunMix(ctx context.Context, dev *runtime.Device, k model.Mix, r runtime.Range1, opts ...runtime.LaunchOption) error {
	l := kernelimpl.NewLaunch(mixKernel)
	kernelimpl.Slice(l, 0, k.Out)
	kernelimpl.Slice(l, 1, k.Unused)
	kernelimpl.Value(l, 2, k.S)
	kernelimpl.Value(l, 3, k.In[0].M)
	kernelimpl.Slice(l, 4, k.In[0].V)
	kernelimpl.Value(l, 5, k.In[1].M)
	kernelimpl.Slice(l, 6, k.In[1].V)
	return l.Run1(ctx, dev, r, opts)
}

var index2Kernel = kernelimpl.Register(&abi.Kernel{
	Name: "Index2", Package: "github.com/kgen-go/kgen/runtime/internal/model",
	Form: abi.Range, Rank: 2, ArgSize: 16, Items: 1,
	Params: []abi.Param{
		{Name: "Out", Kind: abi.Slice, Type: "[]int", Offset: 0, Size: 16, ElemSize: 8, ElemAlign: 8, Access: abi.Write},
	},
}, func(a *kernelimpl.HostArgs) any {
	return model.Index2{Out: kernelimpl.HostSlice[int](a, 0)}.Kernel
})

var _ = kernelimpl.Properties[model.Index2](index2Kernel)

// Index2 launches model.Index2.
type Index2 struct{ Out runtime.View[int] }

// ParallelFor launches the kernel over r.
func (k Index2) ParallelFor(q *runtime.Queue, r runtime.Range2, opts ...runtime.LaunchOption) (runtime.Event, error) {
	l := kernelimpl.NewLaunch(index2Kernel)
	kernelimpl.View(l, 0, k.Out)
	return l.ParallelFor2(q, r, opts)
}

// RunIndex2 runs the kernel on host slices and waits.
func RunIndex2(ctx context.Context, dev *runtime.Device, k model.Index2, r runtime.Range2, opts ...runtime.LaunchOption) error {
	l := kernelimpl.NewLaunch(index2Kernel)
	kernelimpl.Slice(l, 0, k.Out)
	return l.Run2(ctx, dev, r, opts)
}

var index3Kernel = kernelimpl.Register(&abi.Kernel{
	Name: "Index3", Package: "github.com/kgen-go/kgen/runtime/internal/model",
	Form: abi.Range, Rank: 3, ArgSize: 16, Items: 1,
	Params: []abi.Param{
		{Name: "Out", Kind: abi.Slice, Type: "[]int", Offset: 0, Size: 16, ElemSize: 8, ElemAlign: 8, Access: abi.Write},
	},
}, func(a *kernelimpl.HostArgs) any {
	return model.Index3{Out: kernelimpl.HostSlice[int](a, 0)}.Kernel
})

var _ = kernelimpl.Properties[model.Index3](index3Kernel)

// Index3 launches model.Index3.
type Index3 struct{ Out runtime.View[int] }

// ParallelFor launches the kernel over r.
func (k Index3) ParallelFor(q *runtime.Queue, r runtime.Range3, opts ...runtime.LaunchOption) (runtime.Event, error) {
	l := kernelimpl.NewLaunch(index3Kernel)
	kernelimpl.View(l, 0, k.Out)
	return l.ParallelFor3(q, r, opts)
}

// RunIndex3 runs the kernel on host slices and waits.
func RunIndex3(ctx context.Context, dev *runtime.Device, k model.Index3, r runtime.Range3, opts ...runtime.LaunchOption) error {
	l := kernelimpl.NewLaunch(index3Kernel)
	kernelimpl.Slice(l, 0, k.Out)
	return l.Run3(ctx, dev, r, opts)
}

var reverseKernel = kernelimpl.Register(&abi.Kernel{
	Name: "Reverse", Package: "github.com/kgen-go/kgen/runtime/internal/model",
	Form: abi.NDRange, Rank: 1, ArgSize: 16, Items: 1,
	Params: []abi.Param{
		{Name: "X", Kind: abi.Slice, Type: "[]int32", Offset: 0, Size: 16, ElemSize: 4, ElemAlign: 4, Access: abi.ReadWrite},
	},
	Properties: properties.List{properties.WorkGroupSize(16)},
	Locals:     []abi.Local{{Name: "tile", ElemSize: 4, Len: 16, Accessor: -1}},
}, func(a *kernelimpl.HostArgs) any {
	return model.Reverse{X: kernelimpl.HostSlice[int32](a, 0)}.Kernel
})

var _ = kernelimpl.Properties[model.Reverse](reverseKernel)

// Reverse launches model.Reverse.
type Reverse struct{ X runtime.View[int32] }

// ParallelFor launches the kernel over r.
func (k Reverse) ParallelFor(q *runtime.Queue, r runtime.NDRange1, opts ...runtime.LaunchOption) (runtime.Event, error) {
	l := kernelimpl.NewLaunch(reverseKernel)
	kernelimpl.View(l, 0, k.X)
	return l.ParallelForND1(q, r, opts)
}

// RunReverse runs the kernel on host slices and waits.
func RunReverse(ctx context.Context, dev *runtime.Device, k model.Reverse, r runtime.NDRange1, opts ...runtime.LaunchOption) error {
	l := kernelimpl.NewLaunch(reverseKernel)
	kernelimpl.Slice(l, 0, k.X)
	return l.RunND1(ctx, dev, r, opts)
}

var groupSumKernel = kernelimpl.Register(&abi.Kernel{
	Name: "GroupSum", Package: "github.com/kgen-go/kgen/runtime/internal/model",
	Form: abi.NDRange, Rank: 1, ArgSize: 32, Items: 1,
	Params: []abi.Param{
		{Name: "X", Kind: abi.Slice, Type: "[]int32", Offset: 0, Size: 16, ElemSize: 4, ElemAlign: 4, Access: abi.Read},
		{Name: "Out", Kind: abi.Slice, Type: "[]int32", Offset: 16, Size: 16, HostOffset: 24, ElemSize: 4, ElemAlign: 4, Access: abi.Write},
		{Name: "Scratch", Kind: abi.LocalAccessor, Type: "dsl.LocalAccessor[int32]", HostOffset: 48, ElemSize: 4, ElemAlign: 4},
	},
	Locals: []abi.Local{{Name: "Scratch", ElemSize: 4, Len: -1, Accessor: 0}},
}, func(a *kernelimpl.HostArgs) any {
	return model.GroupSum{
		X:       kernelimpl.HostSlice[int32](a, 0),
		Out:     kernelimpl.HostSlice[int32](a, 1),
		Scratch: dsl.LocalLen[int32](kernelimpl.HostLen(a, 2)),
	}.Kernel
})

var _ = kernelimpl.Properties[model.GroupSum](groupSumKernel)

// GroupSum launches model.GroupSum.
type GroupSum struct {
	X, Out  runtime.View[int32]
	Scratch dsl.LocalAccessor[int32]
}

// ParallelFor launches the kernel over r.
func (k GroupSum) ParallelFor(q *runtime.Queue, r runtime.NDRange1, opts ...runtime.LaunchOption) (runtime.Event, error) {
	l := kernelimpl.NewLaunch(groupSumKernel)
	kernelimpl.View(l, 0, k.X)
	kernelimpl.View(l, 1, k.Out)
	kernelimpl.Accessor(l, k.Scratch.Len())
	return l.ParallelForND1(q, r, opts)
}

// RunGroupSum runs the kernel on host slices and waits.
func RunGroupSum(ctx context.Context, dev *runtime.Device, k model.GroupSum, r runtime.NDRange1, opts ...runtime.LaunchOption) error {
	l := kernelimpl.NewLaunch(groupSumKernel)
	kernelimpl.Slice(l, 0, k.X)
	kernelimpl.Slice(l, 1, k.Out)
	kernelimpl.Accessor(l, k.Scratch.Len())
	return l.RunND1(ctx, dev, r, opts)
}

var transpose2Kernel = kernelimpl.Register(&abi.Kernel{
	Name: "Transpose2", Package: "github.com/kgen-go/kgen/runtime/internal/model",
	Form: abi.NDRange, Rank: 2, ArgSize: 40, Items: 1,
	Params: []abi.Param{
		{Name: "N", Kind: abi.Value, Type: "int", Offset: 0, Size: 8},
		{Name: "In", Kind: abi.Slice, Type: "[]float32", Offset: 8, Size: 16, HostOffset: 8, ElemSize: 4, ElemAlign: 4, Access: abi.Read},
		{Name: "Out", Kind: abi.Slice, Type: "[]float32", Offset: 24, Size: 16, HostOffset: 32, ElemSize: 4, ElemAlign: 4, Access: abi.Write},
	},
	Locals: []abi.Local{{Name: "tile", ElemSize: 36, Len: 8, Accessor: -1}},
}, func(a *kernelimpl.HostArgs) any {
	return model.Transpose2{
		N:   kernelimpl.HostValue[int](a, 0),
		In:  kernelimpl.HostSlice[float32](a, 1),
		Out: kernelimpl.HostSlice[float32](a, 2),
	}.Kernel
})

var _ = kernelimpl.Properties[model.Transpose2](transpose2Kernel)

// Transpose2 launches model.Transpose2.
type Transpose2 struct {
	N       int
	In, Out runtime.View[float32]
}

// ParallelFor launches the kernel over r.
func (k Transpose2) ParallelFor(q *runtime.Queue, r runtime.NDRange2, opts ...runtime.LaunchOption) (runtime.Event, error) {
	l := kernelimpl.NewLaunch(transpose2Kernel)
	kernelimpl.Value(l, 0, k.N)
	kernelimpl.View(l, 1, k.In)
	kernelimpl.View(l, 2, k.Out)
	return l.ParallelForND2(q, r, opts)
}

// RunTranspose2 runs the kernel on host slices and waits.
func RunTranspose2(ctx context.Context, dev *runtime.Device, k model.Transpose2, r runtime.NDRange2, opts ...runtime.LaunchOption) error {
	l := kernelimpl.NewLaunch(transpose2Kernel)
	kernelimpl.Value(l, 0, k.N)
	kernelimpl.Slice(l, 1, k.In)
	kernelimpl.Slice(l, 2, k.Out)
	return l.RunND2(ctx, dev, r, opts)
}

var local3Kernel = kernelimpl.Register(&abi.Kernel{
	Name: "Local3", Package: "github.com/kgen-go/kgen/runtime/internal/model",
	Form: abi.NDRange, Rank: 3, ArgSize: 16, Items: 1,
	Params: []abi.Param{
		{Name: "Out", Kind: abi.Slice, Type: "[]int", Offset: 0, Size: 16, ElemSize: 8, ElemAlign: 8, Access: abi.Write},
	},
}, func(a *kernelimpl.HostArgs) any {
	return model.Local3{Out: kernelimpl.HostSlice[int](a, 0)}.Kernel
})

var _ = kernelimpl.Properties[model.Local3](local3Kernel)

// Local3 launches model.Local3.
type Local3 struct{ Out runtime.View[int] }

// ParallelFor launches the kernel over r.
func (k Local3) ParallelFor(q *runtime.Queue, r runtime.NDRange3, opts ...runtime.LaunchOption) (runtime.Event, error) {
	l := kernelimpl.NewLaunch(local3Kernel)
	kernelimpl.View(l, 0, k.Out)
	return l.ParallelForND3(q, r, opts)
}

// RunLocal3 runs the kernel on host slices and waits.
func RunLocal3(ctx context.Context, dev *runtime.Device, k model.Local3, r runtime.NDRange3, opts ...runtime.LaunchOption) error {
	l := kernelimpl.NewLaunch(local3Kernel)
	kernelimpl.Slice(l, 0, k.Out)
	return l.RunND3(ctx, dev, r, opts)
}

var trapKernel = kernelimpl.Register(&abi.Kernel{
	Name: "Trap", Package: "github.com/kgen-go/kgen/runtime/internal/model",
	Form: abi.Range, Rank: 1, ArgSize: 40, Items: 1,
	Params: []abi.Param{
		{Name: "Mode", Kind: abi.Value, Type: "int", Offset: 0, Size: 8},
		{Name: "At", Kind: abi.Value, Type: "int", Offset: 8, Size: 8, HostOffset: 8},
		{Name: "V", Kind: abi.Value, Type: "int", Offset: 16, Size: 8, HostOffset: 16},
		{Name: "X", Kind: abi.Slice, Type: "[]int", Offset: 24, Size: 16, HostOffset: 24, ElemSize: 8, ElemAlign: 8, Access: abi.Write},
	},
}, func(a *kernelimpl.HostArgs) any {
	return model.Trap{
		Mode: kernelimpl.HostValue[int](a, 0),
		At:   kernelimpl.HostValue[int](a, 1),
		V:    kernelimpl.HostValue[int](a, 2),
		X:    kernelimpl.HostSlice[int](a, 3),
	}.Kernel
})

var _ = kernelimpl.Properties[model.Trap](trapKernel)

// Trap launches model.Trap.
type Trap struct {
	Mode, At, V int
	X           runtime.View[int]
}

// ParallelFor launches the kernel over r.
func (k Trap) ParallelFor(q *runtime.Queue, r runtime.Range1, opts ...runtime.LaunchOption) (runtime.Event, error) {
	l := kernelimpl.NewLaunch(trapKernel)
	kernelimpl.Value(l, 0, k.Mode)
	kernelimpl.Value(l, 1, k.At)
	kernelimpl.Value(l, 2, k.V)
	kernelimpl.View(l, 3, k.X)
	return l.ParallelFor1(q, r, opts)
}

// RunTrap runs the kernel on host slices and waits.
func RunTrap(ctx context.Context, dev *runtime.Device, k model.Trap, r runtime.Range1, opts ...runtime.LaunchOption) error {
	l := kernelimpl.NewLaunch(trapKernel)
	kernelimpl.Value(l, 0, k.Mode)
	kernelimpl.Value(l, 1, k.At)
	kernelimpl.Value(l, 2, k.V)
	kernelimpl.Slice(l, 3, k.X)
	return l.Run1(ctx, dev, r, opts)
}
