package golang

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/difftest/golang/near"
)

func up(x int32) int32      { return x + 1 }
func twofold(x int32) int32 { return x * 2 }
func minus(x int32) int32   { return -x }

func chained(x int32, fs ...func(int32) int32) int32 {
	for _, f := range fs {
		x = f(x)
	}
	return x
}

func composeAll(fs ...func(int32) int32) func(int32) int32 {
	return func(x int32) int32 {
		for i := len(fs) - 1; i >= 0; i-- {
			x = fs[i](x)
		}
		return x
	}
}

type setting func(*setup)
type setup struct {
	a, b int32
	f    func(int32) int32
}

func withA(a int32) setting             { return func(c *setup) { c.a = a } }
func withF(f func(int32) int32) setting { return func(c *setup) { c.f = f } }
func newSetup(os ...setting) (c setup) {
	c.b = 7
	for _, o := range os {
		o(&c)
	}
	return
}

type sized interface{ area() int32 }
type square struct{ w int32 }
type oblong struct{ w, h int32 }

func (s square) area() int32  { return s.w * s.w }
func (r *oblong) area() int32 { r.h++; return r.w * r.h }

func totalSize(ss ...sized) (t int32) {
	for i, s := range ss {
		t += s.area() * int32(i+1)
	}
	return t
}

func largestOf(ss ...sized) (at int, best int32) {
	at = -1
	for i, s := range ss {
		switch a := s.area(); {
		case a < 0:
			continue
		case a > 90:
			return i, a * 100
		case a > best:
			at, best = i, a
		}
		if best > 50 {
			break
		}
	}
	return at, best
}

func firstOver(want int32, fs [3]func(int32) int32) (func(int32) int32, int32) {
	for i, f := range fs {
		if f(want) > 3 {
			return up, f(want) + int32(i)
		}
	}
	return up, -1
}

// Rounds has loops over functions, interfaces and slices.
type Rounds struct{ In, Out []int32 }

// Kernel adds up the results.
func (k Rounds) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.In[i]
	h := chained(x, up, twofold, func(y int32) int32 { return y - x }) + chained(x)
	h = h*3 + composeAll(up, minus, twofold)(x)
	c := newSetup(withA(x), withF(twofold))
	h = h*3 + c.f(c.a) + c.b + newSetup().b
	r := &oblong{x, 2}
	h = h*3 + totalSize(square{x}, r, r, square{2}) + r.h
	at, best := largestOf(square{x % 12}, &oblong{3, x % 9}, square{5}, r)
	h = h*7 + int32(at) + best
	g, v := firstOver(x, [3]func(int32) int32{minus, twofold, up})
	h = h*7 + g(v)
	for j, s := range [][]int32{k.In[i:], k.Out[:0], k.In} {
		h += int32(len(s)) * int32(j)
		if j == 2 && s[0] == 3 {
			break
		}
	}
	k.Out[i] = h
}

// Closures keeps a closure for each iteration of a loop.
type Closures struct{ In, Out []int32 }

// Kernel adds up the results.
func (k Closures) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	var fs [4]func() int32
	for j := range fs {
		n := int32(j) * 10
		fs[j] = func() int32 { n++; return n + int32(j) }
	}
	h := int32(0)
	for j := range fs {
		h = h*3 + fs[j]()
		if j%2 == 0 {
			h += fs[j]()
		}
		for m := range i % 3 {
			h += fs[j]() * int32(m)
		}
	}
	for j := 0; j < len(fs); j += 2 {
		h += fs[j+1]()
	}
	for _, f := range fs[1:3] {
		h = h*5 + f()
	}
	words := []string{"zero", "one", "two", "three"}
outer:
	for a, w := range words {
		for b, v := range words[:3] {
			if v > w {
				continue outer
			}
			if len(v) == i%5 {
				h += int32(a*b) + 1000
				break outer
			}
			h += int32(v[0]) - int32(w[len(w)-1])
		}
	}
	k.Out[i] = h
}

// Behind has loops that set variables, and uses these variables after the loops.
type Behind struct{ In, Out []int32 }

// Kernel adds up the results.
func (k Behind) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	fs := [...]func(int32) int32{up, twofold, minus}
	var last, count int32
	j := 0
	for ; j < len(fs); j++ {
		y := fs[j](k.In[i])
		if y > 40 {
			last = y
			break
		}
		if y < -20 {
			y *= 2
			last = y
			count += y
			continue
		}
		count++
	}
	pts := [3]*int32{&last, &count, &last}
	for m, p := range pts {
		*p += int32(m)
	}
	k.Out[i] = last*100 + count*10 + int32(j)
}

var days = [...]string{"mon", "tuesday", "wed", "thu", "fr"}
var texts = []string{"a", "bcd", "a", "mon"}
var commands = []struct {
	name string
	cost int32
	f    func(int32) int32
}{{"inc", 3, up}, {"dbl", 4, twofold}, {"none", 0, nil}}
var stages = [...]func(int32) int32{up, minus, 3: twofold}

func command(name string, x int32) (int32, bool) {
	for _, e := range commands {
		if e.name == name && e.f != nil {
			return e.f(x) + e.cost, true
		}
	}
	return 0, false
}

// Lookups reads tables of strings and of functions.
type Lookups struct{ In, Out []int32 }

// Kernel adds up the results.
func (k Lookups) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	n := days[i%len(days)]
	h := int32(len(n)) + int32(n[1])
	for j := range 100 {
		if days[j%5] == texts[(j+i)%4] {
			h += int32(j)
		}
	}
	for _, s := range texts[1:] {
		for _, r := range s {
			h = h*3 + r
		}
	}
	v, ok := command("dbl", k.In[i])
	if !ok {
		h += 1000
	}
	w, ok := command([2]string{"inc", "none"}[i%2], k.In[i])
	if !ok {
		h += 2000
	}
	loc := [3]string{"x", n, "yz"}
	loc[2] = "last"
	h += int32(len(loc[i%3]))
	for j, f := range stages {
		if f != nil {
			h = h*3 + f(int32(j))
		}
	}
	var buf [4]func(int32) int32
	fs := append(buf[:0], up, twofold)
	fs = append(fs, stages[:2]...)
	for _, f := range fs {
		h = f(h)
	}
	var two [2]func(int32) int32
	h += int32(copy(two[:], fs[1:]))
	h = two[1](two[0](h))
	k.Out[i] = h + v + w
}

// Elsewhere reads a table of a package that it imports only indirectly.
type Elsewhere struct{ Out []int32 }

// Kernel reads an element.
func (k Elsewhere) Kernel(it dsl.Item1) { k.Out[it.GlobalID()] = near.At(it.GlobalID()) }
