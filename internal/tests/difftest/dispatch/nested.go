package dispatch

import "github.com/kgen-go/kgen/dsl"

// Nested has values that contain other values of the same type. kgen resolves method calls on
// nested values at compile time.
type Nested struct{ In, Out []int32 }

type formula interface{ eval(x int32) int32 }
type number int32
type sum struct{ a, b formula }
type negated struct{ formula }
type product struct{ of []formula }
type either struct {
	limit int32
	a, b  formula
}

func (n number) eval(x int32) int32  { return int32(n) + x }
func (s *sum) eval(x int32) int32    { return s.a.eval(x) + s.b.eval(x)*2 }
func (n negated) eval(x int32) int32 { return -n.formula.eval(x) }
func (e either) eval(x int32) int32 {
	if x < e.limit {
		return e.a.eval(x + 1)
	}
	return e.b.eval(x - 1)
}
func (p product) eval(x int32) int32 {
	r := int32(1)
	for _, f := range p.of {
		r *= f.eval(x)
	}
	return r
}

var fixed formula = negated{&sum{negated{&sum{number(1), number(2)}}, either{5, number(5), negated{either{9, number(7), number(8)}}}}}

type item struct {
	v    int32
	next *item
}

type layered struct {
	figure
	by int32
}

func (l layered) surface(by int32) int32 { return l.figure.surface(by) + l.by }

// Kernel also builds nested values of its own.
func (k Nested) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.In[i]
	h := fixed.eval(x)
	var f formula = number(x)
	if x&1 == 0 {
		f = negated{negated{number(3)}}
	}
	f = &sum{f, either{x, negated{f}, product{[]formula{f, number(2), negated{number(1)}}}}}
	h = h*31 + f.eval(4)
	h = h*31 + layered{layered{layered{&oak, 2}, x}, 4}.surface(3)
	h = h*31 + layered{layered{figures[x&1], 2}, x}.surface(3)

	c := item{3, nil}
	b := item{x, &c}
	a := item{1, &b}
	if x&2 == 0 {
		a.next = &c
	}
	for n := &a; n != nil; n = n.next {
		h = h*31 + n.v
	}
	var items [5]item
	var head *item
	for j := range items {
		items[j] = item{int32(j) * x, head}
		if x>>j&1 == 1 || head == nil {
			head = &items[j]
		}
	}
	for n := head; n != nil; n = n.next {
		n.v++
		h = h*31 + n.v
	}
	k.Out[i] = h + items[0].v
}
