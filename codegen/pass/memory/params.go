package memory

// This file contains the pass params, which removes parameters that the kernel never reads. Params
// uses the liveness analysis of package simplify, and must run after mem2reg.

import (
	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
)

// Params removes the parameters that the kernel never reads from the argument block, and closes the
// gaps. All modules of a kernel share the same argument block, so Params must run before the passes
// that transform the modules in different ways.
func Params(m *ir.Module) diag.List {
	d := simplify.NewLiveness()
	for _, f := range rewrite.Bodies(m) {
		d.Roots(f)
		for _, b := range f.Blocks {
			for _, v := range b.Insts {
				if v.Op.Has(ir.FlagReads) { // reads are kept, because the checked mode (kernels run in Go on the host) executes all of them
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

// paramAt returns the index of the parameter that contains the byte at offset off of the argument
// block. For the address of the constant data, which belongs to no parameter, paramAt returns -1.
func paramAt(m *ir.Module, off int) int {
	for i := range m.Params {
		if p := &m.Params[i]; p.Offset >= 0 && p.Offset <= off && off < p.Offset+p.Size {
			return i
		}
	}
	return -1
}

// layOutAgain assigns new offsets to the parameters that are read, and returns a function that maps
// an old offset to the new offset. Each new offset keeps the alignment of the old offset, up to the
// alignment of a slice.
func layOutAgain(m *ir.Module, read []bool) (to func(old int) int, changed bool) {
	moved := make([]int, len(m.Params)) // for each parameter, the difference between its new and its old offset
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
	m.ArgSize = (end + 3) &^ 3 // the size of push constants is a multiple of 4 bytes
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

// sliceAlign is the alignment of a slice in the argument block. No parameter needs a larger
// alignment than a slice.
const sliceAlign = 8
