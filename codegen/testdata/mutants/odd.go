// Package mutants holds kernels with odd code, most of which kgen refuses. They
// are where mutants begin, and must neither panic nor break a rule.
package mutants

import (
	"math"
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/kgen-go/kgen/dsl"
)

type Empty struct{}

type EmptyArrays struct {
	_   int
	N   int
	E   Empty
	Out []int32
}

func (k EmptyArrays) Kernel(it dsl.Item1) {
	var a [0]int32
	var b [3][0]int32
	var c struct {
		x [0]int64
		e Empty
	}
	d := c
	s := a[:]
	for i := range s {
		k.Out[i] = s[i]
	}
	e := b
	if d == c && e == b && k.E == (Empty{}) {
		k.Out[0] = int32(len(s) + len(b[k.N&1]))
	}
}

type Huge struct{ Out []int32 }

func (k Huge) Kernel(it dsl.Item1) {
	var a [1 << 33]int8
	a[it.GlobalID()] = 1
	k.Out[0] = int32(a[1<<32])
}

type HugeStruct struct{ Out []int32 }

func (k HugeStruct) Kernel(it dsl.Item1) {
	var a struct{ x, y [1 << 28]int64 }
	b := a
	k.Out[0] = int32(b.y[it.GlobalID()])
}

type Constants struct {
	N   int
	F   float32
	Out []int64
}

func (k Constants) Kernel(it dsl.Item1) {
	const least = math.MinInt64
	x := int64(least)
	y := int64(-1)
	k.Out[0] = x / y
	k.Out[1] = x % y
	var s uint = 200
	k.Out[2] = x << s >> s
	z := 0
	if k.N > 1000 {
		k.Out[3] = int64(1 / z)
	}
	f := float32(math.Inf(1))
	k.Out[4] = int64(f * 0)
	k.Out[5] = int64(int8(k.N<<7) >> 31)
	k.Out[6] = int64(uint8(k.N) << 8 >> 8)
	c := complex(k.F, f)
	c = c * c / complex(0, 0)
	if c == c || c != complex(1, 0) {
		k.Out[7] = int64(real(c) + imag(c))
	}
}

type Strings struct {
	N   int
	Out []int32
}

func (k Strings) Kernel(it dsl.Item1) {
	s := "abc"
	t := s + "d"
	if k.N > 2 && s < t {
		t = "x"
	}
	for i, r := range s {
		k.Out[i] = int32(r)
	}
	k.Out[0] = int32(s[k.N]) + int32(len(s[1:])) + int32(t[0])
	b := []byte(s)
	u := string(b[1:]) + string(rune(k.N))
	k.Out[1] = int32(len(u))
	m := min("b", "a", s)
	k.Out[2] = int32(m[0])
	k.Out[3] = int32(copy(b, "xyz"))
}

type shape interface{ area() int32 }
type square struct{ a int32 }
type circle struct{ r [2]int32 }

func (s square) area() int32  { return s.a * s.a }
func (c *circle) area() int32 { return c.r[0] }

type Interfaces struct {
	N   int
	Out []int32
}

func (k Interfaces) Kernel(it dsl.Item1) {
	var s shape
	if s == nil {
		s = square{3}
	}
	k.Out[0] = s.area()
	var t shape = &circle{[2]int32{1, 2}}
	f := t.area
	g := shape.area
	h := (*circle).area
	k.Out[1] = f() + g(s) + h(t.(*circle))
	var x, y any = 1, k.N
	if x == y || s == shape(square{3}) {
		k.Out[2] = 1
	}
	switch v := y.(type) {
	case nil:
	case int32, float32:
		k.Out[3] = 2
	case int:
		k.Out[4] = int32(v)
	}
	if k.N > 3 {
		s = t
	}
	k.Out[5] = s.area()
	var e error
	k.Out[6] = int32(len(e.Error()))
	_ = x.(string)
}

type node struct {
	next *node
	val  int32
	f    func(int32) int32
	arr  [3]func(*node) *node
	s    []node
}

type Pointers struct {
	N   int
	Out []int32
}

func (k *Pointers) Kernel(it dsl.Item1) {
	a := node{val: 1}
	b := node{next: &a, val: 2}
	a.next = &b
	a.f = func(x int32) int32 { return x + b.val }
	b.arr[1] = func(n *node) *node { return n.next }
	k.Out[0] = a.next.next.val + a.f(3) + b.arr[k.N&1](&b).val
	p := &a
	for p != nil {
		p = p.next
	}
	pp := &p
	*pp = &b
	(*pp).val++
	k.Out[1] = p.val
	var nothing *node
	k.Out[2] = nothing.val
	q := new(*[2]int32)
	*q = (*[2]int32)(k.Out)
	(**q)[1] = 3
	r := [2]int32(k.Out[1:])
	k.Out[3] = r[k.N]
	k.Out[4] = int32(len(*q) + cap((*q)[:1]))
	k.Out = nil
	k.N++
}

type Closures struct {
	N   int
	Out []int32
}

func twice(f func(int) int) func(int) int { return func(x int) int { return f(f(x)) } }

