package golang

import (
	"iter"

	"github.com/kgen-go/kgen/dsl"
)

// Kept has closures that capture other closures made from the same function literals. Kept also has loops over
// functions, where each iteration keeps a function for the next iteration.
type Kept struct{ In, Out []int32 }

type mapping func(int32) int32

func twiceOf(f mapping) mapping { return func(x int32) int32 { return f(f(x)) } }
func plusOf(n int32) func(mapping) mapping {
	return func(f mapping) mapping { return func(x int32) int32 { return f(x)*2 + n } }
}

func wrap(f mapping, by ...func(mapping) mapping) mapping {
	for _, w := range by {
		f = w(f)
	}
	return f
}

func withAfter(f mapping) setting {
	return func(c *setup) {
		g := c.f
		c.f = func(x int32) int32 { return f(g(x)) }
	}
}

func filtered[T any](s iter.Seq[T], keep func(T) bool) iter.Seq[T] {
	return func(yield func(T) bool) {
		for v := range s {
			if keep(v) && !yield(v) {
				return
			}
		}
	}
}

func mapped[T, U any](s iter.Seq[T], f func(T) U) iter.Seq[U] {
	return func(yield func(U) bool) {
		for v := range s {
			if !yield(f(v)) {
				return
			}
		}
	}
}

func valuesOf(x []int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for _, v := range x {
			if !yield(v) {
				return
			}
		}
	}
}

// Kernel adds up the results of calls.
func (k Kept) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.In[i]
	h := wrap(minus, plusOf(x), twiceOf, plusOf(4), twiceOf)(x)
	h = h*3 + twiceOf(plusOf(x)(twiceOf(plusOf(3)(up))))(7)
	inc := func(x int32) int32 { return x + 1 }
	big := func(y int32) bool { return y > x }
	for v := range filtered(mapped(filtered(mapped(valuesOf(k.In), inc), big), inc), big) {
		if h = h*5 + v; v > 130 {
			break
		}
	}
	c := newSetup(withF(up), withAfter(twofold), withAfter(func(y int32) int32 { return y - x }), withAfter(minus))
	h = h*3 + c.f(5)
	k.Out[i] = h*3 + k.rounds(x)
}

func (k Kept) rounds(x int32) (h int32) {
	var f mapping = up
	for j, g := range [...]mapping{up, twofold, minus} {
		f2 := f
		if x&1 == 0 {
			f2 = g
		}
		y := g(x) + int32(j)
		h = h*7 + f2(y)
		f = func(v int32) int32 { return v*10 + y }
	}
	h = h*7 + f(1)
	for n := range x & 3 {
		f, last := minus, up
		show := func() { h = h*7 + last(n) }
		for j, g := range [...]mapping{up, twofold, minus} {
			y, before := g(n)+int32(j), f
			f = func(v int32) int32 { return before(v)*10 + y }
			show()
			if x>>j&1 == 1 {
				last = func(v int32) int32 { return v*10 + y }
			}
		}
		show()
		h = h*7 + f(n)
	}
	return h
}
