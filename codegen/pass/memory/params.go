package memory

// This file is the pass params. It uses simplify's liveness, and must run after mem2reg.

import (
	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
)

// Params removes the parameters that the kernel never reads from the argument block and closes the
// gaps. All of a kernel's modules share one argument block, so the pass must run before the first
// pass that differs among them.
func Params(m *ir.Module) diag.List {
	d := simplify.NewLiveness()
	for _, f := range rewrite.Bodies(m) {
		d.Roots(f)
		for _, b := range f.Blocks {
			for _, v := range b.Insts {
				if v.Op.Has(ir.FlagReads) { // the checked mode performs all reads
					d.Mark(v)
				}
			}
		}
	}
	d.Spread()
	read := make([]bool, len(m.Params))
	for v := range d.Live {
		if v.Op == ir.OpArg && v.Bits >= abi.OffsetArgs {
			if i := paramAt(m, int(v.Bits)-abi.OffsetArgs); i >= 0 {
				read[i] = true
			}
		}
	}
	to, changed := layOutAgain(m, read)
	if !changed {
		return nil
	}
	for _, f := range rewrite.Bodies(m) {
		d.Sweep(f)
		for _, b := range f.Blocks {
			for _, v := range b.Insts {
				if v.Op == ir.OpArg && v.Bits >= abi.OffsetArgs {
					v.Bits = uint64(abi.OffsetArgs + to(int(v.Bits)-abi.OffsetArgs))
				}
			}
		}
	}
	return nil
}

// paramAt returns the parameter that contains a byte of the argument block, or -1. The address of
// the constant data belongs to no parameter.
func paramAt(m *ir.Module, off int) int {
	for i := range m.Params {
		if p := &m.Params[i]; p.Offset >= 0 && p.Offset <= off && off < p.Offset+p.Size {
			return i
		}
	}
	return -1
}

// layOutAgain gives the parameters that are read new offsets, and returns a function from old
// offsets to new ones. Each offset stays aligned as before, up to the alignment of a slice.
func layOutAgain(m *ir.Module, read []bool) (to func(old int) int, changed bool) {
	moved := make([]int, len(m.Params)) // change of each parameter's offset
	end := 0
	place := func(old, size int) int {
		at := old
		for a := sliceAlign; a > 0; a /= 2 {
			if old%a == 0 {
				at = (end + a - 1) / a * a
				break
			}
		}
		end = at + size
		return at
	}
	for i := range m.Params {
		switch p := &m.Params[i]; {
		case p.Offset < 0:
		case !read[i]:
			p.Offset, changed = -1, true
		default:
			at := place(p.Offset, p.Size)
			moved[i], p.Offset = at-p.Offset, at
		}
	}
	if !changed {
		return nil, false
	}
	dataMoved := 0
	if len(m.Data) > 0 {
		at := place(m.DataOffset, 8)
		dataMoved, m.DataOffset = at-m.DataOffset, at
	}
	m.ArgSize = (end + 3) &^ 3 // the size of push constants is a multiple of a word
	m.Spilled = abi.OffsetArgs+m.ArgSize > abi.MaxLaunchBlock
	return func(old int) int {
		for i := range m.Params {
			if p := &m.Params[i]; p.Offset >= 0 && old >= p.Offset-moved[i] && old < p.Offset-moved[i]+p.Size {
				return old + moved[i]
			}
		}
		return old + dataMoved
	}, true
}

// sliceAlign is the alignment of a slice in the argument block, the largest alignment of all
// parameters.
const sliceAlign = 8
