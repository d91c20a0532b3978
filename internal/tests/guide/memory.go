package guide

import "github.com/kgen-go/kgen/dsl"

// Count counts the elements above 1, and computes the sum, the minimum and the maximum of all elements.
type Count struct {
	In               []float32
	Above            []int32 // results; each slice has one element
	Sum, Least, Most []float32
}

// Kernel adds one element to all results.
func (k Count) Kernel(it dsl.Item1) {
	v := k.In[it.GlobalID()]
	if v > 1 {
		dsl.AtomicAdd(&k.Above[0], 1)
	}
	dsl.AtomicAdd(&k.Sum[0], v)
	dsl.AtomicMin(&k.Least[0], v)
	dsl.AtomicMax(&k.Most[0], v)
}

// tally() increments counts[v] atomically. C may be any type that has atomic operations.
func tally[C dsl.AtomicNumber](counts []C, v byte) {
	dsl.AtomicAdd(&counts[v], 1)
}

// Histogram counts values.
type Histogram struct {
	In     []byte
	Counts []uint32
}

// Kernel counts one value.
func (k Histogram) Kernel(it dsl.Item1) {
	tally(k.Counts, k.In[it.GlobalID()])
}

// Last adds up the squares of all elements. Every work-item stores a square, and the last work-item adds them up.
type Last struct {
	In, Parts, Sum []int32
	Done           []int32
}

// Kernel stores a square, and adds up all squares in the last work-item.
func (k Last) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Parts[i] = k.In[i] * k.In[i]
	dsl.AtomicFence(dsl.MemoryScopeDevice) // makes the square visible to other work-items before the count
	if dsl.AtomicAdd(&k.Done[0], 1) == int32(len(k.Parts)) {
		dsl.AtomicFence(dsl.MemoryScopeDevice)
		for _, v := range k.Parts {
			k.Sum[0] += v
		}
	}
}

// Window is the number of elements in each window of Median.
var Window = dsl.NewSpecConstant(3)

// Median replaces each element by the median of the elements around it.
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

// sorted() sorts a few numbers.
func sorted[T dsl.Number](x []T) {
	for i := range x {
		for j := i; j > 0 && x[j] < x[j-1]; j-- {
			x[j], x[j-1] = x[j-1], x[j]
		}
	}
}

// Digits is the number of decimal digits that Reversed writes. The host has to set Digits.
var Digits = dsl.RequireSpecConstant[int32]()

// Reversed reverses the decimal digits of numbers.
type Reversed struct{ X []uint32 }

// Kernel reverses the digits of one number.
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

// distinct() copies n neighbours, and counts the different values among them. N is a specialization
// constant, or an expression of specialization constants.
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

// Kernel counts the values of one run.
func (k Distinct) Kernel(it dsl.Item1) {
	i, n := it.GlobalID(), 2*Window.Get(it)
	k.Out[i] = distinct(it, n, k.In[i*n:i*n+n])
}

// roundUp returns the least multiple of n that is at least v.
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

// clamp() returns v, or the nearest bound if v is out of bounds.
func clamp[T dsl.Number](v, low, high T) T {
	return min(max(v, low), high)
}

// Clamp keeps numbers within bounds.
type Clamp struct {
	Low, High float32
	X         []float32
}

// Kernel clamps one number.
func (k Clamp) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.X[i] = clamp(k.X[i], k.Low, k.High)
}

// fromLast returns the value v of the work-group's last work-item. T is a number or a bool.
func fromLast[T dsl.Scalar](g dsl.Group, v T) T {
	return dsl.GroupBroadcast(g, v, g.LocalRange()-1)
}

// Ends sets all elements of a work-group to the value of the last element.
type Ends struct {
	X    []float32
	Mark []bool
}

// Kernel changes one element of X and one of Mark.
func (k Ends) Kernel(it dsl.NDItem1) {
	i, g := it.GlobalID(), it.Group()
	k.X[i], k.Mark[i] = fromLast(g, k.X[i]), fromLast(g, k.Mark[i])
}
