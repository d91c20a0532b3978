package golang

import "github.com/kgen-go/kgen/dsl"

// Nones has variables that may be nil, of values that are one of several.
type Nones struct {
	In, Out []int32
}

// Kernel looks which are nil.
func (k Nones) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.In[i]
	k.Out[i] = noneOfSlices(x) + 100*noneOfPointers(x) + 10000*noneInLoop(x)
}

func noneOfSlices(x int32) int32 {
	var a [3]int32
	var b [4]int32
	var s []int32
	if x&1 == 0 {
		s = a[:]
	}
	if x&2 == 0 {
		s = b[:]
	}
	t := s
	if x&4 == 0 {
		t = nil
	}
	if t == nil {
		return 1
	}
	return 2 + int32(len(t))
}

func noneOfPointers(x int32) int32 {
	var a, b, c int32
	p := &a
	if x&1 == 0 {
		p = &b
	}
	q := p
	if x&4 == 0 {
		q = nil
	}
	if q == nil {
		q = &c
	}
	*q = 4
	return a + b*2 + c*3
}

func noneInLoop(x int32) int32 {
	var a [3]int32
	var b [4]int32
	s := a[:]
	if x&1 == 0 {
		s = b[1:]
	}
	var u struct{ s []int32 }
	u.s = s
	for j := range int32(4) {
		if j == x&7 {
			u.s = nil
		} else if u.s == nil {
			u.s = s
		} else {
			u.s[0] += j
		}
	}
	return a[0] + b[1]*3
}

// Unlike compares interface values of which some cannot be compared, if they are of one
// type.
type Unlike struct {
	In, Out []int32
}

// Kernel compares them.
func (k Unlike) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.In[i]
	a, b := unlike(x, 1), unlike(x, 2)
	n := int32(0)
	if a == b {
		n = 1
	}
	c, d := [2]labelled{{1, a}, {x, b}}, [2]labelled{{1, a}, {x, b}}
	c[0].n += x & 4
	c[0].v, d[1].v = b, a
	if c[0] == d[0] {
		n += 2
	}
	if c == d {
		n += 4
	}
	if (labelled{1, a}) == (labelled{x | 2, a}) { // the numbers differ
		n += 8
	}
	k.Out[i] = n
}

type labelled struct {
	n int32
	v any
}

type uncomparable struct{ f func() }

func unlike(x, bit int32) any {
	if x&bit == 0 {
		return uncomparable{}
	}
	return x & 1
}

// NilMethods takes a method of an interface value that may be nil.
type NilMethods struct {
	In, Out []int32
}

// Kernel calls it.
func (k NilMethods) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.In[i]
	var s scaler
	if x < 8 {
		s = factor(x)
	} else if x < 12 {
		s = affine{x, 1}
	}
	scale := s.scale
	k.Out[i] = scale(3)
}
