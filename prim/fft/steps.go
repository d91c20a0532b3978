package fft

import (
	"slices"

	"github.com/kgen-go/kgen/prim/fft/kernels"
)

// These constants name the areas of memory that the launches of a plan read and write. The areas
// from `scratch` to `spectra` are parts of the scratch memory.
const (
	input = iota
	output
	scratch // elements between the steps of a long transform
	wide    // lines in Bluestein's algorithm
	reals   // real numbers, or complex numbers made from real numbers
	spectra // transforms of real numbers during the inverse transform
	memories
)

// The type `direction` says whether a step computes the forward or the inverse transform.
type direction int

const (
	asPlan direction = iota // direction of the call
	forward
	inverse
)

// planStep is a launch of a plan. Sizes and distances in a step are for one transform.
type planStep struct {
	kind           kind
	from, to       int // memory areas to read and to write
	fromSize, size int // number of elements of a transform in these memory areas
	table          span

	// The next fields are for launches that transform lines.
	radices       []int
	direction     direction
	last          bool // whether this step divides the inverse transform by its size
	inStep, step  int
	dims          []dim // dimensions of lines, the innermost first
	rest, width   int   // rest: factor by which the long transform is longer than a line; width: number of lines of a column
	near, far     int
	loads, stores bool // whether neighbouring work-items load (loads) or store (stores) elements of neighbouring lines
	forth, back   lineOptions

	n, rows       int // n: number of elements in a line or row; rows: number of rows of real numbers
	grid          [3]dim
	inner         bool // whether an element's index in the last dimension is also its index in the table
	swap, swapped bool // whether the inverse transform swaps real and imaginary parts before the product (swap), or after it (swapped)
}

// The type `dim` is a dimension of lines or elements. A dim contains the number n of lines or
// elements, and their distances in the input and output.
type dim struct{ n, in, out int }

type kind int

const (
	ofLines kind = iota
	ofElements
	ofHalves
	ofPairs
	ofMirror
)

// planBuilder makes the steps of a plan.
type planBuilder struct {
	most   int // largest number of elements in the lines of a work-group
	twos   int // length of the longest line whose length is a power of two
	steps  []planStep
	tables rootTables
	room   [memories]int // number of elements of a transform in each of the memory areas from `scratch` to `spectra`
	fails  bool          // whether the transform is too long
}

func product(factors []int) int {
	n := 1
	for _, f := range factors {
		n *= f
	}
	return n
}

// radicesOf returns the radices of the passes for a line of n elements. If n has a prime factor
// above 7, radicesOf returns nil. A radix of five or three is multiplied by two if that saves a
// pass.
func radicesOf(n int) []int {
	count := func(r int) (c int) {
		for ; n%r == 0; n /= r {
			c++
		}
		return c
	}
	sevens, fives, threes, twos := count(7), count(5), count(3), count(2)
	if n > 1 {
		return nil
	}
	passes := (twos - min(twos, fives+threes) + 3) / 4 // number of passes whose radices are powers of two
	taken := max(twos-4*passes, 0)
	tens := min(taken, fives)
	sixes := taken - tens
	twos -= taken
	list := make([]int, 0, 8)
	for _, r := range []struct{ radix, count int }{{7, sevens}, {5, fives - tens}, {3, threes - sixes}, {10, tens}, {6, sixes}} {
		list = append(list, slices.Repeat([]int{r.radix}, r.count)...)
	}
	if twos == 4 && len(list) == 0 {
		passes++ // two passes of radix 4 instead of one of radix 16, so that neighbouring work-items read neighbours
	}
	for ; passes > 0; passes-- {
		t := (twos + passes - 1) / passes
		list = append(list, 1<<t)
		twos -= t
	}
	return list
}

// oneLaunch reports whether one launch transforms lines of n elements. If the elements are not
// neighbours, the launch needs space for several neighbouring lines.
func (b *planBuilder) oneLaunch(n, width int) bool {
	switch {
	case width > 1:
		return n <= b.most/2
	case n&(n-1) == 0:
		return n <= b.twos
	}
	return n <= b.most
}

// splitFactors returns two or three factors of n, such that the largest factor is as small as
// possible. Each factor is so small that one launch can transform columns of that length.
// splitFactors returns nil if n cannot be split in this way.
func (b *planBuilder) splitFactors(n int) (best []int) {
	most := b.most / 2
	var divisors []int
	for d := 2; d <= most; d++ {
		if n%d == 0 {
			divisors = append(divisors, d)
		}
	}
	try := func(f ...int) {
		if best == nil || slices.Max(f) < slices.Max(best) {
			best = f
		}
	}
	for _, d := range divisors {
		if e := n / d; e <= most && e > 1 {
			try(max(d, e), min(d, e))
		}
	}
	if best != nil {
		return best
	}
	for _, d := range divisors {
		for _, e := range divisors {
			if f := n / d / e; n%(d*e) == 0 && f > 1 && f <= most && d >= e && e >= f {
				try(d, e, f)
			}
		}
	}
	return best
}

func (b *planBuilder) takes(memory, elements int) {
	if memory >= scratch {
		b.room[memory] = max(b.room[memory], elements)
	}
	b.fails = b.fails || elements > mostElements
}

