package rewrite

// This file makes values next to another value. Maker is the only place that reads the launch
// block's reserved word. The word is zero, but drivers do not know that, so passes of several rooms
// use the word to hide values from a driver's optimizer.

import (
	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// Maker makes values for the block of the value At. The caller inserts Made before or after At, or
// in its place.
type Maker struct {
	Func *ir.Func
	At   *ir.Value
	Made []*ir.Value
}

// Op makes a value of type t in At's block and with At's position.
func (m *Maker) Op(op ir.Op, t *ir.Type, args ...*ir.Value) *ir.Value {
	v := m.Func.NewValue(op, t, args...)
	v.Block, v.Pos = m.At.Block, m.At.Pos
	m.Made = append(m.Made, v)
	return v
}

// reservedZero returns the launch block's reserved word, which is zero, as a value of type t. t is
// a type of 32 bits.
func (m *Maker) reservedZero(t *ir.Type) *ir.Value {
	z := m.Op(ir.OpArg, t)
	z.Bits = abi.OffsetReserved
	return z
}

// Zero returns the reserved word as an integer of type t, extended or truncated to its width.
func (m *Maker) Zero(t *ir.Type) *ir.Value {
	z := m.reservedZero(ir.TypeI32)
	if t != ir.TypeI32 {
		z = m.Op(ir.OpUConvert, t, z)
	}
	return z
}

// FloatZero returns the reserved word as the floating-point zero z, which may be -0.
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

// Zeros returns the reserved word masked by bits. Most hidden values get bits of their own. The
// reason: after a branch on "x|z == 0", a driver that knows x also knows that those bits of z are
// zero. They would hide nothing more there.
func (m *Maker) Zeros(bits uint32) *ir.Value {
	return m.Op(ir.OpAnd, ir.TypeI32, m.Zero(ir.TypeI32), m.Func.Module.Const(ir.TypeI32, uint64(bits)))
}
