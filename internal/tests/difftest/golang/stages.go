package golang

import (
	"cmp"
	"slices"

	"github.com/kgen-go/kgen/dsl"
)

type stage func(t []int32, l int) int32

func reversed(t []int32, l int) int32  { return t[len(t)-1-l] }
func shifted(t []int32, l int) int32   { return t[(l+1)%len(t)] * 2 }
func increased(t []int32, l int) int32 { return t[l] + 1 }

func inStages(it dsl.NDItem1, t []int32, stages ...stage) {
	l := it.LocalID()
	for i, s := range stages {
		v := s(t, l)
		it.Barrier()
		t[l] = v + int32(i)
		it.Barrier()
	}
}

// Pipeline calls functions that contain barriers.
type Pipeline struct {
	In, Out []int32
	T       dsl.LocalAccessor[int32]
}

// Kernel runs the stages one after another.
func (k Pipeline) Kernel(it dsl.NDItem1) {
	t := k.T.Slice(it)
	l, g := it.LocalID(), it.GlobalID()
	t[l] = k.In[g]
	it.Barrier()
	inStages(it, t, reversed, shifted, increased, reversed)
	name := [...]string{"alpha", "be", "gamma"}[l%3]
	if l > 4 {
		name = name[1:]
	}
	for _, ops := range [][2]func(int32, int32) int32{{plus, less}, {times, plus}} {
		for j, f := range ops {
			t[l] = f(t[l], int32(j)+int32(len(name)))
		}
	}
	it.Barrier()
	if l == 0 {
		slices.SortFunc(t, func(a, b int32) int { return cmp.Compare(a%7, b%7) })
	}
	it.Barrier()
	k.Out[g] = t[l]*10 + int32(name[0])
}

func plus(a, b int32) int32  { return a + b }
func less(a, b int32) int32  { return a - b }
func times(a, b int32) int32 { return a * b }

type visitor interface {
	visit(x int32) bool
	result() int32
}
type summer struct{ s int32 }
type maxer struct {
	m   int32
	any bool
}

func (s *summer) visit(x int32) bool { s.s += x; return x < 100 }
func (s *summer) result() int32      { return s.s }
func (m *maxer) visit(x int32) bool {
	if !m.any || x > m.m {
		m.m, m.any = x, true
	}
	return true
}
func (m *maxer) result() int32 { return m.m }

// Visitors calls methods of several types.
type Visitors struct{ In, Out []int32 }

// Kernel visits numbers.
func (k Visitors) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	vs := []visitor{&summer{}, &maxer{}, &summer{s: 5}}
	for _, x := range k.In[i:] {
		ok := true
		for _, v := range vs {
			ok = v.visit(x) && ok
		}
		if !ok {
			break
		}
	}
	h := int32(0)
	for j, v := range vs {
		switch v := v.(type) {
		case *maxer:
			h += v.m * 3
		case *summer:
			if j == 2 {
				v.s++
			}
		}
		h = h*5 + v.result()
	}
	k.Out[i] = h
}
