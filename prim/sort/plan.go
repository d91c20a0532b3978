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

// sortPlan describes how a call sorts elements. The sort has several passes, from the lowest digit
// to the highest.
type sortPlan struct {
	n            int
	kind         call.Kind
	lo, hi       int // elements are sorted by the bits lo to hi-1
	launchPasses int
	descending   bool
	length       runtime.View[int64] // view with the number of elements, or an empty view
}

// mostKeys is the largest number of elements that a call can sort, because indices have 32 bits.
const mostKeys = 1<<32 - 1

// newPlan returns the plan of a call for n elements. newPlan adds an error to the call if options
// are invalid.
func newPlan[T prim.Number](c *call.Call, n int) sortPlan {
	kind := call.KindOf[T]()
	p := sortPlan{n: n, kind: kind, hi: 8 * kind.Size, length: c.Length()}
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
	p.launchPasses = (p.hi - p.lo + kernels.Bits - 1) / kernels.Bits
	return p
}

// flipOf returns the value of the field Flip of kernels. K is the unsigned integer type with the
// size of an element.
func flipOf[K kernels.Keys](kind call.Kind, descending bool) K {
	f := K(0)
	if kind.Signed && !kind.Float {
		f = K(1) << uint(8*kind.Size-1)
	}
	if descending {
		f = ^f
	}
	return f
}

// shift() returns the position of the lowest bit of a pass's digit, and mask() returns the mask of
// the digit.
func (p sortPlan) shift(pass int) uint32 { return uint32(p.lo + pass*kernels.Bits) }
func (p sortPlan) mask(pass int) uint32  { return kernels.Mask(p.shift(pass), uint32(p.hi)) }

// floatOptions returns the launch options that describe float elements.
func floatOptions(kind call.Kind) []runtime.LaunchOption {
	if !kind.Float {
		return nil
	}
	low := uint(max(8*kind.Size-32, 0))
	return []runtime.LaunchOption{
		runtime.WithSpec(kernels.Sign, uint32(uint64(1)<<(8*kind.Size-1)>>low)),
		runtime.WithSpec(kernels.Inf, uint32(kind.Inf>>low)),
	}
}

// chunkRange returns the indices at which a chunk's elements begin and end.
func (p sortPlan) chunkRange(ch int) (begin, end int) {
	return ch * kernels.Chunk * kernels.Tile, min((ch+1)*kernels.Chunk*kernels.Tile, p.n)
}

func (p sortPlan) tiles() int  { return max((p.n+kernels.Tile-1)/kernels.Tile, 1) }
func (p sortPlan) chunks() int { return (p.tiles() + kernels.Chunk - 1) / kernels.Chunk }
func (p sortPlan) counts() int { return p.chunks() * kernels.MaxPasses * kernels.Digits }
func (p sortPlan) starts() int { return p.launchPasses * (p.chunks() + 1) * kernels.Digits }

// boardStart returns the index at which the lookback.Columns begins in the slice State of the
// kernels. Before the lookback.Columns, State contains the indices of digits and the number of
// elements. stateSize returns the size of State in words.
func (p sortPlan) boardStart() int { return p.starts() + kernels.Ahead }
func (p sortPlan) stateSize() int {
	return p.boardStart() + lookback.ColumnWords(min(p.tiles(), kernels.Chunk))
}

// partCount returns the number of parts, and the number of elements in a part. The function
// launchParts sorts each part in one work-item.
func (p sortPlan) partCount() (n, part int) {
	part = max((p.n+mostParts-1)/mostParts, leastPart)
	return max((p.n+part-1)/part, 1), part
}

// mostParts is the largest number of parts, and leastPart is the least number of elements in a
// part. The kernel Places adds up mostParts*Digits counts in one work-item. Mesa's driver for processors ends
// the loops of a work-item after 65,536 iterations, so mostParts is less than 256.
const (
	mostParts = 248
	leastPart = 2048
)

var _ [1<<16 - (mostParts+1)*kernels.Digits]struct{} // Places runs fewer than 65,536 iterations

