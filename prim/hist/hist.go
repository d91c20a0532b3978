package hist

import (
	"context"
	"math/bits"
	"unsafe"

	kernelsgen "github.com/kgen-go/kgen/generated/prim/hist/kernels"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/hist/kernels"
	"github.com/kgen-go/kgen/prim/internal/call"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/primimpl"
)

// Integer constrains the type of elements whose values are numbers of bins.
type Integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// ByKey counts elements by value. For each number below bins, ByKey returns the number of elements
// with that value. Elements that are negative, or not below bins, are not counted.
func ByKey[T Integer](ctx context.Context, dev *runtime.Device, keys []T, bins int) ([]int64, error) {
	return onSlices(ctx, dev, "hist.ByKey", keys, bins, func(m *call.Memory, v runtime.View[T], counts runtime.View[int64]) error {
		_, err := ByKeyOn(m.Queue, v, counts)
		return err
	})
}

// ByKeyOn sets counts[i] to the number of elements with the value i. Elements that are negative, or
// not below counts.Len(), are not counted. ByKeyOn returns ErrInvalid for elements of package half.
func ByKeyOn[T Integer](q *runtime.Queue, keys runtime.View[T], counts runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
	c := call.New(q, "hist.ByKeyOn", opts)
	call.In(c, "keys", keys)
	k := call.KindOf[T]()
	if k.Small {
		c.Refuse("give integers, or use Even", "elements of package half are no numbers of bins")
	}
	b, to := beginCounts(c, counts, kernels.Counters)
	if err := c.Begin(0); err != nil {
		return runtime.Event{}, err
	}
	most := ^uint64(0) >> (64 - 8*k.Size) // greatest value of an element
	if k.Signed {
		most >>= 1
	}
	own := b.Shift != 32
	n := groupCount(keys.Len(), counts.Len(), own)
	c.Enqueue(runtime.Fill(counts, 0))
	if k.Size < 8 {
		b.N = uint32(min(uint64(b.N), most+1))
		e := elementsOf(keys)
		c.Run(kernelsgen.Keys{X8: e.x8, X32: e.x32, Length: c.Length(), Bins: b, Counts: to}, n, kernels.Size, width(k))
		return c.End()
	}
	// The bins lie between 0 and N, so each of the N values has its own bin.
	x := kernelsgen.Even64{X: primimpl.Cast[uint64](keys), Length: c.Length(), Bins: b, Counts: to}
	x.Flip, x.Low, x.Span, x.Factor, x.FactorShift = integerFields(k, 0, uint64(b.N), b.N)
	c.Run(x, n, kernels.Size)
	return c.End()
}

// Even divides the range from lo to hi into bins of equal width, and counts the elements in each
// bin. The package documentation describes the bin of an element. lo must be below hi, and lo, hi
// and hi-lo must be finite (ErrInvalid otherwise).
func Even[T prim.Number](ctx context.Context, dev *runtime.Device, xs []T, lo, hi T, bins int) ([]int64, error) {
	return onSlices(ctx, dev, "hist.Even", xs, bins, func(m *call.Memory, v runtime.View[T], counts runtime.View[int64]) error {
		_, err := EvenOn(m.Queue, v, lo, hi, counts)
		return err
	})
}

// EvenOn sets counts[i] to the number of elements in bin i. The number of bins is counts.Len(). The
// bins have equal width, and lie between lo and hi (see Even).
func EvenOn[T prim.Number](q *runtime.Queue, v runtime.View[T], lo, hi T, counts runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
	c := call.New(q, "hist.EvenOn", opts)
	call.In(c, "v", v)
	b, to := beginCounts(c, counts, kernels.Counters)
	kind := call.KindOf[T]()
	e := elementsOf(v)
	x := kernelsgen.Even32{X8: e.x8, X32: e.x32, Length: c.Length(), Bins: b, Counts: to}
	var wide call.Kernel
	switch {
	case kind.Float && kind.Size == 8:
		s := floatBins(c, float64(lo), float64(hi), b.N)
		wide = kernelsgen.EvenFloat64{X: primimpl.Cast[float64](v), Length: c.Length(), Bins: b, Counts: to, Steps: s}
	case kind.Float:
		x.Format = floatFormat(kind)
		x.Steps = floatBins(c, x.Format.Value(uint32(wordOfElem(lo))), x.Format.Value(uint32(wordOfElem(hi))), b.N)
	default:
		if lo >= hi {
			c.Refuse("", "the bins begin at %v and end at %v", lo, hi)
			break
		}
		flip, low, span, factor, shift := integerFields(kind, wordOfElem(lo), wordOfElem(hi), b.N)
		if x.Flip, x.Low, x.Span, x.Factor, x.FactorShift = uint32(flip), uint32(low), uint32(span), factor, shift; kind.Size == 8 {
			wide = kernelsgen.Even64{X: primimpl.Cast[uint64](v), Length: c.Length(), Bins: b, Counts: to, Flip: flip, Low: low, Span: span, Factor: factor, FactorShift: shift}
		}
	}
	if err := c.Begin(0); err != nil {
		return runtime.Event{}, err
	}
	c.Enqueue(runtime.Fill(counts, 0))
	n := groupCount(v.Len(), counts.Len(), b.Shift != 32)
	if kind.Size == 8 {
		c.Run(wide, n, kernels.Size)
	} else {
		c.Run(x, n, kernels.Size, width(kind))
	}
	return c.End()
}

