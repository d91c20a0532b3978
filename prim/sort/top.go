package sort

import (
	"context"
	"fmt"

	kernelsgen "github.com/kgen-go/kgen/generated/prim/sort/kernels"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/internal/call"
	"github.com/kgen-go/kgen/prim/sort/kernels"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/primimpl"
)

// TopK returns the k greatest elements, the greatest first. If there are fewer than k elements,
// TopK returns all elements. Among equal elements, the first ones are taken, and keep their order.
// A NaN is less than all other numbers. For an empty slice, or a negative k, TopK returns
// ErrInvalid.
func TopK[T prim.Number](ctx context.Context, dev *runtime.Device, xs []T, k int) ([]T, error) {
	if len(xs) == 0 || k < 0 {
		return nil, &runtime.Error{Class: runtime.ErrInvalid, Problem: fmt.Sprintf("sort.TopK: the greatest %d of %d elements", k, len(xs)), Remedy: "test the number and the length before"}
	}
	m, err := call.OnSlices(ctx, dev, "sort.TopK")
	if err != nil {
		return nil, err
	}
	defer m.Close()
	v, err := call.Copied(m, xs)
	if err != nil {
		return nil, err
	}
	to, err := call.Elements[T](m, min(k, len(xs)))
	if err != nil {
		return nil, err
	}
	count, err := call.Elements[int64](m, 1)
	if err != nil {
		return nil, err
	}
	if _, err := TopKOn(m.Queue, v, to, count); err != nil {
		return nil, err
	}
	out := make([]T, to.Len())
	return out, call.Read(m, out, to)
}

// TopKOn stores the greatest elements of v in out, the greatest first. TopKOn stores as many
// elements as fit into out, and sets count[0] to the number of stored elements. Among equal
// elements, the first ones are taken, and keep their order. A NaN is less than all other numbers.
// If v has fewer elements than out, the rest of out does not change. For a view of more than
// 1<<32-1 elements, TopKOn returns ErrInvalid.
func TopKOn[T prim.Number](q *runtime.Queue, v, out runtime.View[T], count runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
	c := call.New(q, "sort.TopKOn", opts)
	call.In(c, "v", v)
	call.Out(c, "out", out, out.Len())
	call.Out(c, "count", count, 1)
	n, k := v.Len(), min(out.Len(), v.Len())
	if int64(n) > mostKeys {
		c.Refuse("take parts, and the greatest of theirs", "there are %d elements: the function takes %d", n, uint32(mostKeys))
	}
	if err := c.Begin(topBytes[T](n, k)); err != nil {
		return runtime.Event{}, err
	}
	kind, o, number := call.KindOf[T](), out.Slice(0, k), count.Slice(0, 1)
	p := sortPlan{n: k, kind: kind, hi: 8 * kind.Size, launchPasses: kind.Size, descending: true, length: number}
	switch kind.Size {
	case 1, 2:
		w := call.Room[uint32](c, k)
		pickTop(c, p, wideWords(c, v), w, number)
		narrowWords(c, launchPasses(c, p, words32{}, w, call.Room[uint32](c, k), w, nil), number, o)
	case 4:
		w := primimpl.Cast[uint32](o)
		pickTop(c, p, primimpl.Cast[uint32](v), w, number)
		launchToOut(c, p, words32{}, w, w, true, nil)
	default: // sort all elements, and copy the first k
		all := call.Room[uint64](c, n)
		p.n, p.length = n, c.Length()
		launchToOut(c, p, words64{}, primimpl.Cast[uint64](v), all, false, nil)
		call.Over(c, kernelsgen.Merge64{A: all.Slice(0, k), Length: c.Length(), Out: primimpl.Cast[uint64](o)}, shareRange((k+kernels.MergeEach-1)/kernels.MergeEach))
		call.Over(c, kernelsgen.Both{A: k, Length: c.Length(), Out: number}, runtime.Range1(1))
	}
	return c.End()
}

// topTiles returns the number of tiles for n elements, which is at least one.
func topTiles(n int) int { return max((n+kernels.TopTile-1)/kernels.TopTile, 1) }

// topBytes returns the number of bytes of scratch memory for finding the k greatest of n elements.
func topBytes[T prim.Number](n, k int) int {
	kind := call.KindOf[T]()
	p := sortPlan{n: k, kind: kind, launchPasses: kind.Size}
	if kind.Size == 8 {
		p.n = n
		return p.scratchSize(0) + call.Bytes[uint64](n)
	}
	b := p.scratchSize(0) + call.Bytes[uint32](kernels.Digits) + call.Bytes[uint32](kernels.FoundLen) + call.Bytes[uint32](3*(topTiles(n)+1))
	if kind.Size < 4 {
		b += call.Bytes[uint32](n) + call.Bytes[uint32](k)
	}
	return b
}

// pickTop picks the p.n greatest elements of v, and keeps their order.
func pickTop(c *call.Call, p sortPlan, v, out runtime.View[uint32], count runtime.View[int64]) {
	counts, found, state := call.Room[uint32](c, kernels.Digits), call.Room[uint32](c, kernels.FoundLen), call.Room[uint32](c, 3*(topTiles(v.Len())+1))
	f, high := flipOf[uint32](p.kind, true), uint32(0)
	groups := min(max((v.Len()+kernels.Tile-1)/kernels.Tile, 1), mostCounters)
	c.Enqueue(runtime.Fill(counts, 0))
	c.Enqueue(runtime.Fill(state, 0))
	for shift := 8*p.kind.Size - kernels.Bits; shift >= 0; shift -= kernels.Bits {
		c.Run(kernelsgen.Select{Flip: f, Shift: uint32(shift), High: high, Keys: v, Length: c.Length(), Found: found, Counts: counts}, groups, kernels.Size, floatOptions(p.kind)...)
		c.Run(kernelsgen.Choose{Shift: uint32(shift), First: high == 0, K: p.n, N: v.Len(), Length: c.Length(), Counts: counts, Found: found}, 1, kernels.Size)
		high |= (kernels.Digits - 1) << uint(shift)
	}
	c.Run(kernelsgen.Top{Flip: f, Mask: high, Keys: v, Length: c.Length(), Found: found, State: state, Out: out, Count: count}, topTiles(v.Len()), kernels.Size, floatOptions(p.kind)...)
}
