package runs

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/prim/lookback"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go tool kgen .

// Heads sets Out[i] to true if key i begins a run, else to false. The slice for the keys' size (K8, K16, K32 or K64) contains the keys.
type Heads struct {
	K8     []uint8
	K16    []uint16
	K32    []uint32
	K64    []uint64
	Format Format
	Base   int // index of the launch's first key
	Out    []bool
}

// Kernel compares a key with the previous key.
func (k Heads) Kernel(it dsl.Item1) {
	i := k.Base + it.GlobalID()
	x := false
	switch k.Format.Width {
	case 1:
		x = begins(k.K8, uint8(k.Format.Half), uint8(k.Format.Inf), i)
	case 2:
		x = begins(k.K16, uint16(k.Format.Half), uint16(k.Format.Inf), i)
	case 4:
		x = begins(k.K32, uint32(k.Format.Half), uint32(k.Format.Inf), i)
	default:
		x = begins(k.K64, k.Format.Half, k.Format.Inf, i)
	}
	k.Out[i] = x
}

// Sums adds up the elements of runs. If Out is not empty, Sums sets Out[i] to the sum of the
// elements from the beginning of the run to X[i]. The sum contains X[i] itself only if Inclusive is
// set. If Whole is not empty, Sums stores the sums of whole runs in Whole.
type Sums[T any, S sum, V Values[T, S]] struct {
	Heads     []bool // flag of each element, which says whether the element begins a run
	X         []T
	Words     int
	Length    []int64  // number of elements that the call uses, or an empty slice if the call uses all elements
	State     []uint32 // memory of a lookback.Board
	Values    []Total[S]
	Inclusive bool // each sum in Out includes the element with the same index
	Out       []T
	Whole     []T
	At        []int64 // indices at which runs begin, or an empty slice
	Count     []int64 // number of runs, or an empty slice
}

// These types instantiate the kernel Sums. The kernel for unsigned integers also adds up signed integers.
type (
	SumsIntegers = Sums[uint32, uint64, Words]
	SumsFloat32  = Sums[float32, float32, Floats[float32]]
	SumsFloat64  = Sums[float64, float64, Floats[float64]]
)

// Properties sets the work-group size and the floating-point mode FloatExact.
func (Sums[T, S, V]) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(Size), properties.Float(properties.FloatExact)}
}

// element() returns the total of a single element.
func (k Sums[T, S, V]) element(i int) (v Total[S]) {
	var values V
	if k.Heads[i] {
		v.Runs = 1
	}
	v.Sum = values.Get(k.X, i, k.Words)
	return v
}

// leaf() returns the total of a leaf, whose elements begin at index `base`.
func (k Sums[T, S, V]) leaf(base, n int) (v Total[S]) {
	for j := range Each {
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

// first() returns the number of elements that a launch processes, which is the lesser of n and length[0].
func first(n int, length []int64) int {
	if len(length) == 0 {
		return n
	}
	return int(min(int64(n), max(length[0], 0)))
}

// Kernel adds up the elements of a tile.
func (k Sums[T, S, V]) Kernel(it dsl.NDItem1) {
	var values V
	tile := dsl.Local[[Size]Total[S]](it)
	n := first(len(k.Heads), k.Length)
	t := lookback.Ticket(it, k.State)
	if int(t)*Tile >= n {
		if t == 0 && it.LocalID() == 0 && len(k.Count) > 0 {
			k.Count[0] = 0
		}
		return
	}
	base := int(t)*Tile + it.LocalID()*Each
	total := scan(it, tile, k.leaf(base, n))
	before := before(it, tile, k.State, k.Values, t, total, func(t uint32) Total[S] {
		return scan(it, tile, k.leaf(int(t)*Tile+it.LocalID()*Each, n))
	})
	for j := range Each {
		i := base + j
		if i >= n {
			break
		}
		v := k.element(i)
		head := v.Runs > 0
		if i > 0 {
			v = before.Then(v)
		}
		to := v.Sum
		if !k.Inclusive {
			to = 0
			if !head {
				to = before.Sum
			}
		}
		values.Set(k.Out, i, k.Words, to)
		run := int(v.Runs) - 1
		if head && run >= 0 && run < len(k.At) {
			k.At[run] = int64(i)
		}
		if i+1 >= n || k.Heads[i+1] {
			values.Set(k.Whole, run, k.Words, v.Sum)
		}
		if i+1 >= n && len(k.Count) > 0 {
			k.Count[0] = v.Runs
		}
		before = v
	}
}

// The kernel Take sets Out to the keys of the runs that begin at the indices in At. A key consists
// of one or more words, which are in one of the slices K8, K16 and K32.
type Take struct {
	At    []int64
	Count []int64 // number of runs
	Words int
	K8    []uint8
	K16   []uint16
	K32   []uint32
	Out8  []uint8
	Out16 []uint16
	Out32 []uint32
}

// Kernel copies a word.
func (k Take) Kernel(it dsl.Item1) {
	to := it.GlobalID()
	run := to / k.Words
	if run >= len(k.At) || int64(run) >= k.Count[0] {
		return
	}
	from := int(k.At[run])*k.Words + to%k.Words
	switch {
	case len(k.Out8) > 0:
		k.Out8[to] = k.K8[from]
	case len(k.Out16) > 0:
		k.Out16[to] = k.K16[from]
	default:
		k.Out32[to] = k.K32[from]
	}
}
