package golang

import "github.com/kgen-go/kgen/dsl"

// Order evaluates expressions whose calls change variables that the expressions read. Go does not
// define the order of the calls and reads. gc reads the variables after the calls.
type Order struct {
	In  []int32
	Out []int32 // 40 results for each work-item
}

type orderReader struct {
	at    int
	left  int32
	bytes [8]int32
	list  []int32
}

func (r *orderReader) next() int32 {
	r.at++
	r.left -= 2
	return r.bytes[(r.at-1)&7]
}

func (r *orderReader) skip(n int) int { r.at += n; return n }

func (r orderReader) sum() int32 { return r.bytes[0] + int32(r.at) }

func raise(p *int) int32 { *p++; return int32(*p) * 7 }

func traded(s *[]int32, t []int32) int32 { *s = t; return 9 }

func four(a, b, c, d int32) int32 { return a*1000 + b*100 + c*10 + d }

type cellAt struct{ x, y int32 }

func (k Order) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	o := orderOut{k.Out[40*i : 40*i+40], 0}
	x := int(k.In[i])
	r := orderReader{left: k.In[i], bytes: [8]int32{3, 1, 4, 1, 5, 9, 2, 6}}

	o.put(int32(r.at) + r.next())
	o.put(r.next() + int32(r.at))
	r.left += r.next()
	o.put(r.left)
	r.at += r.skip(2)
	o.put(int32(r.at))
	o.put(r.bytes[r.at&7] * r.next())
	o.put(r.sum() + r.next() + r.sum())
	o.put(four(r.left, r.next(), int32(r.at), r.next()))
	r.bytes[r.at&7] = r.next()
	o.put(r.bytes[0] + 2*r.bytes[1] + 3*r.bytes[2] + 4*r.bytes[3] + 5*r.bytes[4] + 6*r.bytes[5] + 7*r.bytes[6] + 8*r.bytes[7])

	j := x & 1
	a := [4]int32{int32(j), raise(&j), int32(j), 5}
	o.put(four(a[0], a[1], a[2], a[3]))
	b := cellAt{int32(j), raise(&j)}
	o.put(b.x*100 + b.y)
	p := &cellAt{int32(j) + raise(&j), int32(j)}
	o.put(p.x*100 + p.y)
	var c [6]cellAt
	j = 0
	c[j].x, c[j].y = raise(&j), raise(&j)
	o.put(four(c[0].x, c[1].x, c[2].x, c[2].y))
	j, a[j&3] = int(raise(&j)), int32(j)
	o.put(int32(j)*1000 + a[0] + a[1]*10 + a[2]*100)

	var s, t [3]int32
	u := s[:]
	u[1] = traded(&u, t[:])
	u[2] += traded(&u, s[:])
	o.put(four(s[1], t[1], s[2], t[2]))
	o.put(int32(len(u)) + traded(&u, t[:2]) + int32(len(u)))
	v := u[:1]
	o.put(int32(len(u[:2])) + traded(&u, v) + int32(len(u)))
	move := func() int32 { p = &c[3]; return 5 }
	p.x = move()
	o.put(c[3].x)

	total := int32(0)
	add := func(n int32) int32 { total += n; return total }
	o.put(total + add(3) + total*add(4))
	total += add(1)
	o.put(total)
	for _, w := range a { // w is an element of a copy of the array from before the first iteration
		o.put(w + clearAll(&a) + a[1])
	}
	for q := range c[:2] {
		e := c[q].x
		o.put(e + spoil(&c) + c[q].x)
	}
	if j = 3; int32(j)+raise(&j) > 30 {
		o.put(int32(j))
	}
	for j = 0; int32(j)+raise(&j) < 40; j++ {
		o.put(int32(j))
	}
	switch int32(j) + raise(&j) {
	case int32(j) - 1, raise(&j):
		o.put(1)
	case int32(j) + 49:
		o.put(2)
	default:
		o.put(int32(j))
	}
	o.put(returned(&j))
	o.put(min(int32(j), 100) + raise(&j) + max(int32(j), 3))
	f := func(n int32) int32 { return n }
	o.put(f(int32(j)) + change(&f) + f(int32(j)))
}

// Updates has assignments whose left and right sides may both panic. gc evaluates the left side
// first, except for calls.
type Updates struct {
	Mode    int32
	In, Out []int32
}

// Kernel panics.
func (k Updates) Kernel(it dsl.Item1) {
	var a [4]int32
	var p *int32
	i := int(k.In[0])
	switch k.Mode {
	case 0:
		k.Out[i] += 100 / k.In[1]
	case 1:
		a[i&7] -= k.In[0] * k.In[i]
	case 2:
		if i < 0 {
			p = &a[1]
		}
		*p += a[i&7]
	case 3:
		k.Out[i] <<= k.In[2] % k.In[1]
	case 4:
		k.Out[i] += func(a, b int32) int32 { return a / b }(k.In[0], k.In[1])
	case 5:
		k.Out[i+1] = a[i&7] / k.In[1]
	}
	k.Out[0] = a[i&3]
}

type orderOut struct {
	to []int32
	n  int
}

func (o *orderOut) put(x int32) { o.to[o.n%len(o.to)] += x; o.n++ }

func clearAll(a *[4]int32) int32 { clear(a[:]); a[1] = 7; return 100 }

func spoil(c *[6]cellAt) int32 {
	for i := range c {
		c[i].x += 50
	}
	return 1000
}

func returned(p *int) int32 {
	a, b := both(p)
	return a*100 + b
}

func both(p *int) (int32, int32) { return int32(*p), raise(p) }

func change(f *func(int32) int32) int32 {
	*f = func(n int32) int32 { return -n }
	return 10000
}
