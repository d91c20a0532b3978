package golang

import (
	"bytes"
	"math/rand/v2"
	"slices"

	"github.com/kgen-go/kgen/dsl"
)

// Makes makes slices whose sizes are known in each call of a helper.
type Makes struct {
	In  []int32
	Out []int32
}

// counted() makes a slice, checks that its elements are zero, and fills it with the first n numbers.
func counted(n int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] += int32(i)
	}
	return s
}

// The type `bounded` is a stack with a limited capacity.
type bounded[T any] struct{ items []T }

func newBounded[T any](n uint8) bounded[T] { return bounded[T]{make([]T, 0, 2*n)} }

func (b *bounded[T]) push(x T) { b.items = append(b.items, x) }

func (b *bounded[T]) pop() (x T) {
	n := len(b.items) - 1
	x, b.items = b.items[n], b.items[:n]
	return x
}

// shapeOf has fields for the size of the slices that it makes.
type shapeOf struct{ rows, cols int }

func (s shapeOf) cells() []int32 { return make([]int32, s.rows*s.cols) }

// atLeast returns a size that depends on its argument.
func atLeast(n int) int {
	if n > 6 {
		return 1 << 4
	}
	if n == 0 {
		n++
	}
	return n
}

// kept() makes a slice in a closure that captures the length.
func kept(n int) func(x int32) int32 {
	at := 0
	ring := func() []int32 { return make([]int32, n) }()
	return func(x int32) int32 {
		old := ring[at]
		ring[at] = x
		at = (at + 1) % n
		return old
	}
}

type loHi struct{ lo, hi int16 }

func sum32(s []int32) (h int32) {
	for _, x := range s {
		h = h*31 + x
	}
	return h
}

// Kernel adds up elements of the slices that the helpers make.
func (k Makes) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.In[i]
	h := sum32(counted(5))*7 + sum32(counted(3)) + int32(cap(counted(11)))
	for j, p := range rand.New(rand.NewPCG(uint64(x), 7)).Perm(8) {
		h = h*31 + int32(p*j)
	}
	// The slice is made in each iteration, so its elements are zero.
	for j := range int(x&3) + 2 {
		s := make([]int32, atLeast(4))
		s[j%len(s)] += x
		t := counted(atLeast(9))
		t[j] += s[j&3]
		h = h*17 + sum32(s) + sum32(t)
	}
	b := newBounded[loHi](3)
	for j := range int16(6) {
		b.push(loHi{j, int16(x) - j})
	}
	c := newBounded[int64](uint8(atLeast(0)))
	c.push(int64(x) << 33)
	h += int32(b.pop().hi) + int32(c.pop()>>32) + int32(b.pop().lo)*int32(len(b.items))
	box := shapeOf{rows: 3, cols: 4}
	cells := box.cells()
	cells[int(uint32(x)%12)] = x
	h ^= sum32(cells)
	through := kept(3)
	for j := range int32(7) {
		h = h*31 + through(x+j)
	}
	none := make([]int32, atLeast(0)-1)
	if none == nil || len(none) != 0 {
		h = -1
	}
	k.Out[i] = h
}

// MakesOf calls functions of the standard library that make slices.
type MakesOf struct {
	In  []int32
	Out []int32
}

// Kernel clones, joins and repeats slices of known lengths.
func (k MakesOf) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	own := [5]int32{4, 1, int32(i), 9, 2}
	sorted := slices.Clone(own[:])
	slices.Sort(sorted)
	h := sum32(sorted)*31 + sum32(own[:])
	of := slices.Clone(k.In[i:][:4])
	of[i&3]++
	h = h*31 + sum32(of) + k.In[i]
	all := slices.Concat(own[:2], of, sorted[1:3])
	all[0]++
	h = h*31 + sum32(all) + int32(len(all))
	h = h*31 + sum32(slices.Repeat(of[:3], 3))
	h = h*31 + sum32(slices.Repeat([]int32{int32(i)}, 0))
	more := slices.Grow(own[:2:2], 7)
	more = append(more, 7, 8, 9)
	own[0] = 77
	h = h*31 + sum32(more) + own[2]
	more = slices.Insert(own[:5:5], 2, -1, -2)
	own[1] = 66
	h = h*31 + sum32(more)
	for _, c := range bytes.Clone([]byte("kernel")) {
		h = h*31 + int32(c)
	}
	k.Out[i] = h
}

