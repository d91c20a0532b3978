package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// Size is the number of work-items of a work-group.
const Size = 256

// Room is the number of elements in work-group memory, which is twice the number of elements of the lines.
var Room = dsl.NewSpecConstant(uint16(2))

// These constants limit the number of elements in a work-group's lines. Work-group memory has twice as many elements.
const (
	Most32 = 2048
	Most64 = 1024
)

// Lines32 and Lines64 transform lines by Stockham's algorithm, in passes of radix 2 to 8, 10 or 16. A pass loads
// the elements of short transforms from one half of work-group memory, and stores results in the other half.
type (
	Lines32 lines[float32]
	Lines64 lines[float64]
)

// Properties sets the work-group's size, and requires that each operation is rounded.
func (Lines32) Properties() properties.List { return exact }

// Properties sets the work-group's size, and requires that each operation is rounded.
func (Lines64) Properties() properties.List { return exact }

var exact = append(properties.List{properties.WorkGroupSize(Size)}, exactly...)

// Kernel transforms the work-group's lines.
func (k Lines32) Kernel(it dsl.NDItem1) { passes(it, lines[float32](k)) }

// Kernel transforms the work-group's lines.
func (k Lines64) Kernel(it dsl.NDItem1) { passes(it, lines[float64](k)) }

// passes() transforms the work-group's lines. Their number is Together.
func passes[T Float](it dsl.NDItem1, k lines[T]) {
	tile := dsl.LocalSlice[Complex[T]](it, int(Room.Get(it)))
	p := pass[T]{
		tile: tile, to: uint32(Room.Get(it)) / 2, done: 1,
		length: uint32(Length.Get(it)), together: uint32(Together.Get(it)),
		layout: Interleaved.Get(it),
	}
	t, ok := k.tables(p.length)
	if !ok {
		return
	}
	p.roots = t.roots
	l, radices := uint32(it.LocalID()), Radices.Get(it)
	first := uint32(it.GroupID()) * p.together
	k.load(it, p, first, l)
	for range Passes.Get(it) {
		it.Barrier()
		p.radix = radices&15 + 1
		p.short(l, Uses.Get(it))
		p.done *= p.radix
		p.from, p.to = p.to, p.from
		radices >>= 4
	}
	it.Barrier()
	k.store(it, p, t, first, l)
}

// quotient() returns the quotient and the remainder of a and b. The host ensures that b is not 0.
func quotient(a, b uint32) (q, r uint32) {
	if b != 0 {
		q, r = a/b, a%b
	}
	return q, r
}

// The type `pass` is the state of a pass of a work-group.
type pass[T Float] struct {
	tile, roots      []Complex[T]
	length, together uint32
	layout           bool   // whether elements of neighbouring lines are neighbours in the slice `tile`
	from, to         uint32 // offsets of those halves of `tile` from which the pass loads, and to which it stores
	radix            uint32
	done             uint32 // product of the radices of all earlier passes
}

// place() returns the index of a line's element in one half of `tile`.
func (p pass[T]) place(line, e uint32) uint32 {
	if p.layout {
		return e*p.together + line
	}
	return line*p.length + e
}

// step() returns the distance in `tile` between two elements of a line that are n elements apart.
func (p pass[T]) step(n uint32) uint32 {
	if p.layout {
		return n * p.together
	}
	return n
}

// The type `share` describes the elements of lines that a work-item processes.
type share struct{ line, lines, e, step uint32 }

// share() distributes n elements of each line. If byLine is set, neighbouring work-items process neighbouring lines.
func (p pass[T]) share(l, n uint32, byLine bool) share {
	inner, outer := n, p.together
	if byLine {
		inner, outer = outer, inner
	}
	row := min(inner, Size)
	rows, _ := quotient(Size, row)
	o, i := quotient(l, row)
	if l >= row*rows {
		o, i = outer, inner
	}
	if byLine {
		return share{i, row, o, rows}
	}
	return share{o, rows, i, row}
}

