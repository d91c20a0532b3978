package numbers

// This file contains the pass constdiv, which replaces 64-bit divisions by constants. The pass runs
// late, because the interval of a division is easier to compute than the interval of its expansion.

import (
	"math/bits"
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// ConstDivide turns divisions of 64-bit integers by constants into multiplications by their
// reciprocals (Granlund and Montgomery, "Division by Invariant Integers using Multiplication",
// 1994). Drivers replace divisions by multiplications only for 32-bit integers. For 64-bit
// integers, drivers call a routine of some hundred instructions, and NVIDIA's driver (580) confuses
// the results of many such calls.
func ConstDivide(m *ir.Module) diag.List {
	for _, f := range rewrite.Bodies(m) {
		for _, b := range f.Blocks {
			var out []*ir.Value
			for _, v := range b.Insts {
				if v.Type == ir.TypeI64 && len(v.Args) == 2 && v.Args[1].IsConst() {
					d := &divider{rewrite.Maker{Func: f, At: v}}
					if q := d.buildQuotient(); q != nil {
						out = append(out, d.Made...)
						v.Op, v.Args = q.Op, slices.Clone(q.Args)
					}
				}
				out = append(out, v)
			}
			b.Insts = out
		}
	}
	return nil
}

// divider generates the code that replaces one division.
type divider struct{ rewrite.Maker }

func (d *divider) wide(op ir.Op, args ...*ir.Value) *ir.Value { return d.Op(op, ir.TypeI64, args...) }

func (d *divider) num(n uint64) *ir.Value { return d.Func.Module.Const(ir.TypeI64, n) }

// buildQuotient generates the code that replaces the op At. buildQuotient returns the last op of the code, and
// appends the other ops to Made. If the op At does not divide by a suitable constant, buildQuotient returns
// nil.
func (d *divider) buildQuotient() *ir.Value {
	x, y := d.At.Args[0], d.At.Args[1]
	if y.Bits == 0 {
		return nil // a division by zero, which is never executed
	}
	switch d.At.Op {
	case ir.OpUDiv:
		d.unsignedQuotient(x, y.Bits)
	case ir.OpUMod:
		if y.Bits&(y.Bits-1) == 0 {
			d.wide(ir.OpAnd, x, d.num(y.Bits-1))
			break
		}
		q := d.unsignedQuotient(x, y.Bits)
		d.wide(ir.OpISub, x, d.wide(ir.OpIMul, q, y))
	case ir.OpSDiv:
		d.signedQuotient(x, y.Int())
	default:
		return nil
	}
	last := d.Made[len(d.Made)-1]
	d.Made = d.Made[:len(d.Made)-1]
	return last
}

// signedQuotient generates code for the signed quotient x / by, and returns the quotient.
func (d *divider) signedQuotient(x *ir.Value, by int64) {
	abs := uint64(max(by, -by))
	sign := d.wide(ir.OpShrA, x, d.num(63))
	if k := bits.TrailingZeros64(abs); abs == 1<<k {
		if k > 0 {
			up := d.wide(ir.OpShrL, sign, d.num(uint64(64-k))) // added to a negative x, so that the quotient is rounded toward zero
			x = d.wide(ir.OpIAdd, x, up)
		}
		if x = d.wide(ir.OpShrA, x, d.num(uint64(k))); by < 0 {
			d.wide(ir.OpISub, d.num(0), x)
		}
		return
	}
	// The unsigned number |x| is correct even if x is the least integer.
	q := d.unsignedQuotient(d.wide(ir.OpISub, d.wide(ir.OpXor, x, sign), sign), abs)
	if by < 0 {
		sign = d.wide(ir.OpNot, sign)
	}
	d.wide(ir.OpISub, d.wide(ir.OpXor, q, sign), sign)
}

// unsignedQuotient generates code for the unsigned quotient x / by, and returns the quotient.
func (d *divider) unsignedQuotient(x *ir.Value, by uint64) *ir.Value {
	if by&(by-1) == 0 {
		return d.wide(ir.OpShrL, x, d.num(uint64(bits.TrailingZeros64(by))))
	}
	if by > 1<<63 {
		enough := d.Op(ir.OpULe, ir.TypeBool, d.num(by), x)
		return d.wide(ir.OpSelect, enough, d.num(1), d.num(0))
	}
	m, shift, add := reciprocalOf(by)
	q := d.mulHigh(x, m)
	if add {
		q = d.wide(ir.OpIAdd, d.wide(ir.OpShrL, d.wide(ir.OpISub, x, q), d.num(1)), q)
	}
	return d.wide(ir.OpShrL, q, d.num(uint64(shift)))
}

// mulHigh generates code for the upper 64 bits of x * m.
func (d *divider) mulHigh(x *ir.Value, m uint64) *ir.Value {
	word := d.num(1<<32 - 1)
	high := func(v *ir.Value) *ir.Value { return d.wide(ir.OpShrL, v, d.num(32)) }
	x0, x1 := d.wide(ir.OpAnd, x, word), high(x)
	m0, m1 := d.num(m&(1<<32-1)), d.num(m>>32)
	// No sum wraps: (2^32-1)^2 + 2*(2^32-1) is 2^64-1.
	mid := d.wide(ir.OpIAdd, d.wide(ir.OpIMul, x1, m0), high(d.wide(ir.OpIMul, x0, m0)))
	low := d.wide(ir.OpIAdd, d.wide(ir.OpIMul, x0, m1), d.wide(ir.OpAnd, mid, word))
	return d.wide(ir.OpIAdd, d.wide(ir.OpIAdd, d.wide(ir.OpIMul, x1, m1), high(mid)), high(low))
}

// reciprocalOf returns a factor m and a shift count for a division of x. If h is the upper half of
// x*m, the quotient is h>>shift. If addsX is set, the factor needs 65 bits, and m contains its
// lower 64 bits. If addsX is set, the quotient is ((x-h)>>1 + h)>>shift. The divisor "by" must be
// less than 1<<63 and not a power of two.
func reciprocalOf(by uint64) (m uint64, shift int, addsX bool) {
	top := bits.Len64(by) // 1<<top is the next power of two
	for s := range top {
		q, r := bits.Div64(1<<s, 0, by)
		if by-r <= 1<<s {
			return q + 1, s, false
		}
	}
	q, _ := bits.Div64(1<<top-by, 0, by)
	return q + 1, top - 1, true
}
