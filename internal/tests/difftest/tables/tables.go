// Package tables contains kernels that read tables. Functions fill the tables during package
// initialization.
//
//kgen:bare
package tables

//go:generate go run github.com/kgen-go/kgen/cmd/kgen .

import (
	"cmp"
	"iter"
	"math"
	"math/bits"
	"math/cmplx"
	"math/rand/v2"
	"slices"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/difftest/tables/near"
)

// The variable `castagnoli` is the table for a CRC of single bytes.
var castagnoli = crcTable(0x82f63b78)

func crcTable(poly uint32) (t [256]uint32) {
	for i := range t {
		c := uint32(i)
		for range 8 {
			if c&1 == 1 {
				c = c>>1 ^ poly
			} else {
				c >>= 1
			}
		}
		t[i] = c
	}
	return t
}

// The variable `slicing` contains eight tables, each computed from the previous one.
var slicing [8][256]uint32

func init() {
	slicing[0] = crcTable(0xedb88320)
	for i := range 256 {
		for j := 1; j < len(slicing); j++ {
			c := slicing[j-1][i]
			slicing[j][i] = slicing[0][c&0xff] ^ c>>8
		}
	}
}

// CRC computes checksums of eight bytes, by one table and by eight tables.
type CRC struct {
	In  []uint64
	Out []uint32 // two results for each work-item
}

func (k CRC) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	c := ^uint32(0)
	for j := range 8 {
		c = castagnoli[byte(c)^byte(k.In[i]>>(8*j))] ^ c>>8
	}
	k.Out[2*i] = ^c
	lo, hi := uint32(k.In[i])^^uint32(0), uint32(k.In[i]>>32)
	k.Out[2*i+1] = ^(slicing[7][lo&0xff] ^ slicing[6][lo>>8&0xff] ^ slicing[5][lo>>16&0xff] ^ slicing[4][lo>>24] ^
		slicing[3][hi&0xff] ^ slicing[2][hi>>8&0xff] ^ slicing[1][hi>>16&0xff] ^ slicing[0][hi>>24])
}

var (
	waves  = wave[float64](64)
	singly = wave[float32](64)
	roots  = rootsOfUnity(16)
	odds   = []float64{math.Inf(1), -1 / math.Inf(1), math.NaN(), math.MaxFloat64 * tiny, ldexp(3)}
)

var tiny = math.SmallestNonzeroFloat64

func ldexp(n int) float64 { return math.Ldexp(1.5, -1070+n) }

func wave[T float32 | float64](n int) []T {
	out := make([]T, 0, n)
	for i := range n {
		out = append(out, T(math.Sin(2*math.Pi*float64(i)/float64(n)))/3)
	}
	return out
}

func rootsOfUnity(n int) (r [16]complex128) {
	w := complex(math.Cos(2*math.Pi/float64(n)), math.Sin(2*math.Pi/float64(n)))
	z := 1 + 1i*0
	for i := range r {
		r[i] = z
		z *= w
		z /= complex(math.Sqrt(real(z)*real(z)+imag(z)*imag(z)), 0)
	}
	return r
}

// Waves reads tables of floats and complex numbers.
type Waves struct {
	In  []int32
	Out []float64 // 5 results for each work-item
}

func (k Waves) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	n := int(k.In[i] & 1023)
	out := k.Out[5*i : 5*i+5]
	out[0] = waves[n%len(waves)]
	out[1] = float64(singly[n%len(singly)])
	out[2] = real(roots[n%len(roots)])
	out[3] = imag(cmplx.Conj(roots[n%len(roots)]))
	out[4] = odds[n%len(odds)]
}

// The variable `shuffled` contains the same permutation twice, like the tables of noise functions.
var shuffled = func() []uint8 {
	p := make([]uint8, 256)
	for i := range p {
		p[i] = uint8(i)
	}
	r := rand.New(rand.NewPCG(1, 2))
	r.Shuffle(len(p), func(i, j int) { p[i], p[j] = p[j], p[i] })
	return append(p, p...)
}()

var primes = slices.Collect(sieve(200))

func sieve(n int) iter.Seq[uint16] {
	return func(yield func(uint16) bool) {
		crossed := make([]bool, n)
		for i := 2; i < n; i++ {
			if crossed[i] {
				continue
			}
			for j := i * i; j < n; j += i {
				crossed[j] = true
			}
			if !yield(uint16(i)) {
				return
			}
		}
	}
}

type node struct {
	key         int16
	left, right int8 // children in the tree; -1 for none
}

type tree []node

func (t *tree) insert(key int16) int8 {
	*t = append(*t, node{key, -1, -1})
	return int8(len(*t) - 1)
}

