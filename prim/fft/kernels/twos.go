package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// Each is the number of elements in a work-item's registers. MostTwos is this number for a work-group.
const (
	Each     = 16
	MostTwos = Size * Each
)

// These constants of Twos32 are logarithms to base 2. They describe a line's length, a work-group's
// number of lines, and the radix of each pass. For an unused pass, the logarithm is 0.
var (
	LengthBits = dsl.NewSpecConstant(uint8(12))
	LinesBits  = dsl.NewSpecConstant(uint8(0))
	FirstBits  = dsl.NewSpecConstant(uint8(4))
	SecondBits = dsl.NewSpecConstant(uint8(4))
	ThirdBits  = dsl.NewSpecConstant(uint8(4))
)

// Twos32 transforms lines whose length is a power of two, as Lines32 does. Elements are in registers, so work-group
// memory has space for twice as many lines. Between passes, work-items exchange elements through work-group memory.
type Twos32 lines[float32]

// Properties sets the work-group's size, and requires that each operation is rounded.
func (Twos32) Properties() properties.List { return exact }

// Kernel transforms lines.
func (k Twos32) Kernel(it dsl.NDItem1) {
	twos(it, lines[float32](k))
}

// The type `registers` contains the elements of a work-item.
type registers[T Float] [Each]Complex[T]

// The type `layer` is a pass of Twos32. All sizes in a layer are powers of two.
type layer struct {
	l              uint32 // index of the work-item
	length         uint32 // logarithms of the sizes, as in the type pass
	together       uint32
	radix, done    uint32
	byLine, layout bool // byLine: whether neighbouring work-items process neighbouring lines; layout: whether neighbours in memory belong to neighbouring lines
}

// The type `spot` identifies a short transform by the line that contains it and by its number in
// the line. Fields a and b are numbers that all elements of the transform have in common.
type spot struct{ line, j, a, b uint32 }

// spots() returns the spots of a work-item's short transforms. A work-item has at most 8 short transforms.
func (y layer) spots(f func(p spot) spot) (all [Each / 2]spot) {
	at := func(s uint32) spot {
		t := s*Size + y.l
		if y.byLine {
			return f(spot{line: t & (1<<y.together - 1), j: t >> y.together})
		}
		rest := y.length - y.radix
		return f(spot{line: t >> rest, j: t & (1<<rest - 1)})
	}
	all[0] = at(0)
	if y.radix < 4 {
		all[1] = at(1)
	}
	if y.radix < 3 {
		all[2], all[3] = at(2), at(3)
	}
	if y.radix < 2 {
		all[4], all[5], all[6], all[7] = at(4), at(5), at(6), at(7)
	}
	return all
}

// slots() calls f for each of a work-item's elements. Argument u is the element's number. It is a
// constant, so that the element can be in a register. The element has index i in the short transform p.
func (y layer) slots(all [Each / 2]spot, f func(u, i uint32, p spot)) {
	slot := func(u uint32) {
		i, p := u, all[0]
		if y.radix == 3 {
			i, p = u%8, all[u/8]
		}
		if y.radix == 2 {
			i, p = u%4, all[u/4]
		}
		if y.radix == 1 {
			i, p = u%2, all[u/2]
		}
		f(u, i, p)
	}
	slot(0)
	slot(1)
	slot(2)
	slot(3)
	slot(4)
	slot(5)
	slot(6)
	slot(7)
	slot(8)
	slot(9)
	slot(10)
	slot(11)
	slot(12)
	slot(13)
	slot(14)
	slot(15)
}

// place() returns the index of an element in work-group memory. Neighbours, and elements that are 16 or 256 apart, are
// in different banks. If two numbers have no set bits in common, the index of their sum is the XOR of their indices.
// So one operation computes the index of each element of a short transform from the index of the first element.
func (y layer) place(line, e uint32) uint32 {
	i := line<<y.length | e
	if y.layout {
		i = e<<y.together | line
	}
	return i ^ (i>>4^i>>8)&15
}

