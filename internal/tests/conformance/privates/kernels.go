// Package privates contains kernels with private memory whose size depends on specialization
// constants.
//
//kgen:bare nospare views=Helped,Three
package privates

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/conformance/consts"
)

//go:generate go tool kgen .

// These specialization constants are lengths, one of each integer type.
var (
	N    = dsl.NewSpecConstant(10)
	M    = dsl.NewSpecConstant(20)
	O    = dsl.NewSpecConstant(30)
	S8   = dsl.NewSpecConstant(int8(2))
	U8   = dsl.NewSpecConstant(uint8(8))
	U16  = dsl.NewSpecConstant(uint16(9))
	S64  = dsl.NewSpecConstant(int64(11))
	S16  = dsl.NewSpecConstant(int16(3))
	S32  = dsl.NewSpecConstant(int32(4))
	U64  = dsl.NewSpecConstant(uint64(5))
	U32  = dsl.NewSpecConstant(uint32(6))
	Uint = dsl.NewSpecConstant(uint(7))
	One  = dsl.NewSpecConstant(true)
	Many = dsl.RequireSpecConstant[int]()
)

// Fill writes private memory and reads it back. Plain and aligned allocation must give equal
// results.
type Fill struct{ Out, Aligned []float32 }

// Kernel runs once per element.
func (k Fill) Kernel(it dsl.Item1) {
	a := dsl.PrivateAlloca[float32](it, N)
	b := dsl.AlignedPrivateAlloca[float32](it, N, 64)
	i := it.GlobalID()
	fill(a)
	fill(b)
	k.Out[i], k.Aligned[i] = a[i], b[i]
}

func fill(a []float32) {
	for i := range a {
		a[i] = float32(i)
	}
	a[0] = float32(len(a))
}

// Inner allocates in a branch and in a loop. Each iteration must start with zeros.
type Inner struct {
	Rounds int
	Out    []int32
}

// Kernel runs once per element.
func (k Inner) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	if i%2 == 1 {
		for round := range k.Rounds {
			a := dsl.PrivateAlloca[int32](it, N)
			for j := range a {
				k.Out[i] += a[j] // the element is zero
				a[j] += int32(round) + 1
			}
			for j := range a {
				k.Out[i] += a[j]
			}
		}
	}
}

// Types allocates memory with lengths from constants of several types.
type Types struct{ Out []int32 }

// Kernel runs once.
func (k Types) Kernel(t dsl.Task) {
	a := dsl.PrivateAlloca[int8](t, S16)
	b := dsl.PrivateAlloca[float32](t, S32)
	c := dsl.PrivateAlloca[bool](t, U64)
	d := dsl.PrivateAlloca[uint16](t, One)
	e := dsl.PrivateAlloca[int64](t, int(S16.Get(t))*2+1)
	f := dsl.PrivateAlloca[int32](t, U32)
	g := dsl.PrivateAlloca[uint8](t, Uint)
	h := dsl.PrivateAlloca[uint32](t, S8)
	i := dsl.PrivateAlloca[int16](t, U8)
	j := dsl.PrivateAlloca[uint64](t, U16)
	l := dsl.PrivateAlloca[bool](t, S64)
	k.Out[0], k.Out[1], k.Out[2], k.Out[3], k.Out[4] = filled(a), filled(b), int32(len(c)), filled(d), filled(e)
	k.Out[5], k.Out[6], k.Out[7], k.Out[8], k.Out[9], k.Out[10] = filled(f), filled(g), filled(h), filled(i), filled(j), int32(len(l))
	c[0], l[0] = true, true
	e[2] = 1 << 40
	k.Out[11] = int32(e[2] >> 40)
	if c[0] && l[0] && !c[len(c)-1] {
		k.Out[11]++
	}
}

// filled() fills a slice whose elements must be zero. filled() returns the length of s, or -1 if an element was not zero.
func filled[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64](s []T) int32 {
	n := int32(0)
	for i := range s {
		if s[i] != 0 {
			return -1
		}
		s[i] = T(i) + 1
	}
	for i := range s {
		if s[i] == T(i)+1 {
			n++
		}
	}
	return n
}

// Doubles allocates private memory for numbers of double precision.
type Doubles struct{ Out []int32 }

// Kernel runs once.
func (k Doubles) Kernel(t dsl.Task) { k.Out[0] = filled(dsl.PrivateAlloca[float64](t, S32)) }

// Block is a kernel that has the same name as the constant that it reads.
type Block struct{ Out []int32 }

// Kernel runs once.
func (k Block) Kernel(t dsl.Task) {
	k.Out[0] = int32(len(dsl.PrivateAlloca[int32](t, consts.Block)) + consts.Block.Get(t)*100)
}

// Point is an element type with several fields.
type Point struct {
	X, Y float32
	ID   [2]int32
}

// Elements allocates private memory for structs and arrays.
type Elements struct{ Out []float32 }

// Kernel runs once per element.
func (k Elements) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	ps := dsl.PrivateAlloca[Point](it, N)
	qs := dsl.PrivateAlloca[[4]float32](it, N)
	for j := range ps {
		ps[j] = Point{X: float32(j), ID: [2]int32{1, int32(j)}}
		qs[j][j%4] = 1
	}
	p := ps[i]
	k.Out[i] = p.X + p.Y + float32(p.ID[0]+p.ID[1]) + qs[i][0] + qs[i][1] + qs[i][2] + qs[i][3]
}

// Three allocates private slices whose lengths are three constants. The slices must not overlap.
type Three struct{ Out []int32 }

