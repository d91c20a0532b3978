package sort

import (
	kernelsgen "github.com/kgen-go/kgen/generated/prim/sort/kernels"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/internal/call"
	"github.com/kgen-go/kgen/prim/lookback"
	"github.com/kgen-go/kgen/prim/sort/kernels"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/primimpl"
)

// The type plan describes how elements are sorted, by passes from the lowest digit to the highest.
type plan struct {
	n          int
	kind       call.Kind
	lo, hi     int // range of bits by which elements are sorted
	passes     int
	descending bool
	length     runtime.View[int64] // view with the number of elements, or an empty view
}

// mostKeys is the largest number of elements of a call, because indices have 32 bits.
const mostKeys = 1<<32 - 1

// newPlan returns the plan of a call for n elements. newPlan adds an error to the call if options
// are invalid.
func newPlan[T prim.Number](c *call.Call, n int) plan {
	kind := call.KindOf[T]()
	p := plan{n: n, kind: kind, hi: 8 * kind.Size, length: c.Length()}
	if int64(n) > mostKeys {
		c.Refuse("sort parts, and merge them", "there are %d elements: the function takes %d", n, uint32(mostKeys))
	}
	descending, bits := c.Sorts(true)
	p.descending = descending
	if bits != nil {
		switch {
		case kind.Float:
			c.Refuse("give integers, such as those of math.Float32bits", "floats are not sorted by some of their bits")
		case bits[0] < 0 || bits[0] >= bits[1] || bits[1] > p.hi:
			c.Refuse("give bits lo and hi, where 0 <= lo < hi <= the number of bits", "elements of %d bits are not sorted by the bits %d to %d", p.hi, bits[0], bits[1]-1)
		default:
			p.lo, p.hi = bits[0], bits[1]
		}
	}
	p.passes = (p.hi - p.lo + kernels.Bits - 1) / kernels.Bits
	return p
}

// flip returns the value of the kernels' field Flip. K is the type of an element's bits.
func flip[K kernels.Keys](kind call.Kind, descending bool) K {
	f := K(0)
	if kind.Signed && !kind.Float {
		f = K(1) << uint(8*kind.Size-1)
	}
	if descending {
		f = ^f
	}
	return f
}

// shift returns the first bit of a pass's digit, and mask returns the bits of the digit.
func (p plan) shift(pass int) uint32 { return uint32(p.lo + pass*kernels.Bits) }
func (p plan) mask(pass int) uint32  { return kernels.Mask(p.shift(pass), uint32(p.hi)) }

// The function floats returns the launch options that describe float elements.
func floats(kind call.Kind) []runtime.LaunchOption {
	if !kind.Float {
		return nil
	}
	low := uint(max(8*kind.Size-32, 0))
	return []runtime.LaunchOption{
		runtime.WithSpec(kernels.Sign, uint32(uint64(1)<<(8*kind.Size-1)>>low)),
		runtime.WithSpec(kernels.Inf, uint32(kind.Inf>>low)),
	}
}

// chunk returns the range of elements of a chunk, which is its first element, and its end.
func (p plan) chunk(ch int) (begin, end int) {
	return ch * kernels.Chunk * kernels.Tile, min((ch+1)*kernels.Chunk*kernels.Tile, p.n)
}

func (p plan) tiles() int  { return max((p.n+kernels.Tile-1)/kernels.Tile, 1) }
func (p plan) chunks() int { return (p.tiles() + kernels.Chunk - 1) / kernels.Chunk }
func (p plan) counts() int { return p.chunks() * kernels.MaxPasses * kernels.Digits }
func (p plan) starts() int { return p.passes * (p.chunks() + 1) * kernels.Digits }

// The method board returns the index in the state at which the board begins, after the indices of
// digits and the number of elements. state returns the number of elements of the state.
func (p plan) board() int { return p.starts() + kernels.Ahead }
func (p plan) state() int {
	return p.board() + lookback.ColumnWords(min(p.tiles(), kernels.Chunk))
}

// The method parts returns the number of parts that work-items on a processor sort, and the number
// of elements in a part.
func (p plan) parts() (n, part int) {
	part = max((p.n+mostParts-1)/mostParts, leastPart)
	return max((p.n+part-1)/part, 1), part
}

// The constants are the largest number of parts, and the least number of elements in a part.
const (
	mostParts = 512
	leastPart = 2048
)

// The method bytes returns the number of bytes of scratch memory. If size is not 0, values of that
// size move with the keys.
func (p plan) bytes(size int) int {
	parts, _ := p.parts()
	n := max(call.Bytes[uint32](p.counts())+call.Bytes[uint32](p.state()), call.Bytes[int64](parts*kernels.Digits))
	switch {
	case p.kind.Size < 4:
		n += 2 * call.Bytes[uint32](p.n)
	case p.kind.Size == 4:
		n += call.Bytes[uint32](p.n)
	default:
		n += call.Bytes[uint64](p.n)
	}
	switch size {
	case 0:
	case 4:
		n += call.Bytes[uint32](p.n)
	default:
		n += 3 * call.Bytes[uint32](p.n)
	}
	return n
}