// twos() computes the transforms of lines.
func twos[T Float](it dsl.NDItem1, k lines[T]) {
	y := layer{
		l: uint32(it.LocalID()), length: uint32(LengthBits.Get(it)) & 15, together: uint32(LinesBits.Get(it)) & 15,
		radix: uint32(FirstBits.Get(it)) & 7, byLine: LoadsLines.Get(it), layout: Interleaved.Get(it),
	}
	t, ok := k.tables(1 << y.length)
	if !ok {
		return
	}
	first, inverse := uint32(it.GroupID())<<y.together, Inverse.Get(it)
	var x registers[T]
	step := k.InStep << (y.length - y.radix)
	y.slots(y.spots(func(p spot) spot {
		p.a = k.line(it, first+p.line, k.InLine, k.InRow, k.InBlock) + p.j*k.InStep
		p.b = first + p.line
		return p
	}), func(u, i uint32, p spot) {
		var v Complex[T]
		if p.b < k.Count {
			v = get(k.In, p.a+i*step)
		}
		if inverse {
			v = v.swapped()
		}
		x[u] = v
	})
	tile := dsl.Local[[MostTwos]Complex[T]](it) // kgen clears the tile here, while the loads above are in progress
	x.short(y.radix)
	if radix := uint32(SecondBits.Get(it)) & 7; radix > 0 {
		y = x.exchange(it, y, radix, t.roots, tile)
	}
	if radix := uint32(ThirdBits.Get(it)) & 7; radix > 0 {
		it.Barrier()
		y = x.exchange(it, y, radix, t.roots, tile)
	}
	f := finishing(it, t)
	step = k.OutStep << (y.length - y.radix)
	y.slots(y.spots(func(p spot) spot {
		p.line += first
		p.a = k.line(it, p.line, k.OutLine, k.OutRow, k.OutBlock) + p.j*k.OutStep
		p.b = k.column(it, p.line)
		return p
	}), func(u, i uint32, p spot) {
		v := f.finished(x[u], p.b, p.j+i<<(y.length-y.radix), k.Shifts)
		if p.line < k.Count {
			set(k.Out, p.a+i*step, v)
		}
	})
}

// exchange() exchanges the results of a pass between work-items. exchange() returns the next pass.
func (x *registers[T]) exchange(it dsl.NDItem1, y layer, radix uint32, roots []Complex[T], tile *[MostTwos]Complex[T]) layer {
	y.slots(y.spots(func(p spot) spot {
		root := p.j & (1<<y.done - 1)
		p.a = y.place(p.line, (p.j-root)<<y.radix|root)
		return p
	}), func(u, i uint32, p spot) { tile[(p.a^y.place(0, i<<y.done))%MostTwos] = x[u] })
	y.done += y.radix
	y.radix, y.byLine = radix, StoresLines.Get(it)
	it.Barrier()
	y.slots(y.spots(func(p spot) spot {
		p.a, p.b = y.place(p.line, p.j), p.j&(1<<y.done-1)
		return p
	}), func(u, i uint32, p spot) {
		v := tile[(p.a^y.place(0, i<<(y.length-y.radix)))%MostTwos]
		if i > 0 {
			v = v.times(roots[(p.b|i<<y.done)%Window])
		}
		x[u] = v
	})
	x.short(radix)
	return y
}

// short() computes the short transforms of a work-item.
func (x *registers[T]) short(radix uint32) {
	switch radix {
	case 1:
		for i := range Each / 2 {
			x[2*i], x[2*i+1] = x[2*i].plus(x[2*i+1]), x[2*i].minus(x[2*i+1])
		}
	case 2:
		for i := range Each / 4 {
			x[4*i], x[4*i+1], x[4*i+2], x[4*i+3] = four(x[4*i], x[4*i+1], x[4*i+2], x[4*i+3])
		}
	case 3:
		x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7] = eight(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7])
		x[8], x[9], x[10], x[11], x[12], x[13], x[14], x[15] = eight(x[8], x[9], x[10], x[11], x[12], x[13], x[14], x[15])
	default:
		sixteen((*[Each]Complex[T])(x))
	}
}
