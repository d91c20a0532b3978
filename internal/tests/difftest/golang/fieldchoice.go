package golang

import "github.com/kgen-go/kgen/dsl"

// Turns has fields that may contain different functions or slices when the
// kernel uses them.
type Turns struct{ X, Out []int64 }

type turn struct {
	f func(int64) int64
	s []int64
}

func oneAbove(x int64) int64 { return x + 1 }
func timesTwo(x int64) int64 { return x * 2 }

func (k Turns) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.X, k.Out = k.X[4*i:4*i+4], k.Out[8*i:8*i+8]
	c := turn{f: oneAbove}
	for range k.X[0] {
		k.Out[7] = c.f(3)
		c.f = timesTwo
	}
	k.branches()
	k.behind()
	k.captured()
	k.next()
}

func (k Turns) branches() {
	var x [4]int64
	c := turn{f: oneAbove, s: k.X}
	if k.X[0] > 3 {
		c.f = timesTwo
		c.s = x[:]
		c.s[0] = 1
	}
	for i := range 3 {
		k.Out[i] = c.f(c.s[i])
	}
}

func (k Turns) behind() {
	var x [4]int64
	c := turn{s: k.X}
	c.s = x[:]
	for i := range k.X[1] {
		c.s = k.X[i:]
	}
	k.Out[4] = c.s[0]
}

func (k Turns) captured() {
	c := turn{f: oneAbove}
	set := func(f func(int64) int64) { c.f = f }
	for range k.X[1] {
		k.Out[5] += c.f(1)
		set(timesTwo)
	}
}

func (k Turns) next() {
	var x, y [4]int64
	c := turn{s: x[:]}
	c.s = y[:]
	for i := range k.X[1] {
		if i > 2 {
			k.Out[6] += c.s[i]
		}
		if i == 1 {
			c.s = x[:]
		}
	}
}
