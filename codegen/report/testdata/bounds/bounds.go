// Package bounds has kernels as people write them, for the report on which of
// their checks remain: those in lines that say so, and those of Open.
package bounds

import "github.com/kgen-go/kgen/dsl"

// Guarded returns early where there is no element.
type Guarded struct{ X, Y []float32 }

func (k Guarded) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	if i >= len(k.Y) || i >= len(k.X) {
		return
	}
	k.Y[i] = k.X[i]
}

// Reslice makes one length the other's.
type Reslice struct{ X, Y, Out []float32 }

func (k Reslice) Kernel(it dsl.Item1) {
	xs := k.X
	ys := k.Y[:len(xs)] // remains
	s := float32(0)
	for i := range xs {
		s += xs[i] * ys[i]
	}
	if len(k.Out) > 0 {
		k.Out[0] = s
	}
}

// Hinted looks at the last element first.
type Hinted struct{ X, Y, Out []float32 }

func (k Hinted) Kernel(it dsl.Item1) {
	if len(k.X) == 0 {
		return
	}
	_ = k.Y[len(k.X)-1] // remains
	s := float32(0)
	for i := range k.X {
		s += k.X[i] * k.Y[i]
	}
	k.X[0] = s
}

// Equal compares the lengths.
type Equal struct{ X, Y []int32 }

func (k Equal) Kernel(it dsl.Item1) {
	if len(k.X) != len(k.Y) {
		return
	}
	for i, x := range k.X {
		k.Y[i] += x
	}
}

// Shorter goes up to the lesser of two lengths.
type Shorter struct{ X, Y []int32 }

func (k Shorter) Kernel(it dsl.Item1) {
	for i := range min(len(k.X), len(k.Y)) {
		k.Y[i] += k.X[i]
	}
}

// Launched compares the range with the length.
type Launched struct{ X []int32 }

func (k Launched) Kernel(it dsl.Item1) {
	if len(k.X) < it.GlobalRange() {
		return
	}
	k.X[it.GlobalID()]++
}

// Downward counts down.
type Downward struct{ X, Y []int32 }

func (k Downward) Kernel(it dsl.Item1) {
	s := int32(0)
	for i := len(k.X) - 1; i >= 0; i-- {
		s = s*3 + k.X[i]
	}
	for i := len(k.X); i > 0; i-- {
		s ^= k.X[i-1]
	}
	for i := 0; i+1 < len(k.X); i += 2 {
		s += k.X[i] * k.X[i+1]
	}
	if len(k.Y) > 3 {
		k.Y[3] = s
	}
}

// Search finds the first element that is not less.
type Search struct{ Keys, X, Pos []int32 }

func (k Search) Kernel(it dsl.Item1) {
	j := it.GlobalID()
	if j >= min(len(k.X), len(k.Pos)) {
		return
	}
	lo, hi := 0, len(k.Keys)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if k.Keys[mid] < k.X[j] {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	k.Pos[j] = int32(lo)
}

// Stencil looks at neighbours.
type Stencil struct{ In, Out []float32 }

func (k Stencil) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	if i < 1 || i >= len(k.In)-1 || i >= len(k.Out) {
		return
	}
	k.Out[i] = (k.In[i-1] + k.In[i] + k.In[i+1]) / 3
}

// Image indexes rows of the launch's width.
type Image struct{ Pixels []uint32 }

func (k Image) Kernel(it dsl.Item2) {
	y, x := it.GlobalID()
	h, w := it.GlobalRange()
	img := k.Pixels[:h*w] // remains
	img[y*w+x] = uint32(x ^ y)
}

// Clamped looks at neighbours, past an edge at the edge.
type Clamped struct{ In, Out []float32 }

func clamp(i, n int) int { return min(max(i, 0), n-1) }

func (k Clamped) Kernel(it dsl.Item2) {
	y, x := it.GlobalID()
	h, w := it.GlobalRange()
	if len(k.In) < h*w || len(k.Out) < h*w {
		return
	}
	sum := float32(0)
	for d := -2; d <= 2; d++ {
		sum += k.In[clamp(y+d, h)*w+clamp(x-d, w)]
	}
	k.Out[y*w+x] = sum / 5
}

// Stride goes through the elements in steps of the launch's range.
type Stride struct{ X, Out []int32 }

func (k Stride) Kernel(it dsl.Item1) {
	s := int32(0)
	for i := it.GlobalID(); i < len(k.X); i += it.GlobalRange() {
		s += k.X[i]
	}
	if i := it.GlobalID(); i < len(k.Out) {
		k.Out[i] = s
	}
}

// Triples takes three numbers per work-item, by bounds that are written as products.
type Triples struct{ X, Out []float32 }

func (k Triples) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	if i >= len(k.Out) {
		return
	}
	p := k.X[3*i : 3*(i+1)] // remains
	q := k.X[4*i : 4*i+4]   // remains
	k.Out[i] = p[0]*p[1] + p[2]*q[i&3]
}

// Rows takes a row at a time.
type Rows struct {
	N     int
	M, V  []float32
	Count []int32
}

func (k Rows) Kernel(it dsl.Item1) {
	r := it.GlobalID()
	row := k.M[r*k.N : (r+1)*k.N] // remains
	v := k.V[:len(row)]           // remains
	s := float32(0)
	for i, x := range row {
		s += x * v[i]
	}
	if r < len(k.Count) {
		k.Count[r] = int32(s)
	}
}

