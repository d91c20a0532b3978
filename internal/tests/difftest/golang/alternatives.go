package golang

import (
	"sync/atomic"

	"github.com/kgen-go/kgen/dsl"
)

type tree struct {
	l, r [4]int32
	n    int32
}

// slot() returns a pointer to an element of one side of the tree.
func (t *tree) slot(i int, right bool) *int32 {
	p := &t.l[i&3]
	if right {
		p = &t.r[i&3]
	}
	return p
}

type account struct {
	total int32
	apply func(x int32) int32
}

func doubled(x int32) int32 { return 2 * x }
func negated(x int32) int32 { return -x }

// Alternatives has variables for functions, pointers, slices and interface values. The values of the
// variables depend on data.
type Alternatives struct {
	In, Out []int32
}

// Kernel adds up the selected values.
func (k Alternatives) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.In[i]
	k.Out[i] = k.pointers(i, x)*3 + k.functions(x)*5 + k.slices(i, x)*7 + k.loops(x)*11 + k.fields(x)*13 + k.deferred(x)*17 + k.iterations(x)*19
}

func (k Alternatives) pointers(i int, x int32) int32 {
	var t tree
	*t.slot(i, x&1 == 0) = x
	*t.slot(int(x), x > 3) += 5
	*t.slot(i+1, x < 0)++
	p, own := &k.Out[i], int32(7)
	if x&2 == 0 {
		p = &own
	}
	*p ^= 9
	q := p
	if x > 50 {
		q = &t.n
	}
	if p == q {
		*q += 3
	}
	atomic.AddInt32(q, 2)
	var none *int32
	if x&4 == 0 {
		none = &own
	} else if x&8 == 0 {
		none = &t.n
	}
	if none != nil {
		*none *= 3
	}
	u, v := tree{n: x}, tree{n: 2 * x}
	both := &u
	if x%3 == 0 {
		both = &v
	}
	both.l[i&3], both.n = 4, both.n+1
	swap(both, &u)
	return t.l[0] - t.l[1] + t.l[2]*2 - t.l[3] + t.r[0]*3 + t.r[1] - t.r[2] + t.r[3] + own + t.n + u.l[i&3] + u.n*5 + v.n
}

func swap(a, b *tree) { a.n, b.n = b.n, a.n }

func (k Alternatives) functions(x int32) int32 {
	f := doubled
	if x > 5 {
		f = negated
	}
	y := int32(3)
	if x&1 == 0 {
		f = func(x int32) int32 { y += x; return y }
	}
	h := f(x) + f(y)
	a := account{total: x, apply: f}
	if x&2 == 0 {
		a.apply = a.add
	} else if x&4 == 0 {
		a.apply = (&a).addTo
	}
	h += a.apply(2) + a.total
	var g func(int32) int32
	if x&8 == 0 {
		g = a.apply
	}
	if g != nil {
		h ^= twice(g, h)
	}
	return h + y
}

func (a account) add(x int32) int32    { return a.total + x }
func (a *account) addTo(x int32) int32 { a.total += x; return a.total }

func twice(f func(int32) int32, x int32) int32 { return f(f(x)) }

func (k Alternatives) slices(i int, x int32) int32 {
	var own [6]int32
	s := k.In[i%40:]
	if len(s) > 4 {
		s = s[:4]
	}
	if x&1 == 0 {
		s = own[1:5]
		s[0], s[1] = x, 8
	}
	if x&2 == 0 {
		s = append(own[:0], s...)
	}
	h := int32(len(s)) + int32(cap(own[:2]))
	for j, y := range s {
		h = h*3 + y*int32(j)
	}
	if x&4 == 0 {
		s = s[1:]
	}
	h += int32(copy(own[2:], s)) + sum(s) + sum(s[1:])
	if s == nil {
		h++
	}
	return h + own[3]
}

func sum(s []int32) (n int32) {
	for _, x := range s {
		n += x
	}
	return n
}

func (k Alternatives) loops(x int32) int32 {
	var a, b, c int32 = x, 2, 3
	p, f := &a, doubled
	var s scaler
	for j := range int32(6) {
		*p = f(*p) + j
		switch {
		case x&j == 1:
			p = &b
		case x&j == 2:
			p = &c
			f = negated
		case x&j == 4:
			f = func(y int32) int32 { c ^= y; return y + a }
		}
		if s != nil {
			*p += s.scale(j)
		}
		if j == x&3 {
			s = factor(j)
		} else if j == x&7 {
			s = &offset{&b}
		}
	}
	if t, ok := s.(*offset); ok {
		*t.by += 100
	}
	var o *offset
	for j := range int32(5) {
		if o != nil {
			*o.by += o.scale(j)
		}
		if j == x&7 {
			o = &offset{&a}
		}
	}
	return a + 2*b + 3*c
}

// Type `offset` implements scaler by an addition.
type offset struct{ by *int32 }

func (o *offset) scale(x int32) int32 { *o.by++; return x + *o.by }

func (k Alternatives) fields(x int32) int32 {
	type stage struct {
		scaler
		to *int32
	}
	var a, b int32
	first := stage{factor(3), &a}
	second := stage{affine{x, 2}, &b}
	if x&1 == 0 {
		first, second = second, first
	}
	*first.to = first.scale(5)
	*second.to += second.scale(a)
	if x&2 == 0 {
		first.scaler = factor(9)
	}
	same := int32(0)
	if first.scaler == second.scaler {
		same = 1
	}
	if first.scaler == scaler(affine{x, 2}) {
		same += 2
	}
	if first == second {
		same += 4
	}
	stages := [3]stage{first, second, first}
	for _, s := range stages {
		*s.to += s.scale(1)
	}
	return a + 3*b + 100*same
}

func (k Alternatives) iterations(x int32) (n int32) {
	var fs, gs [4]func(int32) int32
	for i := range 3 {
		fs[i] = func(y int32) int32 { i += int(y); return int32(i) * 3 }
		n += fs[i](x) + int32(i)
	}
	for i := 0; i < 4; i++ {
		gs[i] = func(y int32) int32 { i ^= int(y); return int32(i) }
		fs[3] = gs[i&3]
	}
	for i, f := range fs {
		i += int(f(2) & 1)
		n = n*3 + gs[3](x) + int32(i)
	}
	return n*5 + fs[1](1)
}

func (k Alternatives) deferred(x int32) (n int32) {
	f := func() { n += 2 }
	if x&1 == 0 {
		f = func() { n *= 3 }
	}
	defer f()
	var s scaler = factor(x)
	if x&2 == 0 {
		s = affine{1, x}
	}
	defer func() { n += s.scale(2) }()
	if x&4 == 0 {
		return 5
	}
	return 6
}

// Side selects work-group memory or private memory, depending on data.
type Side struct {
	In, Out []int32
}

// Kernel adds up elements through a pointer.
func (k Side) Kernel(it dsl.NDItem1) {
	i, l := it.GlobalID(), it.LocalID()
	tile, other := dsl.Local[[8]int32](it), dsl.Local[[8]int32](it)
	own := [8]int32{1, 2, 3}
	p, s := &tile[l], other[:]
	if k.In[i]&1 == 0 {
		p, s = &other[l], own[:]
	}
	*p = k.In[i]
	it.Barrier()
	q := tile
	if k.In[i]&2 == 0 {
		q = other
	}
	h := q[7-l] + s[l]
	it.Barrier()
	s[l] += 3
	it.Barrier()
	k.Out[i] = h + own[l] + tile[l] + 2*other[7-l]
}
