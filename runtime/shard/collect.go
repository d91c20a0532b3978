package shard

import (
	"context"
	"slices"

	"github.com/kgen-go/kgen/runtime"
)

// AllGather copies all elements of x into c, so that each device has all elements, and waits for the copies. If
// x and c belong to different groups or have different lengths, AllGather returns ErrInvalid.
func AllGather[T any](ctx context.Context, x *Array[T], c *Copies[T]) error {
	if err := checkGroups(ctx, x, c); err != nil {
		return err
	}
	if x.Len() != c.n {
		return invalid("", "an array of %d elements for copies of %d", x.Len(), c.n)
	}
	return runOnce(ctx, x.g, func(r *run) error { return enqueueGather(r, x, c) })
}

// Collect does the same as [AllGather], but the caller is the function that Each runs for each device. The functions of
// all devices must call Collect with the same arguments. Collect enqueues the copies after the earlier launches of all
// devices, and does not wait for the copies. Collect returns the errors of AllGather. If one device's function returns
// without calling Collect, the calls for the other devices return ErrInvalid.
func (c *Copies[T]) Collect(p Part, x *Array[T]) error {
	if err := p.usable(); err != nil {
		return err
	}
	if err := checkGroups(context.Background(), x, c); err != nil {
		return p.failed(err)
	}
	if err := x.fits(p); err != nil {
		return err
	}
	if x.Len() != c.n {
		return p.failed(invalid("", "an array of %d elements for copies of %d", x.Len(), c.n))
	}
	return p.meets(c, "Collect", func(r *run) error { return enqueueGather(r, x, c) })
}

// enqueueGather enqueues the copies of AllGather.
func enqueueGather[T any](r *run, x *Array[T], c *Copies[T]) error {
	for from := range r.parts {
		for i := range r.parts {
			to := (from + i) % len(r.parts) // the order depends on from, so that the first copies go to different devices
			lo, hi := x.cuts[from], x.cuts[from+1]
			if err := r.enqueueCopy(from, runtime.Copy(c.parts[to].Slice(lo*x.row, hi*x.row), x.rowsOf(from, lo, hi))); err != nil {
				return err
			}
		}
	}
	return nil
}

