package shard

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/kgen-go/kgen/runtime"
)

// Array is an array whose rows are divided among the devices of a group. Each device stores one block of
// consecutive rows.
type Array[T any] struct {
	g     *Group
	rows  int
	row   int // number of elements in a row
	halo  int // number of neighbouring rows stored before and after a block
	block int // argument of the option Blocks, or 1 without this option
	cuts  []int
	parts []*runtime.Buffer[T] // buffer of each device for its block and halo

	closed atomic.Bool
}

// Option is an option of New and Scatter.
type Option func(*options)

type options struct {
	shape []int
	halo  int
	block int
	given []string // names of the given options
}

// Shape gives the array up to three dimensions. The last dimension varies fastest. The array is
// divided along the first dimension. The elements of all other dimensions form a row.
func Shape(dims ...int) Option {
	return func(o *options) { o.shape, o.given = dims, append(o.given, "Shape") }
}

// Halo makes each device also store the halo of its block. The halo consists of copies of at most
// `width` rows before the block, and at most `width` rows after the block. At the first and last
// row of the array, the halo has fewer rows. Around returns the view of the block with its halo,
// and Exchange updates the halo. Each block must have at least `width` rows.
//
// If a step of a program reads neighbouring rows at a distance of up to r, and a program makes k steps
// for each Exchange, the halo must have at least k*r rows. A narrower halo is no error, but the
// results are wrong.
func Halo(width int) Option {
	return func(o *options) { o.halo, o.given = width, append(o.given, "Halo") }
}

// Blocks makes each device's block begin at a row whose index is a multiple of the argument `rows`.
func Blocks(rows int) Option {
	return func(o *options) { o.block, o.given = rows, append(o.given, "Blocks") }
}

// New returns an array of n zero elements. New returns ErrInvalid if the options contradict each
// other or the length n, and returns the errors of runtime.NewBuffer.
func New[T any](g *Group, n int, opts ...Option) (*Array[T], error) {
	if err := g.usable(); err != nil {
		return nil, err
	}
	o := options{shape: []int{n}, block: 1}
	for _, opt := range opts {
		if opt == nil {
			return nil, invalid("", "an option is nil")
		}
		opt(&o)
	}
	x := &Array[T]{g: g, halo: o.halo, block: o.block}
	if err := x.layOut(&o, n); err != nil {
		return nil, err
	}
	for i, d := range g.devs {
		lo, hi := x.around(i)
		b, err := runtime.NewBuffer[T](d, (hi-lo)*x.row)
		if err != nil {
			x.Close()
			return nil, &Error{i, d, err}
		}
		x.parts = append(x.parts, b)
	}
	return x, nil
}

// layOut checks the options and divides the rows among the devices.
func (x *Array[T]) layOut(o *options, n int) error {
	for i, name := range o.given {
		if slices.Contains(o.given[:i], name) {
			return invalid("give it once", "the option %s is given twice", name)
		}
	}
	switch {
	case n < 0:
		return invalid("", "an array of %d elements", n)
	case len(o.shape) < 1 || len(o.shape) > 3:
		return invalid("give Shape one to three numbers", "an array of %d dimensions", len(o.shape))
	case o.block < 1:
		return invalid("give Blocks at least 1", "blocks of %d rows", o.block)
	case o.halo < 0:
		return invalid("give Halo at least 0", "a halo of %d rows", o.halo)
	}
	x.rows, x.row = o.shape[0], 1
	total := o.shape[0]
	for _, d := range o.shape {
		if d < 0 {
			return invalid("", "an array of the shape %v has a negative dimension", o.shape)
		}
	}
	for _, d := range o.shape[1:] {
		if d > 0 && total > math.MaxInt/d {
			return invalid("", "an array of the shape %v has too many elements", o.shape)
		}
		x.row, total = x.row*d, total*d
	}
	if total != n {
		return invalid("", "an array of %d elements cannot have the shape %v", n, o.shape)
	}
	weights := x.g.Weights()
	x.cuts = cut(x.rows, o.block, weights)
	if o.halo == 0 || x.g.Len() == 1 {
		return nil
	}
	for i := range x.g.devs {
		if own := x.cuts[i+1] - x.cuts[i]; own < o.halo {
			remedy := "use fewer devices, or a narrower halo"
			if slices.Min(weights) < slices.Max(weights) {
				remedy += ", or more even weights"
			}
			if o.block > 1 {
				remedy += fmt.Sprintf(", or smaller blocks than Blocks(%d)", o.block)
			}
			return invalid(remedy, "device %d has a block of %s, which is less than the halo of its neighbours, %s", i, rowsText(own), rowsText(o.halo))
		}
	}
	return nil
}

// rowsText returns a number of rows, as text.
func rowsText(n int) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}

// `cut` returns the index of the first row of each device's block, followed by the number of rows.
// All returned numbers are multiples of the parameter block, except possibly the last one.
func cut(rows, block int, weights []float64) []int {
	units := (rows + block - 1) / block
	cuts := make([]int, len(weights)+1)
	sum := 0.0
	for i, w := range weights[:len(weights)-1] {
		sum += w
		cuts[i+1] = min(int(math.Round(sum*float64(units)))*block, rows)
	}
	// If the last devices have weight 0, they have no rows.
	cuts[len(weights)] = rows
	for i := len(weights) - 1; i > 0 && weights[i] == 0; i-- {
		cuts[i] = rows
	}
	return cuts
}