// integerFields returns the values of the kernels' fields for integers. The arguments lo and hi are
// the bits of the limits.
func integerFields(k call.Kind, lo, hi uint64, bins uint32) (flip, low, span uint64, factor, shift uint32) {
	if k.Signed {
		flip = 1 << (8*k.Size - 1)
	}
	low, span = lo^flip, (hi^flip)-(lo^flip)
	shift = uint32(bits.Len64(span))
	q, _ := bits.Div64(uint64(bins)>>(64-shift), uint64(bins)<<shift, span)
	return flip, low, span, uint32(q), shift
}

// floatBins returns the description of the bins between two floats.
func floatBins[F float32 | float64](c *call.Call, lo, hi F, bins uint32) kernels.Steps[F] {
	width := hi - lo
	if !(width > 0) || width-width != 0 {
		c.Refuse("", "the bins begin at %v and end at %v: these are not finite, not in order, or too far apart", lo, hi)
	}
	return kernels.Steps[F]{Low: lo, High: hi, Width: width / F(bins), Scale: F(bins) / width}
}

// floatFormat returns the format that describes how a float's bits are converted to a float32.
func floatFormat(k call.Kind) kernels.Format {
	f := kernels.Format{Half: uint32(k.Half), Inf: uint32(k.Inf)}
	small := func(fraction, bias uint32) {
		f.Shift, f.Rebias, f.Normal = 23-fraction, (127-bias)<<23, 1<<fraction
		f.Unit = 1
		for range bias - 1 + fraction {
			f.Unit /= 2
		}
	}
	switch {
	case k.Size == 2 && k.Inf == 0x7c00:
		small(10, 15)
	case k.Size == 2:
		f.Shift = 16 // a bfloat16 is the high half of a float32
	case k.Size == 1 && k.Inf == 0x7c:
		small(2, 15)
	case k.Size == 1:
		small(3, 7)
	}
	return f
}

// Edges counts the elements in each of the bins between edges. Bin i has the elements x with
// edges[i] <= x < edges[i+1], so there is one bin fewer than edges. If there are fewer than two
// edges, or the edges do not ascend or contain a NaN, Edges returns ErrInvalid. The bin between two
// equal edges is empty.
func Edges[T prim.Number](ctx context.Context, dev *runtime.Device, xs, edges []T) ([]int64, error) {
	if err := checkAscending(edges); err != nil {
		return nil, err
	}
	return onSlices(ctx, dev, "hist.Edges", xs, len(edges)-1, func(m *call.Memory, v runtime.View[T], counts runtime.View[int64]) error {
		e, err := call.Copied(m, edges)
		if err != nil {
			return err
		}
		_, err = EdgesOn(m.Queue, v, e, counts)
		return err
	})
}

// EdgesOn sets counts[i] to the number of elements x with edges[i] <= x < edges[i+1]. There must be
// one edge more than bins (ErrInvalid otherwise). The edges must ascend, but EdgesOn does not check
// this. If edges do not ascend or contain a NaN, each element is counted at most once, and all
// devices return the same counts.
func EdgesOn[T prim.Number](q *runtime.Queue, v, edges runtime.View[T], counts runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
	c := call.New(q, "hist.EdgesOn", opts)
	call.In(c, "v", v)
	call.In(c, "edges", edges)
	b, to := beginCounts(c, counts, kernels.OwnCounters)
	if edges.Len() != counts.Len()+1 {
		c.Refuse("", "there are %d edges and %d bins: give one edge more than bins", edges.Len(), counts.Len())
	}
	if err := c.Begin(0); err != nil {
		return runtime.Event{}, err
	}
	k := call.KindOf[T]()
	flip := uint64(0)
	if k.Signed {
		flip = 1 << (8*k.Size - 1)
	}
	c.Enqueue(runtime.Fill(counts, 0))
	n := groupCount(v.Len(), counts.Len(), b.Shift != 32)
	if k.Size == 8 {
		c.Run(kernelsgen.Edges64{X: primimpl.Cast[uint64](v), Edges: primimpl.Cast[uint64](edges), Length: c.Length(),
			Order: kernels.Order[uint64]{Flip: flip, Half: k.Half, Inf: k.Inf}, Bins: b, Counts: to}, n, kernels.Size)
		return c.End()
	}
	x, e := elementsOf(v), elementsOf(edges)
	c.Run(kernelsgen.Edges32{X8: x.x8, X32: x.x32, E8: e.x8, E32: e.x32, Length: c.Length(),
		Order: kernels.Order[uint32]{Flip: uint32(flip), Half: uint32(k.Half), Inf: uint32(k.Inf)}, Bins: b, Counts: to}, n, kernels.Size, width(k))
	return c.End()
}

// wordOfElem returns an element's bits as an unsigned integer.
func wordOfElem[T any](v T) (b uint64) {
	switch unsafe.Sizeof(v) {
	case 1:
		return uint64(*(*uint8)(unsafe.Pointer(&v)))
	case 2:
		return uint64(*(*uint16)(unsafe.Pointer(&v)))
	case 4:
		return uint64(*(*uint32)(unsafe.Pointer(&v)))
	}
	return *(*uint64)(unsafe.Pointer(&v))
}
