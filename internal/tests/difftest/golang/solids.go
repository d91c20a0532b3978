package golang

import "github.com/kgen-go/kgen/dsl"

type solid interface{ size(x int32) int32 }

type sphere struct {
	center [3]int32
	r      int32
}

func (s sphere) size(x int32) int32 {
	return s.r*x + s.center[0] - s.center[1]*3 + s.center[uint32(x)%3]
}

type mesh struct {
	corners [4]struct {
		at   [2]int16
		used bool
	}
	inner sphere
}

func (m mesh) size(x int32) (sum int32) {
	for i, c := range m.corners {
		if c.used {
			sum += int32(c.at[i%2]) * x
		}
	}
	return sum + m.inner.size(x)
}

type field40 [40]int32

func (g field40) size(x int32) int32 { return g[uint32(x)%40] - g[39] }

func (g *field40) fill(x int32) {
	for i := range g {
		g[i] = x * int32(i)
	}
}

type couple struct{ a, b solid }

func (p couple) size(x int32) (sum int32) {
	if p.a != nil {
		sum += p.a.size(x)
	}
	if p.b != nil {
		sum -= 2 * p.b.size(x+1)
	}
	return
}

type recent struct {
	s    []int32
	last [2]int32
}

func (l recent) size(x int32) int32 { return l.s[uint32(x)%uint32(len(l.s))] + l.last[1] }

var solids = [...]solid{sphere{[3]int32{1, 2, 3}, 4}, field40{5: 7, 39: 2}, couple{sphere{r: 2}, nil}, nil}

// Solids has values that contain arrays. The types of the values depend on data. The values are
// interface values and method values, in variables and in arrays.
type Solids struct {
	In, Out []int32
}

// Kernel adds up the results of three ways to use the values.
func (k Solids) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.In[i]
	sum := k.chosen(i, x)
	sum = sum*3 + k.changed(x)
	sum = sum*3 + k.rounds(x)
	k.Out[i] = sum
}

// SolidUses uses values with arrays in ways that do not occur in Solids. A single kernel with all
// uses would need more private memory than GPUs have.
type SolidUses struct{ Solids }

// Kernel adds up the results of all uses.
func (k SolidUses) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.In[i]
	sum := k.methods(x)
	sum = sum*3 + k.elements(x)
	sum = sum*3 + k.nested(x)
	sum = sum*3 + k.asserted(x)
	sum = sum*3 + k.exchanged(x)
	k.Out[i] = sum
}

// of() returns one of several values, selected by x.
func (k Solids) of(i int, x int32) solid {
	switch uint32(x) % 6 {
	case 0:
		return sphere{[3]int32{x, int32(i), 7}, 5}
	case 1:
		var m mesh
		m.corners[uint(i)%4].at = [2]int16{int16(x), 3}
		m.corners[uint(i)%4].used = true
		m.inner.center[uint(i)%3] = x
		return m
	case 2:
		var g field40
		g.fill(x)
		return g
	case 3:
		return recent{k.In[i/2:], [2]int32{x, x + 1}}
	case 4:
		return couple{sphere{r: x}, recent{k.In, [2]int32{2, x}}}
	}
	return nil
}

func (k Solids) chosen(i int, x int32) (sum int32) {
	s, t := k.of(i, x), k.of(i/2, x/2)
	if s != nil {
		sum = s.size(x) * 5
	}
	if x&8 != 0 {
		s, t = t, s
	}
	if t != nil {
		sum += t.size(x + 1)
	}
	return sum
}

// changed() changes a variable after its value has been copied.
func (k Solids) changed(x int32) int32 {
	b := sphere{[3]int32{x, 2, 3}, 4}
	var s solid = b
	b.center[0]++
	if x&1 == 0 {
		s = b
	}
	b.center[1] = x
	before := s
	if x&2 == 0 {
		var g field40
		g.fill(x)
		s = g
		g[3] = 9
	}
	equal := int32(0)
	if before == s {
		equal = 100
	}
	return s.size(x) + before.size(x+1)*3 + equal
}

