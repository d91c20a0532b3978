package runtime

import (
	"reflect"
	"sync"
	"unsafe"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime/internal/launch"
)

// Range is the range of a launch by LaunchKernel. Range is a Range1, Range2, Range3, NDRange1,
// NDRange2 or NDRange3, or nil for a task.
type Range interface {
	call(*launch.Call)
}

func (r Range1) call(c *launch.Call) { c.Range1(int(r)) }
func (r Range2) call(c *launch.Call) { c.Range2(r) }
func (r Range3) call(c *launch.Call) { c.Range3(r) }

func (r NDRange1) call(c *launch.Call) {
	r.Global.call(c)
	c.Groups1(int(r.Local))
}

func (r NDRange2) call(c *launch.Call) {
	r.Global.call(c)
	c.Groups2(r.Local)
}

func (r NDRange3) call(c *launch.Call) {
	r.Global.call(c)
	c.Groups3(r.Local)
}

// LaunchKernel launches a kernel that has no stub, such as the kernel of LoadModule, or a kernel
// whose stub the caller does not know. LaunchKernel takes one argument for each element of
// k.ABI().Params, in the same order. The argument for a slice is a View. The argument for a local
// accessor is its length, an int. Any other argument is a value of the parameter's size. For a
// task, r is nil.
//
// The types of a stub exclude some mistakes that LaunchKernel can only report as errors at run
// time. For example, LaunchKernel returns an error for a range of another rank or form
// (ErrNDRange), and for a wrong argument (ErrKernelArgument). Properties that take effect when a
// kernel is compiled cannot be given for a compiled kernel. The option With therefore must not
// contain the properties WorkGroupSize, SubGroupSize, DeviceHas and Float (ErrInvalid otherwise).
func LaunchKernel(q *Queue, k *Kernel, r Range, args []any, opts ...LaunchOption) (Event, error) {
	if err := q.usable(); err != nil {
		return Event{}, err
	}
	if k == nil {
		return Event{}, errorf(ErrInvalid, "no kernel")
	}
	c := callPool.Get().(*launch.Call)
	defer func() {
		c.End()
		callPool.Put(c)
	}()
	c.Begin(k.abi)
	if c.Form = abi.Task; r != nil {
		r.call(c)
	}
	if c.Form != k.abi.Form || c.Rank != k.abi.Rank {
		return Event{}, errorf(ErrNDRange, "a kernel of form %v and rank %d is launched over %v of rank %d", k.abi.Form, k.abi.Rank, c.Form, c.Rank).setKernel(k)
	}
	params := len(k.abi.Params)
	if k.abi.PrintParam() >= 0 {
		params--
	}
	if len(args) != params {
		return Event{}, errorf(ErrKernelArgument, "%d arguments for %d parameters", len(args), params).setKernel(k)
	}
	for i, a := range args {
		if err := setArgument(c, k, i, a); err != nil {
			return Event{}, err.setKernel(k)
		}
	}
	var o launchOptions
	for _, opt := range opts {
		if opt != nil {
			opt.applyLaunch(&o)
		}
	}
	for _, key := range []properties.Key{properties.KeyWorkGroupSize, properties.KeySubGroupSize, properties.KeyDeviceHas, properties.KeyFloatMode} {
		if p, ok := o.props.Get(key); ok {
			return Event{}, errorf(ErrInvalid, "%v cannot be given to a kernel that is compiled", p).
				advise("launch it with its stub, or state it in the kernel's Properties method").setKernel(k)
		}
	}
	l := launchOf(c)
	defer l.End()
	return q.enqueueLaunch(k, l, opts)
}

// callPool keeps values of type launch.Call, which LaunchKernel reuses.
var callPool = sync.Pool{New: func() any { return new(launch.Call) }}

// viewArg is a View with elements of any type.
type viewArg interface {
	Arg() launch.Slice
	elem() reflect.Type
}

func (v View[T]) elem() reflect.Type { return reflect.TypeFor[T]() }

// setArgument sets argument i of a call.
func setArgument(c *launch.Call, k *Kernel, i int, a any) *Error {
	p := &k.abi.Params[i]
	wrong := func(want string) *Error {
		return errorf(ErrKernelArgument, "the argument %s is %s, and was given a %T", p.Name, want, a)
	}
	switch p.Kind {
	case abi.Slice:
		v, ok := a.(viewArg)
		if !ok || int(v.elem().Size()) != p.ElemSize {
			return wrong("a View of elements of " + sprint(p.ElemSize) + " bytes")
		}
		s := v.Arg()
		c.Slices = append(c.Slices, launch.SliceArg{Param: i, Slice: s, Size: uint64(s.Len) * uint64(p.ElemSize)})
		return nil
	case abi.LocalAccessor:
		n, ok := a.(int)
		if !ok {
			return wrong("the length of a local accessor, an int")
		}
		c.Accessors = append(c.Accessors, n)
		return nil
	}
	v := reflect.ValueOf(a)
	if !v.IsValid() || !plain(v.Type()) || p.Size != int(v.Type().Size()) {
		return wrong("a value of " + sprint(p.Size) + " bytes")
	}
	if p.Offset < 0 {
		return nil
	}
	if p.Offset+p.Size > len(c.Args) {
		return errorf(ErrKernelArgument, "the argument %s lies outside of the %d bytes of arguments", p.Name, len(c.Args))
	}
	box := reflect.New(v.Type())
	box.Elem().Set(v)
	copy(c.Args[p.Offset:], unsafe.Slice((*byte)(box.UnsafePointer()), p.Size))
	return nil
}
