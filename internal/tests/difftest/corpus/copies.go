package corpus

import "github.com/kgen-go/kgen/dsl"

// CopyArrays copies arrays of a kilobyte as values and compares them. CopyArrays has no loop in its code, so all
// loops of the module come from copies and comparisons.
type CopyArrays struct {
	Bytes [][1024]byte
	Words [][256]int32
	Grids [][32][32]byte
	Out   []int32
}

func (k CopyArrays) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	bytes := k.Bytes[i]
	b := bytes
	b[i*37&1023]++
	k.Out[i] += told(bytes == b)
	k.Bytes[i] = b

	words := k.Words[i]
	w := raised(words, i*11&255)
	// The elements of w from index i on move up by one.
	s := w[i&31:]
	*(*[200]int32)(s[1:]) = *(*[200]int32)(s)
	k.Out[i] += told(w == k.Words[i]) << 1
	k.Words[i] = w

	g := k.Grids[i]
	row := g[i&31]
	g[i&31] = g[i*5&31]
	g[i*5&31] = row
	k.Out[i] += told(g == k.Grids[i]) << 2
	k.Grids[i] = g
}

// raised() has an array as parameter and as result.
func raised(a [256]int32, at int) [256]int32 {
	a[at] += int32(at)
	return a
}

func told(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// CopyStructs copies and compares arrays of structs and of small arrays. CopyStructs has no loop in its code.
type CopyStructs struct {
	Pairs [][16]Twin
	Many  [][70]Twin
	Cubes [][4][4][4]float32
	Out   []int32
}

// CopyMixed copies and compares arrays in structs, and arrays of structs with arrays. CopyMixed has no loop in its
// code.
type CopyMixed struct {
	Mixed []Mixed
	Out   []int32
}

// Twin is a small struct.
type Twin struct{ A, B int32 }

// Mixed has arrays of several shapes. Comparisons ignore the blank field of Mixed.
type Mixed struct {
	N     int32
	Words [256]int32
	Thin  [3][5][7]int16
	_     [5]int32
	Inner [8]struct {
		A [16]int16
		N int32
		_ int8
	}
	None [4][0]int32
}

func (k CopyStructs) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	p := k.Pairs[i]
	q := p
	q[i&15].B -= int32(i)
	many := k.Many[i]
	many[i] = q[i&15]
	k.Out[i] += told(p == q)<<1 | told(many == k.Many[i])
	k.Pairs[i], k.Many[i] = q, many

	c := k.Cubes[i]
	d := c
	d[i&3][i>>2&3][1], d[0] = d[0][1][i&3], d[i&3]
	k.Out[i] += told(d == k.Cubes[i]) << 2
	k.Cubes[i] = d
}

func (k CopyMixed) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	m := k.Mixed[i]
	switch i % 5 {
	case 1:
		m.Words[i*3]++
	case 2:
		m.Thin[2][i%5][i%7]--
	case 3:
		m.Inner[i%8].A[i%16]++
	case 4:
		m.Inner[7] = m.Inner[i%7]
	}
	k.Out[i] += told(m == k.Mixed[i])
	k.Mixed[i] = m
}
