package shard

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/kgen-go/kgen/runtime"
)

// Copies is a buffer of the same length on each device of a group. Broadcast, AllGather and
// AllReduce store the same elements on all devices. Kernels on one device can later change the
// buffer of that device only.
type Copies[T any] struct {
	g     *Group
	n     int
	parts []*runtime.Buffer[T]

	closed atomic.Bool
}

// NewCopies allocates a buffer of n zero elements on each device. NewCopies returns the errors of
// runtime.NewBuffer.
func NewCopies[T any](g *Group, n int) (*Copies[T], error) {
	if err := g.usable(); err != nil {
		return nil, err
	}
	c := &Copies[T]{g: g, n: n}
	for i, d := range g.devs {
		b, err := runtime.NewBuffer[T](d, n)
		if err != nil {
			c.Close()
			return nil, &Error{i, d, err}
		}
		c.parts = append(c.parts, b)
	}
	return c, nil
}

// Broadcast copies the elements of xs to each device. Broadcast returns the errors of NewCopies, and the errors
// of copying memory.
func Broadcast[T any](ctx context.Context, g *Group, xs []T) (*Copies[T], error) {
	if err := errors.Join(g.usable(), usableContext(ctx)); err != nil {
		return nil, err
	}
	c, err := NewCopies[T](g, len(xs))
	if err != nil {
		return nil, err
	}
	if err := c.Set(ctx, xs); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Set copies xs to each device. If len(xs) differs from Len, Set returns ErrInvalid.
func (c *Copies[T]) Set(ctx context.Context, xs []T) error {
	if err := c.usable(); err != nil {
		return err
	}
	if len(xs) != c.n {
		return invalid("", "a copy of %d elements to each device, which has %d", len(xs), c.n)
	}
	return Each(ctx, c.g, func(p Part) error { return c.On(p).CopyFrom(p.Context(), p.Queue, xs) })
}

// On returns the view of the device's elements. If the copies belong to another group than p, Each
// returns ErrInvalid, and launches with the returned view fail.
func (c *Copies[T]) On(p Part) runtime.View[T] {
	if c.fits(p) != nil {
		return (*runtime.Buffer[T])(nil).All()
	}
	return c.parts[p.Index].All()
}

// `fits` returns an error unless the copies can be used with the part. The error is also the error of
// the part's call of Each.
func (c *Copies[T]) fits(p Part) error {
	return p.fits(c.usable(), func() *Group { return c.g }, "use the copies in Each of their own group", "copies of another group than the part's")
}

// Len returns the number of elements on each device.
func (c *Copies[T]) Len() int {
	if c == nil {
		return 0
	}
	return c.n
}

// Gather copies the elements of the device with the given index to dst. If len(dst) differs from Len, Gather
// returns ErrInvalid.
func (c *Copies[T]) Gather(ctx context.Context, index int, dst []T) error {
	if err := c.usable(); err != nil {
		return err
	}
	if index < 0 || index >= len(c.parts) || len(dst) != c.n {
		return invalid("", "a copy of %d elements of device %d of %d to %d on the host", c.n, index, len(c.parts), len(dst))
	}
	return Each(ctx, c.g, func(p Part) error {
		if p.Index != index {
			return nil
		}
		return c.On(p).CopyTo(p.Context(), p.Queue, dst)
	})
}

// Close frees the memory on all devices when the commands that use it have completed.
func (c *Copies[T]) Close() error {
	if c != nil {
		c.closed.Store(true)
		for _, b := range c.parts {
			b.Close()
		}
	}
	return nil
}

func (c *Copies[T]) usable() error {
	switch {
	case c == nil || c.g == nil:
		return invalid("look at the error that NewCopies or Broadcast returned", "no copies")
	case c.closed.Load():
		return invalid("", "the copies are closed")
	}
	return c.g.usable()
}