func (k Closures) Kernel(it dsl.Item1) {
	n := 1
	inc := func(x int) int { n++; return x + n }
	k.Out[0] = int32(twice(twice(inc))(k.N))
	var f func(int) int
	f = func(x int) int {
		if x == 0 {
			return 0
		}
		return f(x - 1)
	}
	k.Out[1] = int32(f(3))
	var g func()
	g()
	fs := [2]func(int) int{inc, nil}
	k.Out[2] = int32(fs[0](1))
	if fs[1] != nil {
		k.Out[3] = int32(fs[1](2))
	}
	for i := range func(yield func(int) bool) { _ = yield(n) && yield(2) } {
		n += i
		if n > 5 {
			break
		}
	}
	func(xs ...int) { n += len(xs) }(1, 2, 3)
	var fn func(...int) int
	if k.N > 0 {
		fn = func(xs ...int) int { return len(xs) }
	}
	k.Out[4] = int32(fn())
}

type Jumps struct {
	N   int
	Out []int32
}

func (k Jumps) Kernel(it dsl.Item1) {
	i := 0
	if k.N > 3 {
		goto middle
	}
top:
	i++
middle:
	k.Out[0]++
	if i < 10 {
		goto top
	}
	for {
		for {
			if i > 20 {
				goto out
			}
			i++
		}
	}
out:
	for {
	}
}

var (
	table      = [...][2]int32{{1, 2}, {3}, 5: {4}}
	slices     = [][]int32{{1}, {2, 3}, nil}
	names      = []string{"a", "bc"}
	funcs      = [2]func(int32) int32{half, nil}
	lookup     = map[int]int{1: 2}
	ptr        = &table[1]
	some   any = 3
	empty  []float32
	nested = struct {
		a [2]struct{ x, y float32 }
		s []int8
	}{s: []int8{1, 2}}
)

func half(x int32) int32 { return x / 2 }

type Globals struct {
	N   int
	Out []int32
}

func (k Globals) Kernel(it dsl.Item1) {
	k.Out[0] = table[k.N][k.N&1]
	k.Out[1] = slices[k.N][0]
	k.Out[2] = int32(len(names[k.N&1])) + int32(len(names))
	k.Out[3] = funcs[0](4)
	k.Out[4] = int32(lookup[1] + len(lookup))
	k.Out[5] = ptr[1]
	k.Out[6] = int32(some.(int)) + int32(len(empty))
	k.Out[7] = int32(nested.a[k.N].x) + int32(nested.s[k.N])
	t := table
	t[k.N][0] = 3
	for _, x := range table {
		k.Out[0] += x[0]
	}
	for _, x := range slices[1] {
		k.Out[0] += x
	}
}

type Groups struct {
	N     int
	Local dsl.LocalAccessor[float32]
	Out   []int32
}

func (k Groups) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[4][0]int32](it)
	one := dsl.Local[struct {
		a int32
		b [2]bool
	}](it)
	ls := dsl.LocalSlice[uint8](it, 3)
	l := k.Local
	fs := l.Slice(it)
	items := [2]dsl.NDItem1{it, it}
	var zero dsl.NDItem1
	var a any = it
	b := a.(dsl.NDItem1)
	g := b.Group()
	it.Barrier()
	for i := range tile {
		k.Out[i] = int32(len(tile[i]))
	}
	p := &one.b[k.N]
	*p = !*p
	items[0].Barrier()
	g.Barrier()
	k.Out[0] = int32(zero.GlobalID() + items[1].LocalID() + len(fs))
	q := &k.Out[1]
	atomic.AddInt32(q, one.a)
	atomic.AddInt32(&one.a, 2)
	ls[0]++
	if it.LocalID() == 0 {
		it.Barrier()
	}
	defer it.Barrier()
}

type Converts struct {
	N   int
	F   float64
	Out []uint64
}

func num[T ~int8 | ~uint16 | ~float32 | ~float64, U ~int64 | ~uint8 | ~float32](x T) U { return U(x) }

func (k Converts) Kernel(it dsl.Item3) {
	z, y, x := it.GlobalID()
	k.Out[0] = uint64(num[int8, int64](int8(x))) + uint64(num[float64, uint8](k.F)) + uint64(num[float32, float32](float32(y)))
	k.Out[1] = uint64(unsafe.Sizeof(k)) + uint64(uintptr(z))
	hi, lo := bits.Mul64(k.Out[0], math.Float64bits(k.F))
	q, r := bits.Div64(hi, lo, k.Out[2])
	k.Out[2] = q + r + uint64(bits.Len(uint(x))) + bits.RotateLeft64(hi, -z)
	k.Out[3] = uint64(math.FMA(k.F, k.F, 1) + math.Mod(k.F, 0) + math.Pow(k.F, 3))
	k.Out[4] = uint64(max(k.F, float64(x), math.NaN()))
	k.Out[5] = uint64(min(int8(x), -1, int8(y)))
	var u8 uint8 = uint8(x)
	k.Out[6] = uint64(-u8) + uint64(^u8) + uint64(u8<<u8) + uint64(u8/(u8|1))
	for i := range u8 {
		k.Out[7] += uint64(i)
	}
}
