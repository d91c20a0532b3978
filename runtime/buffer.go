package runtime

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"
	"unsafe"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/launch"
	"github.com/kgen-go/kgen/runtime/internal/stream"
)

// Buffer is a fixed number of elements in the memory of a device. Elements must not contain
// pointers. A program should call Close to free the buffer. Without Close, the garbage collector
// frees the buffer some time after the program has dropped the buffer and all its Views.
type Buffer[T any] struct {
	dev *Device
	mem *stream.Memory // nil if the buffer has no elements
	n   int
	is  launch.Memory
}

// smallCopy is the largest size, in bytes, of a slice that View.CopyFrom copies before it returns.
// The device reads larger slices itself.
const smallCopy = 4 << 10

// roomTime is the longest time that NewBuffer waits if too many launches are pending on the device.
const roomTime = 10 * time.Second

// NewBuffer returns a buffer of n zero elements. NewBuffer returns ErrInvalid if n is negative or T
// holds pointers of any kind (slices, strings, maps, interfaces…). NewBuffer returns
// ErrMemoryAllocation if the device has too little memory. If thousands of launches are pending,
// NewBuffer waits until some of them have completed, but returns ErrDeadline after 10 seconds. If
// running launches still use the memory of closed buffers, NewBuffer also waits up to 10 seconds
// for this memory.
//
// NewBuffer accepts the properties AccessScope, FusionInternalMemory and NoInit of package
// properties, and returns ErrInvalid for other properties. All views of the buffer have the
// buffer's properties.
func NewBuffer[T any](dev *Device, n int, props ...properties.Property) (*Buffer[T], error) {
	b, err := newBuffer[T](dev, n, props)
	if err != nil || b.mem == nil || dev.isHost() {
		return b, err // the host device allocates zeroed memory
	}
	mem := b.mem.HAL()
	node := stream.Command{
		Cmd:  hal.Command{Op: hal.OpFill, Dst: mem, Size: mem.Size() &^ 3},
		Uses: []stream.Use{{Mem: b.mem, Lo: 0, Hi: mem.Size(), Access: abi.Write}},
	}
	ctx, cancel := context.WithTimeout(context.Background(), roomTime)
	defer cancel()
	if err := dev.stream.Record(ctx, &dev.queue.rec, &node, &newPending(dev, nil).ev); err != nil {
		b.Close()
		return nil, backendError(dev, nil, "clearing a buffer", err)
	}
	return b, nil
}