func (t *tree) build(keys []int16) int8 {
	if len(keys) == 0 {
		return -1
	}
	mid := len(keys) / 2
	at := t.insert(keys[mid])
	left, right := t.build(keys[:mid]), t.build(keys[mid+1:])
	(*t)[at].left, (*t)[at].right = left, right
	return at
}

var search = func() (t tree) {
	keys := []int16{40, -3, 17, 99, 23, 5, -80, 61, 7, 12, 30000, -30000}
	slices.SortFunc(keys, func(a, b int16) int { return cmp.Compare(a, b) })
	t.build(keys)
	return t
}()

// The variable `weights` contains integers of all widths, which are results of wraparound, shifts and divisions.
var weights [32]struct {
	a int8
	b uint16
	c int32
	d uint64
	e bool
	f string
}

func fill(i int) {
	w := &weights[i]
	w.a = int8(i*37) - 100
	w.b = ^uint16(i) * 7
	w.c = int32(w.a) << (i % 40) / -3
	w.d = bits.RotateLeft64(uint64(w.c), i) % (uint64(i)*uint64(w.b) + 1)
	w.e = w.c>>2&1 == 1 != (w.a < 0)
	w.f = names[i%len(names)] + string(rune('a'+i))
}

var names = []string{"α", "be", ""}

func init() {
	for i := range weights {
		fill(i)
	}
	copy(names, []string{"changed"}) // table weights was computed before this change
}

// Tables reads the remaining tables.
type Tables struct {
	In  []int32
	Out []uint64 // 6 results for each work-item
}

func (k Tables) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	n := int(k.In[i])
	out := k.Out[6*i : 6*i+6]
	out[0] = uint64(shuffled[int(shuffled[n&255])+n&255])
	out[1] = uint64(primes[uint(n)%uint(len(primes))])
	at := int8(0)
	for at >= 0 && int(search[at].key) != n {
		out[2]++
		if n < int(search[at].key) {
			at = search[at].left
		} else {
			at = search[at].right
		}
	}
	out[2] = out[2]<<8 | uint64(uint8(at))
	w := weights[n&31]
	out[3] = uint64(w.a)<<32 ^ uint64(w.b)<<16 ^ uint64(uint32(w.c)) ^ w.d
	if w.e {
		out[3]++
	}
	out[4] = near.Squares[n&31] + near.Cube(uint64(n))
	out[5] = uint64(len(names[n&1]))
	if w.f == "αd" || w.f == "bee" {
		out[5] |= 256
	}
}

type row [4]int32

func (r *row) set()         { r[3] = 9 }
func setAll(rs ...[]int32)  { rs[0][0] = 9 }
func setFirst(p *row)       { p[0] = 9 }
func madeRow() *row         { r := &row{1}; setFirst(r); return r }
func lent() []int32         { return lentRow }
func double[T int32](x T) T { return 2 * x }

var (
	pointed = row{1, 2, 3, 4}
	pointer = &pointed
	sliced  = row{1, 2, 3, 4}
	literal = row{1, 2, 3, 4}
	_       = func() int { literal[1] = 9; return 1 }()
	passed  = []int32{1, 2, 3, 4}
	changed = []int32{1, 2, 3, 4}
	_       = copy(changed, []int32{7, 8})
	made    = madeRow()
	walked  = []int32{1, 2, 3, 4}
	method  = row{1, 2, 3, 4}
	closed  = row{1, 2, 3, 4}
	shared  = []int32{1, 2, 3, 4}
	sharing = shared
	hidden  = row{1, 2, 3, 4}
	lentRow = []int32{1, 2, 3, 4}
	extends = []int32{1, 2, 3, 4}
	parted  = row{1, 2, 3, 4}
	early   = pointed[2]
)

func init() {
	pointer[2] = 70
	s := sliced[:]
	s[1] = 50
	setAll(passed)
	for w := walked; len(w) > 0; w = w[1:] {
		w[0]++
	}
	method.set()
	p := &closed
	func() { p[2]++ }()
	sharing[1] = 8
	var x any = &hidden
	x.(*row)[0] = 7
	lent()[2] = double[int32](8)
	extends = append(extends[:2], 5)
	q := &parted[2]
	*q = 8
}

// Written reads variables that package initialization writes in many ways.
type Written struct {
	Out []int32 // 20 results for each work-item
}

func (k Written) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	n := i & 3
	for j, x := range [...]int32{pointed[n], pointer[n], sliced[n], literal[n], passed[n], changed[n], walked[n], method[n], closed[n],
		shared[n], made[n], hidden[n], lentRow[n], extends[n%len(extends)], parted[n], early, int32(len(extends))} {
		k.Out[20*i+j] = x
	}
}
