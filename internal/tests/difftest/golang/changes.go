package golang

import "github.com/kgen-go/kgen/dsl"

// Changes has fields and captured variables of function, slice, pointer and interface types. The
// kernel changes the value of each field and variable several times.
type Changes struct{ A, B, Out []int64 }

func (k Changes) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	a, b := k.A[i], k.B[i]
	for j, r := range [...]int64{changed1(a, b), changed2(a, b), changed3(a, b), changed4(a, b), changed5(a, b), changed6(a, b), changed7(a, b), changed8(a, b), changed9(a, b)} {
		k.Out[i*9+j] = r
	}
}

type shifting struct {
	f func(int64) int64
	s []int64
	p *int64
	n int64
	i interface{ get() int64 }
}
type fixedGet int64
type countGet struct{ x int64 }

func (g fixedGet) get() int64  { return int64(g) }
func (g *countGet) get() int64 { g.x++; return g.x }

func oneMore(x int64) int64 { return x + 1 }
func double(x int64) int64  { return x * 2 }

// changed1 changes variables in branches, uses the variables there, and changes them again after the branches.
func changed1(a, b int64) int64 {
	var x, y [4]int64
	c := shifting{f: oneMore, s: x[:]}
	if a > b {
		c.f, c.s = double, y[1:]
		c.s[0] = c.f(a)
		c.p = &y[2]
	} else {
		c.s[1] = c.f(b)
		c.p = &y[3]
	}
	*c.p = 9
	c.f = func(z int64) int64 { return z - a }
	c.s = y[:2]
	c.s[1] += c.f(7)
	c.i = fixedGet(b)
	n := c.i.get()
	c.i = &countGet{n}
	n += c.i.get() * 3
	for i := range x {
		n = n*7 + x[i] + y[i]*3
	}
	return n
}

// changed2 changes variables that each iteration of a loop declares.
func changed2(a, b int64) int64 {
	var x, y [4]int64
	n := int64(0)
	for i := range a & 7 {
		c := shifting{f: oneMore, s: x[:]}
		for j := range 3 {
			c.s[j] += c.f(i)
		}
		if i&1 == 1 {
			c.s, c.f = y[:], double
			c.s[i&3] += c.f(b)
			continue
		}
		c.f = double
		n += c.f(i)
	}
	for i := range x {
		n = n*7 + x[i] + y[i]*3
	}
	return n
}

// Methods with a pointer receiver change the value that newShifting returns.
func newShifting(s []int64) *shifting { return &shifting{s: s} }
func (c *shifting) use(f func(int64) int64) *shifting {
	c.f = f
	return c
}
func (c *shifting) run(n int64) int64 {
	for i := range c.s {
		c.s[i] = c.f(c.s[i] + n)
	}
	return c.s[0]
}
func changed3(a, b int64) int64 {
	var x, y [4]int64
	c := newShifting(x[:])
	r := c.use(oneMore).run(a) + c.use(double).run(b)
	c.s = y[:]
	r += c.use(func(x int64) int64 { r++; return x - r }).run(1)
	return r + x[3] + y[2]
}

// changed4 changes captured variables.
func changed4(a, b int64) int64 {
	var x, y [4]int64
	s := x[:]
	h := oneMore
	put := func(v int64) {
		for i := range s {
			s[i] = h(v)
		}
	}
	put(a)
	s = y[1:]
	h = double
	put(b)
	if a&1 == 0 {
		s = x[2:]
		put(3)
		s = y[1:]
	}
	put(1)
	n := int64(0)
	for i := range x {
		n = n*7 + x[i] + y[i]*3
	}
	return n
}

// changed5 changes values before early returns.
func changed5(a, b int64) int64 {
	var x, y [4]int64
	c := shifting{s: x[:], f: oneMore}
	if a < b {
		c.s = y[:]
		c.f = double
		return c.run(a) + x[0] + y[1]
	}
	for range b & 3 {
		c.n += c.f(c.n)
	}
	return c.run(b) + x[0] + y[1] + c.n
}

// changed6 swaps double buffers in a loop with a known number of iterations.
func changed6(a, b int64) int64 {
	x, y := [8]int64{a, b, 3, 4, 5, 6, 7, 8}, [8]int64{}
	type bufs struct{ src, dst []int64 }
	d := bufs{x[:], y[:]}
	for i := range d.src {
		d.dst[i] = d.src[i] + d.src[(i+1)%8]
	}
	d.src, d.dst = d.dst, d.src
	for i := range d.src {
		d.dst[i] = d.src[i] ^ d.src[(i+3)%8]
	}
	d.src, d.dst = d.dst, d.src
	n := int64(0)
	for _, v := range d.src {
		n = n*31 + v
	}
	return n
}

// changed7 has deferred functions that see the last values.
func changed7(a, b int64) int64 {
	return lateChange(a, b)
}
func lateChange(a, b int64) (r int64) {
	c := shifting{f: oneMore}
	defer func() { r += c.f(a) }()
	c.n = a
	for range b & 3 {
		c.n++
	}
	c.f = double
	return c.n
}

// The type `views` is a struct of slices, some of which are nil at first.
type views struct {
	s, t []int64
	n    int
}

func (v *views) push(x int64) {
	v.s = append(v.s, x)
	v.t = v.s[len(v.s)/2:]
	v.n++
}

// changed8 copies structs that contain a nil slice.
func changed8(a, b int64) int64 {
	var store [2][10]int64
	vs := [2]views{{s: store[0][:0]}, {s: store[1][:0:6]}}
	for i := range int64(6) {
		for j := range vs {
			vs[j].push(i * a)
		}
		if i == 3 {
			break
		}
	}
	vs[0].t[0] += b
	v := vs[0]
	v.push(7)
	n := int64(len(vs[0].s)) + store[0][4] + int64(len(v.t))
	for i := range vs {
		for _, x := range vs[i].t {
			n = n*31 + x
		}
		n += int64(len(vs[i].t)*10 + cap(vs[i].t) + vs[i].n)
	}
	return n
}

// changed9 stores closures in arrays. The closures read the variables of a three-part for statement.
func changed9(a, b int64) int64 {
	n := int64(0)
	for r := range a & 3 {
		var fs [4]func(int64) int64
		var gs [4]func() int
		for i, j := 0, 3; i < j+3 && i < 4; i, j = i+1, j-1 {
			fs[i] = func(x int64) int64 { return x*b + int64(i*j) + r }
		}
		for i := 3; i >= 0; i-- {
			if i == 2 {
				gs[i] = func() int { return -1 }
				continue
			}
			gs[i] = func() int { return i * 7 }
		}
		for i, f := range fs {
			if f != nil {
				n = n*31 + f(a)
			}
			n += int64(gs[i]())
		}
	}
	return n
}