// BufferOf returns a buffer with a copy of the slice's elements. BufferOf returns the same errors
// as NewBuffer. If the host cannot access the device's memory, BufferOf waits for a copy, which
// runs after all earlier launches. To limit the waiting time by a context, use NewBuffer and
// CopyFrom.
func BufferOf[T any](dev *Device, s []T, props ...properties.Property) (*Buffer[T], error) {
	b, err := newBuffer[T](dev, len(s), props)
	if err != nil || b.mem == nil {
		return b, err
	}
	// No command uses the memory yet. If the host can access the memory, the host may therefore
	// write the elements itself. Enter keeps the device open while the host writes.
	if dev.stream.Enter() {
		bytes := b.mem.HAL().Bytes()
		copy(bytes, bytesOf(s))
		dev.stream.Leave()
		if bytes != nil {
			return b, nil
		}
	}
	if err := b.All().copyFrom(context.Background(), dev.queue, s); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

func newBuffer[T any](dev *Device, n int, props []properties.Property) (*Buffer[T], error) {
	if err := dev.usable(); err != nil {
		return nil, err
	}
	is := launch.Memory{}.With(props)
	if is.Bad {
		return nil, errorf(ErrInvalid, "%v are no properties of buffers", props).advise("give a buffer AccessScope, FusionInternalMemory and NoInit alone")
	}
	mem, err := dev.allocFor(reflect.TypeFor[T](), n, hal.DeviceMemory)
	if err != nil {
		return nil, err
	}
	return &Buffer[T]{dev: dev, mem: mem, n: n, is: is}, nil
}

// allocFor allocates memory for n elements. allocFor returns nil if n is 0 or if elements have the
// size 0.
func (d *Device) allocFor(elem reflect.Type, n int, kind hal.MemoryKind) (*stream.Memory, error) {
	if path, bad := pointerIn(elem); bad != nil {
		return nil, errorf(ErrInvalid, "a buffer of %v cannot be: its element%s is a %v", elem, path, bad.Kind()).
			advise("device memory holds numbers, bools, and arrays and structs of such")
	}
	size := uint64(elem.Size())
	switch {
	case n < 0:
		return nil, errorf(ErrInvalid, "a buffer of %d elements cannot be", n)
	case n == 0 || size == 0:
		return nil, nil
	case uint64(n) > d.info.Limits.MaxAllocation/size:
		return nil, errorf(ErrMemoryAllocation, "a buffer of %d %v of %d bytes is larger than the %d bytes that the device %s allows",
			n, elem, size, d.info.Limits.MaxAllocation, d.Name())
	}
	return d.alloc(size*uint64(n), kind)
}

const nilBuffer = "look at the error that NewBuffer or BufferOf returned"

// alloc allocates memory that kernels may use. The size is rounded up to a multiple of 16 bytes,
// because devices fill memory word by word and load vectors of up to 16 bytes.
func (d *Device) alloc(size uint64, kind hal.MemoryKind) (*stream.Memory, error) {
	mem, err := d.stream.Alloc((size+15)&^15, kind)
	if err != nil {
		return nil, backendError(d, nil, fmt.Sprintf("%d bytes on the device %s", size, d.Name()), err)
	}
	return mem, nil
}

// isHost reports whether the device is the host device, which uses the program's own memory.
func (d *Device) isHost() bool { return d.backend == "host" }

// pointerIn searches the type t for a pointer, at any depth. pointerIn returns the path to the
// first pointer, and the pointer's type.
func pointerIn(t reflect.Type) (string, reflect.Type) {
	switch t.Kind() {
	case reflect.Array:
		path, bad := pointerIn(t.Elem())
		return "[0]" + path, bad
	case reflect.Struct:
		for i := range t.NumField() {
			if path, bad := pointerIn(t.Field(i).Type); bad != nil {
				return "." + t.Field(i).Name + path, bad
			}
		}
	case reflect.Pointer, reflect.UnsafePointer, reflect.Slice, reflect.String, reflect.Map, reflect.Chan,
		reflect.Func, reflect.Interface, reflect.Uintptr:
		return "", t
	}
	return "", nil
}

// Device returns the buffer's device.
func (b *Buffer[T]) Device() *Device {
	if b == nil {
		return nil
	}
	return b.dev
}

// Len returns the number of elements.
func (b *Buffer[T]) Len() int {
	if b == nil {
		return 0
	}
	return b.n
}

// All returns the view of all elements. Using the view of a nil or closed buffer is an error.
func (b *Buffer[T]) All() View[T] {
	if b == nil {
		return View[T]{s: launch.Slice{Len: launch.NoBuffer}}
	}
	return View[T]{s: launch.Slice{Mem: b.mem, Len: b.n, Buffer: b.is}}
}

// Slice returns the view of the elements [i, j). Slice panics if i or j is out of range, as slicing
// a Go slice does.
func (b *Buffer[T]) Slice(i, j int) View[T] { return b.All().Slice(i, j) }

// CopyFrom copies src into the whole buffer; see View.CopyFrom.
func (b *Buffer[T]) CopyFrom(ctx context.Context, q *Queue, src []T) error {
	return b.All().CopyFrom(ctx, q, src)
}

// CopyTo copies the whole buffer into dst; see View.CopyTo.
func (b *Buffer[T]) CopyTo(ctx context.Context, q *Queue, dst []T) error {
	return b.All().CopyTo(ctx, q, dst)
}

// Close frees the buffer's memory once all launches and copies that use the buffer have completed.
// Close itself returns at once. Using a buffer after Close is an error. Close may be called twice,
// and after the device was closed.
func (b *Buffer[T]) Close() error {
	if b != nil && b.mem != nil {
		b.mem.Free()
	}
	return nil
}

// CopyFrom copies the elements of src into the device's memory, after all earlier commands that use
// that memory. The slice src has as many elements as the view (ErrInvalid otherwise). CopyFrom
// returns when src may be used again. If ctx ends first, CopyFrom returns an error of class
// ErrDeadline or ErrCanceled, and the copy stops. After ErrDeadline or ErrCanceled, reading the
// view is an error until all elements of the view have been written again.
func (v View[T]) CopyFrom(ctx context.Context, q *Queue, src []T) error {
	if err := v.checkCopy(ctx, q, len(src)); err != nil {
		return err
	}
	if recorded, err := q.recordCopy(Upload(v, src)); recorded {
		return err
	}
	return v.copyFrom(ctx, q, src)
}

// copyFrom does the work of CopyFrom. The caller must have checked the length of src, and the queue
// must not be recording.
func (v View[T]) copyFrom(ctx context.Context, q *Queue, src []T) error {
	bytes := bytesOf(src)
	if len(bytes) == 0 {
		return nil
	}
	dev := q.dev
	small := len(bytes) <= smallCopy
	if err := dev.mayWait(); err != nil && !small {
		return err
	}
	l := newPending(dev, nil)
	own := l.needRare()
	own.ctx = ctx
	node := stream.Command{
		Cmd:      hal.Command{Op: hal.OpWrite, Dst: v.s.Mem.HAL(), DstOff: v.s.Off, Size: uint64(len(bytes)), Host: bytes},
		Uses:     []stream.Use{{Mem: v.s.Mem, Lo: v.s.Off, Hi: v.s.Off + uint64(len(bytes)), Access: abi.Write}},
		CopyHost: small,
	}
	taken := make(chan struct{})
	if !small {
		node.Cmd.Cancel, node.Cmd.Taken = &own.cancel, func() { close(taken) }
	}
	if err := dev.stream.Record(ctx, &q.rec, &node, &l.ev); err != nil {
		return copyError(dev, "to", err)
	}
	if !small {
		err := dev.stream.Flush(ctx)
		if err == nil {
			select {
			case <-taken:
			case <-ctx.Done():
				err = ctx.Err()
			}
		}
		if err != nil {
			own.cancel.Ask() // stop the copy, because the caller may change src now
			l.ev.Forget()
			return waitError(err)
		}
	}
	if l.ev.Done() {
		return l.commandError()
	}
	return nil
}

// CopyTo copies the view's elements into dst, after all earlier commands that write these elements,
// and waits for the copy. The slice dst has as many elements as the view (ErrInvalid otherwise).
// CopyTo also returns failures of earlier launches on the queue, except failures that a wait has
// already returned. If CopyTo returns failures of launches, the elements in dst may be wrong. If
// ctx ends first, the copy stops, and dst holds only some of the elements, or none.
func (v View[T]) CopyTo(ctx context.Context, q *Queue, dst []T) error {
	if err := v.checkCopy(ctx, q, len(dst)); err != nil {
		return err
	}
	if recorded, err := q.recordCopy(Download(dst, v)); recorded {
		return err
	}
	bytes := bytesOf(dst)
	if len(bytes) == 0 {
		return nil
	}
	dev := q.dev
	if err := dev.mayWait(); err != nil {
		return err
	}
	l := newPending(dev, nil)
	own := l.needRare()
	own.ctx = ctx
	node := stream.Command{
		Cmd:  hal.Command{Op: hal.OpRead, Cancel: &own.cancel, Src: v.s.Mem.HAL(), SrcOff: v.s.Off, Size: uint64(len(bytes)), Host: bytes},
		Uses: []stream.Use{{Mem: v.s.Mem, Lo: v.s.Off, Hi: v.s.Off + uint64(len(bytes)), Access: abi.Read}},
	}
	if err := dev.stream.Record(ctx, &q.rec, &node, &l.ev); err != nil {
		return copyError(dev, "from", err)
	}
	if err := (Event{l}).Wait(ctx); err != nil {
		own.cancel.Ask() // stop the copy, because the caller may use dst now
		l.ev.Forget()
		return err
	}
	return joinErrors(q.takeFailures())
}

// copyError returns the error of a copy that could not be recorded.
func copyError(dev *Device, direction string, err error) error {
	e := backendError(dev, nil, "copying "+direction+" the device "+dev.Name(), err)
	if errors.Is(err, stream.ErrReleased) {
		e.Class = ErrInvalid // the buffer was closed earlier
	}
	return e
}

func (v View[T]) checkCopy(ctx context.Context, q *Queue, n int) error {
	if err := q.usable(); err != nil {
		return err
	}
	if ctx == nil {
		return errorf(ErrInvalid, "the context is nil")
	}
	if err := ctx.Err(); err != nil {
		return waitError(err)
	}
	switch m := v.s.Mem; {
	case v.s.Len == launch.NoBuffer:
		return errorf(ErrInvalid, "the buffer is nil").advise(nilBuffer)
	case n != v.s.Len:
		return errorf(ErrInvalid, "a copy between %d elements on the device and %d on the host", v.s.Len, n)
	case m == nil:
	case m.Stream() != q.dev.stream:
		return errorf(ErrInvalid, "the buffer is of another device than the queue")
	case m.Released():
		return errorf(ErrInvalid, "the buffer is closed")
	}
	return nil
}

// bytesOf returns the memory of s.
func bytesOf[T any](s []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), uintptr(len(s))*unsafe.Sizeof(zero))
}
