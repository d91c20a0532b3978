// Package keyed launches the kernels of package runs, for reduce and scan.
package keyed

import (
	runsgen "github.com/kgen-go/kgen/generated/prim/runs"
	"github.com/kgen-go/kgen/prim/internal/call"
	"github.com/kgen-go/kgen/prim/runs"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/primimpl"
)

// MaxItems is the largest number of work-items of a launch over a range.
const MaxItems = 1 << 30

func tiles(n int) int { return max((n+runs.Tile-1)/runs.Tile, 1) }

// SumsBytes returns the number of bytes of scratch memory that Heads and Sums need for n elements.
func SumsBytes(n int) int {
	t := tiles(n)
	return call.Bytes[bool](n) + call.Bytes[uint32](2*t+2) + call.Bytes[[2]uint64](3*t)
}

// WholeBytes returns the number of bytes of scratch memory that Whole needs for n elements.
func WholeBytes(n int) int { return SumsBytes(n) + call.Bytes[int64](n) }

// Check adds the keys and the values of a function to the call. The function must add up the values
// of each run of equal keys.
func Check[K, V call.Number](c *call.Call, keys runtime.View[K], v runtime.View[V]) {
	call.In(c, "keys", keys)
	call.In(c, "v", v)
	if keys.Len() != v.Len() {
		c.Refuse("", "there are %d keys, and v has %d elements", keys.Len(), v.Len())
	}
	switch kind := call.KindOf[V](); {
	case kind.Small:
		c.Refuse("convert the elements to float32", "there is no kernel for elements of package half")
	case kind.Size < 4:
		c.Refuse("give elements of 32 or 64 bits", "there is no kernel for elements of %d bytes", kind.Size)
	}
}

// heads() returns a view of bools. For each key, the bool says whether a run begins with the key.
func heads[K call.Number](c *call.Call, keys runtime.View[K]) runtime.View[bool] {
	n, k := keys.Len(), call.KindOf[K]()
	h := runsgen.Heads{Out: call.Room[bool](c, n), Format: runs.Format{Width: uint32(k.Size), Half: k.Half, Inf: k.Inf}}
	switch k.Size {
	case 1:
		h.K8 = primimpl.Cast[uint8](keys)
	case 2:
		h.K16 = primimpl.Cast[uint16](keys)
	case 4:
		h.K32 = primimpl.Cast[uint32](keys)
	default:
		h.K64 = primimpl.Cast[uint64](keys)
	}
	for ; h.Base < n; h.Base += MaxItems {
		call.Over(c, h, runtime.Range1(min(MaxItems, n-h.Base)))
	}
	return h.Out
}

// The type `outputs` contains the views that a launch of Sums writes. Either all views of outputs are set, or none.
type outputs[V any] struct {
	inclusive bool
	out       runtime.View[V]
	whole     runtime.View[V]
	at, count runtime.View[int64]
}

func checkSums[V call.Number](c *call.Call, heads runtime.View[bool], v runtime.View[V], o outputs[V]) {
	t := tiles(v.Len())
	state := call.Room[uint32](c, 2*t+2)
	c.Enqueue(runtime.Fill(state, 0))
	values := call.Room[[2]uint64](c, 3*t)
	var k call.Kernel
	switch kind := call.KindOf[V](); {
	case !kind.Float:
		k = runsgen.SumsIntegers{Heads: heads, X: primimpl.Cast[uint32](v), Words: kind.Size / 4, Length: c.Length(), State: state,
			Values: primimpl.Cast[runs.Total[uint64]](values), Inclusive: o.inclusive, Out: primimpl.Cast[uint32](o.out),
			Whole: primimpl.Cast[uint32](o.whole), At: o.at, Count: o.count}
	case kind.Size == 4:
		k = runsgen.SumsFloat32{Heads: heads, X: primimpl.Cast[float32](v), Length: c.Length(), State: state,
			Values: primimpl.Cast[runs.Total[float32]](values), Inclusive: o.inclusive, Out: primimpl.Cast[float32](o.out),
			Whole: primimpl.Cast[float32](o.whole), At: o.at, Count: o.count}
	default:
		k = runsgen.SumsFloat64{Heads: heads, X: primimpl.Cast[float64](v), Length: c.Length(), State: state,
			Values: primimpl.Cast[runs.Total[float64]](values), Inclusive: o.inclusive, Out: primimpl.Cast[float64](o.out),
			Whole: primimpl.Cast[float64](o.whole), At: o.at, Count: o.count}
	}
	c.Run(k, t, runs.Size)
}

// Sums sets each element of out to a sum of elements in the same run. The sum includes all earlier
// elements of the run and, if inclusive is set, the element itself. The call must have begun with
// SumsBytes bytes of scratch memory.
func Sums[K, V call.Number](c *call.Call, keys runtime.View[K], v, out runtime.View[V], inclusive bool) {
	checkSums(c, heads(c, keys), v, outputs[V]{inclusive: inclusive, out: out.Slice(0, v.Len())})
}

// Whole stores the keys of the runs in the view `each`, and the sums of the runs in the view `to`.
// The call must have been begun with at least WholeBytes bytes of scratch memory.
func Whole[K, V call.Number](c *call.Call, keys runtime.View[K], v runtime.View[V], each runtime.View[K], to runtime.View[V], count runtime.View[int64]) {
	n, size := v.Len(), call.KindOf[K]().Size
	h, at := heads(c, keys), call.Room[int64](c, n)
	each, count = each.Slice(0, n), count.Slice(0, 1)
	checkSums(c, h, v, outputs[V]{whole: to.Slice(0, n), at: at, count: count})
	take := runsgen.Take{At: at, Count: count, Words: max(size/4, 1)}
	switch size {
	case 1:
		take.K8, take.Out8 = primimpl.Cast[uint8](keys), primimpl.Cast[uint8](each)
	case 2:
		take.K16, take.Out16 = primimpl.Cast[uint16](keys), primimpl.Cast[uint16](each)
	default:
		take.K32, take.Out32 = primimpl.Cast[uint32](keys), primimpl.Cast[uint32](each)
	}
	call.Over(c, take, runtime.Range1(n*take.Words))
}
