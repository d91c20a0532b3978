// Package kernels contains the kernels of package sort. The kernels treat elements as unsigned integers with the elements' bits.
//
//kgen:variants load
package kernels

import (
	"math/bits"
	"sync/atomic"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/prim/lookback"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go tool kgen .

// A pass sorts by one digit of Bits bits. A work-group of Size work-items sorts a tile, and a launch sorts a chunk. The
// counts of a chunk fit into the words of package lookback. The results do not depend on the sizes of tiles and chunks.
const (
	Size   = lookback.Size
	Each   = 16
	Tile   = Size * Each
	Chunk  = 1 << 17 // number of tiles
	Bits   = 8
	Digits = 1 << Bits
)

// The constant `memory` is the number of words of work-group memory for a tile. If work-items access words
// that are far apart, every 33rd word is left unused, so that neighbouring work-items use different banks.
const memory = Tile + Tile/32

// Keys constrains the types of keys. A key has the bits of an element. Elements of 8 and 16 bits are converted to 32 bits.
type Keys interface{ uint32 | uint64 }

// Sign and Inf describe float elements. Sign contains the upper 32 bits of a float whose only set bit is the sign
// bit. Inf contains the upper 32 bits of the greatest float that is not a NaN. For integers, Sign and Inf are 0.
var (
	Sign = dsl.NewSpecConstant[uint32](0)
	Inf  = dsl.NewSpecConstant[uint32](0)
)

// An Order maps elements to numbers with its method Ordered. Elements are sorted in the order of the mapped numbers.
type Order[K Keys] struct {
	sign, inf K // sign bit and greatest float that is not a NaN; for integers, 0 and a number whose bits are all set
	flip      K // sign bit for signed integers, otherwise 0; inverted if the greatest element is first
}

// orderOf returns the order of a launch's elements.
func orderOf[K Keys](it dsl.KernelHandler, flip K) Order[K] {
	sign, inf := Sign.Get(it), ^K(0)
	if sign != 0 {
		inf = highest[K](Inf.Get(it))
	}
	return Order[K]{highest[K](sign), inf, flip}
}

// highest() returns a number whose 32 highest bits are w, and whose other bits are 0.
func highest[K Keys](w uint32) K { return K(w) << (bits.Len64(uint64(^K(0))) - 32) }

// Ordered maps elements to numbers. Elements with smaller numbers are sorted before elements with
// greater numbers. All NaNs have the same number, and the two zeros have the same number.
func (o Order[K]) Ordered(x K) K {
	size := x &^ o.sign
	y := o.sign + size
	if size != x {
		y = o.sign - size
	}
	if size > o.inf {
		y = 0
	}
	return y ^ o.flip
}

// first() returns the number of elements that a launch processes, which is the lesser of n and length[0].
func first(n int, length []int64) int {
	if len(length) == 0 {
		return n
	}
	return int(min(int64(n), max(length[0], 0)))
}

// rest() returns the number of elements that a launch processes in a chunk of n elements. The argument `begin`
// is the number of elements in earlier chunks, and length[0] is the number of elements in all chunks.
func rest(n, begin int, length []int64) uint32 {
	if len(length) > 0 {
		n = int(min(int64(n), max(length[0]-int64(begin), 0)))
	}
	return uint32(n)
}

// Count counts the digits for all passes. For pass p, Count adds the number of keys with digit d to Counts[p*Digits+d].
type Count[K Keys] struct {
	Flip   K       // value of Order.flip
	Lo, Hi uint32  // elements are sorted by the bits Lo to Hi-1
	Begin  int     // number of elements in earlier chunks
	Keys   []K     // elements of a chunk
	Length []int64 // number of elements that the call uses, or an empty slice if the call uses all elements
	Counts []uint32
}

// These types instantiate the kernel Count for elements of each size.
type (
	Count32 = Count[uint32]
	Count64 = Count[uint64]
)

// MaxPasses is the largest number of passes. Elements of 64 bits need 8 passes, because each pass sorts by 8 bits.
const MaxPasses = 8

// Properties sets the work-group size.
func (Count[K]) Properties() properties.List { return properties.List{properties.WorkGroupSize(Size)} }

// The constant `ahead` is the number of loads of keys that are in progress at the same time.
const ahead = 8

// Mask returns the mask of a digit whose lowest bit has the number `shift`. The digit ends before the bit number hi.
func Mask(shift, hi uint32) uint32 { return 1<<min(Bits, hi-shift) - 1 }

// Kernel counts digits in work-group memory. The work-groups of the launch divide the elements of a chunk among themselves.
func (k Count[K]) Kernel(it dsl.NDItem1) {
	counts := dsl.Local[[MaxPasses * Digits]atomic.Uint32](it)
	order := orderOf(it, k.Flip)
	l := uint32(it.LocalID())
	n := rest(len(k.Keys), k.Begin, k.Length)
	for i := l; i < MaxPasses*Digits; i += Size {
		counts[i].Store(0)
	}
	it.Barrier()
	for base := uint32(it.GroupID()) * (ahead * Size); base < n; base += uint32(it.GroupRange()) * (ahead * Size) {
		var key [ahead]K
		for j := range uint32(ahead) {
			if i := base + j*Size + l; i < n && int(i) < len(k.Keys) {
				key[j] = k.Keys[i]
			}
		}
		for j := range uint32(ahead) {
			if base+j*Size+l < n {
				x, row := order.Ordered(key[j]), uint32(0)
				for shift := k.Lo; shift < k.Hi; shift += Bits {
					d := uint32(x>>shift) & Mask(shift, k.Hi)
					counts[(row+d)%(MaxPasses*Digits)].Add(1)
					row += Digits
				}
			}
		}
	}
	it.Barrier()
	for i := int(l); i < min(MaxPasses*Digits, len(k.Counts)); i += Size {
		if c := counts[i].Load(); c > 0 {
			atomic.AddUint32(&k.Counts[i], c)
		}
	}
}

// From the counts of all chunks, Starts computes the index of the first element with each digit, for each
// pass. The kernel Starts also stores the call's number of elements. Each work-group processes one pass.
type Starts struct {
	Chunks int
	N      int      // number of elements that the call uses if Length is empty
	Length []int64  // number of elements that the call uses, or an empty slice if that number is N
	Counts []uint32 // MaxPasses*Digits counts for each chunk
	Starts []uint32 // (Chunks+1)*Digits indices for each pass, then the number of elements; the kernel sets this number and the first Digits indices of each pass
}

// Properties sets the work-group size.
func (Starts) Properties() properties.List { return properties.List{properties.WorkGroupSize(Size)} }

// Kernel adds up the counts of one pass.
func (k Starts) Kernel(it dsl.NDItem1) {
	d, pass := it.LocalID(), it.GroupID()
	sum := uint32(0)
	for c := range k.Chunks {
		if i := (c*MaxPasses+pass)*Digits + d; i >= 0 && i < len(k.Counts) {
			sum += k.Counts[i]
		}
	}
	before := dsl.ExclusiveScanOverGroup(it.Group(), sum, dsl.Plus)
	if i := pass*(k.Chunks+1)*Digits + d; i >= 0 && i < len(k.Starts) {
		k.Starts[i] = before
	}
	if i := it.GroupRange() * (k.Chunks + 1) * Digits; d == 0 && pass == 0 && i >= 0 && i < len(k.Starts) {
		k.Starts[i] = uint32(first(k.N, k.Length))
	}
}

// The interface `words` splits elements into 32-bit words. Elements are exchanged word by word, because work-group memory is small.
type words[K any] interface {
	Words() int
	Shift(x K, n uint32) uint32
	Word(x K, i int) uint32
	Join(w [2]uint32) K
}

// The type One implements the interface `words` for elements of 32 bits.
type One struct{}

// Words returns 1.
func (One) Words() int { return 1 }

// Shift returns x >> n.
func (One) Shift(x, n uint32) uint32 { return x >> (n % 32) }

// Word returns x.
func (One) Word(x uint32, _ int) uint32 { return x }

// Join returns the first word.
func (One) Join(w [2]uint32) uint32 { return w[0] }

// The type Two implements the interface `words` for elements of 64 bits.
type Two struct{}

// Words returns 2.
func (Two) Words() int { return 2 }

// Shift returns the lowest 32 bits of x >> n.
func (Two) Shift(x uint64, n uint32) uint32 { return uint32(x >> (n % 64)) }

// Word returns one half of x.
func (Two) Word(x uint64, i int) uint32 { return uint32(x >> (32 * uint(i))) }

// Join returns the 64-bit key with the given halves.
func (Two) Join(w [2]uint32) uint64 { return uint64(w[0]) | uint64(w[1])<<32 }

// Paired says that each key has a value, which is moved together with the key.
var Paired = dsl.NewSpecConstant(false)

// The type `pass` contains the fields of the kernels Pass32 and PassLanes. Fields of more than 104
// bytes would not fit into push constants, and loading them from memory would need registers.
type pass[K Keys, W words[K]] struct {
	Flip   K        // value of Order.flip
	Digit  uint32   // low 8 bits: position of the digit's lowest bit; higher bits: mask of the digit
	Begin  uint32   // number of elements in earlier chunks
	Board  uint32   // index in State of the first word of a lookback.Columns
	Keys   []K      // keys of a chunk
	State  []uint32 // indices of the digits in this chunk, then in the next chunk; the number of elements is at Board-Ahead, and a lookback.Columns begins at Board
	Out    []K      // sorted keys of all chunks
	Values []uint32 // one value for each key if Paired is set
	Moved  []uint32 // values in the order of the keys in Out, if Paired is set
}

// Ahead is the distance in pass.State between the number of elements and the index Board.
const Ahead = Digits

// DigitOf returns the value of the field pass.Digit for a digit.
func DigitOf(shift, mask uint32) uint32 { return shift | mask<<8 }

// tile() returns the number of the work-group's tile in a chunk of n elements, or at least Chunk if there is no such tile.
func (k pass[K, W]) tile(it dsl.NDItem1, n uint32) uint32 {
	return lookback.TicketAt(it, k.State, k.Board, (n+Tile-1)/Tile)
}

// rest() returns the number of elements in the chunk.
func (k pass[K, W]) rest() uint32 {
	n := uint32(len(k.Keys))
	if i := int(k.Board) - Ahead; i >= 0 && i < len(k.State) {
		n = min(n, max(k.State[i], k.Begin)-k.Begin)
	}
	return n
}

// digit() returns the digit of a key.
func (k pass[K, W]) digit(o Order[K], x K) uint32 {
	var w W
	return w.Shift(o.Ordered(x), k.Digit%256) & (k.Digit >> 8) % Digits
}

// count() counts a tile's digits, and returns the count of the work-item's digit. Indices past the end count as the greatest digit.
func (k pass[K, W]) count(it dsl.NDItem1, counts *[Digits]uint32, o Order[K], base, n uint32) uint32 {
	l := it.LocalID()
	it.Barrier()
	counts[l] = 0
	it.Barrier()
	for i := base + uint32(l); i < base+Tile; i += Size {
		d := uint32(Digits - 1)
		if i < n && int(i) < len(k.Keys) {
			d = k.digit(o, k.Keys[i])
		}
		dsl.AtomicAddRelaxed(&counts[d], 1)
	}
	it.Barrier()
	return counts[l]
}

// exchange() moves one word of each element to the element's index in the tile. In `word`,
// exchange() returns the words at the work-item's indices l, l+Size and so on.
func exchange(it dsl.NDItem1, tile *[memory]uint32, place, word *[Each]uint32) {
	l := it.LocalID()
	it.Barrier()
	for j := range Each {
		tile[place[j]%Tile] = word[j]
	}
	it.Barrier()
	for j := range Each {
		word[j] = tile[j*Size+l]
	}
}

// write() writes the elements of a tile to Out, in their sorted order. The argument `start` is the index in the sorted tile
// at which the work-item's digit begins. The argument `before` is the count of the work-item's digit in earlier tiles.
func (k pass[K, W]) write(it dsl.NDItem1, tile *[memory]uint32, run *[Digits]uint32, o Order[K], base, n uint32, place *[Each]uint32, key *[Each]K, value *[Each]uint32, start, before, count uint32) {
	var w W
	l := uint32(it.LocalID())
	var low, high [Each]uint32
	for j := range Each {
		low[j] = w.Word(key[j], 0)
	}
	exchange(it, tile, place, &low)
	if w.Words() > 1 {
		for j := range Each {
			high[j] = w.Word(key[j], 1)
		}
		exchange(it, tile, place, &high)
	}
	if int(l) < len(k.State) {
		to := k.State[l] + before
		run[l] = to - start
		if next := Digits + int(l); base == (Chunk-1)*Tile && next < len(k.State) {
			k.State[next] = to + count
		}
	}
	it.Barrier()
	for j := range uint32(Each) {
		p := j*Size + l
		x := w.Join([2]uint32{low[j], high[j]})
		low[j] = run[k.digit(o, x)] + p
		if base+p < n && int(low[j]) < len(k.Out) {
			k.Out[low[j]] = x
		}
	}
	if Paired.Get(it) {
		exchange(it, tile, place, value)
		for j := range uint32(Each) {
			if base+j*Size+l < n && int(low[j]) < len(k.Moved) {
				k.Moved[low[j]] = value[j]
			}
		}
	}
}
