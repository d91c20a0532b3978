package shard

import (
	"context"
	"slices"

	"github.com/kgen-go/kgen/runtime"
)

// AllGather copies all elements of x to each device: into c, which has as many elements and is of
// the same group (ErrInvalid otherwise). It waits for the copies.
func AllGather[T any](ctx context.Context, x *Array[T], c *Copies[T]) error {
	if err := together(ctx, x, c); err != nil {
		return err
	}
	if x.Len() != c.n {
		return invalid("", "an array of %d elements for copies of %d", x.Len(), c.n)
	}
	return across(ctx, x.g, func(r *run) error { return collect(r, x, c) })
}

// Collect does the same as [AllGather] in the function of Each: it enqueues the copies after the
// launches of all parts, and does not wait. All parts call it with the same arguments. Its errors
// are those of AllGather, and ErrInvalid, in all parts, if a part returns without the call.
func (c *Copies[T]) Collect(p Part, x *Array[T]) error {
	if err := together(context.Background(), x, c); err != nil {
		return err
	}
	if !x.fits(p) {
		return invalid("use the array in Each of its own group", "Collect of an array of another group")
	}
	if x.Len() != c.n {
		return invalid("", "an array of %d elements for copies of %d", x.Len(), c.n)
	}
	return p.meets(c, "Collect", func(r *run) error { return collect(r, x, c) })
}

// collect enqueues the copies of AllGather.
func collect[T any](r *run, x *Array[T], c *Copies[T]) error {
	for from := range r.parts {
		for i := range r.parts {
			to := (from + i) % len(r.parts) // so that no device gets all copies first
			lo, hi := x.cuts[from], x.cuts[from+1]
			if err := r.copy(from, runtime.Copy(c.parts[to].Slice(lo*x.row, hi*x.row), x.rowsOf(from, lo, hi))); err != nil {
				return err
			}
		}
	}
	return nil
}

// AllReduce combines the rows of x, in their order, to one row, which each device then has in c:
// row 0 with row 1, the result with row 2, and so on. For floats the order decides the bits. So the
// same rows give the same bits for any number of devices and all weights.
//
// combine launches a kernel on p.Queue that combines the elements of from into those of into, such
// as into[i] += from[i]. AllReduce calls it for slices of rows: each device combines a part of the
// row, and gives its result to the others. c has as many elements as a row, and is of the group of x
// (ErrInvalid otherwise). An array without rows leaves c as it is.
func AllReduce[T any](ctx context.Context, x *Array[T], c *Copies[T], combine func(p Part, into, from runtime.View[T]) error) error {
	if err := together(ctx, x, c); err != nil {
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
	cuts := cut(x.row, reduceUnit, x.g.Weights())
	rooms := make([]room[T], x.g.Len())
	defer func() {
		for i := range rooms {
			rooms[i].close()
		}
	}()
	for i, d := range x.g.devs {
		if x.cuts[i+1]-x.cuts[i] == x.rows {
			continue // all rows are on the device
		}
		if err := rooms[i].open(d, cuts[i+1]-cuts[i]); err != nil {
			return &Error{i, d, err}
		}
	}
	return across(ctx, x.g, func(r *run) error {
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
				if err := r.copy(from, runtime.Copy(c.parts[to].Slice(lo, hi), c.parts[from].Slice(lo, hi))); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// reduceUnit is a number of elements: the slices that devices combine begin at multiples of it.
const reduceUnit = 256

// room is memory of a device for slices of rows of other devices: the copy of the next slice runs
// while a kernel reads the last one.
type room[T any] struct {
	slots [2]*runtime.Buffer[T]
	next  int
}

func (m *room[T]) open(d *runtime.Device, n int) (err error) {
	for i := range m.slots {
		if m.slots[i], err = runtime.NewBuffer[T](d, n); err != nil {
			return err
		}
	}
	return nil
}

func (m *room[T]) close() {
	for _, b := range m.slots {
		b.Close()
	}
}

// combineRow combines the elements [lo, hi) of a row into the view into, which is on the device of
// the part. Row 0 is copied.
func (x *Array[T]) combineRow(r *run, p Part, row, lo, hi int, into runtime.View[T], m *room[T], combine func(p Part, into, from runtime.View[T]) error) error {
	if lo == hi {
		return nil
	}
	owner, _ := slices.BinarySearch(x.cuts, row+1)
	owner-- // the last device whose block begins at the row or before it
	from := x.rowsOf(owner, row, row+1).Slice(lo, hi)
	if row == 0 {
		return r.copy(p.Index, runtime.Copy(into, from))
	}
	if owner != p.Index {
		slot := m.slots[m.next].All()
		m.next = 1 - m.next
		if err := r.copy(p.Index, runtime.Copy(slot, from)); err != nil {
			return err
		}
		from = slot
	}
	if err := combine(p, into, from); err != nil {
		return &Error{p.Index, p.Device, err}
	}
	return nil
}

// ReduceBlocks computes a value of each block of rows of the array, and returns the values in the
// order of the blocks. The option Blocks says how many rows a block has; without it, a row is a
// block. reduce launches kernels on p.Queue that compute the value of a block and store it in out,
// which has one element. A sum over the result, in its order, has the same bits for any number of
// devices and all weights, if reduce has them for a block.
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

// together returns an error if the array and the copies cannot be used with each other.
func together[T any](ctx context.Context, x *Array[T], c *Copies[T]) error {
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

// across calls f once, which enqueues commands on the queues of all parts, and waits for them as
// Each does.
func across(ctx context.Context, g *Group, f func(r *run) error) error {
	return Each(ctx, g, func(p Part) error { return p.meets(g, "a call", f) })
}

// copy enqueues a copy on the queue of a part.
func (r *run) copy(part int, c runtime.Command) error {
	p := r.parts[part]
	if _, err := p.Queue.Enqueue(c); err != nil {
		return &Error{part, p.Device, err}
	}
	return nil
}
