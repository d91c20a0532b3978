package steps

// This file defines kernels for tests of fusion. Only some launches of the kernels can be fused.

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// Ids1 stores the id of each work-item and the size of the range.
type Ids1 struct{ ID, N []int32 }

// Kernel writes the elements of its work-item.
func (k Ids1) Kernel(it dsl.Item1) {
	i := it.GlobalLinearID()
	k.ID[i], k.N[i] = int32(it.GlobalID()), int32(it.GlobalRange())
}

// Ids2 stores ids and range sizes like Ids1, but for two dimensions. Ids2 multiplies row numbers by 1000.
type Ids2 struct {
	W     int
	ID, N []int32
}

// Kernel writes the elements of its work-item.
func (k Ids2) Kernel(it dsl.Item2) {
	y, x := it.GlobalID()
	h, w := it.GlobalRange()
	k.ID[y*k.W+x], k.N[y*k.W+x] = int32(1000*y+x), int32(1000*h+w)
}

// Ids3 stores ids and range sizes like Ids2, but for three dimensions.
type Ids3 struct {
	H, W  int
	ID, N []int32
}

// Kernel writes the elements of its work-item.
func (k Ids3) Kernel(it dsl.Item3) {
	z, y, x := it.GlobalID()
	d, h, w := it.GlobalRange()
	at := z*k.H*k.W + y*k.W + x
	k.ID[at], k.N[at] = int32(1e6*z+1000*y+x), int32(1e6*d+1000*h+w)
}

// Groups stores the work-group id and the local id of each work-item.
type Groups struct{ Group, Local []int32 }

// Kernel writes the elements of its work-item.
func (k Groups) Kernel(it dsl.NDItem1) {
	i := it.GlobalID()
	k.Group[i], k.Local[i] = int32(1000*it.GroupID()+it.GroupRange()), int32(1000*it.LocalID()+it.LocalRange())
}

// Groups2 stores the same ids as Groups, but for two dimensions.
type Groups2 struct {
	W     int
	Group []int32
}

// Kernel writes the element of its work-item.
func (k Groups2) Kernel(it dsl.NDItem2) {
	y, x := it.GlobalID()
	gy, gx := it.GroupID()
	k.Group[y*k.W+x] += int32(1000*gy + gx)
}

// Eight adds one to each element, in work-groups of eight.
type Eight struct{ Out []int32 }

// Properties sets the size of work-groups.
func (Eight) Properties() properties.List { return properties.List{properties.WorkGroupSize(8)} }

// Kernel increments the element of its work-item.
func (k Eight) Kernel(it dsl.Item1) { k.Out[it.GlobalID()]++ }

// Sixteen adds one to each element, in work-groups of sixteen.
type Sixteen struct{ Out []int32 }

// Properties sets the size of work-groups.
func (Sixteen) Properties() properties.List { return properties.List{properties.WorkGroupSize(16)} }

// Kernel increments the element of its work-item.
func (k Sixteen) Kernel(it dsl.Item1) { k.Out[it.GlobalID()]++ }

// Factor and Extra are specialization constants of kernels Times and Digits.
var (
	Factor = dsl.NewSpecConstant(3)
	Extra  = dsl.NewSpecConstant(1)
)

// Times multiplies each element by constant Factor.
type Times struct{ In, Out []int32 }

// Kernel computes one element.
func (k Times) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = k.In[i] * int32(Factor.Get(it))
}

// Digits adds up the decimal digits of each element, in private memory of Extra numbers.
type Digits struct{ In, Out []int32 }

// Kernel computes one element.
func (k Digits) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	digits := dsl.PrivateAlloca[int32](it, Extra)
	n := k.In[i]
	for d := range digits {
		digits[d] = n % 10
		n /= 10
	}
	sum := int32(0)
	for _, d := range digits {
		sum += d
	}
	k.Out[i] = sum
}

