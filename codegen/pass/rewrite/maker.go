package rewrite

// This file creates values next to an existing value. Only Maker reads the reserved 32-bit word of
// the launch block. The reserved word is always zero, but a driver's optimizer cannot know its
// value. So several passes combine values with the reserved word to hide them from the driver's
// optimizer.

import (
	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// Maker creates values for the block that contains the value At, and collects them in Made. The
// caller inserts Made before At, after At, or instead of At.
type Maker struct {
	Func *ir.Func
	At   *ir.Value
	Made []*ir.Value
}

// Op creates a value of type t in At's block, with At's source position.
func (m *Maker) Op(op ir.Op, t *ir.Type, args ...*ir.Value) *ir.Value {
	v := m.Func.NewValue(op, t, args...)
	v.Block, v.Pos = m.At.Block, m.At.Pos
	m.Made = append(m.Made, v)
	return v
}

// reservedZero loads the launch block's reserved 32-bit word, which is zero, as a value of type t.
// The type t must have 32 bits.
func (m *Maker) reservedZero(t *ir.Type) *ir.Value {
	z := m.Op(ir.OpArg, t)
	z.Bits = abi.OffsetReserved
	return z
}

// Zero returns the launch block's reserved word (always zero) as an integer of type t, extended or
// truncated to the width of t.
func (m *Maker) Zero(t *ir.Type) *ir.Value {
	z := m.reservedZero(ir.TypeI32)
	if t != ir.TypeI32 {
		z = m.Op(ir.OpUConvert, t, z)
	}
	return z
}

// FloatZero computes the floating-point zero z from the launch block's reserved word. The zero z
// may be -0.
func (m *Maker) FloatZero(z *ir.Value) *ir.Value {
	x := m.reservedZero(ir.TypeF32)
	if z.Type != ir.TypeF32 {
		x = m.Op(ir.OpFConvert, z.Type, x)
	}
	if z.Bits != 0 {
		x = m.Op(ir.OpFNegate, z.Type, x)
	}
	return x
}

// Zeros returns the launch block's reserved word (always zero), masked by the argument "bits". Each
// hidden value should use different bits, because a driver may learn that some bits are zero. For
// example, after a branch on "x|z == 0", a driver knows that the bits of z are zero. After the
// branch, the bits of z no longer hide anything.
func (m *Maker) Zeros(bits uint32) *ir.Value {
	return m.Op(ir.OpAnd, ir.TypeI32, m.Zero(ir.TypeI32), m.Func.Module.Const(ir.TypeI32, uint64(bits)))
}
