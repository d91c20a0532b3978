package steps

// This file has kernels whose launches become one, or do not.

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// Ids1 says who each work-item is, and over which range.
type Ids1 struct{ ID, N []int32 }

// Kernel writes the own elements.
func (k Ids1) Kernel(it dsl.Item1) {
	i := it.GlobalLinearID()
	k.ID[i], k.N[i] = int32(it.GlobalID()), int32(it.GlobalRange())
}

// Ids2 is Ids1 in two dimensions, 1000 to a row.
type Ids2 struct {
	W     int
	ID, N []int32
}

// Kernel writes the own elements.
func (k Ids2) Kernel(it dsl.Item2) {
	y, x := it.GlobalID()
	h, w := it.GlobalRange()
	k.ID[y*k.W+x], k.N[y*k.W+x] = int32(1000*y+x), int32(1000*h+w)
}

// Ids3 is Ids2 in three dimensions.
type Ids3 struct {
	H, W  int
	ID, N []int32
}

// Kernel writes the own elements.
func (k Ids3) Kernel(it dsl.Item3) {
	z, y, x := it.GlobalID()
	d, h, w := it.GlobalRange()
	at := z*k.H*k.W + y*k.W + x
	k.ID[at], k.N[at] = int32(1e6*z+1000*y+x), int32(1e6*d+1000*h+w)
}

// Groups says which work-group each work-item is of, and where it is there.
type Groups struct{ Group, Local []int32 }

// Kernel writes the own elements.
func (k Groups) Kernel(it dsl.NDItem1) {
	i := it.GlobalID()
	k.Group[i], k.Local[i] = int32(1000*it.GroupID()+it.GroupRange()), int32(1000*it.LocalID()+it.LocalRange())
}

// Groups2 is Groups in two dimensions.
type Groups2 struct {
	W     int
	Group []int32
}

// Kernel writes the own element.
func (k Groups2) Kernel(it dsl.NDItem2) {
	y, x := it.GlobalID()
	gy, gx := it.GroupID()
	k.Group[y*k.W+x] += int32(1000*gy + gx)
}

// Eight adds one in work-groups of eight.
type Eight struct{ Out []int32 }

// Properties states the size.
func (Eight) Properties() properties.List { return properties.List{properties.WorkGroupSize(8)} }

// Kernel adds to the own element.
func (k Eight) Kernel(it dsl.Item1) { k.Out[it.GlobalID()]++ }

// Sixteen adds one in work-groups of sixteen.
type Sixteen struct{ Out []int32 }

// Properties states the size.
func (Sixteen) Properties() properties.List { return properties.List{properties.WorkGroupSize(16)} }

// Kernel adds to the own element.
func (k Sixteen) Kernel(it dsl.Item1) { k.Out[it.GlobalID()]++ }

// Factor and Extra are specialization constants.
var (
	Factor = dsl.NewSpecConstant(3)
	Extra  = dsl.NewSpecConstant(1)
)

// Times multiplies by Factor.
type Times struct{ In, Out []int32 }

// Kernel computes one element.
func (k Times) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = k.In[i] * int32(Factor.Get(it))
}

// Digits adds up the digits of its elements to the base of ten, by way of Extra numbers.
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

// Positive copies what is positive, and panics for the rest.
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

// Pick reads its element at a place of a table.
type Pick struct{ Table, At, Out []int32 }

// Kernel copies one element.
func (k Pick) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	at := k.At[i]
	k.Out[i] = k.Table[at]
}

// MulF and AddF are a product and a sum, which Go rounds each for itself.
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

// ExactF is AddF in another floating-point mode.
type ExactF struct{ X, Y, Out []float32 }

// Properties states the mode.
func (ExactF) Properties() properties.List {
	return properties.List{properties.Float(properties.FloatExact)}
}

// Kernel computes one element.
func (k ExactF) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = k.X[i] + k.Y[i]
}

// Many has more arguments than fit in a launch block.
type Many struct {
	Weights [40]int32
	Out     []int32
}

// Kernel adds up the weights.
func (k Many) Kernel(it dsl.Item1) {
	sum := int32(0)
	for _, w := range k.Weights {
		sum += w
	}
	k.Out[it.GlobalID()] += sum
}

// Pairs has two elements in each work-item.
type Pairs struct{ In, Out []int32 }

// Kernel swaps them.
func (k Pairs) Kernel(it dsl.Item1) {
	i := 2 * it.GlobalID()
	k.Out[i], k.Out[i+1] = k.In[i+1], k.In[i]
}

// Total adds up all, in a sum that all work-items write.
type Total struct{ In, Sum []int32 }

// Kernel adds one element.
func (k Total) Kernel(it dsl.Item1) { dsl.AtomicAdd(&k.Sum[0], k.In[it.GlobalID()]) }

// Rotate has a barrier.
type Rotate struct{ In, Out []int32 }

// Kernel passes an element to the next work-item of the group.
func (k Rotate) Kernel(it dsl.NDItem1) {
	n := it.LocalRange()
	tile := dsl.LocalSlice[int32](it, 16)
	tile[it.LocalID()%16] = k.In[it.GlobalID()]
	it.Barrier()
	k.Out[it.GlobalID()] = tile[(it.LocalID()+1)%n%16]
}

// Once is a task.
type Once struct{ Out []int32 }

// Kernel counts.
func (k Once) Kernel(dsl.Task) { k.Out[0]++ }

