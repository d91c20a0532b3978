// Package ahead has kernels that are made of others ahead of time, by calls, and kernels that keep
// memory to themselves.
//
//kgen:bare views
package ahead

import "github.com/kgen-go/kgen/dsl"

//go:generate go tool kgen .

// Affine computes A*x + B.
type Affine struct {
	A, B    float32
	In, Out []float32
}

// Kernel computes one element.
func (k Affine) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = k.A*k.In[i] + k.B
}

// Visible computes Affine of Affine, by way of Tmp, which everybody may look at.
type Visible struct {
	A, B         float32
	In, Tmp, Out []float32
}

// Kernel runs the one behind the other.
func (k Visible) Kernel(it dsl.Item1) {
	Affine{A: k.A, B: k.B, In: k.In, Out: k.Tmp}.Kernel(it)
	Affine{A: k.A, B: k.B, In: k.Tmp, Out: k.Out}.Kernel(it)
}

// AffineTwice does what Visible does, and nobody looks at Tmp.
type AffineTwice struct {
	A, B float32
	In   []float32
	Tmp  []float32 //kgen:internal
	Out  []float32
}

// Kernel runs the one behind the other.
func (k AffineTwice) Kernel(it dsl.Item1) {
	Affine{A: k.A, B: k.B, In: k.In, Out: k.Tmp}.Kernel(it)
	Affine{A: k.A, B: k.B, In: k.Tmp, Out: k.Out}.Kernel(it)
}

// FourTimes has two of them, each with a Tmp of its own, and one between them.
type FourTimes struct {
	First, Last AffineTwice
	//kgen:internal
	Mid []float32
}

// Kernel runs both.
func (k FourTimes) Kernel(it dsl.Item1) {
	k.First.Out = k.Mid
	k.First.Kernel(it)
	k.Last.In = k.Mid
	k.Last.Kernel(it)
}

// Stat is what Rows keeps.
type Stat struct {
	Sum  int32
	Odd  bool
	Part [2]int16
	Max  uint8
}

// Rows computes with elements of several types in two dimensions.
type Rows struct {
	In, Out []int32
	Stats   []Stat //kgen:internal
	// Small and Any are small elements.
	//
	//kgen:internal
	Small, Any []uint8
}

// Kernel uses the elements of y*w + x.
func (k Rows) Kernel(it dsl.Item2) {
	y, x := it.GlobalID()
	_, w := it.GlobalRange()
	at := y*w + x
	k.Stats[at].Sum += 3 * k.In[at]
	k.Stats[at].Odd = k.In[at]%2 != 0
	k.Stats[at].Part[1] = int16(k.In[at])
	k.Small[at] = uint8(k.In[at]) + 250
	if k.Stats[at].Odd {
		k.Any[at] = 7
	}
	s := k.Stats[at]
	k.Out[at] = s.Sum + int32(s.Part[0]) - int32(s.Part[1]) + int32(k.Small[at]) + 1000*int32(k.Any[at]) + int32(s.Max)
}

// Volume uses the work-item's linear id in three dimensions.
type Volume struct {
	Out []int64
	Tmp []int64 //kgen:internal
}

// Kernel stores what it has kept, and how much there is.
func (k Volume) Kernel(it dsl.Item3) {
	at := it.GlobalLinearID()
	for i := range 3 {
		k.Tmp[at] += int64(at * i)
	}
	k.Out[at] = 1000*k.Tmp[at] + int64(len(k.Tmp))
}

// Quads sorts four elements for each work-item.
type Quads struct {
	In, Out []int32
	Tmp     []int32 //kgen:internal
}

// Kernel copies four elements, sorts them by insertion, and stores them.
func (k Quads) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	four := k.Tmp[4*i : 4*i+4]
	for j := range 4 {
		four[j] = k.In[4*i+j]
	}
	for j := 1; j < 4; j++ {
		for l := j; l > 0 && four[l-1] > four[l]; l-- {
			four[l-1], four[l] = four[l], four[l-1]
		}
	}
	for j := range 4 {
		k.Out[4*i+j] = four[j]
	}
	if len(k.Tmp) != 4*it.GlobalRange() {
		panic("another length")
	}
}

// Unwritten reads what nobody has written.
type Unwritten struct {
	Out []int32
	Tmp []int32 //kgen:internal
}

// Kernel adds one to its element, which is zero in each launch.
func (k Unwritten) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Tmp[i]++
	k.Out[i] = k.Tmp[i]
}

// Turned keeps an element across a barrier.
type Turned struct {
	In, Out []int32
	Tmp     []int32 //kgen:internal
}

// Kernel adds its own element and that of its neighbour in the work-group.
func (k Turned) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[8]int32](it)
	i, l := it.GlobalID(), it.LocalID()
	k.Tmp[i] = 10 * k.In[i]
	tile[l] = k.In[i]
	it.Barrier()
	k.Tmp[i] += tile[l^1]
	it.Barrier()
	k.Out[i] = k.Tmp[i]
}

// Scale is a kernel of a type.
type Scale[T int32 | float64] struct {
	By      T
	In, Out []T
	Tmp     []T //kgen:internal
}

// ScaleInt is one of int32, with a pointer receiver.
type ScaleInt = Scale[int32]

// Kernel scales twice.
func (k *Scale[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Tmp[i] = k.In[i] * k.By
	k.By++
	k.Out[i] = k.Tmp[i] * k.By
}

// Inverse faults where the work-item's element is zero.
type Inverse struct {
	In, Out []int32
	Tmp     []int32 //kgen:internal
}

// Kernel divides in the second part.
func (k Inverse) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Tmp[i] = k.In[i] - 3
	k.Out[i] = 100 / k.Tmp[i]
}

// Sparse writes one of four elements, which data says.
type Sparse struct {
	In, Out []int32
	Tmp     []int32 //kgen:internal
}

// Kernel stores the elements as the digits of a number.
func (k Sparse) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Tmp[4*i+int(k.In[i]&3)] = k.In[i] % 10
	all := int32(0)
	for j := range 4 {
		all = 10*all + k.Tmp[4*i+j]
	}
	k.Out[i] = all
}