// The constant most is the largest number of work-items of a launch whose work-items divide elements among them.
const most = 1 << 22

// The function share returns the range of a launch whose work-items divide n elements among them.
func share(n int) runtime.Range1 { return runtime.Range1(min(max(n, 1), most)) }

// The type carried contains the values that move with keys. Values move from in to out, through tmp.
type carried struct{ in, out, tmp runtime.View[uint32] }

// The method of returns the views of values before and after a pass. The last pass writes to out.
func (m *carried) of(p plan, pass int) (from, to runtime.View[uint32]) {
	at := func(pass int) runtime.View[uint32] {
		switch {
		case pass == 0:
			return m.in
		case (p.passes-pass)%2 == 0:
			return m.out
		}
		return m.tmp
	}
	if m == nil {
		return from, to
	}
	return at(pass), at(pass + 1)
}

// launch launches the passes. If inPlace is set, v and out are the same memory.
func launch[T prim.Number](c *call.Call, p plan, v, out runtime.View[T], inPlace bool, moved *carried) {
	switch p.kind.Size {
	case 1, 2:
		a := wide(c, v)
		narrow(c, passes(c, p, words32{}, a, call.Room[uint32](c, p.n), a, moved), p.length, out)
	case 4:
		ends(c, p, words32{}, primimpl.Cast[uint32](v), primimpl.Cast[uint32](out), inPlace, moved)
	default:
		ends(c, p, words64{}, primimpl.Cast[uint64](v), primimpl.Cast[uint64](out), inPlace, moved)
	}
}

// The function wide returns the elements, which have 8 or 16 bits, as words.
func wide[T prim.Number](c *call.Call, v runtime.View[T]) runtime.View[uint32] {
	w := call.Room[uint32](c, v.Len())
	call.Over(c, kernelsgen.Widen{Keys: primimpl.Cast[uint8](v), Bytes: call.KindOf[T]().Size, Out: w}, share(v.Len()))
	return w
}

// The function narrow sets the elements of out, which have 8 or 16 bits, from words. If the view
// length is not empty, narrow sets only as many elements as it says.
func narrow[T prim.Number](c *call.Call, w runtime.View[uint32], length runtime.View[int64], out runtime.View[T]) {
	call.Over(c, kernelsgen.Narrow{Keys: w, Length: length, Bytes: call.KindOf[T]().Size, Out: primimpl.Cast[uint8](out)}, share(w.Len()))
}

// The function ends launches the passes so that the last pass writes to out.
func ends[K kernels.Keys](c *call.Call, p plan, w words[K], v, out runtime.View[K], inPlace bool, moved *carried) {
	tmp := call.Room[K](c, p.n)
	if p.passes%2 == 0 {
		passes(c, p, w, v, tmp, out, moved)
		return
	}
	if inPlace {
		c.Enqueue(runtime.Copy(tmp, v))
		v = tmp
	}
	passes(c, p, w, v, out, tmp, moved)
}

// The function passes launches the passes, which write to a and b in turn. passes returns the view
// that the last pass has written. After the passes, the values are in moved.out.
func passes[K kernels.Keys](c *call.Call, p plan, w words[K], v, a, b runtime.View[K], moved *carried) runtime.View[K] {
	// For 64 bits, PassLanes is the only kernel on GPUs.
	lanes := byLanes(c.Device().Info())
	if onCPU(c.Device().Info()) || !lanes && p.kind.Size == 8 {
		return parts(c, p, w, v, a, b, moved)
	}
	chunks, tiles := p.chunks(), p.tiles()
	counts, state := call.Room[uint32](c, p.counts()), call.Room[uint32](c, p.state())
	f, board := flip[K](p.kind, p.descending), p.board()
	c.Enqueue(runtime.Fill(counts, 0))
	for ch := range chunks {
		n := min(tiles-ch*kernels.Chunk, kernels.Chunk)
		begin, end := p.chunk(ch)
		c.Run(w.count(f, begin, p, v.Slice(begin, end), p.length, counts.Slice(ch*kernels.MaxPasses*kernels.Digits, counts.Len())), min(n, counters), kernels.Size, floats(p.kind)...)
	}
	c.Run(kernelsgen.Starts{Chunks: chunks, N: p.n, Length: p.length, Counts: counts, Starts: state.Slice(0, board)}, p.passes, kernels.Size)
	for pass := range p.passes {
		from, to := moved.of(p, pass)
		for ch := range chunks {
			s := (pass*(chunks+1) + ch) * kernels.Digits
			begin, end := p.chunk(ch)
			values := from
			if moved != nil {
				values = from.Slice(begin, end)
			}
			c.Enqueue(runtime.Fill(state.Slice(board, state.Len()), 0))
			k := w.pass(lanes, step[K]{
				flip: f, shift: p.shift(pass), mask: p.mask(pass), begin: begin,
				keys: v.Slice(begin, end), state: state.Slice(s, state.Len()), board: board - s, out: a, values: values, moved: to,
			})
			c.Run(k, min(tiles-ch*kernels.Chunk, kernels.Chunk), kernels.Size, append(floats(p.kind), runtime.WithSpec(kernels.Paired, moved != nil))...)
		}
		v, a, b = a, b, a
	}
	return v
}