// scratchSize returns the number of bytes of scratch memory. The argument `size` is the size of a
// value that moves with its key, or 0 if keys have no values.
func (p sortPlan) scratchSize(size int) int {
	parts, _ := p.partCount()
	n := max(call.Bytes[uint32](p.counts())+call.Bytes[uint32](p.stateSize()), call.Bytes[int64](parts*kernels.Digits))
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

// mostSharing is the largest number of work-items that share the elements of a launch.
const mostSharing = 1 << 22

// shareRange returns the range of a launch whose work-items share n elements.
func shareRange(n int) runtime.Range1 { return runtime.Range1(min(max(n, 1), mostSharing)) }

// carriedValues contains the values that move with keys. The passes move the values from the view
// `in` to the view `out`. Between two passes, the values are in `tmp` or `out`.
type carriedValues struct{ in, out, tmp runtime.View[uint32] }

// viewsOf returns the source and the destination of the values in a pass. The last pass writes to
// out.
func (m *carriedValues) viewsOf(p sortPlan, pass int) (from, to runtime.View[uint32]) {
	at := func(pass int) runtime.View[uint32] {
		switch {
		case pass == 0:
			return m.in
		case (p.launchPasses-pass)%2 == 0:
			return m.out
		}
		return m.tmp
	}
	if m == nil {
		return from, to
	}
	return at(pass), at(pass + 1)
}

// launchAll launches the passes that sort v into out. If inPlace is set, v and out are the same
// memory.
func launchAll[T prim.Number](c *call.Call, p sortPlan, v, out runtime.View[T], inPlace bool, moved *carriedValues) {
	switch p.kind.Size {
	case 1, 2:
		a := wideWords(c, v)
		narrowWords(c, launchPasses(c, p, words32{}, a, call.Room[uint32](c, p.n), a, moved), p.length, out)
	case 4:
		launchToOut(c, p, words32{}, primimpl.Cast[uint32](v), primimpl.Cast[uint32](out), inPlace, moved)
	default:
		launchToOut(c, p, words64{}, primimpl.Cast[uint64](v), primimpl.Cast[uint64](out), inPlace, moved)
	}
}

// wideWords converts elements of 8 or 16 bits to 32-bit words.
func wideWords[T prim.Number](c *call.Call, v runtime.View[T]) runtime.View[uint32] {
	w := call.Room[uint32](c, v.Len())
	call.Over(c, kernelsgen.Widen{Keys: primimpl.Cast[uint8](v), Bytes: call.KindOf[T]().Size, Out: w}, shareRange(v.Len()))
	return w
}

// narrowWords converts 32-bit words to the elements of out, which have 8 or 16 bits. If the view
// `length` is not empty, length[0] is the number of elements to convert.
func narrowWords[T prim.Number](c *call.Call, w runtime.View[uint32], length runtime.View[int64], out runtime.View[T]) {
	call.Over(c, kernelsgen.Narrow{Keys: w, Length: length, Bytes: call.KindOf[T]().Size, Out: primimpl.Cast[uint8](out)}, shareRange(w.Len()))
}

// launchToOut launches the passes so that the last pass writes to out.
func launchToOut[K kernels.Keys](c *call.Call, p sortPlan, w wordKernels[K], v, out runtime.View[K], inPlace bool, moved *carriedValues) {
	tmp := call.Room[K](c, p.n)
	if p.launchPasses%2 == 0 {
		launchPasses(c, p, w, v, tmp, out, moved)
		return
	}
	if inPlace {
		c.Enqueue(runtime.Copy(tmp, v))
		v = tmp
	}
	launchPasses(c, p, w, v, out, tmp, moved)
}

// launchPasses launches the passes. The passes write alternately to a and to b. launchPasses
// returns the view that the last pass has written. After the passes, the values are in moved.out.
func launchPasses[K kernels.Keys](c *call.Call, p sortPlan, w wordKernels[K], v, a, b runtime.View[K], moved *carriedValues) runtime.View[K] {
	// For keys of 64 bits, PassLanes is the only kernel for GPUs.
	lanes := byLanes(c.Device().Info())
	if onCPU(c.Device().Info()) || !lanes && p.kind.Size == 8 {
		return launchParts(c, p, w, v, a, b, moved)
	}
	chunks, tiles := p.chunks(), p.tiles()
	counts, state := call.Room[uint32](c, p.counts()), call.Room[uint32](c, p.stateSize())
	f, board := flipOf[K](p.kind, p.descending), p.boardStart()
	c.Enqueue(runtime.Fill(counts, 0))
	for ch := range chunks {
		n := min(tiles-ch*kernels.Chunk, kernels.Chunk)
		begin, end := p.chunkRange(ch)
		c.Run(w.count(f, begin, p, v.Slice(begin, end), p.length, counts.Slice(ch*kernels.MaxPasses*kernels.Digits, counts.Len())), min(n, mostCounters), kernels.Size, floatOptions(p.kind)...)
	}
	c.Run(kernelsgen.Starts{Chunks: chunks, N: p.n, Length: p.length, Counts: counts, Starts: state.Slice(0, board)}, p.launchPasses, kernels.Size)
	for pass := range p.launchPasses {
		from, to := moved.viewsOf(p, pass)
		for ch := range chunks {
			s := (pass*(chunks+1) + ch) * kernels.Digits
			begin, end := p.chunkRange(ch)
			values := from
			if moved != nil {
				values = from.Slice(begin, end)
			}
			c.Enqueue(runtime.Fill(state.Slice(board, state.Len()), 0))
			k := w.pass(lanes, sortStep[K]{
				flip: f, shift: p.shift(pass), mask: p.mask(pass), begin: begin,
				keys: v.Slice(begin, end), state: state.Slice(s, state.Len()), board: board - s, out: a, values: values, moved: to,
			})
			c.Run(k, min(tiles-ch*kernels.Chunk, kernels.Chunk), kernels.Size, append(floatOptions(p.kind), runtime.WithSpec(kernels.Paired, moved != nil))...)
		}
		v, a, b = a, b, a
	}
	return v
}

// launchParts launches the passes with the kernels for CPUs. GPUs that cannot run PassLanes use the
// same kernels for keys of 64 bits.
func launchParts[K kernels.Keys](c *call.Call, p sortPlan, w wordKernels[K], v, a, b runtime.View[K], moved *carriedValues) runtime.View[K] {
	n, part := p.partCount()
	counts := call.Room[int64](c, n*kernels.Digits)
	for pass := range p.launchPasses {
		from, to := moved.viewsOf(p, pass)
		s := sortStep[K]{flip: flipOf[K](p.kind, p.descending), shift: p.shift(pass), mask: p.mask(pass), keys: v, length: p.length, places: counts, out: a, values: from, moved: to}
		c.Enqueue(runtime.Fill(counts, 0))
		tally, move := w.parts(part, s)
		call.Over(c, tally, runtime.Range1(n), floatOptions(p.kind)...)
		call.Over(c, kernelsgen.Places{Counts: counts}, runtime.Range1(1))
		call.Over(c, move, runtime.Range1(n), append(floatOptions(p.kind), runtime.WithSpec(kernels.Paired, moved != nil))...)
		v, a, b = a, b, a
	}
	return v
}

// mostCounters is the largest number of work-groups that count digits.
const mostCounters = 2048

// byLanes reports whether a device can run PassLanes.
var byLanes = func(info runtime.DeviceInfo) bool {
	return info.MinSubGroup <= kernels.Lanes && kernels.Lanes <= info.MaxSubGroup
}

// onCPU reports whether a device is a CPU.
var onCPU = func(info runtime.DeviceInfo) bool { return info.Type >= runtime.HostCPU }

// sortStep contains the arguments of a pass's kernels.
type sortStep[K kernels.Keys] struct {
	flip                 K
	shift, mask          uint32
	begin, board         int
	keys, out            runtime.View[K]
	length, places       runtime.View[int64]
	state, values, moved runtime.View[uint32]
}

// wordKernels makes the kernels for keys of 32 or of 64 bits.
type wordKernels[K kernels.Keys] interface {
	count(flip K, begin int, p sortPlan, v runtime.View[K], length runtime.View[int64], counts runtime.View[uint32]) call.Kernel
	pass(lanes bool, s sortStep[K]) call.Kernel
	parts(part int, s sortStep[K]) (tally, move rangeKernel)
}

// rangeKernel is a kernel that is launched over a range, without work-groups.
type rangeKernel interface {
	ParallelFor(*runtime.Queue, runtime.Range1, ...runtime.LaunchOption) (runtime.Event, error)
}

type (
	words32 struct{}
	words64 struct{}
)

func (words32) count(flip uint32, begin int, p sortPlan, v runtime.View[uint32], length runtime.View[int64], counts runtime.View[uint32]) call.Kernel {
	return kernelsgen.Count32{Flip: flip, Lo: uint32(p.lo), Hi: uint32(p.hi), Begin: begin, Keys: v, Length: length, Counts: counts}
}

func (words64) count(flip uint64, begin int, p sortPlan, v runtime.View[uint64], length runtime.View[int64], counts runtime.View[uint32]) call.Kernel {
	return kernelsgen.Count64{Flip: flip, Lo: uint32(p.lo), Hi: uint32(p.hi), Begin: begin, Keys: v, Length: length, Counts: counts}
}

func (words32) pass(lanes bool, s sortStep[uint32]) call.Kernel {
	k := kernelsgen.Pass32{Flip: s.flip, Digit: kernels.DigitOf(s.shift, s.mask), Begin: uint32(s.begin), Board: uint32(s.board), Keys: s.keys, State: s.state, Out: s.out, Values: s.values, Moved: s.moved}
	if lanes {
		return kernelsgen.PassLanes32(k)
	}
	return k
}

func (words64) pass(_ bool, s sortStep[uint64]) call.Kernel {
	return kernelsgen.PassLanes64{Flip: s.flip, Digit: kernels.DigitOf(s.shift, s.mask), Begin: uint32(s.begin), Board: uint32(s.board), Keys: s.keys, State: s.state, Out: s.out, Values: s.values, Moved: s.moved}
}

func (words32) parts(part int, s sortStep[uint32]) (tally, move rangeKernel) {
	return kernelsgen.Tally32{Flip: s.flip, Shift: s.shift, Mask: s.mask, Part: part, Keys: s.keys, Length: s.length, Counts: s.places},
		kernelsgen.Move32{Flip: s.flip, Shift: s.shift, Mask: s.mask, Part: part, Keys: s.keys, Length: s.length, Places: s.places, Out: s.out, Values: s.values, Moved: s.moved}
}

func (words64) parts(part int, s sortStep[uint64]) (tally, move rangeKernel) {
	return kernelsgen.Tally64{Flip: s.flip, Shift: s.shift, Mask: s.mask, Part: part, Keys: s.keys, Length: s.length, Counts: s.places},
		kernelsgen.Move64{Flip: s.flip, Shift: s.shift, Mask: s.mask, Part: part, Keys: s.keys, Length: s.length, Places: s.places, Out: s.out, Values: s.values, Moved: s.moved}
}