// Positive is a kernel that copies positive elements, and panics for all others.
type Positive struct{ In, Out []int32 }

// Kernel copies one element.
func (k Positive) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	if k.In[i] < 0 {
		panic("negative")
	}
	if k.In[i] == 0 {
		return
	}
	k.Out[i] = k.In[i]
}

// Pick copies an element of a table, with an index from memory.
type Pick struct{ Table, At, Out []int32 }

// Kernel copies one element.
func (k Pick) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	at := k.At[i]
	k.Out[i] = k.Table[at]
}

// MulF multiplies two slices. If MulF is fused with AddF, Go's rounding of the product must remain.
type MulF struct{ X, Y, Out []float32 }

// Kernel computes one element.
func (k MulF) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = k.X[i] * k.Y[i]
}

// AddF adds two slices.
type AddF struct{ X, Y, Out []float32 }

// Kernel computes one element.
func (k AddF) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = k.X[i] + k.Y[i]
}

// ExactF computes the same as AddF in another floating-point mode.
type ExactF struct{ X, Y, Out []float32 }

// Properties sets the floating-point mode.
func (ExactF) Properties() properties.List {
	return properties.List{properties.Float(properties.FloatExact)}
}

// Kernel computes one element.
func (k ExactF) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = k.X[i] + k.Y[i]
}

// Many has more arguments than fit in push constants.
type Many struct {
	Weights [40]int32
	Out     []int32
}

// Kernel adds up weighted arguments.
func (k Many) Kernel(it dsl.Item1) {
	sum := int32(0)
	for _, w := range k.Weights {
		sum += w
	}
	k.Out[it.GlobalID()] += sum
}

// Pairs processes two elements in each work-item.
type Pairs struct{ In, Out []int32 }

// Kernel swaps the two elements.
func (k Pairs) Kernel(it dsl.Item1) {
	i := 2 * it.GlobalID()
	k.Out[i], k.Out[i+1] = k.In[i+1], k.In[i]
}

// Total adds up all elements, in one sum that all work-items change by atomics.
type Total struct{ In, Sum []int32 }

// Kernel adds one element.
func (k Total) Kernel(it dsl.Item1) { dsl.AtomicAdd(&k.Sum[0], k.In[it.GlobalID()]) }

// Rotate is a kernel with a barrier.
type Rotate struct{ In, Out []int32 }

// Kernel passes an element to the next work-item of the group.
func (k Rotate) Kernel(it dsl.NDItem1) {
	n := it.LocalRange()
	tile := dsl.LocalSlice[int32](it, 16)
	tile[it.LocalID()%16] = k.In[it.GlobalID()]
	it.Barrier()
	k.Out[it.GlobalID()] = tile[(it.LocalID()+1)%n%16]
}

// Once is a kernel that runs as a task.
type Once struct{ Out []int32 }

// Kernel counts.
func (k Once) Kernel(dsl.Task) { k.Out[0]++ }

// Strict is a kernel that copies elements, with many checks that may panic.
type Strict struct{ In, Out []int32 }

// Kernel copies one element.
func (k Strict) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	v := k.In[i]
	switch v {
	case -1:
		panic("one")
	case -2:
		panic("two")
	case -3:
		panic("three")
	case -4:
		panic("four")
	case -5:
		panic("five")
	case -6:
		panic("six")
	}
	k.Out[i] = v
}

// Point is an element type with several fields.
type Point struct {
	X int32
	Y [2]int16
}

// ToPoints converts numbers to points.
type ToPoints struct {
	In  []int32
	Out []Point
}

// Kernel makes one point.
func (k ToPoints) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	p := &k.Out[i]
	p.X = k.In[i]
	for j := range p.Y {
		p.Y[j] = int16(10*int(k.In[i]) + j)
	}
}

// FromPoints adds up the fields of points.
type FromPoints struct {
	In  []Point
	Out []int32
}

// Kernel adds up one point.
func (k FromPoints) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = k.In[i].X + sumOf(&k.In[i].Y)
}

