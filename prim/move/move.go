package move

import (
	"context"

	kernelsgen "github.com/kgen-go/kgen/generated/prim/move/kernels"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/internal/call"
	"github.com/kgen-go/kgen/prim/move/kernels"
	"github.com/kgen-go/kgen/runtime"
)

// Reverse reverses xs in place.
func Reverse[T any](ctx context.Context, dev *runtime.Device, xs []T) error {
	return sliceChanged(ctx, dev, "move.Reverse", xs, func(m *call.Memory, v runtime.View[T]) error {
		_, err := ReverseOn(m.Queue, v, v)
		return err
	})
}

// ReverseOn sets out[i] to v[n-1-i], where n is the length of v. The view `out` may be the same as
// v, but must not overlap v otherwise. With prim.Length, n is at most the given number, and the
// other elements of out do not change.
func ReverseOn[T any](q *runtime.Queue, v, out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
	c := call.New(q, "move.ReverseOn", opts)
	w, n := wordsOf[T](c), v.Len()
	call.InPlace(c, "v", v, "out", out, n)
	if err := c.Begin(0); err != nil {
		return runtime.Event{}, err
	}
	to, l := out.Slice(0, n), c.Length()
	w.eachChunk((n+1)/2, func(lo, hi int) {
		r, base := runtime.Range1((hi-lo)*w.n), lo*w.n
		switch w.size {
		case 1:
			call.Over(c, kernelsgen.Reverse8{X: as8(v), Out: as8(to), Length: l, Base: base, Words: w.n}, r)
		case 2:
			call.Over(c, kernelsgen.Reverse16{X: as16(v), Out: as16(to), Length: l, Base: base, Words: w.n}, r)
		default:
			call.Over(c, kernelsgen.Reverse32{X: as32(v), Out: as32(to), Length: l, Base: base, Words: w.n}, r)
		}
	})
	return c.End()
}

