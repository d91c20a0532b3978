package corpus

import "github.com/kgen-go/kgen/dsl"

// Vec is a struct with methods.
type Vec struct{ X, Y, Z float32 }

// Add returns the sum.
func (v Vec) Add(w Vec) Vec { return Vec{v.X + w.X, v.Y + w.Y, v.Z + w.Z} }

// Scale multiplies in place.
func (v *Vec) Scale(f float32) {
	v.X *= f
	v.Y *= f
	v.Z *= f
}

// Body has padding, nesting and arrays.
type Body struct {
	Alive bool
	Pos   Vec
	Tag   uint8
	Mass  float64
	Hist  [3]int16
	Vel   Vec
}

// Bodies moves structs through memory.
type Bodies struct {
	In  []Body
	Out []Body
	By  Vec
}

func (k Bodies) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	b := k.In[i]
	if b.Alive {
		b.Pos = b.Pos.Add(b.Vel).Add(k.By)
		b.Vel.Scale(0.5)
		b.Hist[i%3] = int16(i) - 5
		k.In[i].Tag += 3
	} else {
		b.Mass = -b.Mass
		p := &k.Out[i]
		p.Tag = 77
	}
	b.Tag += k.In[i].Tag
	k.Out[i] = b
	k.Out[i].Hist[1]++
}

// Tables reads tables in package-level variables.
type Tables struct {
	Out []int32
}

var primes = [...]int32{2, 3, 5, 7, 11, 13, 17, 19}

var weights = []int16{-1, 4, 1 << 12, 7}

var grid = [3][2]Vec{{{1, 2, 3}, {4, 5, 6}}, {{7, 8, 9}}, {1: {Z: 2.5}}}

const name = "kernel"

func (k Tables) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	s := primes[i%len(primes)]
	for _, w := range weights {
		s = s*3 + int32(w)
	}
	s += int32(grid[i%3][i%2].Z * 2)
	s += int32(name[i%len(name)])
	for _, p := range primes {
		s ^= p
	}
	k.Out[i] = s
}

// Arrays uses private arrays indexed at run time.
type Arrays struct {
	Seed int32
	Out  []int32
}

func fill(a *[16]int32, seed int32) {
	for i := range a {
		a[i] = seed * int32(i+1)
		seed ^= a[i] >> 3
	}
}

func sortArray(s []int32) {
	for i := 1; i < len(s); i++ {
		for j := i; j > 0 && s[j] < s[j-1]; j-- {
			s[j], s[j-1] = s[j-1], s[j]
		}
	}
}

func (k Arrays) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	var a [16]int32
	fill(&a, k.Seed+int32(i)*17)
	b := a
	sortArray(b[2:12])
	var m [3][4]int32
	for y := range m {
		for x := range m[y] {
			m[y][x] = b[(y*4+x+i)%16] - a[x]
		}
	}
	sum := int32(0)
	for _, row := range m {
		for x, v := range row {
			sum = sum*31 + v*int32(x)
		}
	}
	if a == b {
		sum++
	}
	k.Out[i] = sum + b[5]
}

// SubSlices slices its arguments and keeps slices in variables.
type SubSlices struct {
	A, B []int32
	Out  []int32
}

func sum(s []int32) (n int32) {
	for _, x := range s {
		n += x
	}
	return n
}

func (k SubSlices) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	s := k.A
	if i%2 == 1 {
		s = k.B[1:]
	}
	lo := i % 5
	w := s[lo : lo+4 : lo+6]
	r := sum(w) + int32(cap(w))*1000 + int32(len(s[lo:]))*7
	for len(s) > 3 {
		r ^= s[0]
		s = s[3:]
	}
	if s == nil {
		r = -r
	}
	k.Out[i] = r
}

// Swap calls a function with two results, and swaps the results in some work-items.
type Swap struct {
	Out []uint64
}

func fib(n int) (a, b uint64) {
	a, b = 0, 1
	for range n {
		a, b = b, a+b
	}
	return
}

func (k Swap) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	a, b := fib(i)
	if i&1 == 0 {
		a, b = b, a
	}
	k.Out[i] = a<<1 ^ b
}

// Args has arguments of every kind.
type Args struct {
	Flag  bool
	Small int8
	Pair  [2]int32
	In    Inner
	Big   [40]float32
	Out   []float32
}

// Inner is a struct of scalars and slices.
type Inner struct {
	M    uint16
	Data []float32
	Nest struct {
		Scale float64
		More  [2][]float32
	}
}

func (k Args) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	v := float32(k.Small) + float32(k.Pair[i%2])
	if k.Flag {
		v += float32(k.In.M)
	}
	v += k.In.Data[i] * float32(k.In.Nest.Scale)
	v += k.In.Nest.More[0][i] - k.In.Nest.More[1][i]
	v += k.Big[i%40]
	k.Out[i] = v
}

// Closures has function values that kgen resolves by inlining.
type Closures struct {
	Out []int32
}

func apply(n int32, f func(int32) int32) int32 {
	for range 3 {
		n = f(n)
	}
	return n
}

func (k Closures) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	count := int32(0)
	twice := func(x int32) int32 { count++; return x * 2 }
	r := apply(int32(i), twice)
	r = apply(r, func(x int32) int32 { return x + count })
	k.Out[i] = r*100 + count
}

// Grid2 uses two dimensions.
type Grid2 struct {
	W   int
	Out []int32
}

func (k Grid2) Kernel(it dsl.Item2) {
	y, x := it.GlobalID()
	h, w := it.GlobalRange()
	k.Out[y*k.W+x] = int32(it.GlobalLinearID()) + int32(h*1000000+w*10000)
}

// Grid3 uses three dimensions.
type Grid3 struct {
	Out []int32
}

func (k Grid3) Kernel(it dsl.Item3) {
	z, y, x := it.GlobalID()
	k.Out[it.GlobalLinearID()] = int32(z*10000 + y*100 + x)
}

// Single is a task.
type Single struct {
	In  []int32
	Out []int64
}

func (k *Single) Kernel(dsl.Task) {
	var total int64
	for i := range k.In {
		total += int64(k.In[i])
		k.Out[i] = total
	}
}
