package numbers

// This file contains the pass longdiv, which expands the divisions that constdiv and shortdiv have
// not replaced. The pass adds no branches, since it runs after structurize.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
)

// LongDivide expands the divisions of 64-bit integers that earlier passes have not replaced. For a
// 64-bit division, drivers call a routine of some hundred instructions, and NVIDIA's driver (580)
// confuses the results of many such calls.
func LongDivide(m *ir.Module) diag.List {
	ConstDivide(m) // for divisors that became constant after the pass constdiv
	changed := false
	for _, f := range rewrite.Bodies(m) {
		for _, b := range f.Blocks {
			var out []*ir.Value
			for _, v := range b.Insts {
				if IsLongDivision(v) {
					d := &longDivision{Maker: rewrite.Maker{Func: f, At: v}}
					last := d.buildDivision()
					v.Op, v.Args = last.Op, slices.Clone(last.Args)
					out = append(out, d.Made[:len(d.Made)-1]...)
					changed = true
				}
				out = append(out, v)
			}
			b.Insts = out
		}
	}
	if !changed {
		return nil
	}
	return simplify.CSE(m)
}

// IsLongDivision reports whether v divides 64-bit integers by a value that is not constant.
func IsLongDivision(v *ir.Value) bool {
	switch v.Op {
	case ir.OpSDiv, ir.OpUDiv, ir.OpUMod:
		return v.Type == ir.TypeI64 && !v.Args[1].IsConst()
	}
	return false
}

// longDivision generates the code for one division.
//
// The code multiplies the dividend by the divisor's float32 reciprocal, which gives the first of
// four partial quotients. The other three partial quotients come from the remainders. The code
// first reduces the reciprocal by slightly more than the sum of all rounding errors (see the
// constant "under"). Rounding errors come from conversions, a division and a product. The error of
// the division is at most 2.5 units in the last place (Vulkan, "Precision and Operation of SPIR-V
// Instructions"). Because of the smaller reciprocal, no partial quotient is too large. If the exact
// partial quotient is q, the computed partial quotient is more than q*(1-2^-18)-1. The remainder of
// each step is less than the divisor plus 2^-18 times the previous remainder. After four steps, the
// remainder is less than twice the divisor.
type longDivision struct {
	rewrite.Maker
	by      *ir.Value // absolute value of the divisor
	inverse *ir.Value // a float32 that is slightly less than 1/by
	q, left *ir.Value
}

const under = 1.0 / (1 << 19)

func (d *longDivision) wide(op ir.Op, args ...*ir.Value) *ir.Value {
	return d.Op(op, ir.TypeI64, args...)
}

func (d *longDivision) word(op ir.Op, args ...*ir.Value) *ir.Value {
	return d.Op(op, ir.TypeI32, args...)
}

func (d *longDivision) float(op ir.Op, args ...*ir.Value) *ir.Value {
	return d.Op(op, ir.TypeF32, args...)
}

func (d *longDivision) num(n int64) *ir.Value { return d.Func.Module.Int(ir.TypeI64, n) }

func (d *longDivision) real(x float64) *ir.Value {
	return d.Func.Module.Const(ir.TypeF32, ir.FloatBits(ir.TypeF32, x))
}

// buildDivision generates the code of the division and returns its last op.
func (d *longDivision) buildDivision() *ir.Value {
	x, y := d.At.Args[0], d.At.Args[1]
	if d.At.Op != ir.OpSDiv {
		d.divideUnsigned(x, y)
		return d.correctLast(d.At.Op == ir.OpUMod)
	}
	xs, ys := d.wide(ir.OpShrA, x, d.num(63)), d.wide(ir.OpShrA, y, d.num(63))
	d.divideUnsigned(d.negateIf(xs, x), d.negateIf(ys, y))
	return d.negateIf(d.wide(ir.OpXor, xs, ys), d.correctLast(false))
}

// negateIf returns -x if sign is -1, and x if sign is 0.
func (d *longDivision) negateIf(sign, x *ir.Value) *ir.Value {
	return d.wide(ir.OpISub, d.wide(ir.OpXor, x, sign), sign)
}

// divideUnsigned generates code that computes d.q and the remainder d.left. The quotient q may
// be too small by one.
func (d *longDivision) divideUnsigned(x, y *ir.Value) {
	d.by = y
	d.inverse = d.float(ir.OpFDiv, d.real(1-under), d.toFloat(y))
	d.left = x
	d.q = d.num(0)
	for i := range 4 {
		q := d.float(ir.OpFMul, d.toFloat(d.left), d.inverse)
		var n *ir.Value
		if i < 2 {
			high := d.word(ir.OpFToU, d.float(ir.OpFMul, q, d.real(1.0/(1<<32))))
			low := d.word(ir.OpFToU, d.float(ir.OpFSub, q, d.float(ir.OpFMul, d.float(ir.OpUToNear, high), d.real(1<<32))))
			n = d.wide(ir.OpOr, d.wide(ir.OpShl, d.wide(ir.OpUConvert, high), d.num(32)), d.wide(ir.OpUConvert, low))
		} else {
			n = d.wide(ir.OpUConvert, d.word(ir.OpFToU, q)) // a number less than 2^28+2
		}
		d.left = d.wide(ir.OpISub, d.left, d.wide(ir.OpIMul, n, d.by))
		if i == 0 {
			d.q = n
		} else {
			d.q = d.wide(ir.OpIAdd, d.q, n)
		}
	}
}

// toFloat returns a float32 approximation of the unsigned integer x.
func (d *longDivision) toFloat(x *ir.Value) *ir.Value {
	high := d.float(ir.OpUToNear, d.word(ir.OpUConvert, d.wide(ir.OpShrL, x, d.num(32))))
	low := d.float(ir.OpUToNear, d.word(ir.OpUConvert, x))
	return d.float(ir.OpFAdd, d.float(ir.OpFMul, high, d.real(1<<32)), low)
}

// correctLast corrects the results of divideUnsigned. correctLast returns the remainder if rest is
// true, and the quotient if not.
func (d *longDivision) correctLast(rest bool) *ir.Value {
	more := d.Op(ir.OpULe, ir.TypeBool, d.by, d.left)
	if rest {
		return d.wide(ir.OpSelect, more, d.wide(ir.OpISub, d.left, d.by), d.left)
	}
	return d.wide(ir.OpSelect, more, d.wide(ir.OpIAdd, d.q, d.num(1)), d.q)
}