// line() returns the index at which a line begins, for the given distances of lines, rows and blocks.
func (k lines[T]) line(it dsl.NDItem1, q, line, row, block uint32) uint32 {
	if Levels.Get(it) == 0 {
		return q * line
	}
	q, c := quotient(q, k.Columns)
	if Levels.Get(it) == 1 {
		return c*line + q*row
	}
	b, r := quotient(q, k.Rows)
	return c*line + r*row + b*block
}

// load() copies the lines to the first half of work-group memory. Four loads are in progress at the same time.
func (k lines[T]) load(it dsl.NDItem1, p pass[T], first, l uint32) {
	w, inverse, step := p.share(l, p.length, LoadsLines.Get(it)), Inverse.Get(it), p.step(1)
	for line := w.line; line < p.together; line += w.lines {
		base, at := k.line(it, first+line, k.InLine, k.InRow, k.InBlock), p.place(line, 0)
		end := p.length
		if first+line >= k.Count {
			end = 0
		}
		for e := w.e; e < end; e += 4 * w.step {
			var v [4]Complex[T]
			for i := range uint32(4) {
				if f := e + i*w.step; f < end {
					v[i] = get(k.In, base+f*k.InStep)
				}
			}
			for i := range uint32(4) {
				if inverse {
					v[i] = v[i].swapped()
				}
				if f := e + i*w.step; f < end {
					set(p.tile, at+f*step, v[i])
				}
			}
		}
	}
}

// store() copies the transforms from work-group memory to the output.
func (k lines[T]) store(it dsl.NDItem1, p pass[T], t tables[T], first, l uint32) {
	w, f, step := p.share(l, p.length, StoresLines.Get(it)), finishing(it, t), p.step(1)
	for line := w.line; line < p.together; line += w.lines {
		q := first + line
		if q >= k.Count {
			break
		}
		base, at := k.line(it, q, k.OutLine, k.OutRow, k.OutBlock), p.from+p.place(line, 0)
		column := k.column(it, q)
		for e := w.e; e < p.length; e += w.step {
			set(k.Out, base+e*k.OutStep, f.finished(get(p.tile, at+e*step), column, e, k.Shifts))
		}
	}
}

// The type `finish` describes the operations on a line's elements before they are stored.
type finish[T Float] struct {
	tables[T]
	turned, scaled, inverse bool
	scale                   T
}

func finishing[T Float](it dsl.NDItem1, t tables[T]) finish[T] {
	return finish[T]{t, Turned.Get(it), Scaled.Get(it), Inverse.Get(it), t.roots[0].Re}
}

// column() returns the number of the column to which a line belongs in the long transform.
func (k lines[T]) column(it dsl.NDItem1, q uint32) uint32 {
	if !Turned.Get(it) {
		return 0
	}
	if Levels.Get(it) > 0 {
		_, q = quotient(q, k.Columns)
	}
	q, _ = quotient(q, k.Width)
	return q
}

// finished() applies the last operations to element e of a column before the element is stored.
func (f finish[T]) finished(v Complex[T], column, e, shifts uint32) Complex[T] {
	if f.turned {
		v = v.times(f.root(column, e, shifts))
	}
	if f.scaled {
		v = v.scaled(f.scale)
	}
	if f.inverse {
		v = v.swapped()
	}
	return v
}

// get() returns an element. The host ensures that the element exists.
func get[T Float](xs []Complex[T], i uint32) (x Complex[T]) {
	if int(i) < len(xs) {
		x = xs[i]
	}
	return x
}

// The type `element` identifies a short transform that a work-item computes.
type element[T Float] struct {
	p                      *pass[T]
	begin, step, to, apart uint32 // indices of the first input (begin) and result (to), and distances between inputs (step) and between results (apart)
	root                   uint32
}

// get() returns element i of the short transform, multiplied by its root of unity.
func (x element[T]) get(i uint32) Complex[T] {
	v := get(x.p.tile, x.begin+i*x.step)
	if i > 0 && x.p.done > 1 {
		v = v.times(x.p.roots[(x.root+i*x.p.done)%Window])
	}
	return v
}

// put() stores result i of the short transform.
func (x element[T]) put(i uint32, v Complex[T]) {
	set(x.p.tile, x.to+i*x.apart, v)
}
