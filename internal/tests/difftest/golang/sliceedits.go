package golang

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/kgen-go/kgen/dsl"
)

// Edits inserts elements into slices and replaces parts of slices, within the capacity of the
// slices. Some of the inserted elements come from the same slice.
type Edits struct {
	In  []int32
	Buf []int32 // 16 elements for each work-item
	Out []int32
}

// Kernel edits slices in private memory and in device memory.
func (k Edits) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	var a [16]int32
	copy(a[:], k.In[i:])
	b := k.Buf[i*16 : i*16+16]
	copy(b, k.In[i:])
	k.Out[i] = k.edit(a[:8], i)*31 + k.edit(b[:8], i)
	for _, x := range a {
		k.Out[i] = k.Out[i]*3 + x
	}
}

func (k Edits) edit(s []int32, i int) int32 {
	s = slices.Insert(s, i%len(s), 7, int32(i))
	s = slices.Insert(s, 2, s[1:4]...)
	s = slices.Replace(s, 1, 4, 5)
	s = slices.Replace(s, 0, 2, s[3:7]...)
	s = slices.Replace(s, 2, 3, s[1:4]...)
	s = slices.Insert(s, len(s), 9)
	s = slices.Delete(s, 1, 3)
	s = slices.Compact(s)
	var h int32
	for _, x := range s {
		h = h*31 + x
	}
	return h*31 + int32(len(s))
}

// Sorts sorts slices of numbers.
type Sorts struct {
	In  []int32
	Buf []int64 // 40 elements for each work-item
}

// Kernel sorts slices in device memory.
func (k Sorts) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	b := k.Buf[i*40 : i*40+40]
	for j := range b {
		b[j] = int64(k.In[i+j]) << 20 >> (j & 7)
	}
	slices.Sort(b)
}

// Stable sorts pairs stably by one of their numbers.
type Stable struct{ In, Out []int32 }

type pair struct {
	key uint8
	at  int32
}

// Kernel sorts in private memory.
func (k Stable) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	var c [50]pair
	for j := range c {
		c[j] = pair{uint8(k.In[i+j]) & 7, int32(j)}
	}
	slices.SortStableFunc(c[:], func(x, y pair) int { return cmp.Compare(x.key, y.key) })
	var h int32
	for _, p := range c {
		h = h*31 + int32(p.key) + p.at<<8
	}
	k.Out[i] = h
}

// Runes counts the runes in bytes, which may be invalid UTF-8.
type Runes struct {
	In  []byte
	Out []int32
}

// Kernel reads the bytes from the work-item's index on.
func (k Runes) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	n := utf8.RuneCount(k.In[i:min(i+9, len(k.In))])
	if utf8.ValidString("kgen é") && !utf8.ValidString("\xff") {
		r, size := utf8.DecodeLastRuneInString("日本")
		n = n*100000 + int(r)*10 + size
	}
	k.Out[i] = int32(n)
}

// Large declares large private arrays in each iteration of a loop.
type Large struct{ In, Out []int32 }

// Kernel reads elements before it writes them.
func (k Large) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	var h int32
	for round := range 3 {
		var a [7][11]int16
		var b [70]struct {
			X uint8
			Y [2]float32
		}
		var c [1000]byte
		j := int(k.In[i]&63) + round
		h = h*31 + int32(a[j%7][j%11]) + int32(b[j].X) + int32(b[j+1].Y[round&1]) + int32(c[j*15])
		a[j%7][j%11], b[j].X, b[j+1].Y[round&1], c[j*15] = 3, 4, 5, 6
		h = h*31 + int32(a[(j+i)%7][j%11]) + int32(b[69-j].X) + int32(b[(j+i)%70].Y[round&1]) + int32(c[j*14])
	}
	k.Out[i] = h
}