// MakesFault calls make with sizes that cause a panic.
type MakesFault struct {
	In  []int32
	Out []int32
}

func sizedMake(n, c int) []int16 { return make([]int16, n, c) }

// Kernel makes one call with a wrong size, which depends on In.
func (k MakesFault) Kernel(it dsl.Item1) {
	x := int(k.In[0])
	var s []int16
	switch x >> 8 {
	case 0:
		s = make([]int16, x-4, 8)
	case 1:
		s = sizedMake(x&255-4, 8)
	case 2:
		s = sizedMake(-1, 8)
	case 3:
		s = sizedMake(9, 8)
	case 4:
		s = sizedMake(-1, -1)
	case 5:
		s = sizedMake(1<<60, 1<<60)
	case 6:
		s = sizedMake(0, -1)
	case 7:
		s = sizedMake(1<<60, 8)
	case 8:
		s = make([]int16, uint64(x)<<56, 8)
	}
	k.Out[0] = int32(len(s) + 10*cap(s))
}

// MakesAmong makes slices whose sizes depend on variables that change. Each size depends only on the variable's
// current value.
type MakesAmong struct {
	In  []int32
	Out []int32
}

type holder struct {
	n    int
	s    []int32
	next func(d int)
}

func (h *holder) fill() []int32 {
	s := make([]int32, h.n)
	for i := range s {
		s[i] = int32(i + h.n)
	}
	return s
}

// changed() returns 3, or the result that a deferred function sets.
func changed(x int32, up bool) (n int) {
	n = 3
	defer func() {
		if x > 0 {
			n += int(x & 7)
		}
	}()
	if up {
		return n + 1
	}
	return n
}

// grid() returns rows that are made one by one.
func grid(rows, cols int) (g [3][]int32) {
	for r := range rows {
		g[r] = make([]int32, cols+r)
	}
	return g
}

// Kernel reads variables before and after they change.
func (k MakesAmong) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.In[i]
	h := holder{n: 2}
	h.next = func(d int) { h.n += d }
	out := sum32(h.fill())
	h.n = 1
	h.next(3)
	out = out*31 + sum32(h.fill())
	p := &h.n
	*p = 4
	out = out*31 + sum32(h.fill())
	for j := range 3 {
		out = out*31 + int32(h.n)
		h.next(j + int(x&1))
	}
	out = out*31 + int32(h.n)
	m := 5
	q := &m
	for j := range int(x & 3) {
		out += int32(m)
		*q += j
	}
	out = out*31 + int32(m)
	m = 6
	if x > 2 {
		m = 7
	}
	inc := func() { m++ }
	inc()
	if x&4 != 0 {
		inc()
	}
	out = out*31 + int32(m) + int32(changed(x, true)*8+changed(x, false))

	// The slices s and t each come from one of two make calls.
	var s []int32
	for j := range 4 {
		if s != nil {
			out = out*31 + s[0] + int32(len(s))
		}
		if j&1 == int(x&1) {
			s = counted(3)
			s[0] = x
		}
	}
	t := counted(4)
	if x&2 != 0 {
		t = counted(6)[1:]
	}
	t[1] += x
	h.s = t[:2]
	if x&8 != 0 {
		h.s = t[1:]
		h.s = append(h.s[:0], 9, 8)
	}
	out = out*31 + sum32(t) + sum32(h.s)
	g := grid(3, 2)
	g[1][2] = x
	for _, r := range g {
		out = out*31 + sum32(r) + int32(len(r))
	}
	fs := make([]func(int32) int32, atLeast(2))
	fs[0], fs[1] = kept(2), kept(4)
	for j := range int32(5) {
		out = out*31 + fs[j&1](x+j)
	}
	names := make([]string, atLeast(3))
	names[1] = "two"
	for _, name := range names {
		out = out*31 + int32(len(name))
	}
	cells := make([]holder, 0, atLeast(2))
	cells = append(cells, holder{n: int(x)}, holder{n: 3, s: t})
	out = out*31 + int32(cells[0].n) + sum32(cells[1].fill()) + sum32(cells[1].s)
	for n := 0; n < 4; n++ {
		func() {
			for m := n; m < 5; m++ {
				out = out*3 + int32(n+m)
			}
		}()
	}
	k.Out[i] = out
}
