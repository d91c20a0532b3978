// Package shapes has a small kernel for each family of constructs. The texts of
// what becomes of them are kept beside, so that a change of the compiler shows.
package shapes

import (
	"sync/atomic"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

type Arithmetic struct {
	X, Y, Out []int32
	N         int
}

// Kernel has the checks and corrections of integer arithmetic.
func (k Arithmetic) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x, y := k.X[i], k.Y[i]
	k.Out[i] = x/y + x%7 + x<<uint(y) + x>>k.N + int32(uint8(x))
}

type Floats struct {
	X, Y, Out []float32
	N         []int64
}

// Kernel fuses one product and not the other, and converts.
func (k Floats) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x, y := k.X[i], k.Y[i]
	k.Out[i] = x*y + 1 - float32(x*y)/y
	k.N[i] = int64(x) + int64(min(x, y))
}

type Flow struct{ In, Out []int32 }

// Kernel leaves loops from within, falls through and returns early.
func (k Flow) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	if i >= len(k.Out) {
		return
	}
	n := int32(0)
outer:
	for a := range 5 {
		for _, v := range k.In {
			switch {
			case v == 3:
				continue outer
			case v > 9:
				break outer
			case v < 0:
				n--
				fallthrough
			default:
				n += int32(a)
			}
		}
	}
	k.Out[i] = n
}

type point struct{ x, y int32 }

func (p *point) move(by int32) { p.x, p.y = p.y+by, p.x }

type Values struct {
	In  [][2]int32
	Out []int32
}

// Kernel has structs, arrays, pointers and closures of its own.
func (k Values) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	ps := [3]point{{1, 2}, {3, 4}}
	p := &ps[i%3]
	p.move(k.In[i][1])
	sum := int32(0)
	add := func(q point) { sum += q.x * q.y }
	for _, q := range ps {
		add(q)
	}
	if ps[0] == ps[1] {
		panic("equal")
	}
	k.Out[i] = sum
}

type Slices struct{ In, Out []int32 }

// Kernel slices, appends, copies and defers.
func (k Slices) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	s := make([]int32, 0, 4)
	defer func() { k.Out[i] += int32(len(s)) }()
	for _, v := range k.In[i:] {
		if len(s) == cap(s) {
			break
		}
		s = append(s, v)
	}
	copy(k.Out[i:i+1], s)
}

var table = [4]int32{3, 1, 4, 1}

type Iterates struct{ Out []int32 }

func pairs(yield func(int, int32) bool) {
	for i, v := range table {
		if !yield(i, v) {
			return
		}
	}
}

// Kernel ranges over a function and a string, and reads a table.
func (k Iterates) Kernel(it dsl.Item1) {
	n := int32(0)
	for i, v := range pairs {
		if i == it.GlobalID() {
			break
		}
		n += v
	}
	for i, r := range "héj" {
		n += r * int32(i)
	}
	k.Out[it.GlobalID()] = n
}

type Groups struct{ In, Out []int32 }

// Kernel stages through work-group memory; those past the end leave first.
func (k Groups) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[64]int32](it)
	i, l := it.GlobalID(), it.LocalID()
	if i >= len(k.In) {
		return
	}
	tile[l] = k.In[i]
	it.Barrier()
	k.Out[i] = tile[63-l] + dsl.ReduceOverGroup(it.Group(), k.In[i], dsl.Plus)
}

func (Groups) Properties() properties.List { return properties.List{properties.WorkGroupSize(64)} }

type Atomics struct{ Bins []int32 }

// Kernel counts.
func (k Atomics) Kernel(it dsl.Item2) {
	y, x := it.GlobalID()
	for !atomic.CompareAndSwapInt32(&k.Bins[0], 0, 1) {
		if atomic.AddInt32(&k.Bins[(y+x)%len(k.Bins)], 1) > 5 {
			return
		}
	}
}

// Window is the length of Special's own memory.
var Window = dsl.NewSpecConstant(9)

type Special struct{ In, Out []float32 }

// Kernel keeps as many numbers as the constant says.
func (k Special) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	near := dsl.PrivateAlloca[float32](it, Window)
	for j := range near {
		near[j] = k.In[i+j]
	}
	for j := range Window.Get(it) / 2 {
		near[j] += near[len(near)-1-j]
	}
	k.Out[i] = near[0]
}
