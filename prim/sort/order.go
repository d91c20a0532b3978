package sort

import (
	"context"

	kernelsgen "github.com/kgen-go/kgen/generated/prim/sort/kernels"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/internal/call"
	"github.com/kgen-go/kgen/prim/sort/kernels"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/primimpl"
)

// wideBytes returns the number of bytes of scratch memory that n elements need after conversion to
// 32 bits. Elements of at least 32 bits need no scratch memory.
func wideBytes[T prim.Number](n int) int {
	if call.KindOf[T]().Size >= 4 {
		return 0
	}
	return call.Bytes[uint32](n)
}

// words32Of returns the elements as 32-bit words. Elements of 32 bits are not copied, and smaller
// elements are converted to 32 bits.
func words32Of[T prim.Number](c *call.Call, v runtime.View[T]) runtime.View[uint32] {
	if call.KindOf[T]().Size < 4 {
		return wideWords(c, v)
	}
	return primimpl.Cast[uint32](v)
}

// IsSorted reports whether the elements are in sorted order.
func IsSorted[T prim.Number](ctx context.Context, dev *runtime.Device, xs []T, opts ...prim.Option) (bool, error) {
	m, err := call.OnSlices(ctx, dev, "sort.IsSorted")
	if err != nil {
		return false, err
	}
	defer m.Close()
	v, err := call.Copied(m, xs)
	if err != nil {
		return false, err
	}
	out, err := call.Elements[bool](m, 1)
	if err != nil {
		return false, err
	}
	if _, err := IsSortedOn(m.Queue, v, out, opts...); err != nil {
		return false, err
	}
	var sorted [1]bool
	err = call.Read(m, sorted[:], out)
	return sorted[0], err
}

// IsSortedOn sets out[0] to true if v's elements are in sorted order, else to false.
func IsSortedOn[T prim.Number](q *runtime.Queue, v runtime.View[T], out runtime.View[bool], opts ...prim.Option) (runtime.Event, error) {
	c := call.New(q, "sort.IsSortedOn", opts)
	call.In(c, "v", v)
	call.Out(c, "out", out, 1)
	descending, _ := c.Sorts(false)
	if err := c.Begin(call.Bytes[uint32](1) + wideBytes[T](v.Len())); err != nil {
		return runtime.Event{}, err
	}
	word, kind := call.Room[uint32](c, 1), call.KindOf[T]()
	floats := floatOptions(kind)
	c.Enqueue(runtime.Fill(word, 1))
	if kind.Size < 8 {
		call.Over(c, kernelsgen.IsSorted32{Flip: flipOf[uint32](kind, descending), Keys: words32Of(c, v), Length: c.Length(), Out: word}, shareRange(v.Len()), floats...)
	} else {
		call.Over(c, kernelsgen.IsSorted64{Flip: flipOf[uint64](kind, descending), Keys: primimpl.Cast[uint64](v), Length: c.Length(), Out: word}, shareRange(v.Len()), floats...)
	}
	call.Over(c, kernelsgen.Bool{Word: word, Out: out.Slice(0, 1)}, runtime.Range1(1))
	return c.End()
}

// Search returns for each needle the index of the first element that is not before the needle. The
// index of the first such element equals the number of elements that are before the needle in the
// sorted order. The elements must be in sorted order.
func Search[T prim.Number](ctx context.Context, dev *runtime.Device, xs, needles []T, opts ...prim.Option) ([]int64, error) {
	m, err := call.OnSlices(ctx, dev, "sort.Search")
	if err != nil {
		return nil, err
	}
	defer m.Close()
	v, err := call.Copied(m, xs)
	if err != nil {
		return nil, err
	}
	n, err := call.Copied(m, needles)
	if err != nil {
		return nil, err
	}
	at, err := call.Elements[int64](m, len(needles))
	if err != nil {
		return nil, err
	}
	if _, err := SearchOn(m.Queue, v, n, at, opts...); err != nil {
		return nil, err
	}
	out := make([]int64, len(needles))
	return out, call.Read(m, out, at)
}

