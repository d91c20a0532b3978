// Package lookback implements look-back for kernels that read their input once. A work-group gets
// the total of all earlier tiles while the work-groups of these tiles are still running (Merrill
// and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016).
//
//	t := lookback.Ticket(it, state)           // number of the work-group's tile.
//	total := …                                // total of the tile's elements.
//	before := lookback.Before(it, memory, board, t, total, again, combine)
//
// A work-group posts the total of its tile on a board. When the work-group has the total of all tiles up to
// its own, it also posts this total. Its tile is then called whole. To get the total of all earlier tiles,
// work-items read the posts of these tiles, back to the nearest whole tile. Each work-item reads one post.
//
// The kernels end even if the device does not run all work-groups at the same time. Tickets number
// work-groups in the order in which they begin. If a tile's post is still missing after Polls reads,
// a work-group computes that tile's total itself.
//
// Totals are combined in the order of tiles, from the nearest whole tile on. The bits of the result
// therefore do not depend on how far a work-group looks back. With totals x0, x1, x2 and so on, the
// result is ((x0 ∘ x1) ∘ x2) and so on.
package lookback

import (
	"math"
	"sync/atomic"

	"github.com/kgen-go/kgen/dsl"
)

// Size is the number of work-items in a work-group of kernels that use this package.
const Size = 256

var (
	// If a work-group has looked for a post Polls times in vain, it computes the missing total itself.
	Polls = dsl.NewSpecConstant[uint32](256)
	// If Silent is not 0, some work-groups post no total of their tiles, as if they had not begun.
	// Their tile numbers are multiples of Silent. Tests set Silent.
	Silent = dsl.NewSpecConstant[uint32](0)
	// If FromFirst is not 0, all work-groups look back to the first tile, because they post only
	// totals of single tiles. Tests set FromFirst.
	FromFirst = dsl.NewSpecConstant[uint32](0)
	// If Backwards is not 0, work-groups are numbered from the last one, which is the worst order.
	// Tests set Backwards to the number of work-groups.
	Backwards = dsl.NewSpecConstant[uint32](0)
)

// These are the values of a post's kind.
const (
	none  = uint32(0)
	total = uint32(1) // total of a tile
	whole = uint32(2) // total of all tiles up to this one
)

// Board contains the values of type A that work-groups post. Tiles beyond the board's memory have
// no posts, and cause no faults while a work-group looks back.
type Board[A any] interface {
	// Look returns the kind and the value of a tile's post.
	Look(tile uint32) (kind uint32, v A)
	// Post posts a kind and a value for the work-group's own tile.
	Post(tile, kind uint32, v A)
	// Help posts the total of a tile that has no post.
	Help(tile uint32, v A)
}

// Code converts values to words of 30 bits.
type Code[A any] interface {
	Words() int
	Word(v A, i int) uint32
	Value(w [3]uint32) A
}

// Packed is a board in which each word contains the kind of a post and some bits of its value.
// No fence is needed to read posts.
type Packed[A any, C Code[A]] struct {
	State []uint32 // ticket, and as many words for each tile as C needs; all zero before a launch
}

const bits = 30

// Look reads the words of a tile's post. If the words differ in kind, they belong to different posts, and the result is none.
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

// Post writes the words of a tile's post.
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

// Help writes the words of a post. Help never replaces a word that the tile's own work-group has posted.
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

// Plain is a board for values of any type. The board's flags are separate words, and fences order
// the accesses to flags and values.
type Plain[A any] struct {
	State  []uint32 // ticket, and two words for each tile: the kind of its own work-group's post, and the state of other work-groups' post; all zero before a launch
	Values []A      // three values for each tile: its total, the total of all tiles up to it, and its total as posted by another work-group
}

// The second word of a tile is claimed while another work-group writes the tile's total. After that it is helped.
const (
	claimed = uint32(1)
	helped  = uint32(2)
)

// Look reads a tile's post, which the tile's own work-group or another work-group has written.
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

// Post writes a value, and then the kind of the post.
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

// Help writes a value. It writes nothing if another call of Help for the tile has already begun.
func (b Plain[A]) Help(tile uint32, v A) {
	i, j := 2*int(tile)+3, 3*int(tile)+2
	if i >= len(b.State) || j >= len(b.Values) || !atomic.CompareAndSwapUint32(&b.State[i], none, claimed) {
		return
	}
	b.Values[j] = v
	dsl.AtomicFence(dsl.MemoryScopeDevice)
	dsl.AtomicStoreRelaxed(&b.State[i], helped)
}

