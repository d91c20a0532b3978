// Package dispatch contains kernels that select functions and values from tables by indices in memory.
//
//kgen:bare nospare
package dispatch

//go:generate go run github.com/kgen-go/kgen/cmd/kgen .

import "github.com/kgen-go/kgen/dsl"

// Dispatch takes functions, interface values, pointers and slices from tables, with indices from
// memory.
type Dispatch struct {
	In, Other []int32
	Out       []int32 // 16 results for each work-item
}

func plus(a, b int32) int32  { return a + b }
func minus(a, b int32) int32 { return a - b }
func times(a, b int32) int32 { return a * b }
func over(a, b int32) int32  { return a / b }

var binary = [...]func(a, b int32) int32{plus, minus, times, over, nil, func(a, b int32) int32 { return a ^ b }}

type operation struct {
	name  string
	arity int
	run   func(a, b int32) int32
}

var operations = []operation{
	{"plus", 2, plus},
	{"negate", 1, func(a, _ int32) int32 { return -a }},
	{run: times, arity: 2, name: "times"},
	{"nothing", 0, nil},
}

type figure interface {
	surface(by int32) int32
}

type disc struct{ r int32 }
type plank struct{ a, b int32 }
type scaled struct {
	of figure
	by int32
}

func (d disc) surface(by int32) int32   { return 3 * d.r * d.r * by }
func (p *plank) surface(by int32) int32 { return p.a * p.b * by }
func (s scaled) surface(by int32) int32 { return s.of.surface(by) * s.by }

var oak = plank{7, 5}

var figures = []figure{disc{2}, &oak, nil, scaled{disc{3}, 2}, &plank{1, 9}, scaled{&oak, 3}, disc{4}}

var layers = [3]*plank{{1, 2}, nil, {3, 4}}

var nested = [2][3]func(disc, int32) int32{
	{disc.surface, grown, shrunk},
	{shrunk, disc.surface, grown},
}

func grown(d disc, by int32) int32  { return d.r + by }
func shrunk(d disc, by int32) int32 { return d.r - by }

// Kernels read the variable `rows` with two indices from memory. The first index selects a slice.
var rows = [][]int32{{1}, {2, 3}, nil, {4, 5, 6}}

var weights = []struct {
	f     func(a, b int32) int32
	coefs [3]int32
}{{plus, [3]int32{1, 2, 3}}, {minus, [3]int32{4, 5, 6}}}

// Kernel takes one element of each table.
func (k Dispatch) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.In[i]
	out := k.Out[16*i : 16*i+16]
	if binary[x&7] != nil {
		out[0] = binary[x&7](x, 3)
	}
	op := operations[x&3]
	out[1] = int32(len(op.name) + op.arity)
	if op.run != nil {
		out[2] = op.run(x, 5)
	}
	fig := figures[uint32(x)%uint32(len(figures))]
	if fig != nil {
		out[3] = fig.surface(x)
	}
	switch f := fig.(type) {
	case disc:
		out[4] = f.r
	case *plank:
		out[4] = f.a
	case nil:
		out[4] = -1
	default:
		out[4] = -2
	}
	if l := layers[uint8(x)%3]; l != nil {
		out[5] = l.a + l.surface(2)
	}
	out[6] = nested[x&1][uint8(x)%3](disc{x}, 2)
	if row := rows[x&3]; len(row) > int(x>>2&1) {
		out[7] = row[x>>2&1] + rows[3][x&1]
	}
	w := &weights[x&1]
	out[8] = w.f(x, 1) + w.coefs[uint8(x)%3] + weights[x>>1&1].coefs[x&1]
	out[9] = k.locals(x)
	out[10] = k.slices(i, x)
	out[11] = changed(x)
	out[12] = written(x)
	out[13] = machine(x, k.Other)
	out[14] = turns(x, int(x&63))
	out[15] = elements(x)
}

// locals() has local variables that are tables of closures, of pointers and of slices.
func (k Dispatch) locals(x int32) int32 {
	n, m := int32(0), x
	steps := [...]func(){
		func() { n++ },
		func() { n += m },
		func() { m-- },
		nil,
	}
	if f := steps[x&3]; f != nil {
		f()
		steps[(x+1)&1]()
	}
	by := []func(int32) int32{func(v int32) int32 { return v + m }, func(v int32) int32 { return v * x }}
	vars := []*int32{&n, &m}
	*vars[x>>1&1] += by[x&1](2)
	var a [4]int32
	var b [2]int32
	both := [2][]int32{a[:], b[:]}
	both[x&1][1] = 5
	both[x>>1&1][0]++
	return n + m*3 + a[0] + a[1]*2 + b[0]*4 + b[1]*8
}

// slices() has tables whose elements are slices of device memory and of private memory.
func (k Dispatch) slices(i int, x int32) int32 {
	sources := [2][]int32{k.In, k.Other}
	var own [3]int32
	mixed := [][]int32{k.Other[:1], own[:]}
	mixed[1][x&1] = 7
	sum := sources[x&1][i] + int32(len(mixed[x>>1&1]))
	for _, v := range mixed[x>>1&1] {
		sum = sum*3 + v
	}
	return sum
}

