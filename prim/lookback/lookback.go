// Package lookback has the part that kernels of one pass share: a work-group learns the total of all tiles
// before its own, while their work-groups still run (Merrill and Garland, "Single-pass Parallel Prefix
// Scan with Decoupled Look-back", 2016).
//
//	t := lookback.Ticket(it, state)           // the work-group's tile
//	total := …                                // of the tile's elements
//	before := lookback.Before(it, memory, board, t, total, again, combine)
//
// A work-group posts the total of its tile on a board. Once it knows the total of all tiles up to its own
// it posts that, too: the tile is whole. To learn the total of those before, its work-items look at
// the posts of one tile each, back to the nearest tile that is whole.
//
// Nothing here needs a promise of progress. Tickets number the work-groups in the order in which
// they begin, and a work-group that has looked for a post Polls times in vain computes
// the total itself.
//
// Totals are combined in the order of tiles, beginning with those of the nearest such tile, so the
// result is ((total of 0 ∘ total of 1) ∘ total of 2) and so on, bit by bit, however far a
// work-group looks back.
package lookback

import (
	"math"
	"sync/atomic"

	"github.com/kgen-go/kgen/dsl"
)

// Size is the number of work-items in the work-groups of kernels that use this package.
const Size = 256

var (
	// Polls is how often a work-group looks for a post before it computes the total itself.
	Polls = dsl.NewSpecConstant[uint32](256)
	// Silent has each work-group whose tile is a multiple of it post no total, as though it had
	// not begun, if it is not 0. Tests set it.
	Silent = dsl.NewSpecConstant[uint32](0)
	// FromFirst has all work-groups look back to the first tile, if it is not 0: they post totals alone.
	// Tests set it.
	FromFirst = dsl.NewSpecConstant[uint32](0)
	// Backwards numbers the work-groups from the last one, if it is not 0: the device begins them in
	// the worst order. Tests set it to the number of work-groups.
	Backwards = dsl.NewSpecConstant[uint32](0)
)

// The kinds of posts.
const (
	none  = uint32(0)
	total = uint32(1) // the total of a tile
	whole = uint32(2) // the total of all tiles up to this one
)

// Board is where work-groups post values of type A. Tiles that it has no memory for have no posts, so
// that no work-item faults, and leaves its group, in the middle of looking back.
type Board[A any] interface {
	// Look returns the kind of a tile's post, and its value.
	Look(tile uint32) (kind uint32, v A)
	// Post replaces the post of the work-group's own tile.
	Post(tile, kind uint32, v A)
	// Help posts the total of a tile that has none.
	Help(tile uint32, v A)
}

// Code keeps a value in words of 30 bits.
type Code[A any] interface {
	Words() int
	Word(v A, i int) uint32
	Value(w [3]uint32) A
}

// Packed is a board whose words have both the kind of a post and a part of its value, so that work-items
// need no fence to read them.
type Packed[A any, C Code[A]] struct {
	State []uint32 // the ticket, and C's Words for each tile; zero before a launch
}

const bits = 30

// Look reads the words. Words of different kinds belong to different posts.
func (b Packed[A, C]) Look(tile uint32) (kind uint32, v A) {
	var code C
	i := (int(tile) + 1) * code.Words()
	if i+code.Words() > len(b.State) {
		return none, v
	}
	var w [3]uint32
	w[0], w[1] = dsl.AtomicLoadRelaxed(&b.State[i]), dsl.AtomicLoadRelaxed(&b.State[i+1])
	kind = w[0] >> bits
	if w[1]>>bits != kind {
		kind = none
	}
	if code.Words() > 2 {
		if w[2] = dsl.AtomicLoadRelaxed(&b.State[i+2]); w[2]>>bits != kind {
			kind = none
		}
	}
	for i := range w {
		w[i] &= 1<<bits - 1
	}
	return kind, code.Value(w)
}

// Post writes the words.
func (b Packed[A, C]) Post(tile, kind uint32, v A) {
	var code C
	i := (int(tile) + 1) * code.Words()
	if i+code.Words() > len(b.State) {
		return
	}
	dsl.AtomicStoreRelaxed(&b.State[i], kind<<bits|code.Word(v, 0))
	dsl.AtomicStoreRelaxed(&b.State[i+1], kind<<bits|code.Word(v, 1))
	if code.Words() > 2 {
		dsl.AtomicStoreRelaxed(&b.State[i+2], kind<<bits|code.Word(v, 2))
	}
}

// Help writes the words as far as they are no post of the tile's own work-group, which are greater.
func (b Packed[A, C]) Help(tile uint32, v A) {
	var code C
	i := (int(tile) + 1) * code.Words()
	if i+code.Words() > len(b.State) {
		return
	}
	dsl.AtomicMax(&b.State[i], total<<bits|code.Word(v, 0))
	dsl.AtomicMax(&b.State[i+1], total<<bits|code.Word(v, 1))
	if code.Words() > 2 {
		dsl.AtomicMax(&b.State[i+2], total<<bits|code.Word(v, 2))
	}
}

