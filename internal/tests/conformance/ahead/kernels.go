// Package ahead contains kernels that call the Kernel methods of other kernels. It also contains
// kernels with internal memory, which only the kernel itself uses.
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

// Visible applies Affine twice. The intermediate memory Tmp is visible to the host.
type Visible struct {
	A, B         float32
	In, Tmp, Out []float32
}

// Kernel runs Affine twice.
func (k Visible) Kernel(it dsl.Item1) {
	Affine{A: k.A, B: k.B, In: k.In, Out: k.Tmp}.Kernel(it)
	Affine{A: k.A, B: k.B, In: k.Tmp, Out: k.Out}.Kernel(it)
}

// AffineTwice computes the same as Visible, with internal memory Tmp.
type AffineTwice struct {
	A, B float32
	In   []float32
	Tmp  []float32 //kgen:internal
	Out  []float32
}

// Kernel runs Affine twice.
func (k AffineTwice) Kernel(it dsl.Item1) {
	Affine{A: k.A, B: k.B, In: k.In, Out: k.Tmp}.Kernel(it)
	Affine{A: k.A, B: k.B, In: k.Tmp, Out: k.Out}.Kernel(it)
}

// FourTimes calls AffineTwice twice. Each call has its own Tmp. Mid holds the results of the first call.
type FourTimes struct {
	First, Last AffineTwice
	//kgen:internal
	Mid []float32
}

// Kernel runs both calls.
func (k FourTimes) Kernel(it dsl.Item1) {
	k.First.Out = k.Mid
	k.First.Kernel(it)
	k.Last.In = k.Mid
	k.Last.Kernel(it)
}

// Stat is an element of internal memory of Rows.
type Stat struct {
	Sum  int32
	Odd  bool
	Part [2]int16
	Max  uint8
}

// Rows computes in two dimensions with internal memory whose elements have several types.
type Rows struct {
	In, Out []int32
	Stats   []Stat //kgen:internal
	// Small and Any are internal memory with small elements.
	//
	//kgen:internal
	Small, Any []uint8
}

// Kernel uses the elements with index y*w + x.
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

// Volume uses the linear id of a work-item as index in three dimensions.
type Volume struct {
	Out []int64
	Tmp []int64 //kgen:internal
}

// Kernel stores the value from internal memory, and the length of that memory.
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

// Unwritten reads internal memory that no work-item has written.
type Unwritten struct {
	Out []int32
	Tmp []int32 //kgen:internal
}

// Kernel adds one to an internal element, which is zero at the start of each launch.
func (k Unwritten) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Tmp[i]++
	k.Out[i] = k.Tmp[i]
}

// Turned keeps a value in internal memory across a barrier.
type Turned struct {
	In, Out []int32
	Tmp     []int32 //kgen:internal
}

// Kernel adds the elements of the work-item and of its neighbour in the work-group.
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

// Scale is a generic kernel with internal memory.
type Scale[T int32 | float64] struct {
	By      T
	In, Out []T
	Tmp     []T //kgen:internal
}

// ScaleInt is the instance of Scale for int32. The Kernel method of ScaleInt has a pointer receiver.
type ScaleInt = Scale[int32]

// Kernel scales an element twice.
func (k *Scale[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Tmp[i] = k.In[i] * k.By
	k.By++
	k.Out[i] = k.Tmp[i] * k.By
}

// Inverse divides by an internal element, and faults if the element is zero.
type Inverse struct {
	In, Out []int32
	Tmp     []int32 //kgen:internal
}

// Kernel divides after it has read internal memory.
func (k Inverse) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Tmp[i] = k.In[i] - 3
	k.Out[i] = 100 / k.Tmp[i]
}

// Sparse writes one of four internal elements, with an index from memory.
type Sparse struct {
	In, Out []int32
	Tmp     []int32 //kgen:internal
}

// Kernel stores a number whose digits are the four elements.
func (k Sparse) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Tmp[4*i+int(k.In[i]&3)] = k.In[i] % 10
	all := int32(0)
	for j := range 4 {
		all = 10*all + k.Tmp[4*i+j]
	}
	k.Out[i] = all
}
