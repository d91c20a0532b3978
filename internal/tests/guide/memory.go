package guide

import "github.com/kgen-go/kgen/dsl"

// Count counts, adds up, and finds the least and the greatest, by any number of work-items.
type Count struct {
	In               []float32
	Above            []int32 // of one element, as the others
	Sum, Least, Most []float32
}

// Kernel adds one element to all.
func (k Count) Kernel(it dsl.Item1) {
	v := k.In[it.GlobalID()]
	if v > 1 {
		dsl.AtomicAdd(&k.Above[0], 1)
	}
	dsl.AtomicAdd(&k.Sum[0], v)
	dsl.AtomicMin(&k.Least[0], v)
	dsl.AtomicMax(&k.Most[0], v)
}

// tally adds v to the element that is v's. C may be any type that has atomic operations.
func tally[C dsl.AtomicNumber](counts []C, v byte) {
	dsl.AtomicAdd(&counts[v], 1)
}

// Histogram counts values.
type Histogram struct {
	In     []byte
	Counts []uint32
}

// Kernel counts one.
func (k Histogram) Kernel(it dsl.Item1) {
	tally(k.Counts, k.In[it.GlobalID()])
}

// Last adds up all elements: each work-item leaves its own, and the last that has, adds up.
type Last struct {
	In, Parts, Sum []int32
	Done           []int32
}

// Kernel leaves a part, and may be the last.
func (k Last) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Parts[i] = k.In[i] * k.In[i]
	dsl.AtomicFence(dsl.MemoryScopeDevice) // the part is seen before it is counted
	if dsl.AtomicAdd(&k.Done[0], 1) == int32(len(k.Parts)) {
		dsl.AtomicFence(dsl.MemoryScopeDevice)
		for _, v := range k.Parts {
			k.Sum[0] += v
		}
	}
}

// Window is how many elements Median looks at.
var Window = dsl.NewSpecConstant(3)

// Median replaces each element by the median of those around it.
type Median struct{ In, Out []int32 }

// Kernel sorts the elements of one window.
func (k Median) Kernel(it dsl.Item1) {
	i, n := it.GlobalID(), Window.Get(it)
	near := dsl.PrivateAlloca[int32](it, Window)
	for j := range near {
		near[j] = k.In[min(max(i+j-n/2, 0), len(k.In)-1)]
	}
	sorted(near)
	k.Out[i] = near[n/2]
}

// sorted sorts a few numbers.
func sorted[T dsl.Number](x []T) {
	for i := range x {
		for j := i; j > 0 && x[j] < x[j-1]; j-- {
			x[j], x[j-1] = x[j-1], x[j]
		}
	}
}

// Digits is in how many digits Reversed writes numbers. The host has to set it.
var Digits = dsl.RequireSpecConstant[int32]()

// Reversed reverses the decimal digits of numbers.
type Reversed struct{ X []uint32 }

// Kernel reverses those of one number.
func (k Reversed) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	digits := dsl.AlignedPrivateAlloca[uint32](it, Digits, 16)
	for j := range digits {
		digits[j] = k.X[i] % 10
		k.X[i] /= 10
	}
	for _, d := range digits {
		k.X[i] = k.X[i]*10 + d
	}
}

// distinct counts the different values among n neighbours, which it copies. N may be a
// constant that the host sets, or what is computed of such.
func distinct[N dsl.PrivateLength](it dsl.KernelHandler, n N, x []int32) int {
	own := dsl.PrivateAlloca[int32](it, n)
	copy(own, x)
	sorted(own)
	count := 0
	for i := range own {
		if i == 0 || own[i] != own[i-1] {
			count++
		}
	}
	return count
}

// Distinct counts the different values in each run of 2*Window elements.
type Distinct struct {
	In  []int32
	Out []int
}

// Kernel counts those of one run.
func (k Distinct) Kernel(it dsl.Item1) {
	i, n := it.GlobalID(), 2*Window.Get(it)
	k.Out[i] = distinct(it, n, k.In[i*n:i*n+n])
}

// roundUp returns the least multiple of n that is no less than v.
func roundUp[T dsl.Integer](v, n T) T {
	return (v + n - 1) / n * n
}

// Pad rounds sizes up.
type Pad struct {
	To   uint16
	Size []uint16
}

// Kernel rounds one size.
func (k Pad) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Size[i] = roundUp(k.Size[i], k.To)
}

// clamp returns v, or the bound that it is beyond.
func clamp[T dsl.Number](v, low, high T) T {
	return min(max(v, low), high)
}

// Clamp keeps numbers within bounds.
type Clamp struct {
	Low, High float32
	X         []float32
}

// Kernel does so with one number.
func (k Clamp) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.X[i] = clamp(k.X[i], k.Low, k.High)
}

// fromLast returns the v of the work-group's last work-item. T is a number or a bool.
func fromLast[T dsl.Scalar](g dsl.Group, v T) T {
	return dsl.GroupBroadcast(g, v, g.LocalRange()-1)
}

// Ends gives all elements of a work-group the value of its last one.
type Ends struct {
	X    []float32
	Mark []bool
}

// Kernel changes one element and its mark.
func (k Ends) Kernel(it dsl.NDItem1) {
	i, g := it.GlobalID(), it.Group()
	k.X[i], k.Mark[i] = fromLast(g, k.X[i]), fromLast(g, k.Mark[i])
}
