// Package strides contains kernels with loops in which neighbouring work-items load neighbouring elements. Host
// forms, which kgen generates for the host, run the loops in lockstep.
//
//kgen:bare
package strides

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go run github.com/kgen-go/kgen/cmd/kgen .

// Size is the number of work-items in a work-group.
const Size = 64

// Dot adds up products, in steps of the size of the range.
type Dot struct{ A, B, Out []float32 }

func (Dot) Properties() properties.List { return properties.List{properties.WorkGroupSize(Size)} }

func (k Dot) Kernel(it dsl.NDItem1) {
	var sum float32
	for i := it.GlobalID(); i < len(k.A) && i < len(k.B); i += it.GlobalRange() {
		sum += k.A[i] * k.B[i]
	}
	sum = dsl.ReduceOverGroup(it.Group(), sum, dsl.Plus)
	if it.LocalID() == 0 {
		k.Out[it.GroupID()] = sum
	}
}

// Ended adds up a range of elements for each work-group. The first index is computed, and the last index is loaded.
type Ended struct {
	X    []int32
	From int // distance between the first indices of consecutive work-groups
	Ends []int
	Out  []int32
}

func (Ended) Properties() properties.List { return properties.List{properties.WorkGroupSize(Size)} }

func (k Ended) Kernel(it dsl.NDItem1) {
	g, end := it.GroupID(), len(k.X)
	if g < len(k.Ends) {
		end = min(end, k.Ends[g])
	}
	sum := int32(g)
	for i := min(max(k.From*g, 0), 1<<62) + it.LocalID(); i < end; i += Size {
		sum = 3*sum + k.X[i]
	}
	k.Out[it.GlobalID()] = sum
}

// Steps has loop bounds and steps that are arguments. Some work-items return before the loop, and others skip the
// loop and store their value.
type Steps struct {
	X         []int32
	To        int
	Step      uint32
	Leave     int32 // work-items whose id modulo 7 is equal to Leave return first
	Skip      int32
	Out, Last []int32
}

func (k Steps) Kernel(it dsl.NDItem1) {
	g := it.GlobalID()
	if int32(g%7) == k.Leave {
		return
	}
	sum, last := int32(g), int32(-1)
	if int32(g%7) != k.Skip {
		for i := g + 3; i < k.To && i <= len(k.X)-1; i += int(k.Step) {
			last, sum = sum, sum*31+k.X[i]
			if sum > 1<<20 {
				sum -= 1 << 20
			} else {
				last++
			}
		}
	}
	sum = dsl.ReduceOverGroup(it.Group(), sum, dsl.Plus)
	k.Out[g] = sum
	k.Last[g] = last
}

// Dead has work-items that return before the barrier-free region with the loop.
type Dead struct {
	X    []int32
	Skip int
	Mine []int32
	Out  []int32
}

func (k Dead) Kernel(it dsl.NDItem1) {
	l := it.LocalID()
	if k.Skip > 0 && l%k.Skip == 1 {
		return
	}
	first := dsl.ReduceOverGroup(it.Group(), int32(l), dsl.Plus)
	for i := l; i < len(k.X); i += Size {
		first = first*3 + k.X[i]
	}
	k.Mine[it.GlobalID()] = first
	k.Out[it.GlobalID()] = dsl.ReduceOverGroup(it.Group(), first, dsl.Maximum)
}

// Product computes a matrix product, one element for each work-item.
type Product struct {
	N, M    int
	A, B, C []float32
	Bias    []float32 // bias for some iterations
}

func (k Product) Kernel(it dsl.Item2) {
	y, x := it.GlobalID()
	var sum float32
	for i := range k.N {
		sum += k.A[y*k.N+i] * k.B[i*k.M+x]
		if i < len(k.Bias) {
			sum += k.Bias[i]
		}
	}
	k.C[y*k.M+x] = sum
}

// Columns computes several results from the columns of a matrix.
type Columns struct {
	Rows, Width int
	M           []int32
	Factors     []int32
	Sums, Other []int32
}

func (k Columns) Kernel(it dsl.Item1) {
	x := it.GlobalID()
	f := k.Factors[x]
	a, b := f, int32(1)
	for r := 0; r < k.Rows; r++ {
		v := k.M[r*k.Width+x]
		a, b = b, a+v*f
		if v > 100 {
			b ^= v
		} else if v < -100 {
			a -= 3
		}
	}
	k.Sums[x] = a + f
	k.Other[x] = b
}

// Before keeps the value that a sum has before the last iteration.
type Before struct {
	Rows, Width int
	M           []int32
	Out         []int32
}

