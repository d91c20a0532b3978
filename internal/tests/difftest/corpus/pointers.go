package corpus

import "github.com/kgen-go/kgen/dsl"

// MaybeNil has a pointer variable that is nil in some work-items.
type MaybeNil struct {
	X   []int32
	Out []int32
}

func pick(a, b *int32, which int) *int32 {
	switch which {
	case 0:
		return a
	case 1:
		return b
	}
	return nil
}

func (k MaybeNil) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	var p *int32
	if i%2 == 0 {
		p = &k.X[i]
	}
	if p != nil {
		*p += 5
	}
	var local int32 = 7
	var q *int32
	if i%3 == 0 {
		q = &local
	}
	if q == nil {
		k.Out[i] = -1
	} else {
		*q += 3
		k.Out[i] = local
	}
	if r := pick(&k.X[i], &k.Out[i], i%3); r != nil {
		k.Out[i] += *r % 7
	}
}

// NilAgain sets a pointer only in some iterations of a loop.
type NilAgain struct {
	Out []int32
}

func (k NilAgain) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := int32(i)
	n := int32(0)
	for j := range 6 {
		var p *int32
		if j%2 == i%2 {
			p = &x
		}
		if p != nil {
			*p += int32(j)
			n++
		}
	}
	k.Out[i] = x*10 + n
}

// NilFault dereferences a pointer that is nil in some work-items.
type NilFault struct {
	At  int
	Out []int32
}

func (k NilFault) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := int32(3)
	var p *int32
	if i != k.At {
		p = &x
	}
	k.Out[i] = *p
}

// Best keeps a pointer to the least element so far.
type Best struct {
	In  []Vec
	Out []float32
}

func (k Best) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	var best *Vec
	for j := range 5 {
		v := &k.In[(i+j)&15]
		if best == nil || v.X < best.X {
			best = v
		}
	}
	k.Out[i] = best.X + best.Y
}

// BestLocal keeps a pointer into a local array.
type BestLocal struct {
	In  []Vec
	Out []float32
}

func (k BestLocal) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	var vs [5]Vec
	for j := range vs {
		vs[j] = k.In[(i*3+j)%len(k.In)]
	}
	best := &vs[0]
	for j := range vs[1:] {
		if v := &vs[1+j]; v.X < best.X {
			best = v
		}
	}
	best.Y = 1
	sum := float32(0)
	for _, v := range vs {
		sum += v.Y
	}
	k.Out[i] = best.X + sum
}

// Node is a node of a tree whose nodes are linked by indices and by pointers.
type Node struct {
	Val         int32
	Left, Right int32
}

// Search walks a tree in a slice.
type Search struct {
	Nodes []Node
	Out   []int32
}

func (k Search) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	want := int32(i)
	depth := int32(0)
	for n := &k.Nodes[0]; ; depth++ {
		next := n.Left
		if n.Val == want {
			k.Out[i] = depth
			return
		} else if n.Val < want {
			next = n.Right
		}
		if next < 0 {
			break
		}
		n = &k.Nodes[next]
	}
	k.Out[i] = -depth
}

// Counter is a struct that kernels change through pointers.
type Counter struct {
	N    int32
	Each [3]int32
}

func (c *Counter) hit(at int) *int32 {
	c.N++
	return &c.Each[at%3]
}

func bump(p, q *int32) { *p, *q = *q+10, *p+10 }

func swap[T any](a, b *T) { *a, *b = *b, *a }

// Pointers passes pointers to fields, elements and variables to helpers.
type Pointers struct {
	Out []int32
	Tmp []Counter
}

func (k Pointers) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	var c Counter
	*c.hit(i) += 4
	*c.hit(i + 1) = 9
	p := &c.Each
	p[(i+2)%3]--
	for j := range p {
		p[j] *= 2
	}
	for j, v := range p {
		p[2-j] += v
	}
	x, y := int32(i), int32(1)
	swap(&x, &y)
	swap(&c.Each[0], &c.Each[i%3])
	swap(&k.Tmp[i], &c)
	bump(&x, &y)
	d := &k.Tmp[i]
	d.hit(1)
	e := *d
	d.N += 100
	pp := &d
	(*pp).Each[2] = e.N
	k.Out[i] = x*1000 + y + c.N + d.Each[1] + e.N
}

// BothKinds calls one helper with pointers into each kind of memory.
type BothKinds struct {
	X   []int32
	Out []int32
}

func incr(p *int32, s []int32) int32 {
	*p++
	n := *p
	for j := range s {
		s[j] += n
		n += s[j]
	}
	return n
}

func (k BothKinds) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	a := [4]int32{1, 2, 3, int32(i)}
	r := incr(&a[1], a[:2])
	r += incr(&k.X[i*4], k.X[i*4+1:i*4+4])
	r += incr(&a[3], k.X[i*4:i*4+2])
	s := a[1:3:3]
	s2 := s[:1]
	s2 = s2[:cap(s2)]
	r += int32(len(s2)*10 + cap(s[1:]))
	k.Out[i] = r + a[0] + a[1]*7 + a[2]*13
}

type holder struct{ p *int32 }

func (h *holder) set(p *int32) { h.p = p }

// Fresh has pointers to a loop's variables, used within the same iteration.
type Fresh struct{ Out []int32 }

func (k Fresh) Kernel(it dsl.Item1) {
	var y int32
	for j := range int32(4) {
		x := j
		var p *int32
		if j%2 == 0 {
			p = &x
		}
		if p != nil {
			*p += 3
		}
		var h holder
		if j > 1 {
			h.set(&x)
		}
		if h.p != nil {
			*h.p += x
		}
		add := func(n int32) { x += n }
		add(2)
		y += x
	}
	k.Out[it.GlobalID()] = y
}

// FoundLast leaves a loop with a pointer to the loop's variable.
type FoundLast struct{ Out []int32 }

func (k FoundLast) Kernel(it dsl.Item1) {
	for i := range 3 {
		var p *int32
		for j := range int32(4) {
			x := j * 2
			if j == int32(it.GlobalID()) {
				p = &x
				break
			}
		}
		if p != nil {
			k.Out[it.GlobalID()*3+i] = *p
		}
	}
}
