package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// Size is the number of work-items of a work-group.
const Size = 256

// The numbers of elements that a work-group has room for, twice: 32 KiB.
const (
	Most32 = 2048
	Most64 = 1024
)

// Lines32 and Lines64 transform lines by passes of Stockham's algorithm. A pass takes the elements of each short
// transform from a half of the work-group's memory, and puts its results into the other half.
type (
	Lines32 lines[float32]
	Lines64 lines[float64]
)

// Properties states the work-group's size, and that each operation is rounded.
func (Lines32) Properties() properties.List { return exact }

// Properties states the work-group's size, and that each operation is rounded.
func (Lines64) Properties() properties.List { return exact }

var exact = append(properties.List{properties.WorkGroupSize(Size)}, exactly...)

// Kernel transforms Together lines.
func (k Lines32) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[2 * Most32]Complex[float32]](it)
	passes(it, lines[float32](k), tile[:])
}

// Kernel transforms Together lines.
func (k Lines64) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[2 * Most64]Complex[float64]](it)
	passes(it, lines[float64](k), tile[:])
}

// passes transforms Together lines.
func passes[T Float](it dsl.NDItem1, k lines[T], tile []Complex[T]) {
	p := pass[T]{
		tile: tile, roots: k.Roots, to: uint32(len(tile) / 2), done: 1,
		length: uint32(Length.Get(it)), together: uint32(Together.Get(it)),
		layout: LoadsLines.Get(it) || StoresLines.Get(it),
	}
	l, radices := uint32(it.LocalID()), Radices.Get(it)
	first := uint32(it.GroupID()) * p.together
	k.load(it, p, first, l)
	for range Passes.Get(it) {
		it.Barrier()
		p.radix = radices&15 + 1
		p.short(l)
		p.done *= p.radix
		p.from, p.to = p.to, p.from
		radices >>= 4
	}
	it.Barrier()
	k.store(it, p, first, l)
}

// quotient returns the quotient and the remainder of numbers of which the host knows that b is not 0.
func quotient(a, b uint32) (q, r uint32) {
	if b != 0 {
		q, r = a/b, a%b
	}
	return q, r
}

// pass is a pass of a work-group.
type pass[T Float] struct {
	tile, roots      []Complex[T]
	length, together uint32
	layout           bool   // neighbouring lines are neighbours in tile
	from, to         uint32 // the halves of tile
	radix            uint32
	done             uint32 // the product of the radices of the passes before
}

// place returns where an element of a line is in a half of tile.
func (p pass[T]) place(line, e uint32) uint32 {
	if p.layout {
		return e*p.together + line
	}
	return line*p.length + e
}

// at and set load and store an element of tile.
func (p pass[T]) at(i uint32) Complex[T]     { return p.tile[i%uint32(len(p.tile))] }
func (p pass[T]) set(i uint32, v Complex[T]) { p.tile[i%uint32(len(p.tile))] = v }

// step returns the distance in tile of elements that are n apart in a line.
func (p pass[T]) step(n uint32) uint32 {
	if p.layout {
		return n * p.together
	}
	return n
}

// each calls f for the pairs of a line and one of n elements of it that are the work-item's. Neighbouring
// work-items have neighbouring lines, or neighbours in a line.
func (p pass[T]) each(l, n uint32, byLine bool, f func(line, e uint32)) {
	inner, outer := n, p.together
	if byLine {
		inner, outer = outer, inner
	}
	row := min(inner, Size)
	rows, _ := quotient(Size, row)
	begin, at := quotient(l, row)
	if l >= row*rows {
		return
	}
	for o := begin; o < outer; o += rows {
		for i := at; i < inner; i += row {
			if byLine {
				f(i, o)
			} else {
				f(o, i)
			}
		}
	}
}

// line returns where a line begins, given the distances of lines, rows and blocks.
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

// load brings the lines to the first half of the work-group's memory.
func (k lines[T]) load(it dsl.NDItem1, p pass[T], first, l uint32) {
	p.each(l, p.length, LoadsLines.Get(it), func(line, e uint32) {
		at := k.line(it, first+line, k.InLine, k.InRow, k.InBlock) + e*k.InStep
		var v Complex[T]
		if first+line < k.Count && int(at) < len(k.In) {
			v = k.In[at]
		}
		if Inverse.Get(it) {
			v = v.swapped()
		}
		p.set(p.place(line, e), v)
	})
}

// store takes the transforms from the work-group's memory.
func (k lines[T]) store(it dsl.NDItem1, p pass[T], first, l uint32) {
	scale := T(1)
	if Scaled.Get(it) && len(k.Roots) > 0 {
		scale = k.Roots[0].Re
	}
	p.each(l, p.length, StoresLines.Get(it), func(line, e uint32) {
		v := p.at(p.from + p.place(line, e))
		v = k.finished(it, v, first+line, e, p.length, scale)
		at := k.line(it, first+line, k.OutLine, k.OutRow, k.OutBlock) + e*k.OutStep
		if first+line < k.Count && int(at) < len(k.Out) {
			k.Out[at] = v
		}
	})
}

// finished returns element e of line q as it is stored.
func (k lines[T]) finished(it dsl.NDItem1, v Complex[T], q, e, length uint32, scale T) Complex[T] {
	if Turned.Get(it) {
		if Levels.Get(it) > 0 {
			_, q = quotient(q, k.Columns)
		}
		q, _ = quotient(q, k.Width)
		v = v.times(k.root(q, e, length))
	}
	if Scaled.Get(it) {
		v = v.scaled(scale)
	}
	if Inverse.Get(it) {
		v = v.swapped()
	}
	return v
}

// root returns the root of unity of Turned for element e of a column. It is the product of three roots: one for
// the lowest Near bits of the column, and two for the others.
func (k lines[T]) root(column, e, length uint32) Complex[T] {
	near, far := k.Shifts&31, k.Shifts>>8&31
	low := e<<near + column&(1<<near-1)
	high := column >> near * e
	roots := k.Turn + length<<near
	return get(k.Roots, k.Turn+low).times(get(k.Roots, roots+high&(1<<far-1)).times(get(k.Roots, roots+1<<far+high>>far)))
}

// get returns an element, of which the host knows that it exists.
func get[T Float](xs []Complex[T], i uint32) (x Complex[T]) {
	if int(i) < len(xs) {
		x = xs[i]
	}
	return x
}

// element is a short transform of a work-item.
type element[T Float] struct {
	p                      *pass[T]
	begin, step, to, apart uint32 // where its elements are in the memory, and its results
	root                   uint32
}

// get returns element i, times its root of unity.
func (x element[T]) get(i uint32) Complex[T] {
	v := x.p.at(x.begin + i*x.step)
	if i > 0 && x.p.done > 1 {
		v = v.times(get(x.p.roots, x.root+i*x.p.done))
	}
	return v
}

// put stores result i.
func (x element[T]) put(i uint32, v Complex[T]) {
	x.p.set(x.to+i*x.apart, v)
}
