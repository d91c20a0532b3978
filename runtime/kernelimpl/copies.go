package kernelimpl

import (
	"context"

	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/internal/launch"
)

// Copying is a slice of the host's that is to be copied to the device.
type Copying struct {
	copy func(ctx context.Context, q *runtime.Queue) error
	free func()
}

// Copied sets a view to a copy of a slice, when Copy is called.
func Copied[T any](to *runtime.View[T], from []T) Copying {
	return Copying{
		copy: func(ctx context.Context, q *runtime.Queue) error {
			b, err := runtime.NewBuffer[T](q.Device(), len(from))
			if err != nil {
				return err
			}
			*to = b.All()
			return b.CopyFrom(ctx, q, from)
		},
		free: func() {
			Free(*to)
			*to = runtime.View[T]{}
		},
	}
}

// Copy copies slices. If that fails for one, no memory stays allocated.
func Copy(ctx context.Context, q *runtime.Queue, all ...Copying) error {
	if err := api.Usable(q); err != nil {
		return err
	}
	for i, c := range all {
		if err := c.copy(ctx, q); err != nil {
			for _, c := range all[:i+1] {
				c.free()
			}
			return err
		}
	}
	return nil
}

// Free frees the memory of views that Copy has made.
func Free(views ...interface{ Arg() launch.Slice }) {
	for _, v := range views {
		if s := v.Arg(); s.Mem != nil {
			s.Mem.Free()
		}
	}
}