// Plain is a board for values of any type. Its flags are words of their own, and fences lie
// between them and the values.
type Plain[A any] struct {
	State  []uint32 // the ticket, and two words for each tile: its post, and that of others for it; zero before a launch
	Values []A      // three for each tile: its total, that of all up to it, and the total that others have posted
}

// The second word of a tile, while another work-group writes its total there, and after.
const (
	claimed = uint32(1)
	helped  = uint32(2)
)

// Look reads the tile's post, or that of others for it.
func (b Plain[A]) Look(tile uint32) (kind uint32, v A) {
	i, j := 2*int(tile)+2, 3*int(tile)
	if i+1 >= len(b.State) || j+2 >= len(b.Values) {
		return none, v
	}
	kind = dsl.AtomicLoadRelaxed(&b.State[i])
	others := kind == none && dsl.AtomicLoadRelaxed(&b.State[i+1]) == helped
	dsl.AtomicFence(dsl.MemoryScopeDevice)
	switch {
	case others:
		return total, b.Values[j+2]
	case kind == total:
		return total, b.Values[j]
	case kind == whole:
		return whole, b.Values[j+1]
	}
	return none, v
}

// Post writes a value, and then its kind.
func (b Plain[A]) Post(tile, kind uint32, v A) {
	i, j := 2*int(tile)+2, 3*int(tile)
	if i >= len(b.State) || j+1 >= len(b.Values) {
		return
	}
	if kind == whole {
		b.Values[j+1] = v
	} else {
		b.Values[j] = v
	}
	dsl.AtomicFence(dsl.MemoryScopeDevice)
	dsl.AtomicStoreRelaxed(&b.State[i], kind)
}

// Help writes a value, unless others have or are about to.
func (b Plain[A]) Help(tile uint32, v A) {
	i, j := 2*int(tile)+3, 3*int(tile)+2
	if i >= len(b.State) || j >= len(b.Values) || !atomic.CompareAndSwapUint32(&b.State[i], none, claimed) {
		return
	}
	b.Values[j] = v
	dsl.AtomicFence(dsl.MemoryScopeDevice)
	dsl.AtomicStoreRelaxed(&b.State[i], helped)
}

// Ticket returns the number of the work-group's tile: those that begin earlier have smaller ones.
// state[0] is 0 before the launch. Without a state, all work-groups have the last tile that there can be,
// of which no call has an element: nothing faults in the middle of a group, and nothing is written.
func Ticket(it dsl.NDItem1, state []uint32) uint32 { return TicketAt(it, state, 0, math.MaxUint32) }

// TicketAt returns a ticket as [Ticket] does, of a board that begins at an element of state. Of tickets from
// tiles on, which may differ between work-items, it returns the last one that there can be.
func TicketAt(it dsl.NDItem1, state []uint32, at, tiles uint32) uint32 {
	t := uint32(math.MaxUint32)
	if it.LocalID() == 0 && int(at) < len(state) {
		t = dsl.AtomicAddRelaxed(&state[at], 1) - 1
		if n := Backwards.Get(it); n > 0 {
			t = n - 1 - t
		}
		if t >= tiles {
			t = math.MaxUint32
		}
	}
	return dsl.GroupBroadcast(it.Group(), t, 0)
}

// Before returns the total of all tiles before t, where sum is that of t: the work-group calls it with
// the same arguments. For tile 0 it returns the zero value. The function again computes the total of another
// tile, and combine combines two totals. posts is work-group memory for Before's use, of Size values,
// which again may use, too. The work-items meet before Before first writes there, and before it returns.
func Before[A any, B Board[A]](it dsl.NDItem1, posts *[Size]A, board B, t uint32, sum A, again func(tile uint32) A, combine func(x, y A) A) A {
	l := uint32(it.LocalID())
	var before A
	if silent := Silent.Get(it); l == 0 && (silent == 0 || t%silent != 0) {
		kind := total
		if t == 0 {
			kind = whole
		}
		board.Post(t, kind, sum)
	}
	if t == 0 {
		return before
	}
	// Look at a window of Size tiles, of which last is the nearest. If none is whole, go on with the window
	// before. From the one that has a whole tile, go forwards again, and combine totals.
	last, back := t-1, true
	for {
		n, v := window(it, board, last, again)
		if back && n >= Size {
			last -= Size
			continue
		}
		back = false
		it.Barrier()
		posts[l%Size] = v
		it.Barrier()
		if n < Size {
			before = posts[n%Size]
		}
		i := min(n, Size)
		for ; i >= together; i -= together {
			var next [together]A
			for j := range uint32(together) {
				next[j] = posts[(i-1-j)%Size]
			}
			for j := range together {
				before = combine(before, next[j])
			}
		}
		for ; i > 0; i-- {
			before = combine(before, posts[(i-1)%Size])
		}
		if last == t-1 {
			break
		}
		last += Size
	}
	upTo := combine(before, sum)
	if l == 0 && FromFirst.Get(it) == 0 {
		board.Post(t, whole, upTo)
	}
	it.Barrier()
	return before
}