// Strict copies, and panics in many places.
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

// Point is an element with parts.
type Point struct {
	X int32
	Y [2]int16
}

// ToPoints makes points of numbers.
type ToPoints struct {
	In  []int32
	Out []Point
}

// Kernel makes one.
func (k ToPoints) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	p := &k.Out[i]
	p.X = k.In[i]
	for j := range p.Y {
		p.Y[j] = int16(10*int(k.In[i]) + j)
	}
}

// FromPoints adds up the parts of points.
type FromPoints struct {
	In  []Point
	Out []int32
}

// Kernel adds up one.
func (k FromPoints) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = k.In[i].X + sumOf(&k.In[i].Y)
}

func sumOf(y *[2]int16) int32 { return int32(y[0]) + int32(y[1]) }

// Strided writes two elements in each work-item, which are the range apart.
type Strided struct{ In, Out []int32 }

// Kernel copies two.
func (k Strided) Kernel(it dsl.Item1) {
	i, n := it.GlobalID(), it.GlobalRange()
	k.Out[i], k.Out[i+n] = k.In[i], k.In[i+n]
}

// Spin goes round N times.
type Spin struct {
	N   int32
	Out []int32
}

// Kernel computes the own element.
func (k Spin) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.Out[i]
	for range k.N {
		x = 3*x + 1
	}
	k.Out[i] = x
}

// Hand2 is 2 kernels Affine in one, written by hand.
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

// Hand5 is 5 kernels Affine in one, written by hand.
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

// Hand10 is 10 kernels Affine in one, written by hand.
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

// Kernel copies the other element.
func (k Swap) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = k.In[i^1]
}

// Odd adds one where the index is odd.
type Odd struct{ Out []int32 }

// Kernel returns early for every other work-item.
func (k Odd) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	if i%2 == 0 {
		return
	}
	k.Out[i]++
}

// Next copies the element behind.
type Next struct{ In, Out []int32 }

// Kernel copies one element.
func (k Next) Kernel(it dsl.Item1) {
	if i := it.GlobalID(); i+1 < len(k.In) {
		k.Out[i] = k.In[i+1]
	}
}

// Within copies an element of eight that lie as many elements ahead, by way of slices of the slice.
type Within struct {
	Ahead, By int
	In, Out   []int32
}

// Kernel copies one element, if there are eight.
func (k Within) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	if at := i&^7 + k.Ahead; at+8 <= len(k.In) {
		rest := k.In[at:]
		k.Out[i] = rest[2:][(i+k.By)&3]
	}
}

// Box has memory in a struct, beside a number.
type Box struct {
	Plus int32
	Data []int32
}

// Rebox moves elements from one box to the other.
type Rebox struct{ From, To Box }

// Kernel moves the own element.
func (k Rebox) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.To.Data[i] = k.From.Data[i] + k.From.Plus
}

// Mixed writes two elements of one slice, and one of another, which may be the same.
type Mixed struct{ Two, One []int32 }

// Kernel writes the own elements.
func (k Mixed) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Two[2*i], k.Two[2*i+1] = 1, 2
	k.One[i] = 3
}

// Tree adds up the elements of each work-group, which has 16 work-items at most and a power of
// two of them, in halves.
type Tree struct{ In, Out []int32 }

// Kernel writes the sum to the own element.
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

// Quit passes elements to the work-item before, by way of memory that the host sizes. Work-items
// with multiples of three return before they do.
type Quit struct {
	Tile    dsl.LocalAccessor[int32]
	In, Out []int32
}

// Kernel writes the own element.
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

// Scan adds up the elements of the work-group up to the own one, and panics for large ones.
type Scan struct{ In, Out []int32 }

// Kernel writes the own element.
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

// Kernel writes the own element.
func (k Turn) Kernel(it dsl.NDItem1) {
	k.Out[it.GlobalID()] = k.In[it.GroupID()*it.LocalRange()+it.LocalRange()-1-it.LocalID()]
}

// Deal moves the elements with even indices to the first half of its work-group's elements, of which
// each work-item has two, and those with odd ones to the second.
type Deal struct{ In, Out []int32 }

// Kernel moves the two own elements.
func (k Deal) Kernel(it dsl.NDItem1) {
	l, n := it.LocalID(), it.LocalRange()
	first := 2 * it.GroupID() * n
	k.Out[first+l], k.Out[first+n+l] = k.In[first+2*l], k.In[first+2*l+1]
}

// Flip turns the tiles of a matrix with rows of W by 180 degrees.
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

// Begin is Turn with a barrier of its own before all it does.
type Begin struct{ In, Out []int32 }

// Kernel writes the own element.
func (k Begin) Kernel(it dsl.NDItem1) {
	it.Barrier()
	k.Out[it.GlobalID()] = k.In[it.GroupID()*it.LocalRange()+it.LocalRange()-1-it.LocalID()]
}

// End is Turn with a barrier of its own behind all it does.
type End struct{ In, Out []int32 }

// Kernel writes the own element.
func (k End) Kernel(it dsl.NDItem1) {
	k.Out[it.GlobalID()] = k.In[it.GroupID()*it.LocalRange()+it.LocalRange()-1-it.LocalID()]
	it.Barrier()
}

// Fours copies the first four elements of In to each work-item's own.
type Fours struct{ In, Out []int32 }

// Kernel copies four elements, which no check of an index stands before.
func (k Fours) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	copy(k.Out[4*i:4*i+4], k.In)
}