// Modulo wraps indices around.
type Modulo struct{ Table, Out []int32 }

func (k Modulo) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	if len(k.Table) == 0 || i >= len(k.Out) {
		return
	}
	k.Out[i] = k.Table[i%len(k.Table)] + k.Table[(i+1)%len(k.Table)]
}

// Private works on arrays of its own.
type Private struct{ Out []int32 }

func (k Private) Kernel(it dsl.Item1) {
	var count [16]int32
	for i := range k.Out {
		count[k.Out[i]&15]++
	}
	best := 0
	for d := range count {
		if count[d] > count[best] {
			best = d
		}
	}
	for i := 1; i < len(count); i++ {
		for j := i; j > 0 && count[j-1] > count[j]; j-- {
			count[j-1], count[j] = count[j], count[j-1]
		}
	}
	if len(k.Out) != 0 {
		k.Out[0] = count[best]
	}
}

// Tile works on local memory.
type Tile struct{ In, Out []float32 }

func (k Tile) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[256]float32](it)
	l, g := it.LocalID(), it.GlobalID()
	if l < len(tile) && g < len(k.In) {
		tile[l] = k.In[g]
	}
	it.Barrier()
	if l < len(tile)/2 && g < len(k.Out) {
		k.Out[g] = tile[l] + tile[l+128] + tile[255-l]
	}
}

// Moving sums a window of X that starts at the work-item's id.
type Moving struct {
	N, Pitch int
	X, Y     []float32
}

// Kernel adds what only the ends of the loops decide.
func (k Moving) Kernel(it dsl.Item1) {
	var sum float32
	for r := range k.N {
		for i := 0; i < k.N; i += 3 {
			sum += k.X[r*k.Pitch+i+it.GlobalID()] // remains, ahead
		}
		if sum > 0 {
			k.Y[int(sum)] = sum // remains
		}
	}
}

// Open has checks that nothing can prove.
type Open struct {
	N     int
	Index []int32
	X, Y  []float32
}

func at(xs []float32, i int) float32 { return xs[i] }

func (k Open) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Y[i] = at(k.X, int(k.Index[i])) + at(k.X, k.N)
	for j := range k.N {
		k.Y[j] = k.X[j*k.N] / float32(j/k.N)
	}
	n := int(k.X[0])
	sub := k.X[n:k.N]
	k.Y[i>>n] = sub[1]
	if len(sub) > 5 {
		panic("too many")
	}
	a := [4]float32(k.X)
	k.Y[2] = a[k.Index[3]]
	for j := range 40 {
		k.Y[j] += a[(j-n)%5]
	}
	k.Y[k.Index[4]&7]++
}

// Past may leave its array in the last rounds: no test ahead of the loop can hold, but
// that of the other check may.
type Past struct {
	N int
	X []int32
}

func (k Past) Kernel(it dsl.Task) {
	if len(k.X) < 20 {
		return
	}
	var a [16]int32
	for i := range 20 {
		if k.X[i] > 0 {
			a[i] = 1 // remains
		}
		k.X[i] ^= k.X[i*k.N] // remains, ahead
	}
	k.X[5] = a[k.X[7]&15]
}

// Keyed has a table as large as its keys are in fact: what their type may hold is not known to
// be in it.
type Keyed struct {
	Keys       []uint16
	Table, Out []float32
}

func (k Keyed) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	if i >= len(k.Out) || i >= len(k.Keys) {
		return
	}
	k.Out[i] = k.Table[k.Keys[i]] // remains
}

// KeyedGuarded does what the report says of Keyed.
type KeyedGuarded struct {
	Keys       []uint16
	Table, Out []float32
}

func (k KeyedGuarded) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	if i >= len(k.Out) || i >= len(k.Keys) {
		return
	}
	if j := int(k.Keys[i]); j < len(k.Table) {
		k.Out[i] = k.Table[j]
	}
}

var substitutes = [256]uint8{7, 3, 250}

// Elements has indices that are elements of a work-item's own arrays, which have the bounds of their
// type, or of what is stored in them.
type Elements struct {
	Given [256]uint8
	X     []int32
}

func (k Elements) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	if i >= len(k.X) {
		return
	}
	var own [256]uint8
	var low, wide, less, more [64]int
	var signed [64]int8
	for j := range 64 {
		own[j] = uint8(k.X[i])
		low[j], wide[j], less[j] = j%8, int(k.X[i])&255, j-9
		signed[j] = int8(k.X[i])
	}
	for range i {
		more[k.X[i]&63]++
	}
	var eight [8]int32
	var table [256]int32
	at := k.X[i] & 63
	table[own[at]] = 1
	table[k.Given[at]]++
	table[substitutes[at]] += 2
	table[wide[at]] += 3
	eight[low[at]] += 4
	table[wide[at]+1] += 5 // remains
	eight[wide[at]] += 6   // remains
	eight[own[at]] += 7    // remains
	table[less[at]] += 8   // remains
	table[signed[at]] += 9 // remains
	table[more[at]] += 10  // remains
	k.X[i] = table[at] + eight[at&7]
}