// window looks at the posts of Size tiles; the nearest is last. It waits until the tiles up to the nearest whole one
// have posts. It returns the number of the work-item that looks at that tile, or at least Size if none is whole, and the
// total that the work-item has looked at itself.
func window[A any, B Board[A]](it dsl.NDItem1, board B, last uint32, again func(tile uint32) A) (n uint32, v A) {
	g, l := it.Group(), uint32(it.LocalID())
	kind, polls := none, uint32(0)
	for {
		near := uint32(2 * Size) // the nearest tile that is whole, or has no post
		if l <= last {
			if kind == none {
				if kind, v = board.Look(last - l); l == last && kind == total {
					kind = whole
				}
			}
			if kind != total {
				near = 2*l + kind/whole
			}
		}
		near = dsl.ReduceOverGroup(g, near, dsl.Minimum)
		if n = near / 2; near >= 2*Size || near%2 == 1 {
			return n, v
		}
		if polls++; polls < Polls.Get(it) {
			continue
		}
		polls = 0
		x := again(last - n)
		if l == n {
			board.Help(last-l, x)
			kind, v = total, x
			if l == last {
				kind = whole
			}
		}
	}
}

// together is the number of posts that a work-item loads at once.
const together = 8

// BeforeSum is [Before] for sums of integers, which are the same in any order: it need not go forwards
// again, nor fold posts one by one. Of floats, the order would depend on how far a work-group looks back.
func BeforeSum[A dsl.Number, B Board[A]](it dsl.NDItem1, board B, t uint32, sum A, again func(tile uint32) A) A {
	g, l := it.Group(), uint32(it.LocalID())
	if silent := Silent.Get(it); l == 0 && (silent == 0 || t%silent != 0) {
		kind := total
		if t == 0 {
			kind = whole
		}
		board.Post(t, kind, sum)
	}
	before := A(0)
	for last, more := t-1, t > 0; more; last -= Size {
		n, v := window(it, board, last, again)
		if l > n {
			v = 0
		}
		before += dsl.ReduceOverGroup(g, v, dsl.Plus)
		more = n >= Size
	}
	if l == 0 && t > 0 && FromFirst.Get(it) == 0 {
		board.Post(t, whole, before+sum)
	}
	return before
}

// Uint32 is the code of values of 32 bits.
type Uint32 struct{}

// Words returns 2.
func (Uint32) Words() int { return 2 }

// Word returns 30 bits.
func (Uint32) Word(v uint32, i int) uint32 { return v >> (bits * uint(i)) & (1<<bits - 1) }

// Value puts the bits together.
func (Uint32) Value(w [3]uint32) uint32 { return w[0] | w[1]<<bits }

// Float32 is the code of floats of 32 bits.
type Float32 struct{}

// Words returns 2.
func (Float32) Words() int { return 2 }

// Word returns 30 bits.
func (Float32) Word(v float32, i int) uint32 { return Uint32{}.Word(math.Float32bits(v), i) }

// Value puts the bits together.
func (Float32) Value(w [3]uint32) float32 { return math.Float32frombits(Uint32{}.Value(w)) }

// Uint64 is the code of values of 64 bits.
type Uint64 struct{}

// Words returns 3.
func (Uint64) Words() int { return 3 }

// Word returns 30 bits.
func (Uint64) Word(v uint64, i int) uint32 { return uint32(v>>(bits*uint(i))) & (1<<bits - 1) }

// Value puts the bits together.
func (Uint64) Value(w [3]uint32) uint64 {
	return uint64(w[0]) | uint64(w[1])<<bits | uint64(w[2])<<(2*bits)
}

// Float64 is the code of floats of 64 bits.
type Float64 struct{}

// Words returns 3.
func (Float64) Words() int { return 3 }

// Word returns 30 bits.
func (Float64) Word(v float64, i int) uint32 { return Uint64{}.Word(math.Float64bits(v), i) }

// Value puts the bits together.
func (Float64) Value(w [3]uint32) float64 { return math.Float64frombits(Uint64{}.Value(w)) }

// Count is the code of numbers below 1<<60.
type Count struct{}

// Words returns 2.
func (Count) Words() int { return 2 }

// Word returns 30 bits.
func (Count) Word(v int64, i int) uint32 { return uint32(v>>(bits*uint(i))) & (1<<bits - 1) }

// Value puts the bits together.
func (Count) Value(w [3]uint32) int64 { return int64(w[0]) | int64(w[1])<<bits }