// rounds() keeps values of earlier iterations of a loop.
func (k Solids) rounds(x int32) (sum int32) {
	var first, last solid
	var some field40
	for j := range 6 + x&3 {
		some[uint32(x+j)%40] += j
		now := k.of(int(j), x+j*5)
		if last != nil {
			sum = sum*5 + last.size(j)
		}
		if first == nil || x&4 != 0 && j == 3 {
			first = now
		}
		if j&1 == 0 {
			last = some
		} else {
			last = now
		}
		some[39]++
	}
	if first != nil {
		sum += first.size(x)
	}
	return sum
}

// methods() has method values with arrays as receivers, and closures that capture such receivers.
func (k Solids) methods(x int32) int32 {
	b := sphere{[3]int32{x, 1, 1}, 2}
	f := b.size
	b.center[0] = 9
	var g field40
	g.fill(x)
	if x&1 != 0 {
		f = g.size
	} else if x&2 != 0 {
		f = func(y int32) int32 { return g[uint32(y)%40] + b.center[0] }
	}
	g[1], b.center[0] = 5, 6
	old := f
	if x&4 != 0 {
		f = b.size
	}
	return f(x)*7 + old(x+1)
}

// elements() selects elements by unknown indices.
func (k Solids) elements(x int32) (sum int32) {
	if s := solids[uint32(x)%4]; s != nil {
		sum = s.size(x)
	}
	own := [3]solid{sphere{r: x}, field40{1: x}}
	own[uint32(x)%3] = sphere{[3]int32{x, x, 2}, x}
	own[uint32(x)/5%3] = k.of(1, x)
	for j := range own {
		if s := own[(uint32(x)+uint32(j))%3]; s != nil {
			sum = sum*3 + s.size(int32(j))
		}
	}
	balls := []sphere{{r: x}, {[3]int32{x, 4, 5}, 6}}
	b := balls[uint32(x)%2]
	balls[0].center[0] = 8
	return sum + b.size(x) + balls[uint32(x)/2%2].size(x)
}

func (k Solids) nested(x int32) int32 {
	p := couple{sphere{[3]int32{x, 2, x}, 1}, nil}
	if x&1 == 0 {
		p.b = field40{2: x}
	}
	if x&2 == 0 {
		p.a, p.b = p.b, p.a
	}
	var s solid = p
	if x&4 == 0 {
		s = couple{p.b, s}
	}
	q := &p
	if x&8 == 0 {
		q = &couple{k.of(2, x), p.a}
	}
	return s.size(x) + q.size(x+1)
}

func (k Solids) asserted(x int32) (sum int32) {
	var v any = k.of(3, x)
	switch x & 7 {
	case 0:
		v = [2]int32{x, 3}
	case 1:
		v = [3][2]int8{1: {2, int8(x)}}
	case 2:
		v = [2]solid{sphere{r: x}, nil}
	}
	switch v := v.(type) {
	case [2]int32:
		sum = v[0] + v[uint32(x)/8%2]
	case [3][2]int8:
		sum = int32(v[uint32(x)%3][1])
	case sphere:
		v.center[1] += 5
		sum = v.size(x)
	case [2]solid:
		sum = v[0].size(x)
	case solid:
		sum = v.size(x) - 1
	}
	if b, ok := v.(sphere); ok && b.center != [3]int32{} || v == any([2]int32{x, 3}) {
		sum += 1000
	}
	return sum
}

// exchanged() uses values after their variables have been assigned. Loads must copy arrays.
func (k Solids) exchanged(x int32) (sum int32) {
	var s, t solid = sphere{[3]int32{x, 1, 2}, 3}, field40{1: x, 39: 1}
	if x&1 != 0 {
		s = field40{2: x}
	}
	if x&2 != 0 {
		t = sphere{[3]int32{5, x, 6}, 7}
	}
	for j := range 3 + x&1 {
		s, t = t, s
		sum = sum*3 + s.size(j+1) - t.size(j)
	}
	own := [2]solid{s, t}
	was, other := own[x&1], own[1-x&1]
	own[x&1], own[1-x&1] = field40{1: 77, 39: x}, sphere{[3]int32{x, 8, 9}, 1}
	return sum + was.size(1) + other.size(2)*3 + own[0].size(1)*5
}