func sumOf(y *[2]int16) int32 { return int32(y[0]) + int32(y[1]) }

// Strided writes two elements per work-item. The two indices differ by the size of the range.
type Strided struct{ In, Out []int32 }

// Kernel copies two elements.
func (k Strided) Kernel(it dsl.Item1) {
	i, n := it.GlobalID(), it.GlobalRange()
	k.Out[i], k.Out[i+n] = k.In[i], k.In[i+n]
}

// Spin runs a loop of N iterations.
type Spin struct {
	N   int32
	Out []int32
}

// Kernel computes the element of its work-item.
func (k Spin) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.Out[i]
	for range k.N {
		x = 3*x + 1
	}
	k.Out[i] = x
}

// Hand2 is a hand-written kernel that computes Affine 2 times.
type Hand2 struct {
	A, B    int32
	In, Out []int32
}

// Kernel computes one element.
func (k Hand2) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.In[i]
	x = k.A*x + k.B
	x = k.A*x + k.B
	k.Out[i] = x
}

// Hand5 is a hand-written kernel that computes Affine 5 times.
type Hand5 struct {
	A, B    int32
	In, Out []int32
}

// Kernel computes one element.
func (k Hand5) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.In[i]
	x = k.A*x + k.B
	x = k.A*x + k.B
	x = k.A*x + k.B
	x = k.A*x + k.B
	x = k.A*x + k.B
	k.Out[i] = x
}

// Hand10 is a hand-written kernel that computes Affine 10 times.
type Hand10 struct {
	A, B    int32
	In, Out []int32
}

// Kernel computes one element.
func (k Hand10) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.In[i]
	x = k.A*x + k.B
	x = k.A*x + k.B
	x = k.A*x + k.B
	x = k.A*x + k.B
	x = k.A*x + k.B
	x = k.A*x + k.B
	x = k.A*x + k.B
	x = k.A*x + k.B
	x = k.A*x + k.B
	x = k.A*x + k.B
	k.Out[i] = x
}

// Swap exchanges the elements of pairs.
type Swap struct{ In, Out []int32 }

// Kernel copies the other element of the pair.
func (k Swap) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = k.In[i^1]
}

// Odd adds one to each element with an odd index.
type Odd struct{ Out []int32 }

// Kernel returns early for every other work-item.
func (k Odd) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	if i%2 == 0 {
		return
	}
	k.Out[i]++
}

// Next copies the element with the next index.
type Next struct{ In, Out []int32 }

// Kernel copies one element.
func (k Next) Kernel(it dsl.Item1) {
	if i := it.GlobalID(); i+1 < len(k.In) {
		k.Out[i] = k.In[i+1]
	}
}

// Within stores an element that is about Ahead elements further on in In, read through subslices of In.
type Within struct {
	Ahead, By int
	In, Out   []int32
}

// Kernel copies one element, if In has eight more elements.
func (k Within) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	if at := i&^7 + k.Ahead; at+8 <= len(k.In) {
		rest := k.In[at:]
		k.Out[i] = rest[2:][(i+k.By)&3]
	}
}

// Box is a struct with a slice and a number.
type Box struct {
	Plus int32
	Data []int32
}

// Rebox moves elements from one box to the other.
type Rebox struct{ From, To Box }

// Kernel moves the element of its work-item.
func (k Rebox) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.To.Data[i] = k.From.Data[i] + k.From.Plus
}

// Mixed writes two elements of one slice and one element of another slice. The two slices may be the same memory.
type Mixed struct{ Two, One []int32 }

// Kernel writes the elements of its work-item.
func (k Mixed) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Two[2*i], k.Two[2*i+1] = 1, 2
	k.One[i] = 3
}

// Tree adds up the elements of each work-group as a binary tree. The size of the work-group is a
// power of two, at most 16.
type Tree struct{ In, Out []int32 }