// Gather returns a slice whose element i is xs[at[i]]. For an index out of range, the element is the
// zero value.
func Gather[T any](ctx context.Context, dev *runtime.Device, xs []T, at []int64) ([]T, error) {
	out := make([]T, len(at))
	err := sliceFrom(ctx, dev, "move.Gather", out, func(m *call.Memory, o runtime.View[T]) error {
		v, err := call.Copied(m, xs)
		if err != nil {
			return err
		}
		i, err := call.Copied(m, at)
		if err != nil {
			return err
		}
		_, err = GatherOn(m.Queue, v, i, o)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// GatherOn sets out[i] to v[at[i]] for each index i of `at`. For an index out of range, out[i]
// becomes the zero value. An index may occur several times in `at`. With prim.Length, only the
// first indices in `at` are used, and the other elements of out do not change.
func GatherOn[T any](q *runtime.Queue, v runtime.View[T], at runtime.View[int64], out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
	c := call.New(q, "move.GatherOn", opts)
	w := wordsOf[T](c)
	call.In(c, "v", v)
	call.In(c, "at", at)
	call.Out(c, "out", out, at.Len())
	if err := c.Begin(0); err != nil {
		return runtime.Event{}, err
	}
	w.eachChunk(at.Len(), func(lo, hi int) {
		r, i, o, l := runtime.Range1((hi-lo)*w.n), at.Slice(lo, hi), out.Slice(lo, hi), c.Length()
		switch w.size {
		case 1:
			call.Over(c, kernelsgen.Gather8{X: as8(v), At: i, Length: l, Base: lo, Words: w.n, Out: as8(o)}, r)
		case 2:
			call.Over(c, kernelsgen.Gather16{X: as16(v), At: i, Length: l, Base: lo, Words: w.n, Out: as16(o)}, r)
		default:
			call.Over(c, kernelsgen.Gather32{X: as32(v), At: i, Length: l, Base: lo, Words: w.n, Out: as32(o)}, r)
		}
	})
	return c.End()
}

// Scatter sets out[at[i]] to xs[i] for each index i of xs. If an index occurs several times in
// `at`, the result is the last of its elements. If an index is out of range, its element is not
// stored. Scatter returns ErrInvalid if xs and `at` have different lengths.
func Scatter[T any](ctx context.Context, dev *runtime.Device, xs []T, at []int64, out []T) error {
	return sliceChanged(ctx, dev, "move.Scatter", out, func(m *call.Memory, o runtime.View[T]) error {
		v, err := call.Copied(m, xs)
		if err != nil {
			return err
		}
		i, err := call.Copied(m, at)
		if err != nil {
			return err
		}
		_, err = ScatterOn(m.Queue, v, i, o)
		return err
	})
}

// ScatterOn sets out[at[i]] to v[i]. If an index occurs several times in `at`, the result is the
// element with the greatest i. With prim.Unordered, the result may be any of the elements for an
// index, or even a mixture of their words. If an index is out of range, its element is not stored.
// Different lengths of v and `at` are an error (ErrInvalid). With prim.Length, only the first
// elements of v and of `at` are used.
func ScatterOn[T any](q *runtime.Queue, v runtime.View[T], at runtime.View[int64], out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
	c := call.New(q, "move.ScatterOn", opts)
	w := wordsOf[T](c)
	call.In(c, "v", v)
	call.In(c, "at", at)
	call.Out(c, "out", out, out.Len())
	if v.Len() != at.Len() {
		c.Refuse("", "v has %d elements, and there are %d indices", v.Len(), at.Len())
	}
	bytes := 0
	if !c.Unordered() {
		bytes = ScratchBytes(out.Len())
	}
	if err := c.Begin(bytes); err != nil {
		return runtime.Event{}, err
	}
	var owner runtime.View[uint32]
	if !c.Unordered() {
		owner = call.Room[uint32](c, out.Len())
	}
	w.eachChunk(at.Len(), func(lo, hi int) {
		r, i, x, l := runtime.Range1((hi-lo)*w.n), at.Slice(lo, hi), v.Slice(lo, hi), c.Length()
		if owner.Len() > 0 {
			c.Enqueue(runtime.Fill(owner, 0))
			call.Over(c, kernelsgen.Claim{At: i, Length: l, Base: lo, Owner: owner}, runtime.Range1(hi-lo))
		}
		switch w.size {
		case 1:
			call.Over(c, kernelsgen.Scatter8{X: as8(x), At: i, Length: l, Base: lo, Words: w.n, Owner: owner, Out: as8(out)}, r)
		case 2:
			call.Over(c, kernelsgen.Scatter16{X: as16(x), At: i, Length: l, Base: lo, Words: w.n, Owner: owner, Out: as16(out)}, r)
		default:
			call.Over(c, kernelsgen.Scatter32{X: as32(x), At: i, Length: l, Base: lo, Words: w.n, Owner: owner, Out: as32(out)}, r)
		}
	})
	return c.End()
}

// ScratchBytes returns the number of bytes that prim.Scratch needs for a ScatterOn whose output has
// n elements.
func ScratchBytes(n int) int { return call.Bytes[uint32](n) }

// Transpose returns the transpose of a matrix. The rows of the matrix follow each other in xs.
// Transpose returns ErrInvalid if xs does not have rows*columns elements.
func Transpose[T any](ctx context.Context, dev *runtime.Device, xs []T, rows, columns int) ([]T, error) {
	out := make([]T, len(xs))
	err := sliceFrom(ctx, dev, "move.Transpose", out, func(m *call.Memory, o runtime.View[T]) error {
		v, err := call.Copied(m, xs)
		if err != nil {
			return err
		}
		_, err = TransposeOn(m.Queue, v, o, rows, columns)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// TransposeOn sets out[x*rows+y] to v[y*columns+x] for each row y and column x. TransposeOn returns
// ErrInvalid if v does not have rows*columns elements, or if the option prim.Length is given.
func TransposeOn[T any](q *runtime.Queue, v, out runtime.View[T], rows, columns int, opts ...prim.Option) (runtime.Event, error) {
	c := call.New(q, "move.TransposeOn", opts)
	w := wordsOf[T](c)
	call.In(c, "v", v)
	call.Out(c, "out", out, v.Len())
	if rows < 0 || columns < 0 || columns > 0 && rows > v.Len()/columns || rows*columns != v.Len() {
		c.Refuse("", "v has %d elements, which make no matrix of %d rows and %d columns", v.Len(), rows, columns)
	}
	if c.HasLength() {
		c.Refuse("give views of that length", "a matrix has no length")
	}
	if err := c.Begin(0); err != nil {
		return runtime.Event{}, err
	}
	up := func(n, to int) int { return (n + to - 1) / to }
	r := runtime.NDRange2{
		Global: runtime.Range2{up(rows, kernels.Tile) * kernels.Lines, up(columns, kernels.Tile) * kernels.Tile},
		Local:  runtime.Range2{kernels.Lines, kernels.Tile},
	}
	switch w.size {
	case 1:
		call.Over(c, kernelsgen.Transpose8{X: as8(v), Out: as8(out), Rows: rows, Columns: columns, Words: w.n}, r)
	case 2:
		call.Over(c, kernelsgen.Transpose16{X: as16(v), Out: as16(out), Rows: rows, Columns: columns, Words: w.n}, r)
	default:
		call.Over(c, kernelsgen.Transpose32{X: as32(v), Out: as32(out), Rows: rows, Columns: columns, Words: w.n}, r)
	}
	return c.End()
}