func (k Before) Kernel(it dsl.Item1) {
	x := it.GlobalID()
	sum, before := int32(7), int32(0)
	for r := range k.Rows {
		before = sum
		sum += k.M[r*k.Width+x]
	}
	k.Out[x] = before
	if sum&1 != 0 {
		k.Out[x] = ^sum
	}
}

// Lagging keeps the value that a sum has before the last iteration. A condition in the loop body may end the loop.
type Lagging struct {
	X   []int32
	N   int
	Out []int32
}

func (k Lagging) Kernel(it dsl.Item1) {
	x := it.GlobalID()
	sum, before := int32(x), int32(3)
	for i := x + 2; i < len(k.X); i += it.GlobalRange() {
		if i > k.N {
			break
		}
		before = sum
		sum = sum*31 + k.X[i]
	}
	k.Out[2*x], k.Out[2*x+1] = sum, before
}

// Found has a loop with two exits, and stores which exit was taken.
type Found struct {
	A, B []int32
	Out  []int32
}

func (k Found) Kernel(it dsl.Item1) {
	x := it.GlobalID()
	sum, by := int32(0), int32(0)
	for i := x; ; i += it.GlobalRange() {
		if i >= len(k.A) {
			by = 1
			break
		}
		if i >= len(k.B) {
			by = 2
			break
		}
		sum += k.A[i] - k.B[i]
	}
	k.Out[2*x], k.Out[2*x+1] = sum, by
}

// Ways iterates over columns. The value of an element determines whether Ways adds it, takes a minimum, or swaps sums.
type Ways struct {
	N         int
	M         [][64]float64
	Up, Down  []float64
	Stop, All int
}

func (k Ways) Kernel(it dsl.Item3) {
	z, y, x := it.GlobalID()
	up, down := 0.0, 1.0
	for r := z; r < len(k.M) && r != k.Stop; r++ {
		row := &k.M[r]
		v := row[x]
		switch {
		case v > 0:
			up += v
		case v < -1:
			down = min(down, v)
		default:
			up, down = down, up
		}
	}
	i := (z*k.All+y)*k.N + x
	k.Up[i], k.Down[i] = up, down
}

// Versioned may index beyond its slice. Work-items whose last element exists run without checks.
type Versioned struct {
	N    int
	X    []Pair
	Sums []int64
}

// Pair is the element type of the slice that Versioned adds up.
type Pair struct {
	A int32
	B int64
}

func (k Versioned) Kernel(it dsl.NDItem1) {
	a, b := int64(0), int64(1)
	for i := it.GlobalID(); i < k.N; i += 32 {
		a += int64(k.X[i].A)
		b ^= k.X[i].B + a
	}
	a = dsl.ReduceOverGroup(it.Group(), a, dsl.BitXor)
	k.Sums[it.GlobalID()] = a + b
}

// Twice has two lockstep loops, the second within another loop.
type Twice struct {
	X    []int32
	N, W int
	Out  []int32
}

func (k Twice) Kernel(it dsl.NDItem1) {
	l, g := it.LocalID(), it.GlobalID()
	s, n := int32(0), int32(0)
	for i := l; i < len(k.X); i += it.LocalRange() {
		s = s*5 + k.X[i]
		n++
	}
	t := s
	for round := range k.N {
		for r := 0; r < k.W; r++ {
			t ^= k.X[(r*len(k.X)/max(k.W, 1)+l)%len(k.X)] + int32(round)
		}
		t = dsl.ReduceOverGroup(it.Group(), t, dsl.Plus)
		for i := g; i < len(k.X); i += it.GlobalRange() {
			t = t*7 - k.X[i]
		}
	}
	k.Out[g] = s + t<<1 + n<<8
}

// Traces stores in each iteration, so that its loop cannot run in lockstep.
type Traces struct {
	Rows, Width int
	M           []int32
	Trace, Out  []int32
}

func (k Traces) Kernel(it dsl.Item1) {
	x := it.GlobalID()
	s := int32(1)
	for r := range k.Rows {
		s = s*3 + k.M[r*k.Width+x]
		k.Trace[r*k.Width+x] = s
	}
	k.Out[x] = s
}

// Shifted is a short kernel. The host form of Shifted checks only the first and the last work-item of a row.
type Shifted struct {
	Width, By int
	In, Out   []int32
}

func (k Shifted) Kernel(it dsl.Item2) {
	y, x := it.GlobalID()
	i := y*k.Width + x
	v := k.In[i+k.By]
	if v < 0 {
		v = k.In[2*x] - 3
	}
	k.Out[i] = v
}

// Line computes the same as Shifted in one dimension.
type Line struct {
	By      int
	In, Out []int32
}

func (k Line) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = k.In[i-k.By] + int32(i)
}