// Kernel writes the sum to the element of its work-item.
func (k Tree) Kernel(it dsl.NDItem1) {
	i, l := it.GlobalID(), it.LocalID()
	part := dsl.LocalSlice[int32](it, 16)
	part[l] = k.In[i]
	it.Barrier()
	for n := it.LocalRange() / 2; n > 0; n /= 2 {
		if l < n {
			part[l] += part[l+n]
		}
		it.Barrier()
	}
	k.Out[i] = part[0]
}

// Quit passes each element to the previous work-item, through work-group memory whose length the host sets.
// Work-items whose elements are multiples of three return early.
type Quit struct {
	Tile    dsl.LocalAccessor[int32]
	In, Out []int32
}

// Kernel writes the element of its work-item.
func (k Quit) Kernel(it dsl.NDItem1) {
	i, l := it.GlobalID(), it.LocalID()
	if k.In[i]%3 == 0 {
		return
	}
	tile := k.Tile.Slice(it)
	tile[l] = k.In[i]
	it.Barrier()
	k.Out[i] += tile[(l+1)%it.LocalRange()]
}

// Scan computes the inclusive prefix sums of each work-group, and panics for large elements.
type Scan struct{ In, Out []int32 }

// Kernel writes the element of its work-item.
func (k Scan) Kernel(it dsl.NDItem1) {
	i := it.GlobalID()
	x := k.In[i]
	if x > 50 {
		panic("large")
	}
	k.Out[i] = dsl.InclusiveScanOverGroup(it.Group(), x, dsl.Plus)
}

// Turn copies the element of the work-item at the other end of its group.
type Turn struct{ In, Out []int32 }

// Kernel writes the element of its work-item.
func (k Turn) Kernel(it dsl.NDItem1) {
	k.Out[it.GlobalID()] = k.In[it.GroupID()*it.LocalRange()+it.LocalRange()-1-it.LocalID()]
}

// Deal separates the elements of a work-group, two per work-item. Elements with even indices move to the first half,
// and elements with odd indices to the second.
type Deal struct{ In, Out []int32 }

// Kernel moves the two elements of its work-item.
func (k Deal) Kernel(it dsl.NDItem1) {
	l, n := it.LocalID(), it.LocalRange()
	first := 2 * it.GroupID() * n
	k.Out[first+l], k.Out[first+n+l] = k.In[first+2*l], k.In[first+2*l+1]
}

// Flip rotates the tiles of a matrix by 180 degrees. The rows have W elements.
type Flip struct {
	W       int
	In, Out []int32
}

// Kernel copies the element at the other end of the tile.
func (k Flip) Kernel(it dsl.NDItem2) {
	gy, gx := it.GroupID()
	h, w := it.LocalRange()
	y, x := it.LocalID()
	y, x = h-1-y, w-1-x
	i, j := it.GlobalID()
	k.Out[i*k.W+j] = k.In[(gy*h+y)*k.W+gx*w+x]
}

// Begin computes the same as Turn, after an additional barrier at the start.
type Begin struct{ In, Out []int32 }

// Kernel writes the element of its work-item.
func (k Begin) Kernel(it dsl.NDItem1) {
	it.Barrier()
	k.Out[it.GlobalID()] = k.In[it.GroupID()*it.LocalRange()+it.LocalRange()-1-it.LocalID()]
}

// End computes the same as Turn, with an additional barrier at the end.
type End struct{ In, Out []int32 }

// Kernel writes the element of its work-item.
func (k End) Kernel(it dsl.NDItem1) {
	k.Out[it.GlobalID()] = k.In[it.GroupID()*it.LocalRange()+it.LocalRange()-1-it.LocalID()]
	it.Barrier()
}

// Fours copies the first four elements of In to the four elements of each work-item.
type Fours struct{ In, Out []int32 }

// Kernel copies four elements, and checks no index before the copy.
func (k Fours) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	copy(k.Out[4*i:4*i+4], k.In)
}