// AllReduce combines all rows of x into one row, and copies this row to c on each device. AllReduce
// combines row 0 with row 1, then the result with row 2, and so on. The bits of float results
// depend on the order of the rows, which is always the same. So the bits do not depend on the
// number of devices or on their weights.
//
// The argument `combine` launches a kernel on p.Queue. The kernel combines the elements of the
// views `into` and `from`, for example by into[i] += from[i]. Each device combines only some of the
// columns, so each view contains only a part of a row. The range of the launch is therefore
// runtime.Range1(into.Len()). The lengths depend on the devices and their weights, and are multiples
// of 256 except for the last part. Then each device copies the results for its columns to all other
// devices. If x and c belong to different groups, or if c and a row of x have
// different lengths, AllReduce returns ErrInvalid. If x has no rows, AllReduce does not change c.
func AllReduce[T any](ctx context.Context, x *Array[T], c *Copies[T], combine func(p Part, into, from runtime.View[T]) error) error {
	if err := checkGroups(ctx, x, c); err != nil {
		return err
	}
	switch {
	case combine == nil:
		return invalid("", "the function that combines rows is nil")
	case x.row != c.n:
		return invalid("", "rows of %d elements for copies of %d", x.row, c.n)
	case x.rows == 0 || x.row == 0:
		return nil
	}
	cuts := cut(x.row, columnUnit, x.g.Weights())
	rooms := make([]rowBuffers[T], x.g.Len())
	defer func() {
		for i := range rooms {
			rooms[i].close()
		}
	}()
	for i, d := range x.g.devs {
		if x.cuts[i+1]-x.cuts[i] == x.rows {
			continue // the device stores all rows
		}
		if err := rooms[i].open(d, cuts[i+1]-cuts[i]); err != nil {
			return &Error{i, d, err}
		}
	}
	return runOnce(ctx, x.g, func(r *run) error {
		for row := range x.rows {
			for i, p := range r.parts {
				if err := x.combineRow(r, p, row, cuts[i], cuts[i+1], c.parts[i].Slice(cuts[i], cuts[i+1]), &rooms[i], combine); err != nil {
					return err
				}
			}
		}
		for from := range r.parts {
			for i := 1; i < len(r.parts); i++ {
				to := (from + i) % len(r.parts)
				lo, hi := cuts[from], cuts[from+1]
				if err := r.enqueueCopy(from, runtime.Copy(c.parts[to].Slice(lo, hi), c.parts[from].Slice(lo, hi))); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// columnUnit is a number of elements. AllReduce divides a row among devices at multiples of
// columnUnit.
const columnUnit = 256

// rowBuffers contains two buffers on one device. The buffers receive rows that are copied from
// other devices. One buffer receives the next row while a kernel reads the other buffer.
type rowBuffers[T any] struct {
	slots [2]*runtime.Buffer[T]
	next  int
}

func (m *rowBuffers[T]) open(d *runtime.Device, n int) (err error) {
	for i := range m.slots {
		if m.slots[i], err = runtime.NewBuffer[T](d, n); err != nil {
			return err
		}
	}
	return nil
}

func (m *rowBuffers[T]) close() {
	for _, b := range m.slots {
		b.Close()
	}
}

// combineRow combines the elements lo to hi-1 of a row with the elements of the view `into`, on the
// device of p. For row 0, combineRow copies the elements to the view `into`.
func (x *Array[T]) combineRow(r *run, p Part, row, lo, hi int, into runtime.View[T], m *rowBuffers[T], combine func(p Part, into, from runtime.View[T]) error) error {
	if lo == hi {
		return nil
	}
	owner, _ := slices.BinarySearch(x.cuts, row+1)
	owner-- // index of the last device whose block begins at or before the row
	from := x.rowsOf(owner, row, row+1).Slice(lo, hi)
	if row == 0 {
		return r.enqueueCopy(p.Index, runtime.Copy(into, from))
	}
	if owner != p.Index {
		slot := m.slots[m.next].All()
		m.next = 1 - m.next
		if err := r.enqueueCopy(p.Index, runtime.Copy(slot, from)); err != nil {
			return err
		}
		from = slot
	}
	if err := combine(p, into, from); err != nil {
		return &Error{p.Index, p.Device, err}
	}
	return nil
}

// ReduceBlocks computes one value for each block of rows, and returns the values in the order of
// the blocks. The option Blocks sets the number of rows in a block, and without this option each
// block is one row. The argument `reduce` launches kernels on p.Queue. These kernels compute the
// value of a block, and store it in out[0]. If all devices compute the same bits in these kernels,
// ReduceBlocks returns the same bits for any number of devices and any weights.
func ReduceBlocks[T, A any](ctx context.Context, x *Array[T], reduce func(p Part, block runtime.View[T], out runtime.View[A]) error) ([]A, error) {
	if err := x.usable(); err != nil {
		return nil, err
	}
	if reduce == nil {
		return nil, invalid("", "the function that reduces blocks is nil")
	}
	values := make([]A, (x.rows+x.block-1)/x.block)
	err := Each(ctx, x.g, func(p Part) error {
		lo, hi := x.cuts[p.Index], x.cuts[p.Index+1]
		own := values[(lo+x.block-1)/x.block : (hi+x.block-1)/x.block]
		out, err := runtime.NewBuffer[A](p.Device, len(own))
		if err != nil {
			return err
		}
		defer out.Close()
		for i := range own {
			first := lo + i*x.block
			if err := reduce(p, x.rowsOf(p.Index, first, min(first+x.block, hi)), out.Slice(i, i+1)); err != nil {
				return err
			}
		}
		return out.CopyTo(p.Context(), p.Queue, own)
	})
	if err != nil {
		return nil, err
	}
	return values, nil
}

// checkGroups returns an error if x and c belong to different groups, or if x, c or ctx is unusable.
func checkGroups[T any](ctx context.Context, x *Array[T], c *Copies[T]) error {
	if err := x.usable(); err != nil {
		return err
	}
	if err := c.usable(); err != nil {
		return err
	}
	if x.g != c.g {
		return invalid("", "an array and copies of two groups")
	}
	return usableContext(ctx)
}

// runOnce calls f once, and then waits for the commands that f has enqueued on the devices' queues.
// If ctx ends, runOnce stops waiting as Each does.
func runOnce(ctx context.Context, g *Group, f func(r *run) error) error {
	return Each(ctx, g, func(p Part) error { return p.meets(g, "a call", f) })
}

// enqueueCopy enqueues a copy on the queue of the device with the index `part`.
func (r *run) enqueueCopy(part int, c runtime.Command) error {
	p := r.parts[part]
	if _, err := p.Queue.Enqueue(c); err != nil {
		return &Error{part, p.Device, err}
	}
	return nil
}
