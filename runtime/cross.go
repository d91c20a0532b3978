package runtime

import (
	"context"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/ferry"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/launch"
	"github.com/kgen-go/kgen/runtime/internal/stream"
)

// crossCopy is a copy between buffers of two devices.
type crossCopy struct {
	dst, src stream.Use
}

func newCrossCopy(dst, src launch.Slice, size uint64) *crossCopy {
	return &crossCopy{
		dst: stream.Use{Mem: dst.Mem, Lo: dst.Off, Hi: dst.Off + size, Access: abi.Write},
		src: stream.Use{Mem: src.Mem, Lo: src.Off, Hi: src.Off + size, Access: abi.Read},
	}
}

// deviceOf returns the device to which the memory belongs.
func deviceOf(m *stream.Memory) *Device { return m.Stream().Owner.(*Device) }

// The method `on` returns the copy as a command for the stream of the device d. One of the two
// buffers must belong to d.
func (c *crossCopy) on(d *Device) (stream.Command, error) {
	near, far := c.dst, c.src
	if c.src.Mem.Stream() == d.stream {
		near, far = c.src, c.dst
	}
	if other := deviceOf(far.Mem); near.Mem.Stream() != d.stream {
		return stream.Command{}, errorf(ErrInvalid, "a copy from a buffer of %s to a buffer of %s, on a queue of a third device", deviceOf(c.src.Mem).Name(), otherName(deviceOf(c.dst.Mem), deviceOf(c.src.Mem))).
			advise("enqueue it on a queue of one of the two devices")
	} else if err := other.usable(); err != nil {
		return stream.Command{}, err
	}
	if near.Mem.Released() || far.Mem.Released() {
		return stream.Command{}, errorf(ErrInvalid, "a copy between devices is of a buffer that is closed")
	}
	other := deviceOf(far.Mem)
	return stream.Command{
		Cmd:  hal.Command{Op: hal.OpCopy, Size: c.dst.Hi - c.dst.Lo},
		Uses: []stream.Use{near},
		Cross: &stream.Cross{
			Far:   other.stream,
			Use:   far,
			Event: func() *stream.Event { return &newPending(other, nil).ev },
			Move:  c.move,
		},
	}, nil
}

// The method `move` copies the bytes from one device to the other.
func (c *crossCopy) move(ctx context.Context, cancel *hal.Cancel) stream.Moved {
	end := func(u stream.Use) ferry.End {
		return ferry.End{Device: deviceOf(u.Mem).hal, Memory: u.Mem.HAL(), Off: u.Lo}
	}
	to := deviceOf(c.dst.Mem)
	note := func(refused error) { to.copiesFrom(deviceOf(c.src.Mem), refused) }
	return stream.Moved(ferry.Move(ctx, cancel, end(c.dst), end(c.src), c.dst.Hi-c.dst.Lo, note))
}

// crossWithin returns a copy of c. Once ctx has ended, the method Move of the copy does nothing.
func crossWithin(ctx context.Context, c *stream.Cross) *stream.Cross {
	if ctx == nil || c == nil {
		return c
	}
	own := *c
	own.Move = func(life context.Context, cancel *hal.Cancel) stream.Moved {
		if ctx.Err() != nil {
			return stream.Moved{Cancelled: true} // ctx has ended, but cancel.Ask may not have been called yet
		}
		return c.Move(life, cancel)
	}
	return &own
}

// otherName returns the name of the device d for an error that also names the device `named`. If d is another device
// of the same name, as one of two equal GPUs, otherName says so.
func otherName(d, named *Device) string {
	if d != named && d.Name() == named.Name() {
		return "another device of this name"
	}
	return d.Name()
}

// foreignView returns the error of a launch on the device d with a view of a buffer of the device `owner`. The argument
// `name` is the view's name.
func foreignView(name string, owner, d *Device) *Error {
	return errorf(ErrKernelArgument, "%s is a view of another device's buffer", name).
		advise("launch on a queue of %s (in shard.Each, on p.Queue with the views of On), or copy the elements to a buffer of %s", owner.Name(), otherName(d, owner))
}

// crossFailed returns the error of a copy between two devices. The cause of the error is that the
// other device failed, or that a command on the other device failed.
func (l *pending) crossFailed(err *stream.CrossError) error {
	if err.From != nil {
		return l.readUnwritten(err.From)
	}
	other := err.Other.Owner.(*Device)
	return backendError(other, nil, "a copy between the devices "+l.dev.Name()+" and "+other.Name()+" did not run whole on the latter", err.Err)
}