// Kernel runs once.
func (k Three) Kernel(t dsl.Task) {
	a, b, c, d := dsl.PrivateAlloca[int32](t, N), dsl.PrivateAlloca[int32](t, M), dsl.PrivateAlloca[int32](t, O), dsl.PrivateAlloca[int32](t, N)
	for i := range c {
		c[i] = 3
		if i < len(b) {
			b[i] = 2
		}
		if i < len(a) {
			a[i], d[i] = 1, 4
		}
	}
	k.Out[0], k.Out[1], k.Out[2], k.Out[3] = total(a), total(b), total(c), total(d)
}

func total(s []int32) (sum int32) {
	for _, x := range s {
		sum += x
	}
	return sum
}

// Helped has two calls of a function that allocates memory. The second call happens while the memory of the first call is in use.
type Helped struct{ Out []int32 }

// Kernel runs once.
func (k Helped) Kernel(t dsl.Task) {
	k.Out[0] = helper(t, 1, func(s []int32) int32 {
		return helper(t, 100, func(u []int32) int32 { return total(s) + total(u) })
	})
}

func helper(h dsl.KernelHandler, x int32, f func([]int32) int32) int32 {
	s := dsl.PrivateAlloca[int32](h, N)
	for i := range s {
		s[i] = x
	}
	return f(s)
}

// Sum passes private memory to a function whose parameter is a plain slice.
type Sum struct{ Out []int32 }

// Kernel runs once.
func (k Sum) Kernel(t dsl.Task) {
	s := dsl.PrivateAlloca[int32](t, Many)
	for i := range s {
		s[i] = int32(i) + 1
	}
	k.Out[0] = total(s)
}

// Static has private arrays of fixed length, with as many bytes as kernel Allocated may allocate.
type Static struct {
	I   int
	Out []float32
}

// Kernel runs once.
func (k Static) Kernel(t dsl.Task) {
	var a, b [180_000]float32
	a[k.I], b[k.I+1] = 1, 2
	k.Out[0] = a[k.I+1] + b[k.I]
}

// Pinned has the same explicit id as a constant of another package.
//
//kgen:spec id=42
var Pinned = dsl.NewSpecConstant(int32(1))

// PinnedOnly reads constant Pinned.
type PinnedOnly struct{ Out []int32 }

// Kernel runs once.
func (k PinnedOnly) Kernel(t dsl.Task) { k.Out[0] = Pinned.Get(t) }

// Narrow allocates no private memory, for devices without the aspect of private memory.
type Narrow struct{ Out []int32 }

// Kernel runs once.
func (k Narrow) Kernel(t dsl.Task) { k.Out[0] = 1 }

// Divided allocates memory whose lengths are quotients of constants.
type Divided struct{ Out []int32 }

// Kernel runs once.
func (k Divided) Kernel(t dsl.Task) {
	n, m, o := N.Get(t), M.Get(t), O.Get(t)
	a := dsl.PrivateAlloca[int32](t, m*o/n)
	b := dsl.PrivateAlloca[int32](t, (m+o-1)/n)
	c := dsl.PrivateAlloca[int32](t, m%n+o%(n-m)+1)
	d := dsl.PrivateAlloca[int16](t, int(S32.Get(t)/int32(S16.Get(t)))+20/m)
	e := dsl.PrivateAlloca[int32](t, Uint.Get(t)/uint(U32.Get(t))+Uint.Get(t)%uint(U32.Get(t)))
	f := dsl.PrivateAlloca[int32](t, n/-m+min(o/n/2, 7)+n)
	k.Out[0], k.Out[1], k.Out[2], k.Out[3], k.Out[4] = count(a), count(b), count(c), count(e), count(f)
	k.Out[5] = int32(len(d))
}

func count(s []int32) int32 {
	for i := range s {
		s[i] += int32(i) + 1
	}
	return total(s)
}

// Twenty has an explicit id that kgen assigns to a constant of package consts.
//
//kgen:spec id=20
var Twenty = dsl.NewSpecConstant(int32(20))

// ReadTwenty stores the value of Twenty.
type ReadTwenty struct{ Out []int32 }

// Kernel runs once.
func (k ReadTwenty) Kernel(t dsl.Task) { k.Out[0] = Twenty.Get(t) }

// Swapped swaps double buffers in loops. The lengths of the buffers depend on specialization constants.
type Swapped struct {
	Rounds int
	Out    []int32
}

// Kernel runs in work-groups of N.
func (k Swapped) Kernel(it dsl.NDItem1) {
	l, i := it.LocalID(), it.GlobalID()
	src, dst := dsl.PrivateAlloca[int32](it, N), dsl.PrivateAlloca[int32](it, N)
	from, to := dsl.LocalSlice[int32](it, N.Get(it)), dsl.LocalSlice[int32](it, N.Get(it)*2)
	for j := range src {
		src[j] = int32(i * j)
	}
	from[l] = int32(i)
	var before []int32
	for r := range k.Rounds {
		for j := range src {
			dst[j] = src[(j+r)%len(src)] + 1
		}
		src, dst = dst, src
		it.Barrier()
		to[l] = from[(l+1)%N.Get(it)] * 2
		if before != nil {
			to[l] += before[(l+r)%len(before)]
		}
		it.Barrier()
		from, to = to, from
		if now := dsl.LocalSlice[int32](it, N.Get(it)); r%2 == 0 { // the memory is the same in each iteration
			now[l] = from[l] + 1
			before = now
		} else {
			before = from[:N.Get(it)]
		}
	}
	k.Out[i] = src[l]*1000 + from[l]
}
