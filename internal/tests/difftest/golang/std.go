package golang

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"slices"
	"unicode/utf8"

	"github.com/kgen-go/kgen/dsl"
)

// UTF8 encodes and decodes runes as UTF-8.
type UTF8 struct {
	In  []rune
	Raw []byte
	Out []int
}

func (k UTF8) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	var buf [utf8.UTFMax]byte
	n := utf8.EncodeRune(buf[:], k.In[i])
	r, size := utf8.DecodeRune(buf[:n])
	sum := int(r)*10 + size
	last, size := utf8.DecodeLastRune(k.Raw[:i])
	sum = sum*7 + int(last)*5 + size
	if utf8.Valid(k.Raw[i:]) {
		sum++
	}
	if utf8.ValidRune(k.In[i]) {
		sum += 2
	}
	sum += utf8.RuneLen(k.In[i]) * 1000
	text := utf8.AppendRune(make([]byte, 0, 8), k.In[i])
	k.Out[i] = sum*2 + len(text) + utf8.RuneCountInString("h\u00e9")
}

// Binary reads and writes numbers as bytes.
type Binary struct {
	In  []byte
	Out []byte
	Sum []uint64
}

func (k Binary) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	le, be := binary.LittleEndian, binary.BigEndian
	in, out := k.In[i*8:i*8+8], k.Out[i*16:i*16+16]
	k.Sum[i] = le.Uint64(in) ^ be.Uint64(in)<<1 ^ uint64(le.Uint32(in[1:])) ^ uint64(be.Uint16(in[3:]))<<40
	be.PutUint64(out, k.Sum[i])
	le.PutUint32(out[8:], uint32(i)*77777)
	be.PutUint16(out[13:], uint16(i)*999)
	text := le.AppendUint32(make([]byte, 0, 16), uint32(k.Sum[i]))
	text = be.AppendUint64(text, k.Sum[i])
	out[15] = text[3] + text[11]
}

// Slices calls functions of package slices.
type Slices struct{ In, Out []int }

func (k Slices) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	var own [12]int
	copy(own[:], k.In[i:])
	s := own[:]
	slices.Reverse(s[2:8])
	n := slices.Index(s, 3)*7 + slices.Max(s)*11 - slices.Min(k.In[i:])
	if slices.Contains(k.In, i) {
		n += 1000
	}
	n += slices.IndexFunc(s, func(v int) bool { return v > 40 }) * 13
	insertionSort(s)
	at, ok := slices.BinarySearch(s, k.In[i])
	if ok && slices.IsSorted(s) {
		n += at * 100
	}
	s = slices.Compact(s)
	s = slices.Delete(s, 1, 3)
	n = n*3 + len(s) + slices.Compare(s, k.In[:3])
	if slices.Equal(s[:2], k.In[:2]) {
		n++
	}
	s = slices.DeleteFunc(s, func(v int) bool { return v%3 == 0 })
	at, _ = slices.BinarySearchFunc(s, i, func(a, b int) int { return cmp.Compare(a, b) })
	for _, v := range s {
		n = n*31 + v
	}
	k.Out[i] = n + at
}

func insertionSort(s []int) {
	for i := 1; i < len(s); i++ {
		for j := i; j > 0 && s[j] < s[j-1]; j-- {
			s[j], s[j-1] = s[j-1], s[j]
		}
	}
}

// Random has generators in private memory of each work-item.
type Random struct {
	Seed uint64
	Out  []uint64
	F    []float64
}

func (k Random) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	pcg := rand.NewPCG(k.Seed, uint64(i))
	r := rand.New(pcg)
	n := r.Uint64() ^ uint64(r.IntN(1000)) ^ uint64(r.Int32N(77))<<32
	for range i % 5 {
		n = bits.RotateLeft64(n, 7) + r.Uint64N(1<<40+1)
	}
	k.Out[i] = n ^ uint64(r.Uint32())
	k.F[i] = r.Float64() + float64(r.Float32())
}
