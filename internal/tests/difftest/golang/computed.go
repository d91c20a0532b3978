package golang

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"hash/crc32"
	"hash/crc64"
	"math"
	"math/bits"
	"slices"

	"github.com/kgen-go/kgen/dsl"
)

// Computed reads package-level variables that functions initialize.
type Computed struct {
	In, Out []uint32
	F       []float32
	D       []float64
}

// crcTable is a table that a loop fills.
var crcTable = makeCRC(0xedb88320)

func makeCRC(poly uint32) *[256]uint32 {
	t := new([256]uint32)
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

// The variable `twiddles` contains roots of unity, which a function literal computes.
var twiddles = func() (t [32]complex64) {
	for i := range t {
		s, c := math.Sincos(-2 * math.Pi * float64(i) / float64(len(t)))
		t[i] = complex64(complex(c, s))
	}
	return
}()

var sineTable = appended(math.Sin, 1<<9)

func appended(f func(float64) float64, n int) (t []float32) {
	for i := range n {
		t = append(t, float32(f(float64(i)/float64(n))))
	}
	return t
}

var quotient, remainder = divided(-17, 5)

func divided(a, b int) (int, int8) { return a / b, int8(a % b) }

var mixedUp = float64(quotient)*0.1 + math.Cbrt(float64(len(sineTable)))/math.Atan2(2, 3)

// A sieve computes primes. The slice is part of a larger slice that append has allocated.
var primes = sieve(200)

func sieve(n int) []uint16 {
	composite := make([]bool, n)
	var out []uint16
	for i := 2; i < n; i++ {
		if composite[i] {
			continue
		}
		out = append(out, uint16(i))
		for j := i * i; j < n; j += i {
			composite[j] = true
		}
	}
	return out
}

type huffman struct {
	left, right *huffman
	symbol      string
	weight      int
}

// codeTree is a tree of nodes that point to each other.
var codeTree = grow([]int{5, 9, 12, 13, 16, 45})

func grow(weights []int) *huffman {
	var nodes []*huffman
	for i, w := range weights {
		nodes = append(nodes, &huffman{symbol: string(rune('a' + i)), weight: w})
	}
	for len(nodes) > 1 {
		slices.SortFunc(nodes, func(a, b *huffman) int { return a.weight - b.weight })
		joined := &huffman{nodes[0], nodes[1], nodes[0].symbol + nodes[1].symbol, nodes[0].weight + nodes[1].weight}
		nodes = append([]*huffman{joined}, nodes[2:]...)
	}
	return nodes[0]
}

type sieved struct {
	name  string
	apply func(x uint32) uint32
	mask  [3]uint8
}

var filters = makeFilters(3)

func makeFilters(n int) sieves {
	fs := sieves{}
	for i := range n {
		f := sieved{name: "filter"[:i+1], mask: [3]uint8{uint8(i), 255, uint8(-i)}, apply: bits.Reverse32}
		if i == 1 {
			f.apply = func(x uint32) uint32 { return x + 7 }
		}
		fs.list = append(fs.list, f)
	}
	return fs
}

type sieves struct{ list []sieved }

var turnedBits = bits.Reverse8(uint8(len(primes))) ^ uint8(bits.LeadingZeros32(crcTable[1]))

// Variables that init functions write before a kernel runs.
var (
	squares   [40]int32
	cubes     = make([]int32, 30)
	lastCube  *int32
	alphabet  = [...]string{"a", "b"}
	untouched = [...]int32{4, 5, 6}
	chosen    = filters.list[0].apply
)

func init() {
	for i := range squares {
		squares[i] = int32(i * i)
	}
	fillCubes(cubes)
	squares[3] += untouched[1]
}

// Variable `early` is initialized before variable `late`, which depends on it.
var (
	early [4]int32
	_     = writeEarly(7)
	late  = early[2] + 1
	thus  = early[2]
)

func writeEarly(n int32) bool {
	early[2] += n
	return true
}

func init() {
	early[2] *= 5
	lastCube = new(int32)
	*lastCube = cubes[len(cubes)-1]
	alphabet[1] = alphabet[0] + "bc"
	if len(alphabet) > 1 {
		chosen = filters.list[1].apply
	}
}

func fillCubes(s []int32) {
	for i := range s {
		s[i] = int32(i) * squares[i]
	}
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var ecma = crc64.MakeTable(crc64.ECMA)

var summed = md5.Sum([]byte("what a package sums up while it is initialized, of more than one block of the hash"))

var (
	summed1   = sha1.Sum(summed[:])
	summed256 = sha256.Sum256([]byte("what a package sums up"))
)

// Kernel reads all of the variables.
func (k Computed) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.In[i]
	h := crcTable[x&255] ^ uint32(turnedBits)<<8
	w := twiddles[x%32]
	k.F[i] = sineTable[x%uint32(len(sineTable))] + float32(real(w)*imag(w))
	k.D[i] = mixedUp * float64(remainder)
	h = h*31 + uint32(primes[x%uint32(len(primes))])
	at, depth := codeTree, uint32(0)
	for b := x; at.left != nil && depth < 8; b >>= 1 {
		if b&1 == 0 {
			at = at.left
		} else {
			at = at.right
		}
		depth++
	}
	h = h*31 + uint32(at.weight)*depth + uint32(at.symbol[0])
	f := &filters.list[x%3]
	h = h*31 + f.apply(x) + uint32(f.mask[i%3]) + uint32(len(f.name))
	word := []byte{byte(x), byte(x >> 8), 'a', byte(i)}
	h ^= crc32.Checksum(word[:1+x%4], castagnoli) + crc32.ChecksumIEEE(word)
	h = h*31 + uint32(crc64.Checksum(word[x%2:], ecma)>>20) + uint32(summed[x%16])<<8 ^ uint32(summed1[x%20])<<4 ^ uint32(summed256[x%32])
	h = h*31 + uint32(squares[x%40]+cubes[x%30]+*lastCube+untouched[x%3]) + uint32(alphabet[x%2][0]) + uint32(len(alphabet[1]))
	h = h*31 + chosen(x) + uint32(late*100+thus*10+early[x%4])
	if castagnoli != crc32.IEEETable {
		h++
	}
	k.Out[i] = h + uint32(quotient)
}
