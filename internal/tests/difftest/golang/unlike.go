package golang

import "github.com/kgen-go/kgen/dsl"

// Nones has variables that are nil or one of several values.
type Nones struct {
	In, Out []int32
}

// Kernel tests which variables are nil.
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

// Unlike compares interface values. If both values have the same type, and the type is not
// comparable, the comparison panics.
type Unlike struct {
	In, Out []int32
}

// Kernel compares interface values.
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

// NilMethods takes a method value of an interface value that may be nil.
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

// NilCalls calls nil functions in branches that few or no work-items take.
type NilCalls struct {
	In, Out []int32
}

// Kernel calls nil functions, and has a type switch in which some cases never match.
func (k NilCalls) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.In[i]
	var v any = x
	if x > 3 {
		v = int8(x)
	}
	k.Out[3*i] = called(v)
	k.Out[3*i+1] = hooks{next: doubled}.run(x)
	k.Out[3*i+2] = hooks{}.run(x)
}

func called(v any) int32 {
	switch v := v.(type) {
	case func(int32) int32:
		return v(3)
	case interface{ both() (int32, int8) }:
		a, b := v.both()
		return a + int32(b)
	case int8:
		return 2 * int32(v)
	}
	return -2
}

type hooks struct {
	first, next func(int32) int32
	s           scaler
}

func (h hooks) run(x int32) int32 {
	if x == 11 {
		return h.first(x)
	}
	if x == 12 {
		return h.s.scale(x)
	}
	if h.next != nil {
		return h.next(x)
	}
	return 5
}

// Firsts has loops in which each iteration tests values that the previous iteration has set.
type Firsts struct {
	In, Out []int32
}

// Kernel runs the loops of Firsts.
func (k Firsts) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.In[i]
	k.Out[i] = firstRound(x)*1000 + countedRounds(x)*7 + copiedAtEnd(x)
}

func firstRound(x int32) int32 {
	var u struct {
		f func(int32) int32
		p *int32
		s scaler
	}
	var a int32
	h, j := int32(0), int32(0)
	for {
		if u.f != nil {
			h += u.f(j)
		}
		if u.p != nil {
			*u.p += 5
		}
		if u.s != nil {
			h += u.s.scale(j)
		}
		u.f, u.p, u.s = doubled, &a, factor(7)
		if j++; j > x&3 {
			break
		}
	}
	return h + a
}

func countedRounds(x int32) int32 {
	var fs [3]func(int32) int32
	n := int32(0)
	for i := range 3 {
		fs[i] = func(y int32) int32 { i += int(y & 1); return int32(i) * y }
		for {
			n = n*3 + int32(i)
			if i++; i > 5 {
				break
			}
		}
		n += fs[0](x)
	}
	return n + fs[1](x)*3
}

func copiedAtEnd(x int32) int32 {
	var a, b [4]int32
	s := a[:]
	if x&1 == 0 {
		s = b[1:]
	}
	s[0] = 5
	func() {
		defer copy(s[1:], s)
		s[0] = 6
	}()
	defer clear(s)
	return a[1]*3 + b[2] + s[0]
}

// Slots declares arrays, and then sets elements at unknown indices. Slots tests the other elements, which are still
// nil.
type Slots struct {
	In, Out []int32
}

type slots struct {
	names [3]string
	fs    [3]func(int32) int32
	ss    [3]scaler
	ps    [3]*int32
}

// Kernel sets and tests elements.
func (k Slots) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := uint32(k.In[i])
	var names [2]string
	names[x&1] = "abc"
	var s, t scaler
	p := &s
	if x&2 == 0 {
		p = &t
	}
	*p = factor(x)
	n := int32(len(names[0])*10 + len(names[1]))
	if s == nil {
		n += 100
	}
	if t == nil {
		n += 200
	}
	var own int32
	var all slots
	all.fs[x%3], all.ss[(x>>1)%3] = doubled, factor(5)
	all.ps[(x>>2)%3] = &own
	n += all.total(int32(x)) * 1000
	all.names[x%3] = names[x>>2&1]
	all.fs[(x>>1)%3] = nil
	k.Out[i] = n + all.total(own)*70000
}

func (s *slots) total(x int32) (n int32) {
	for i := range s.names {
		n = n*3 + int32(len(s.names[i]))
		if s.fs[i] != nil {
			n += s.fs[i](x)
		}
		if s.ss[i] != nil {
			n += s.ss[i].scale(x)
		}
		if s.ps[i] != nil {
			*s.ps[i] += 5
			n -= *s.ps[i]
		}
	}
	return n
}