type slot struct {
	name string
	f    func(a, b int32) int32
	hits [2]int32
}

// changed() changes elements of a table at unknown indices.
func changed(x int32) int32 {
	slots := [3]slot{{"a", plus, [2]int32{}}, {"bc", minus, [2]int32{}}, {"def", times, [2]int32{1, 2}}}
	s := &slots[uint8(x)%3]
	s.f, s.name = over, "long"
	s.hits[x&1]++
	slots[x&1].hits[1] += 4
	slots[x>>1&1], slots[2] = slots[2], slots[x>>1&1]
	sum := int32(0)
	for i := range slots {
		sum = sum*7 + slots[i].f(x, 3) + int32(len(slots[i].name)) + slots[i].hits[0] - slots[i].hits[1]
	}
	return sum
}

// written() stores strings and functions in tables at unknown indices.
func written(x int32) int32 {
	var names [3]string
	var fs [4]func(a, b int32) int32
	for i := range fs {
		fs[i] = plus
	}
	names[x&1] = "one"
	names[uint8(x)%3] = "three"
	fs[x&3] = minus
	fs[x>>2&3] = binary[x&1]
	return int32(len(names[0])+10*len(names[1])+100*len(names[2])) + fs[0](x, 1)*3 + fs[x&3](x, 2)*5 + fs[3](x, 4)
}

type stack struct {
	at   int
	vals [8]int32
}

func (s *stack) push(v int32) { s.vals[s.at&7], s.at = v, s.at+1 }
func (s *stack) pop() int32   { s.at--; return s.vals[s.at&7] }

var opcodes = [...]func(s *stack, arg int32){
	func(s *stack, arg int32) { s.push(arg) },
	func(s *stack, _ int32) { s.push(s.pop() + s.pop()) },
	func(s *stack, _ int32) { s.push(-s.pop()) },
	func(s *stack, arg int32) { s.push(s.pop() * arg) },
	(*stack).push,
	func(s *stack, _ int32) { a, b := s.pop(), s.pop(); s.push(a); s.push(b) },
}

// machine() interprets a program that is in memory.
func machine(x int32, code []int32) int32 {
	var s stack
	for pc, c := range code {
		opcodes[uint32(c^x)%uint32(len(opcodes))](&s, c+int32(pc))
	}
	return s.pop()
}

// turns() iterates over tables in loops with unknown or large numbers of iterations.
func turns(x int32, n int) int32 {
	acc := x
	for i := range n {
		acc = binary[i%3](acc, int32(i))
	}
	figs := [...]figure{disc{1}, &oak}
	for i := 0; i < 50; i++ {
		acc ^= figs[i&1].surface(int32(i))
	}
	return acc
}

// elements() compares and stores elements of tables.
func elements(x int32) int32 {
	best := figures[0]
	for i := range figures {
		if f := figures[(i+int(x&7))%len(figures)]; f != nil && f.surface(1) > best.surface(1) {
			best = f
		}
	}
	sum := best.surface(2)
	if figures[x&1] == figures[x>>1&1] {
		sum++
	}
	if p, ok := figures[1+3*(x&1)].(*plank); ok && p == &oak {
		sum += 100
	}
	if layers[x&2] == layers[2] {
		sum += 1000
	}
	return sum
}

// Misses selects nil elements of tables, or uses an index that is out of range.
type Misses struct{ In, Out []int32 }

// Kernel panics in a different way in each of the first work-items.
func (k Misses) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.In[i]
	j := x / 8
	k.Out[i] = 1
	var fs [3]func(a, b int32) int32
	fs[0] = plus
	rows := [2]*[2]int32{nil, new([2]int32)}
	switch x % 8 {
	case 0:
		k.Out[i] = binary[j](j, 0)
	case 1:
		k.Out[i] = figures[j].surface(1)
	case 2:
		k.Out[i] = layers[j].b
	case 3:
		fs[j] = minus
		k.Out[i] = fs[1](1, 2)
	case 4:
		rows[j][1] = 3
	case 5:
		k.Out[i] = nested[1][j](disc{1}, 2) + operations[j].run(1, 2)
	case 6:
		k.Out[i] = figures[j].(disc).r
	}
	k.Out[i]++
}

var passes = [][]func(a, b int32) int32{{plus, minus}, nil, {times}, {plus, times, minus}}

// Passes has functions with slices of functions as parameters.
type Passes struct {
	Op, A, B, Out []int32
}

// Kernel calls all functions of some slices, and some functions of all slices.
func (k Passes) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	acc := k.A[i]
	for _, f := range passes[k.Op[i]] {
		acc = f(acc, k.B[i])
	}
	fs := [...]func(a, b int32) int32{plus, minus, times}
	s := fs[:2]
	if acc > 3 {
		s = fs[1:]
	}
	for _, f := range s {
		acc = f(acc, k.B[i])
	}
	if k.Op[i] < 2 {
		s[k.Op[i]] = times
	}
	t := s
	for j := range k.Op {
		if k.Op[j] > 2 {
			t = passes[j]
		}
		if len(t) > 1 {
			acc = t[1](acc, 2)
		}
	}
	k.Out[i] = acc
}