// `around` returns the range of rows that a device stores, which are the rows of the device's block
// and halo.
func (x *Array[T]) around(i int) (lo, hi int) {
	return max(x.cuts[i]-x.halo, 0), min(x.cuts[i+1]+x.halo, x.rows)
}

// rowsOf returns a view of rows lo to hi-1 of the array on a device that stores these rows.
func (x *Array[T]) rowsOf(i, lo, hi int) runtime.View[T] {
	first, _ := x.around(i)
	return x.parts[i].Slice((lo-first)*x.row, (hi-first)*x.row)
}

// `usable` returns an error if the array is nil or closed, or its group is closed.
func (x *Array[T]) usable() error {
	switch {
	case x == nil || x.g == nil:
		return invalid("look at the error that New or Scatter returned", "no array")
	case x.closed.Load():
		return invalid("", "the array is closed")
	}
	return x.g.usable()
}

// `fits` returns an error unless the array can be used with the part. The error is also the error of
// the part's call of Each.
func (x *Array[T]) fits(p Part) error {
	return p.fits(x.usable(), func() *Group { return x.g }, "use the array in Each of its own group", "an array of another group than the part's")
}

// On returns the view of the device's block. If the array belongs to another group than p, Each
// returns ErrInvalid, and launches with the returned view fail.
func (x *Array[T]) On(p Part) runtime.View[T] {
	if x.fits(p) != nil {
		return (*runtime.Buffer[T])(nil).All()
	}
	return x.rowsOf(p.Index, x.cuts[p.Index], x.cuts[p.Index+1])
}

// Around returns the view of the device's block with its halo. Before returns the number of halo rows before
// the block.
func (x *Array[T]) Around(p Part) runtime.View[T] {
	if x.fits(p) != nil {
		return (*runtime.Buffer[T])(nil).All()
	}
	return x.parts[p.Index].All()
}

// LenOn returns the number of elements of the device's block.
func (x *Array[T]) LenOn(p Part) int { return x.RowsOn(p) * x.rowLen() }

// RowsOn returns the number of rows of the device's block.
func (x *Array[T]) RowsOn(p Part) int {
	if x.fits(p) != nil {
		return 0
	}
	return x.cuts[p.Index+1] - x.cuts[p.Index]
}

// FirstOn returns the index, in the array, of the first row of the device's block.
func (x *Array[T]) FirstOn(p Part) int {
	if x.fits(p) != nil {
		return 0
	}
	return x.cuts[p.Index]
}

// Before returns the number of rows before the device's block in the view that Around returns.
func (x *Array[T]) Before(p Part) int {
	if x.fits(p) != nil {
		return 0
	}
	lo, _ := x.around(p.Index)
	return x.cuts[p.Index] - lo
}

func (x *Array[T]) rowLen() int {
	if x == nil {
		return 0
	}
	return x.row
}

// Len returns the number of elements.
func (x *Array[T]) Len() int {
	if x == nil {
		return 0
	}
	return x.rows * x.row
}

// Cuts returns the index of the first row of each device's block, followed by the number of rows of the array.
func (x *Array[T]) Cuts() []int {
	if x == nil {
		return nil
	}
	return append([]int(nil), x.cuts...)
}

// Scatter returns an array with the elements of xs, which are copied to the blocks and halos of the
// devices. Scatter returns the errors of New, and the errors of copying memory.
func Scatter[T any](ctx context.Context, g *Group, xs []T, opts ...Option) (*Array[T], error) {
	if err := errors.Join(g.usable(), usableContext(ctx)); err != nil {
		return nil, err
	}
	x, err := New[T](g, len(xs), opts...)
	if err != nil {
		return nil, err
	}
	if err := x.Set(ctx, xs); err != nil {
		x.Close()
		return nil, err
	}
	return x, nil
}

// Set copies xs to the blocks and halos of the devices. If the lengths of xs and of the array differ, Set
// returns ErrInvalid.
func (x *Array[T]) Set(ctx context.Context, xs []T) error {
	if err := x.checkCopy(len(xs)); err != nil {
		return err
	}
	return Each(ctx, x.g, func(p Part) error {
		lo, hi := x.around(p.Index)
		return x.parts[p.Index].CopyFrom(p.Context(), p.Queue, xs[lo*x.row:hi*x.row])
	})
}

// Gather copies all elements of the array to dst. If the lengths of dst and of the array differ,
// Gather returns ErrInvalid. After an error, Gather may have copied some of the elements.
func (x *Array[T]) Gather(ctx context.Context, dst []T) error {
	if err := x.checkCopy(len(dst)); err != nil {
		return err
	}
	return Each(ctx, x.g, func(p Part) error {
		return x.On(p).CopyTo(p.Context(), p.Queue, dst[x.cuts[p.Index]*x.row:x.cuts[p.Index+1]*x.row])
	})
}

// checkCopy returns an error if the array cannot be copied from or to n elements.
func (x *Array[T]) checkCopy(n int) error {
	if err := x.usable(); err != nil {
		return err
	}
	if n != x.Len() {
		return invalid("", "a copy between an array of %d elements and %d on the host", x.Len(), n)
	}
	return nil
}

// Close frees the array's memory on all devices when the commands that use it have completed.
func (x *Array[T]) Close() error {
	if x != nil {
		x.closed.Store(true)
		for _, b := range x.parts {
			b.Close()
		}
	}
	return nil
}