// SearchOn sets out[i] to the index of the first of v's elements that is not before needles[i].
// With the option prim.Length, SearchOn uses only the first elements of v, but all needles.
func SearchOn[T prim.Number](q *runtime.Queue, v, needles runtime.View[T], out runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
	c := call.New(q, "sort.SearchOn", opts)
	call.In(c, "v", v)
	call.In(c, "needles", needles)
	call.Out(c, "out", out, needles.Len())
	descending, _ := c.Sorts(false)
	if err := c.Begin(wideBytes[T](v.Len()) + wideBytes[T](needles.Len())); err != nil {
		return runtime.Event{}, err
	}
	kind, n := call.KindOf[T](), needles.Len()
	floats := floatOptions(kind)
	if kind.Size < 8 {
		call.Over(c, kernelsgen.Search32{Flip: flipOf[uint32](kind, descending), Keys: words32Of(c, v), Length: c.Length(), Needles: words32Of(c, needles), Out: out.Slice(0, n)}, shareRange(n), floats...)
	} else {
		call.Over(c, kernelsgen.Search64{Flip: flipOf[uint64](kind, descending), Keys: primimpl.Cast[uint64](v), Length: c.Length(), Needles: primimpl.Cast[uint64](needles), Out: out.Slice(0, n)}, shareRange(n), floats...)
	}
	return c.End()
}

// Merge returns the elements of a and b in sorted order. Both a and b must be in sorted order.
// Among equal elements, elements of a come before elements of b.
func Merge[T prim.Number](ctx context.Context, dev *runtime.Device, a, b []T, opts ...prim.Option) ([]T, error) {
	m, err := call.OnSlices(ctx, dev, "sort.Merge")
	if err != nil {
		return nil, err
	}
	defer m.Close()
	va, err := call.Copied(m, a)
	if err != nil {
		return nil, err
	}
	vb, err := call.Copied(m, b)
	if err != nil {
		return nil, err
	}
	to, err := call.Elements[T](m, len(a)+len(b))
	if err != nil {
		return nil, err
	}
	if _, err := MergeOn(m.Queue, va, vb, to, opts...); err != nil {
		return nil, err
	}
	out := make([]T, len(a)+len(b))
	return out, call.Read(m, out, to)
}

// MergeOn sets out to the elements of a and b in sorted order. Both a and b must be in sorted
// order. Among equal elements, elements of a come before elements of b. With the option
// prim.Length, MergeOn uses only the first elements of a and of b. The remaining elements of out do
// not change.
func MergeOn[T prim.Number](q *runtime.Queue, a, b, out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
	c := call.New(q, "sort.MergeOn", opts)
	n := a.Len() + b.Len()
	call.In(c, "a", a)
	call.In(c, "b", b)
	call.Out(c, "out", out, n)
	descending, _ := c.Sorts(false)
	bytes := wideBytes[T](a.Len()) + wideBytes[T](b.Len()) + wideBytes[T](n)
	if bytes > 0 {
		bytes += call.Bytes[int64](1)
	}
	if err := c.Begin(bytes); err != nil {
		return runtime.Event{}, err
	}
	kind, work := call.KindOf[T](), shareRange((n+kernels.MergeEach-1)/kernels.MergeEach)
	floats := floatOptions(kind)
	switch o := out.Slice(0, n); {
	case kind.Size < 4:
		w := call.Room[uint32](c, n)
		k := kernelsgen.Merge32{Flip: flipOf[uint32](kind, descending), A: wideWords(c, a), B: wideWords(c, b), Length: c.Length(), Out: w}
		call.Over(c, k, work, floats...)
		if c.HasLength() {
			sum := call.Room[int64](c, 1)
			call.Over(c, kernelsgen.Both{A: a.Len(), B: b.Len(), Length: c.Length(), Out: sum}, runtime.Range1(1))
			narrowWords(c, w, sum, o)
		} else {
			narrowWords(c, w, runtime.View[int64]{}, o)
		}
	case kind.Size == 4:
		call.Over(c, kernelsgen.Merge32{Flip: flipOf[uint32](kind, descending), A: primimpl.Cast[uint32](a), B: primimpl.Cast[uint32](b), Length: c.Length(), Out: primimpl.Cast[uint32](o)}, work, floats...)
	default:
		call.Over(c, kernelsgen.Merge64{Flip: flipOf[uint64](kind, descending), A: primimpl.Cast[uint64](a), B: primimpl.Cast[uint64](b), Length: c.Length(), Out: primimpl.Cast[uint64](o)}, work, floats...)
	}
	return c.End()
}
