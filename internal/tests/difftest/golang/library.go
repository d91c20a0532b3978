package golang

import (
	"cmp"
	"container/heap"
	"encoding/binary"
	"hash/adler32"
	"math/rand/v2"
	"slices"
	"unicode/utf16"

	"github.com/kgen-go/kgen/dsl"
)

// MoreSlices calls functions of package slices that have functions or iterators as arguments.
type MoreSlices struct {
	In  []int32
	F   []float32
	Out []int32
}

// Kernel changes private memory and device memory.
func (k MoreSlices) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	var own [12]int32
	copy(own[:], k.In[i:])
	k.Out[i] = k.look(own[:], i)*31 + k.look(k.In[i:i+9], i) + k.edit(own[:], i)
}

func (k MoreSlices) look(s []int32, i int) int32 {
	h := int32(0)
	add := func(n int) { h = h*31 + int32(n) }
	for j, x := range slices.All(s) {
		if j == 7 {
			break
		}
		add(j * int(x))
	}
	for j, x := range slices.Backward(s) {
		if x%5 == 1 {
			continue
		}
		add(j - int(x))
	}
	for c := range slices.Chunk(s, 1+i%4) {
		add(len(c)*100 + cap(c)*10 + int(c[len(c)-1]))
	}
	for x := range slices.Values(s) {
		add(int(x))
	}
	add(cap(slices.Clip(s[:3])))
	add(int(slices.MaxFunc(s, func(a, b int32) int { return cmp.Compare(a&15, b&15) })))
	add(int(slices.MinFunc(s, func(a, b int32) int { return cmp.Compare(a&15, b&15) })))
	add(slices.CompareFunc(s, k.F, func(a int32, b float32) int { return cmp.Compare(float32(a), b) }))
	if slices.EqualFunc(s, k.F[:len(s)], func(a int32, b float32) bool { return float32(a) < b }) {
		add(1)
	}
	if slices.IsSortedFunc(s[:2], cmp.Compare[int32]) {
		add(2)
	}
	if m, n := slices.Max(k.F[i:]), slices.Min(k.F[i:]); m != m || n > m {
		add(3)
	} else {
		add(int(m) - int(n))
	}
	return h
}

func (k MoreSlices) edit(s []int32, i int) int32 {
	s = slices.CompactFunc(s, func(a, b int32) bool { return a>>3 == b>>3 })
	s = slices.Grow(s[:4], 3)
	s = slices.AppendSeq(s, slices.Values(k.In[i:i+3]))
	h := int32(cap(s))
	for x := range slices.Values(s) {
		h = h*7 + x
	}
	return h
}

// Varints encodes numbers with a variable number of bytes.
type Varints struct {
	In    []int64
	Bytes []byte // 10 bytes for each work-item
	Out   []uint64
}

// Kernel encodes and decodes.
func (k Varints) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	b := k.Bytes[i*10 : i*10+10]
	n := binary.PutVarint(b, k.In[i])
	x, m := binary.Varint(b[:n])
	u := binary.AppendUvarint(make([]byte, 0, 10), uint64(k.In[i]))
	y, l := binary.Uvarint(u)
	_, bad := binary.Uvarint(u[:len(u)-1])
	k.Out[i] = uint64(x) ^ y<<1 ^ uint64(m*100+l*10+bad+n) ^ binary.NativeEndian.Uint64(k.Bytes[i*10:])
}

// Ciphers draws random numbers from ChaCha8.
type Ciphers struct{ Out []uint64 } // 70 results for each work-item

// Kernel generates several blocks.
func (k Ciphers) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	c := rand.NewChaCha8([32]byte{byte(i), 2, 31: byte(i * 7)})
	for j := range 70 {
		k.Out[i*70+j] = c.Uint64()
	}
}

// Generators draws random numbers from several generators.
type Generators struct{ Out []uint64 }

// Kernel creates its generators for each work-item.
func (k Generators) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	r := rand.New(rand.NewPCG(3, uint64(i)))
	z := rand.NewZipf(r, 1.5, 2, 1000)
	deck := [10]uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	r.Shuffle(len(deck), func(a, b int) { deck[a], deck[b] = deck[b], deck[a] })
	var x uint64
	for _, d := range deck {
		x = x*11 + d
	}
	k.Out[i] = x + z.Uint64()<<3 + uint64(r.Int64N(1<<50)) + uint64(r.UintN(9)) + uint64(r.Uint32N(77))
}

// Refilled takes numbers from a buffer that the same loop refills.
type Refilled struct{ Out []uint64 } // 10 results for each work-item

type store struct {
	buf     [4]uint64
	i, n, c uint32
}

func (s *store) next() (uint64, bool) {
	i := s.i
	if i >= s.n {
		return 0, false
	}
	s.i = i + 1
	return s.buf[i&3], true
}

func (s *store) refill() {
	s.c++
	for j := range s.buf {
		s.buf[j] = uint64(s.c)*10 + uint64(j)
	}
	s.i, s.n = 0, 4
}

func (s *store) get() uint64 {
	for {
		x, ok := s.next()
		if ok {
			return x
		}
		s.refill()
	}
}

// Kernel counts the refills in a variable that is live after the loop.
func (k Refilled) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	var s store
	s.refill()
	for j := range 10 {
		k.Out[i*10+j] = s.get()
	}
}

// Units uses UTF-16, checksums, and a heap of package container/heap.
type Units struct {
	In  []int32
	Out []uint64
}

type lightest struct{ s []int32 }

func (h *lightest) Len() int           { return len(h.s) }
func (h *lightest) Less(i, j int) bool { return h.s[i] < h.s[j] }
func (h *lightest) Swap(i, j int)      { h.s[i], h.s[j] = h.s[j], h.s[i] }
func (h *lightest) Push(x any)         { h.s = append(h.s, x.(int32)) }
func (h *lightest) Pop() any {
	n := len(h.s) - 1
	x := h.s[n]
	h.s = h.s[:n]
	return x
}

func (k Units) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.In[i]
	var out uint64
	for _, u := range utf16.AppendRune(make([]uint16, 0, 2), x) {
		out = out*31 + uint64(u)
	}
	a, b := utf16.EncodeRune(x)
	out = out*31 + uint64(utf16.DecodeRune(a, b)) + uint64(utf16.RuneLen(x))
	for _, r := range utf16.Decode([]uint16{uint16(x), 0xd83d, 0xde00, uint16(a), uint16(b)}) {
		out = out*31 + uint64(r)
	}
	buf := [9]byte{byte(x), byte(x >> 8), 3, byte(x >> 16)}
	sum := adler32.New()
	sum.Write(buf[:5])
	sum.Write(buf[3:])
	out = out*31 + uint64(sum.Sum32()) + uint64(adler32.Checksum(buf[:]))
	h := &lightest{make([]int32, 0, 16)}
	for j := range int32(8) {
		heap.Push(h, x*j^0x55)
	}
	heap.Fix(h, 3)
	for h.Len() > 2 {
		out = out*31 + uint64(heap.Pop(h).(int32))
	}
	k.Out[i] = out
}
