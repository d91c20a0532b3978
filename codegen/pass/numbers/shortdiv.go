package numbers

// This file contains the pass shortdiv, which replaces 64-bit divisions by 32-bit divisions. The
// pass runs before narrow, which narrows the values computed from the quotients.

import (
	"math"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
)

// ShortDivide replaces 64-bit divisions by 32-bit divisions if the dividend fits in 32 bits, such
// as i in i / k.Width and i % k.Width. If the divisor does not fit in 32 bits, the quotient is 0
// and the remainder is the dividend. For a 64-bit division, drivers call a routine of about a
// hundred instructions, and NVIDIA's driver (580) confuses the results of many such calls.
func ShortDivide(m *ir.Module, r *facts.Result) diag.List {
	a := facts.Solved(m, nil, r)
	short := map[*ir.Value]*shortDivision{}
	for _, b := range a.Dom.Order {
		for _, v := range b.Insts {
			if isShortDivision(a, v) {
				short[v] = &shortDivision{Maker: rewrite.Maker{Func: m.Kernel, At: v}}
			}
		}
	}
	for _, b := range a.Dom.Order {
		var out []*ir.Value
		for _, v := range b.Insts {
			if v.Op == ir.OpISub {
				// The quotient q was processed before the remainder, but the op of q is replaced
				// only at the end.
				if q := quotientOf(v); short[q] != nil {
					d := short[q]
					d.At, d.Made = v, nil
					v.Op, v.Args = ir.OpUConvert, []*ir.Value{d.remainderOf()}
					out = append(out, d.Made...)
				}
			}
			if d := short[v]; d != nil {
				d.prepareValues(a)
				if v.Op == ir.OpUMod {
					d.value = d.remainderOf()
				} else {
					d.value = d.quotient()
				}
				out = append(out, d.Made...)
			}
			out = append(out, v)
		}
		b.Insts = out
	}
	for v, d := range short {
		v.Op, v.Args = ir.OpSConvert, []*ir.Value{d.value}
	}
	if len(short) > 0 {
		simplify.Run(m)
		return simplify.CSE(m)
	}
	return nil
}

// isShortDivision reports whether v is a division that ShortDivide replaces. The dividend must be
// from 0 to MaxInt32. The divisor must not be constant or extended from 32 bits. A divisor that may
// be negative is excluded if the pass narrow may narrow the divisor.
func isShortDivision(a *facts.Ranges, v *ir.Value) bool {
	if v.Type != ir.TypeI64 || v.Op != ir.OpSDiv && v.Op != ir.OpUDiv && v.Op != ir.OpUMod {
		return false
	}
	x, y := v.Args[0], v.Args[1]
	if x.IsConst() || y.IsConst() || extendedInt(y) != nil {
		return false
	}
	p, q := a.At(x, v.Block), a.At(y, v.Block)
	if ok, _ := NarrowOp(y.Op); ok && q.Lo < 0 && q.Fits32() {
		return false
	}
	return p.Lo >= 0 && p.Hi <= math.MaxInt32
}

// quotientOf returns the quotient x/d if v is the remainder x - x/d*d. If v is not a remainder of
// this form, quotientOf returns nil.
func quotientOf(v *ir.Value) *ir.Value {
	x, d := facts.Divided(v)
	if d == nil {
		return nil
	}
	mul := v.Args[1]
	for _, q := range mul.Args {
		if q.Op == ir.OpSDiv && q.Args[0] == x && q.Args[1] == d {
			return q
		}
	}
	return nil
}

// shortDivision generates the code that replaces one division.
type shortDivision struct {
	rewrite.Maker
	x, by    *ir.Value // 32-bit unsigned operands; the divisor `by` is replaced by 1 if it does not fit in 32 bits
	fits     *ir.Value // condition that the divisor fits in 32 bits; nil if always true
	negative *ir.Value // condition that the divisor is negative; nil if always false
	value    *ir.Value // 32-bit result of the division
}

func (d *shortDivision) num(n int64) *ir.Value { return d.Func.Module.Int(ir.TypeI32, n) }

// prepareValues generates the values that both the quotient and the remainder need.
func (d *shortDivision) prepareValues(a *facts.Ranges) {
	v := d.At
	y := v.Args[1]
	q := a.At(y, v.Block)
	d.x = d.Op(ir.OpUConvert, ir.TypeI32, v.Args[0])
	d.by = d.Op(ir.OpUConvert, ir.TypeI32, y)
	most := d.Func.Module.Int(ir.TypeI64, math.MaxInt32)
	switch {
	case v.Op != ir.OpSDiv:
		d.fits = d.Op(ir.OpULe, ir.TypeBool, y, most)
	case q.Lo < 0:
		if !q.Fits32() {
			d.fits = d.Op(ir.OpIEq, ir.TypeBool, y, d.Op(ir.OpSConvert, ir.TypeI64, d.by))
		}
		d.negative = d.Op(ir.OpSLt, ir.TypeBool, d.by, d.num(0))
	case !q.Fits32():
		d.fits = d.Op(ir.OpSLe, ir.TypeBool, y, most)
	}
	if d.negative != nil {
		d.by = d.Op(ir.OpSelect, ir.TypeI32, d.negative, d.Op(ir.OpISub, ir.TypeI32, d.num(0), d.by), d.by)
	}
	d.by = d.ifFits(d.by, d.num(1))
}

// ifFits returns v if the divisor fits in 32 bits, and otherwise orElse.
func (d *shortDivision) ifFits(v, orElse *ir.Value) *ir.Value {
	if d.fits == nil {
		return v
	}
	return d.Op(ir.OpSelect, ir.TypeI32, d.fits, v, orElse)
}

func (d *shortDivision) quotient() *ir.Value {
	q := d.Op(ir.OpUDiv, ir.TypeI32, d.x, d.by)
	if d.negative != nil {
		q = d.Op(ir.OpSelect, ir.TypeI32, d.negative, d.Op(ir.OpISub, ir.TypeI32, d.num(0), q), q)
	}
	return d.ifFits(q, d.num(0))
}

// remainderOf returns the remainder, which is not negative because the dividend is not negative.
func (d *shortDivision) remainderOf() *ir.Value {
	return d.ifFits(d.Op(ir.OpUMod, ir.TypeI32, d.x, d.by), d.x)
}