// axisSteps appends the steps that transform an axis. The axis has n elements. The argument `width`
// is the distance between them, and `outer` is the number of rows. The distances between rows are
// inRow in the memory area `from`, and outRow in the memory area `to`.
func (b *planBuilder) axisSteps(dir direction, n, width, outer, from, inRow, to, outRow int) {
	list := radicesOf(n)
	switch {
	case n == 1:
		b.append(planStep{
			kind: ofElements, from: from, to: to, fromSize: outer * inRow, size: outer * outRow, n: width,
			grid: [3]dim{{1, 0, 0}, {outer, inRow, outRow}, {width, 1, 1}}, inner: true,
		})
	case list == nil:
		b.bluestein(n, width, outer, from, inRow, to, outRow)
	case b.oneLaunch(n, width):
		b.lines(planStep{
			from: from, to: to, fromSize: outer * inRow, size: outer * outRow, direction: dir, radices: list, rest: 1, width: 1,
			inStep: width, step: width, dims: []dim{{width, 1, 1}, {outer, inRow, outRow}}, loads: width > 1, stores: width > 1,
		})
	default:
		if factors := b.splitFactors(n); factors != nil {
			b.longSteps(dir, factors, width, outer, from, inRow, to, outRow)
		} else {
			b.bluestein(n, width, outer, from, inRow, to, outRow)
		}
	}
}

func (b *planBuilder) lines(s planStep) {
	s.table = b.tables.lineTable(s.radices, s.rest, s.near, s.far)
	b.append(s)
}

func (b *planBuilder) append(s planStep) {
	b.takes(s.to, s.size)
	b.steps = append(b.steps, s)
}

// longSteps appends the steps of a transform whose length is the product of the given factors. If
// there are two factors n1 and m, the first step computes m transforms of n1 elements. These
// elements are m apart, and the results are multiplied by roots of unity. The second step computes
// n1 transforms of m neighbours. The results of such a transform are n1 apart.
func (b *planBuilder) longSteps(dir direction, factors []int, width, outer, from, inRow, to, outRow int) {
	n := product(factors)
	all := outer * n * width
	final := planStep{from: scratch, to: to, fromSize: all, size: outer * outRow, direction: dir, rest: 1, width: 1, inStep: width, loads: width > 1, stores: true}
	final.dims = []dim{{width, 1, 1}}
	before, rest, row := 1, n, inRow
	for i, f := range factors {
		rest /= f
		if i == len(factors)-1 {
			final.radices, final.step = radicesOf(f), before*width
			final.dims = append(final.dims, dim{outer, n * width, outRow})
			b.lines(final)
			break
		}
		s := planStep{
			from: from, to: scratch, fromSize: outer * inRow, size: all, direction: dir, radices: radicesOf(f), inStep: rest * width, step: rest * width,
			dims: []dim{{rest * width, 1, 1}, {outer * before, row, f * rest * width}}, loads: true, stores: true,
			rest: rest, width: width,
		}
		if i > 0 {
			s.from, s.fromSize = scratch, all
		}
		for f<<(s.near+1) <= kernels.Most64 {
			s.near++
		}
		for 1<<(2*s.far) < maxTurns(f, rest, s.near) {
			s.far++
		}
		b.lines(s)
		final.dims = append(final.dims, dim{f, rest * width, before * width})
		before, row = before*f, rest*width
	}
}

// bluestein() appends the steps of a transform of any length. Element k of the transform is
// exp(-πi*k*k/n) times a sum over j. Term j of this sum is the product of element j,
// exp(-πi*j*j/n), and exp(πi*(k-j)*(k-j)/n). The sum is computed as a cyclic convolution of m
// elements.
func (b *planBuilder) bluestein(n, width, outer, from, inRow, to, outRow int) {
	m := b.length(2*n - 1)
	if m == 0 {
		b.fails = true
		return
	}
	lines := outer * width
	chirp := b.tables.chirp(n)
	grid := func(n, in, out int) (g [3]dim, inner bool) {
		if width == 1 {
			return [3]dim{{1, 0, 0}, {outer, in, out}, {n, 1, 1}}, true
		}
		return [3]dim{{outer, in, out}, {n, width, width}, {width, 1, 1}}, false
	}
	first := planStep{kind: ofElements, from: from, to: wide, fromSize: outer * inRow, size: lines * m, n: n, table: chirp, swap: true}
	first.grid, first.inner = grid(m, inRow, width*m)
	last := planStep{kind: ofElements, from: wide, to: to, fromSize: lines * m, size: outer * outRow, n: n, table: chirp, swapped: true}
	last.grid, last.inner = grid(n, width*m, outRow)
	if width > 1 { // the elements of a line are neighbours in the memory area `wide`
		first.grid[1].out, first.grid[2].out = 1, m
		last.grid[1].in, last.grid[2].in = 1, m
	}
	b.append(first)
	b.axisSteps(forward, m, 1, lines, wide, m, wide, m)
	b.append(planStep{
		kind: ofElements, from: wide, to: wide, fromSize: lines * m, size: lines * m, n: m, table: b.tables.convolution(n, m),
		grid: [3]dim{{1, 0, 0}, {lines, m, m}, {m, 1, 1}}, inner: true,
	})
	b.axisSteps(inverse, m, 1, lines, wide, m, wide, m)
	b.append(last)
}

// length() returns the length of at least n for which the length times the number of launches is
// least. If no length is possible, length returns 0.
func (b *planBuilder) length(n int) (best int) {
	cost := 0.0
	for seven := 1; seven < 2*n; seven *= 7 {
		for five := seven; five < 2*n; five *= 5 {
			for m := five; m < 2*n; m *= 3 {
				for l := m; ; l *= 2 {
					if l < n {
						continue
					}
					if l > mostElements {
						break
					}
					trips := 1.0
					if !b.oneLaunch(l, 1) {
						trips = float64(len(b.splitFactors(l)))
					}
					if trips > 0 {
						if c := float64(l) * trips; best == 0 || c < cost {
							best, cost = l, c
						}
					}
					break
				}
			}
		}
	}
	return best
}