// The function parts launches the passes on processors. The function passes does so on GPUs.
func parts[K kernels.Keys](c *call.Call, p plan, w words[K], v, a, b runtime.View[K], moved *carried) runtime.View[K] {
	n, part := p.parts()
	counts := call.Room[int64](c, n*kernels.Digits)
	for pass := range p.passes {
		from, to := moved.of(p, pass)
		s := step[K]{flip: flip[K](p.kind, p.descending), shift: p.shift(pass), mask: p.mask(pass), keys: v, length: p.length, places: counts, out: a, values: from, moved: to}
		c.Enqueue(runtime.Fill(counts, 0))
		tally, move := w.parts(part, s)
		call.Over(c, tally, runtime.Range1(n), floats(p.kind)...)
		call.Over(c, kernelsgen.Places{Counts: counts}, runtime.Range1(1))
		call.Over(c, move, runtime.Range1(n), append(floats(p.kind), runtime.WithSpec(kernels.Paired, moved != nil))...)
		v, a, b = a, b, a
	}
	return v
}

// counters is the largest number of work-groups that count digits.
const counters = 2048

// byLanes reports whether a device can run PassLanes.
var byLanes = func(info runtime.DeviceInfo) bool {
	return info.MinSubGroup <= kernels.Lanes && kernels.Lanes <= info.MaxSubGroup
}

// onCPU reports whether a device is a processor.
var onCPU = func(info runtime.DeviceInfo) bool { return info.Type >= runtime.HostCPU }

// The type step contains the arguments of a pass.
type step[K kernels.Keys] struct {
	flip                 K
	shift, mask          uint32
	begin, board         int
	keys, out            runtime.View[K]
	length, places       runtime.View[int64]
	state, values, moved runtime.View[uint32]
}

// The type words is the set of kernels for keys of one size.
type words[K kernels.Keys] interface {
	count(flip K, begin int, p plan, v runtime.View[K], length runtime.View[int64], counts runtime.View[uint32]) call.Kernel
	pass(lanes bool, s step[K]) call.Kernel
	parts(part int, s step[K]) (tally, move ranged)
}

// ranged is a launch over a range.
type ranged interface {
	ParallelFor(*runtime.Queue, runtime.Range1, ...runtime.LaunchOption) (runtime.Event, error)
}

type (
	words32 struct{}
	words64 struct{}
)

func (words32) count(flip uint32, begin int, p plan, v runtime.View[uint32], length runtime.View[int64], counts runtime.View[uint32]) call.Kernel {
	return kernelsgen.Count32{Flip: flip, Lo: uint32(p.lo), Hi: uint32(p.hi), Begin: begin, Keys: v, Length: length, Counts: counts}
}

func (words64) count(flip uint64, begin int, p plan, v runtime.View[uint64], length runtime.View[int64], counts runtime.View[uint32]) call.Kernel {
	return kernelsgen.Count64{Flip: flip, Lo: uint32(p.lo), Hi: uint32(p.hi), Begin: begin, Keys: v, Length: length, Counts: counts}
}

func (words32) pass(lanes bool, s step[uint32]) call.Kernel {
	k := kernelsgen.Pass32{Flip: s.flip, Digit: kernels.DigitOf(s.shift, s.mask), Begin: uint32(s.begin), Board: uint32(s.board), Keys: s.keys, State: s.state, Out: s.out, Values: s.values, Moved: s.moved}
	if lanes {
		return kernelsgen.PassLanes32(k)
	}
	return k
}

func (words64) pass(_ bool, s step[uint64]) call.Kernel {
	return kernelsgen.PassLanes64{Flip: s.flip, Digit: kernels.DigitOf(s.shift, s.mask), Begin: uint32(s.begin), Board: uint32(s.board), Keys: s.keys, State: s.state, Out: s.out, Values: s.values, Moved: s.moved}
}

func (words32) parts(part int, s step[uint32]) (tally, move ranged) {
	return kernelsgen.Tally32{Flip: s.flip, Shift: s.shift, Mask: s.mask, Part: part, Keys: s.keys, Length: s.length, Counts: s.places},
		kernelsgen.Move32{Flip: s.flip, Shift: s.shift, Mask: s.mask, Part: part, Keys: s.keys, Length: s.length, Places: s.places, Out: s.out, Values: s.values, Moved: s.moved}
}

func (words64) parts(part int, s step[uint64]) (tally, move ranged) {
	return kernelsgen.Tally64{Flip: s.flip, Shift: s.shift, Mask: s.mask, Part: part, Keys: s.keys, Length: s.length, Counts: s.places},
		kernelsgen.Move64{Flip: s.flip, Shift: s.shift, Mask: s.mask, Part: part, Keys: s.keys, Length: s.length, Places: s.places, Out: s.out, Values: s.values, Moved: s.moved}
}