// Ticket returns the number of the work-group's tile. Work-groups that begin earlier have smaller numbers.
// state[0] must be 0 before the launch. If state is empty, all work-groups get the last possible tile. No call has
// elements in that tile. So these work-groups write nothing, and no work-item faults in the middle of a group.
func Ticket(it dsl.NDItem1, state []uint32) uint32 { return TicketAt(it, state, 0, math.MaxUint32) }

// TicketAt returns a ticket as [Ticket] does, for a board that begins at state[at]. If the ticket
// is not below the argument `tiles`, TicketAt returns the last possible ticket to all work-items.
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

// Before returns the total of all tiles before t. The argument `sum` is the total of t. All work-items of the
// work-group pass the same arguments. For tile 0, Before returns the zero value. The function `again` computes the
// total of another tile, and the function `combine` combines two totals. The argument `posts` is work-group memory,
// which `again` may also use. There are barriers before the function writes to `posts`, and before it returns.
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
	// Look at a window of Size tiles. The tile `last` is the nearest of them. If no tile is whole, continue with
	// the previous window. If a tile is whole, go forward through the windows again, and combine their totals.
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

// window() looks at the posts of Size tiles. The tile `last` is the nearest of them. window() waits until the tiles
// up to the nearest whole tile have posts. The result n is the number of the work-item that reads the nearest whole
// tile. If no tile is whole, n is at least Size. The result v is the total that the calling work-item has read.
func window[A any, B Board[A]](it dsl.NDItem1, board B, last uint32, again func(tile uint32) A) (n uint32, v A) {
	g, l := it.Group(), uint32(it.LocalID())
	kind, polls := none, uint32(0)
	for {
		near := uint32(2 * Size) // twice the distance of the nearest tile without a total as post, plus 1 if that tile is whole
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

// The constant `together` is the number of posts that a work-item loads at the same time.
const together = 8

// BeforeSum does the same as [Before] for sums of integers. Such sums are the same in any order. So BeforeSum reads each
// window of posts only once. For floats, the result would depend on the number of tiles at which a work-group looks.
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

// Uint32 implements Code for values of 32 bits.
type Uint32 struct{}

// Words returns 2.
func (Uint32) Words() int { return 2 }

// Word returns 30 bits of the value.
func (Uint32) Word(v uint32, i int) uint32 { return v >> (bits * uint(i)) & (1<<bits - 1) }

// Value combines the bits of the words.
func (Uint32) Value(w [3]uint32) uint32 { return w[0] | w[1]<<bits }

// Float32 implements Code for floats of 32 bits.
type Float32 struct{}

// Words returns 2.
func (Float32) Words() int { return 2 }

// Word returns 30 bits of the value.
func (Float32) Word(v float32, i int) uint32 { return Uint32{}.Word(math.Float32bits(v), i) }

// Value combines the bits of the words.
func (Float32) Value(w [3]uint32) float32 { return math.Float32frombits(Uint32{}.Value(w)) }

// Uint64 implements Code for values of 64 bits.
type Uint64 struct{}

// Words returns 3.
func (Uint64) Words() int { return 3 }

// Word returns 30 bits of the value.
func (Uint64) Word(v uint64, i int) uint32 { return uint32(v>>(bits*uint(i))) & (1<<bits - 1) }

// Value combines the bits of the words.
func (Uint64) Value(w [3]uint32) uint64 {
	return uint64(w[0]) | uint64(w[1])<<bits | uint64(w[2])<<(2*bits)
}

// Float64 implements Code for floats of 64 bits.
type Float64 struct{}

// Words returns 3.
func (Float64) Words() int { return 3 }

// Word returns 30 bits of the value.
func (Float64) Word(v float64, i int) uint32 { return Uint64{}.Word(math.Float64bits(v), i) }

// Value combines the bits of the words.
func (Float64) Value(w [3]uint32) float64 { return math.Float64frombits(Uint64{}.Value(w)) }

// Count implements Code for numbers below 1<<60.
type Count struct{}

// Words returns 2.
func (Count) Words() int { return 2 }

// Word returns 30 bits of the value.
func (Count) Word(v int64, i int) uint32 { return uint32(v>>(bits*uint(i))) & (1<<bits - 1) }

// Value combines the bits of the words.
func (Count) Value(w [3]uint32) int64 { return int64(w[0]) | int64(w[1])<<bits }
