package interp

// This file runs group operations.

import (
	"fmt"

	"github.com/kgen-go/kgen/codegen/ir"
)

// combineItems computes the group op at which work-items wait. If work-items wait at another Sync
// op, combineItems does nothing. Work-items that have returned contribute the neutral value.
func (x *launchState) combineItems(items []*itemState) {
	var v *ir.Value
	for _, w := range items {
		if w.at != nil {
			v = w.at
		}
	}
	if v.Matrices() != nil {
		x.runMatrixOp(v, items)
		return
	}
	if !v.IsGroupOp() {
		return
	}
	ins := x.gatherInputs(v, items)
	in := ins[0]
	c, _ := v.Aux.(ir.Combine)
	switch v.Op {
	case ir.OpGroupAny, ir.OpGroupUniform:
		c.By = ir.CombineOr
	case ir.OpGroupAll:
		c.By = ir.CombineAnd
	}
	switch {
	case v.Op == ir.OpGroupSelect:
	case v.Op == ir.OpGroupBallot:
		ballotWord(in, int(v.Args[1].Bits))
	case v.Op.Has(ir.FlagSame):
		for d := 1; d < len(in); d *= 2 {
			for i := 0; i+d < len(in); i += 2 * d {
				in[i] = c.By.Combine(v.Type, in[i], in[i+d])
			}
		}
	default:
		for d := 1; d < len(in); d *= 2 {
			for i := len(in) - 1; i >= d; i-- {
				in[i] = c.By.Combine(v.Type, in[i-d], in[i])
			}
		}
	}
	for i, w := range items {
		if w.at == nil {
			continue
		}
		at := i
		if v.Op.Has(ir.FlagSame) {
			at = 0
		}
		switch v.Op {
		case ir.OpGroupSelect:
			n := ins[1][i]
			if n >= uint64(len(in)) {
				w.failAt(w.at, "index %d in a group of %d", n, len(in))
			}
			at = int(n)
		case ir.OpGroupUniform:
			// If Launch.Leave is false, a work-item may have the value 0 instead of the uniform
			// value. After pass deadlanes, a work-item that has left the kernel early may still
			// execute the op, with the value 0.
			if x := w.operandBits(w.at.Args[0]); x != in[0] && (x != 0 || w.x.l.Leave) {
				if c := w.x.check; c != nil {
					c.stopRun(Finding{Kind: NotUniform, Pos: v.Pos, Message: fmt.Sprintf("this value is not uniform: work-item %v has another one than the group", w.globalID())})
				}
				w.failAt(v, "the value %#x is not uniform: the group's is %#x", x, in[0])
			}
		case ir.OpGroupExclusiveScan:
			at = i - 1
		}
		if at < 0 {
			w.setValue(v, w.operandBits(v.Args[1]))
		} else {
			w.setValue(v, in[at])
		}
	}
}

// gatherInputs returns a list for each input of a group op. The list for an input contains the
// input's value in each work-item.
func (x *launchState) gatherInputs(v *ir.Value, items []*itemState) [][]uint64 {
	ins := make([][]uint64, len(v.Inputs()))
	for a := range ins {
		ins[a] = make([]uint64, len(items))
		for i, w := range items {
			if w.at == nil {
				ins[a][i] = x.constantBits(v.Neutral(x.m, a))
			} else {
				ins[a][i] = w.operandBits(w.at.Args[a])
			}
		}
	}
	return ins
}

// ballotWord computes one 32-bit word of a ballot, and stores this word in the first element of in.
func ballotWord(in []uint64, word int) {
	bits := uint64(0)
	for i, x := range in {
		if i/32 == word {
			bits |= x << (i % 32)
		}
	}
	in[0] = bits
}
