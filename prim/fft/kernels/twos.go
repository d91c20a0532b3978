package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// Each is the number of elements that a work-item of Twos32 has in registers, and MostTwos that of a work-group.
const (
	Each     = 16
	MostTwos = Size * Each
)

// The logarithms of Twos32: of the length of a line, of the lines of a work-group, which has MostTwos elements, and of
// the radices of the passes. Passes that are not needed have 0.
var (
	LengthBits = dsl.NewSpecConstant(uint8(12))
	LinesBits  = dsl.NewSpecConstant(uint8(0))
	FirstBits  = dsl.NewSpecConstant(uint8(4))
	SecondBits = dsl.NewSpecConstant(uint8(4))
	ThirdBits  = dsl.NewSpecConstant(uint8(4))
)

// Twos32 transforms lines whose length is a power of two, as Lines32 does. Work-items have elements in registers,
// so that the work-group's memory has room for twice as many; they hand them on there between passes.
type Twos32 lines[float32]

// Properties states the work-group's size, and that each operation is rounded.
func (Twos32) Properties() properties.List { return exact }

// Kernel transforms lines.
func (k Twos32) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[MostTwos]Complex[float32]](it)
	twos(it, lines[float32](k), tile)
}

// registers are the elements of a work-item.
type registers[T Float] [Each]Complex[T]

// slots calls f for the numbers of a work-item's elements. They are constants, or elements would not be in registers.
func slots(f func(u uint32)) {
	f(0)
	f(1)
	f(2)
	f(3)
	f(4)
	f(5)
	f(6)
	f(7)
	f(8)
	f(9)
	f(10)
	f(11)
	f(12)
	f(13)
	f(14)
	f(15)
}

// layer is a pass of Twos32, all of whose sizes are powers of two.
type layer struct {
	l              uint32 // the work-item
	length         uint32 // the logarithms of sizes, as those of pass are
	together       uint32
	radix, done    uint32
	byLine, layout bool // neighbours have neighbouring lines; neighbours in memory do
}

// at returns the line of slot u, the number of its short transform, and that of the element there.
func (y layer) at(u uint32) (line, j, i uint32) {
	i = u & (1<<y.radix - 1)
	t := u>>y.radix*Size + y.l
	if y.byLine {
		return t & (1<<y.together - 1), t >> y.together, i
	}
	rest := y.length - y.radix
	return t >> rest, t & (1<<rest - 1), i
}

// place returns where an element is in the work-group's memory. Neighbours, and elements that lie 16 or 256 apart,
// are in different banks.
func (y layer) place(line, e uint32) uint32 {
	i := line<<y.length | e
	if y.layout {
		i = e<<y.together | line
	}
	return (i ^ (i>>4^i>>8)&15) % MostTwos
}

// twos transforms lines.
func twos[T Float](it dsl.NDItem1, k lines[T], tile *[MostTwos]Complex[T]) {
	y := layer{
		l: uint32(it.LocalID()), length: uint32(LengthBits.Get(it)) & 15, together: uint32(LinesBits.Get(it)) & 15,
		radix: uint32(FirstBits.Get(it)) & 7, byLine: LoadsLines.Get(it), layout: Interleaved.Get(it),
	}
	t, ok := k.tables(1 << y.length)
	if !ok {
		return
	}
	first := uint32(it.GroupID()) << y.together
	var x registers[T]
	slots(func(u uint32) {
		line, j, i := y.at(u)
		e := j + i<<(y.length-y.radix)
		v := Complex[T]{}
		if first+line < k.Count {
			v = get(k.In, k.line(it, first+line, k.InLine, k.InRow, k.InBlock)+e*k.InStep)
		}
		if Inverse.Get(it) {
			v = v.swapped()
		}
		x[u] = v
	})
	x.short(y.radix)
	if radix := uint32(SecondBits.Get(it)) & 7; radix > 0 {
		y = x.exchange(it, y, radix, t.roots, tile)
	}
	if radix := uint32(ThirdBits.Get(it)) & 7; radix > 0 {
		it.Barrier()
		y = x.exchange(it, y, radix, t.roots, tile)
	}
	f := finishing(it, t)
	slots(func(u uint32) {
		line, j, i := y.at(u)
		e := j + i<<(y.length-y.radix)
		v := f.finished(x[u], k.column(it, first+line), e, k.Shifts)
		if first+line < k.Count {
			set(k.Out, k.line(it, first+line, k.OutLine, k.OutRow, k.OutBlock)+e*k.OutStep, v)
		}
	})
}

// exchange hands the results of a pass on, and makes the next pass, which it returns.
func (x *registers[T]) exchange(it dsl.NDItem1, y layer, radix uint32, roots []Complex[T], tile *[MostTwos]Complex[T]) layer {
	slots(func(u uint32) {
		line, j, i := y.at(u)
		root := j & (1<<y.done - 1)
		tile[y.place(line, (j-root)<<y.radix+root+i<<y.done)] = x[u]
	})
	y.done += y.radix
	y.radix, y.byLine = radix, StoresLines.Get(it)
	it.Barrier()
	slots(func(u uint32) {
		line, j, i := y.at(u)
		v := tile[y.place(line, j+i<<(y.length-y.radix))]
		if i > 0 {
			v = v.times(roots[(j&(1<<y.done-1)+i<<y.done)%Window])
		}
		x[u] = v
	})
	x.short(radix)
	return y
}

// short makes the short transforms of a work-item.
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
