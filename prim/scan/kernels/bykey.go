package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/prim/lookback"
	"github.com/kgen-go/kgen/prim/runs"
	"github.com/kgen-go/kgen/properties"
)

// Heads sets an element of Out for each key that begins a run. Keys are in one of K8 to K64.
type Heads struct {
	K8     []uint8
	K16    []uint16
	K32    []uint32
	K64    []uint64
	Format runs.Format
	Base   int // the index of the launch's first key
	Out    []bool
}

// Kernel looks at a key.
func (k Heads) Kernel(it dsl.Item1) {
	i := k.Base + it.GlobalID()
	k.Out[i] = runs.Begins(k.K8, k.K16, k.K32, k.K64, k.Format, i)
}

// ByKey sets each element of Out to the sum of the elements of X that belong to its run, and come up to it
// or before it. Values of integers have a number of words.
type ByKey[T any, S uint64 | float32 | float64, V runs.Values[T, S]] struct {
	Heads     []bool // whether an element begins a run
	X         []T
	Words     int
	Length    []int64  // the number of elements of the call, or nothing
	State     []uint32 // the board of package lookback
	Values    []runs.Total[S]
	Inclusive bool // the sums include the element
	Out       []T
}

// The sums of integers serve those with signs, too.
type (
	ByKeyIntegers = ByKey[uint32, uint64, runs.Words]
	ByKeyFloat32  = ByKey[float32, float32, runs.Floats[float32]]
	ByKeyFloat64  = ByKey[float64, float64, runs.Floats[float64]]
)

// Properties states the work-group's size, and that each operation is rounded.
func (ByKey[T, S, V]) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(Size), properties.Float(properties.FloatExact)}
}

// element returns an element.
func (k ByKey[T, S, V]) element(i int) (v runs.Total[S]) {
	var values V
	if k.Heads[i] {
		v.Runs = 1
	}
	v.Sum = values.Get(k.X, i, k.Words)
	return v
}

// leaf returns the total of the elements of a leaf.
func (k ByKey[T, S, V]) leaf(base, n int) (v runs.Total[S]) {
	for j := range runs.Each {
		if base+j >= n {
			break
		}
		if x := k.element(base + j); j == 0 {
			v = x
		} else {
			v = v.Then(x)
		}
	}
	return v
}

// Kernel scans a tile.
func (k ByKey[T, S, V]) Kernel(it dsl.NDItem1) {
	var values V
	tile := dsl.Local[[Size]runs.Total[S]](it)
	n := first(len(k.Heads), k.Length)
	t := lookback.Ticket(it, k.State)
	if int(t)*runs.Tile >= n {
		return
	}
	base := int(t)*runs.Tile + it.LocalID()*runs.Each
	total := runs.Scan(it, tile, k.leaf(base, n))
	before := runs.Before(it, tile, k.State, k.Values, t, total, func(t uint32) runs.Total[S] {
		return runs.Scan(it, tile, k.leaf(int(t)*runs.Tile+it.LocalID()*runs.Each, n))
	})
	for j := range runs.Each {
		if base+j >= n {
			break
		}
		v := k.element(base + j)
		head := v.Runs > 0
		if base+j > 0 {
			v = before.Then(v)
		}
		to := v.Sum
		if !k.Inclusive {
			to = 0
			if !head {
				to = before.Sum
			}
		}
		values.Set(k.Out, base+j, k.Words, to)
		before = v
	}
}
