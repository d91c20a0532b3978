// Package kernels has the kernels of package sort. Elements are their bits, in unsigned integers.
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

// A pass sorts by one digit of Bits bits. A work-group of Size work-items sorts a tile, and a launch of a pass a
// chunk, whose counts fit package lookback's words. No result depends on these sizes.
const (
	Size   = lookback.Size
	Each   = 16
	Tile   = Size * Each
	Chunk  = 1 << 17 // tiles
	Bits   = 8
	Digits = 1 << Bits
)

// memory is the number of words of work-group memory for a tile. Where work-items use words far apart, one is
// left out after 32 of them, so that neighbours use different banks.
const memory = Tile + Tile/32

// Keys is a type that holds the bits of elements. Those of 8 and 16 bits are widened.
type Keys interface{ uint32 | uint64 }

// Sign and Inf say which floats elements are: the 32 highest bits of the sign, and of infinity or the greatest
// finite number. They are 0 for integers.
var (
	Sign = dsl.NewSpecConstant[uint32](0)
	Inf  = dsl.NewSpecConstant[uint32](0)
)

// Order says in which order elements are: by the values of Ordered.
type Order[K Keys] struct {
	sign, inf K // a float's sign, and the greatest that is no NaN; 0 and all bits for integers
	flip      K // the sign of signed integers, and all bits once more where the greatest is first
}

// orderOf returns the order of a launch's elements.
func orderOf[K Keys](it dsl.KernelHandler, flip K) Order[K] {
	sign, inf := Sign.Get(it), ^K(0)
	if sign != 0 {
		inf = highest[K](Inf.Get(it))
	}
	return Order[K]{highest[K](sign), inf, flip}
}

// highest returns a number whose 32 highest bits are w, and all others 0.
func highest[K Keys](w uint32) K { return K(w) << (bits.Len64(uint64(^K(0))) - 32) }

// Ordered returns a number that is less than another's if the element is before it. Those of NaNs are
// equal, and less than all others; those of the two zeros are equal.
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

// first returns how many of n elements a launch processes: all, or less if length has a number.
func first(n int, length []int64) int {
	if len(length) == 0 {
		return n
	}
	return int(min(int64(n), max(length[0], 0)))
}

// rest returns how many of n elements of a chunk a launch processes, of which length has the number in all
// chunks.
func rest(n, begin int, length []int64) uint32 {
	if len(length) > 0 {
		n = int(min(int64(n), max(length[0]-int64(begin), 0)))
	}
	return uint32(n)
}

// Count adds the digits of all passes to Counts: those with digit d in pass p are element p*Digits+d.
type Count[K Keys] struct {
	Flip   K       // the flip of the Order
	Lo, Hi uint32  // the bits that elements are sorted by
	Begin  int     // the elements in the chunks before
	Keys   []K     // a chunk
	Length []int64 // the number of elements of the call, or nothing
	Counts []uint32
}

// Count of elements of each size.
type (
	Count32 = Count[uint32]
	Count64 = Count[uint64]
)

// MaxPasses is the most passes that elements take: those of all bits of 64.
const MaxPasses = 8

// Properties states the work-group's size.
func (Count[K]) Properties() properties.List { return properties.List{properties.WorkGroupSize(Size)} }

// ahead is the number of loads of keys that are under way at once.
const ahead = 8

// Mask returns the bits of the digit that begins at bit shift.
func Mask(shift, hi uint32) uint32 { return 1<<min(Bits, hi-shift) - 1 }

// Kernel counts in work-group memory. The launch's work-groups share out the elements of a chunk.
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

// Starts sets the place of each digit's first element, for each pass, from the counts of all chunks, and the
// number of elements of the call. A work-group has a pass.
type Starts struct {
	Chunks int
	N      int      // the number of elements, if Length has none
	Length []int64  // the number of elements of the call, or nothing
	Counts []uint32 // MaxPasses*Digits for each chunk
	Starts []uint32 // (Chunks+1)*Digits for each pass, whose first Digits are set; then the number of elements
}

// Properties states the work-group's size.
func (Starts) Properties() properties.List { return properties.List{properties.WorkGroupSize(Size)} }

// Kernel adds up.
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

// words is how elements pass through work-group memory, of which there is little: a word at a time.
type words[K any] interface {
	Words() int
	Shift(x K, n uint32) uint32
	Word(x K, i int) uint32
	Join(w [2]uint32) K
}

// One is for elements of a word.
type One struct{}

// Words returns 1.
func (One) Words() int { return 1 }

// Shift returns the bits from bit n on.
func (One) Shift(x, n uint32) uint32 { return x >> (n % 32) }

// Word returns x.
func (One) Word(x uint32, _ int) uint32 { return x }

// Join returns the first word.
func (One) Join(w [2]uint32) uint32 { return w[0] }

// Two is for elements of two words.
type Two struct{}

// Words returns 2.
func (Two) Words() int { return 2 }

// Shift returns the bits from bit n on, as many as there is room for.
func (Two) Shift(x uint64, n uint32) uint32 { return uint32(x >> (n % 64)) }

// Word returns a half of x.
func (Two) Word(x uint64, i int) uint32 { return uint32(x >> (32 * uint(i))) }

// Join puts the halves together.
func (Two) Join(w [2]uint32) uint64 { return uint64(w[0]) | uint64(w[1])<<32 }

// Paired says whether values move with the keys.
var Paired = dsl.NewSpecConstant(false)

// pass has the fields of the two kernels of a pass. They take 104 bytes at most, or they would not fit
// into push constants, and loading them from memory would take registers.
type pass[K Keys, W words[K]] struct {
	Flip   K        // the flip of the Order
	Digit  uint32   // the first bit of the digit, and from bit 8 on the digit's bits
	Begin  uint32   // the number of elements in the chunks before
	Board  uint32   // the element of State where the board of package lookback begins
	Keys   []K      // a chunk
	State  []uint32 // the places of this chunk's digits and of the next one's; at Board-Ahead the number of elements; at Board the board
	Out    []K      // the keys of all chunks in order
	Values []uint32 // values, as many as there are keys, if they are Paired
	Moved  []uint32 // the values, where their keys are in Out, if they are Paired
}

// Ahead is the distance in State from the number of elements to the board.
const Ahead = Digits

// DigitOf returns the field Digit of a pass.
func DigitOf(shift, mask uint32) uint32 { return shift | mask<<8 }

// tile returns the work-group's tile of n elements, which is Chunk or more if it has none.
func (k pass[K, W]) tile(it dsl.NDItem1, n uint32) uint32 {
	return lookback.TicketAt(it, k.State, k.Board, (n+Tile-1)/Tile)
}

// rest returns the number of the chunk's elements.
func (k pass[K, W]) rest() uint32 {
	n := uint32(len(k.Keys))
	if i := int(k.Board) - Ahead; i >= 0 && i < len(k.State) {
		n = min(n, max(k.State[i], k.Begin)-k.Begin)
	}
	return n
}

// digit returns the digit of a key.
func (k pass[K, W]) digit(o Order[K], x K) uint32 {
	var w W
	return w.Shift(o.Ordered(x), k.Digit%256) & (k.Digit >> 8) % Digits
}

// count counts the digits of a tile; the work-item's is returned. Places past the end have the greatest digit.
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

// exchange moves a word of each element to its place in the tile, and returns those that are l, l+Size and so
// on there.
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

// write writes the elements of a tile to Out, given where each is in the order of the tile. start is where the
// work-item's digit begins in that order, and before how many of it are in the tiles before.
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
