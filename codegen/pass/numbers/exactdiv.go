package numbers

// This file contains the pass exactdiv, which corrects float32 divisions and roots. The pass runs
// after the workarounds for drivers' bugs, which must not change the added corrections.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/properties"
)

// ExactDivide makes float32 division, square root and inverse square root correctly rounded on
// devices that round them incorrectly. Vulkan allows an error of 2.5 units in the last place for
// division and of 2 units for the inverse square root. The square root may have the error of an
// inverse square root followed by a division. The code for each operation has three parts. The raw
// part is the device's own result, which is used if abi.SpecExactDivide is false. The raw part of
// an inverse square root is never used, because no device rounds inverse square roots correctly.
// The quick part consists of a few fused ops (see exactdiv_fused.go). The quick part is used if
// abi.SpecFused is true (the device fuses products and sums) and the operands are neither tiny,
// huge nor special. The slow part is code with 32-bit integers (see exactdiv_slow.go), which is
// used in all other cases.
//
// Drivers know the specialization constants when they build the pipeline, and remove the unused
// parts. The slow part is long. If another part is also used, the slow part is rarely executed, so
// it is inside a branch:
//
//	q := a / b     q := quick
//	               if exact && (!fused || a and b are out of the quick part's range) {
//	                   q = slow
//	               }
//
// ExactDivide keeps the structure of the control flow that SPIR-V requires. In the headers and
// continue blocks of loops, where no branch can be inserted, the quick part and the slow part are
// always computed.
func ExactDivide(m *ir.Module) diag.List {
	for _, f := range rewrite.Bodies(m) {
		if m.Float == properties.FloatFast {
			divideFast(f)
			continue
		}
		x := &exactDivide{m: m, f: f, fixed: map[*ir.Block]bool{}}
		for _, b := range f.Blocks {
			if b.Continue != nil {
				x.fixed[b], x.fixed[b.Continue] = true, true
			}
		}
		for _, b := range slices.Clone(f.Blocks) {
			x.correctBlock(b)
		}
		f.Blocks = x.blocks
		for i, b := range f.Blocks {
			b.ID = i
		}
	}
	return nil
}

// divideFast replaces each inverse square root by 1 divided by the square root, for the mode
// properties.FloatFast. In the mode FloatFast, the result may be inexact, but special cases must
// have the same results as in Go.
func divideFast(f *ir.Func) {
	for _, b := range f.Blocks {
		x := &corrector{f: f, b: b}
		for _, v := range b.Insts {
			if v.Op == ir.OpFInvSqrt {
				x.pos = v.Pos
				v.Op, v.Args = ir.OpFDiv, []*ir.Value{x.floatConst(1), x.addDeviceOp(ir.OpFSqrt, v.Args[0])}
			}
			x.out = append(x.out, v)
		}
		b.Insts = x.out
	}
}

// exactDivide is the state of the pass for one function.
type exactDivide struct {
	m      *ir.Module
	f      *ir.Func
	fixed  map[*ir.Block]bool // blocks in which no branch can be inserted
	blocks []*ir.Block        // processed blocks of the function, in order
}

// correctBlock adds corrections to the ops of b. correctBlock splits b into a chain of blocks, and
// ends each block except the last with a branch to the slow part.
func (e *exactDivide) correctBlock(b *ir.Block) {
	e.blocks = append(e.blocks, b)
	if !slices.ContainsFunc(b.Insts, facts.Inexact) {
		return
	}
	cut := !e.fixed[b]
	x := &corrector{f: e.f, b: b, fused: map[*ir.Value]*inverseParts{}}
	for _, v := range b.Insts {
		v.Block = x.b
		if !facts.Inexact(v) {
			x.out = append(x.out, v)
			continue
		}
		x.pos = v.Pos
		quick, rare := x.quickResult(v)
		if !cut {
			x.parts = map[*ir.Value]*floatParts{}
			v.Op, v.Args = ir.OpSelect, []*ir.Value{rare, x.slowResult(v), quick}
			x.out = append(x.out, v)
			continue
		}
		e.branchIfRare(x, v, quick, rare)
	}
	x.b.Insts = x.out
}

// branchIfRare ends x's block with a branch on the condition "rare". If rare is true, a new block
// computes v by the slow part. If rare is false, v equals the argument "quick". After the call, x
// appends code to the block where the two paths join.
func (e *exactDivide) branchIfRare(x *corrector, v, quick, rare *ir.Value) {
	from, extra, meet := x.b, e.f.NewBlock(), e.f.NewBlock()
	e.blocks = append(e.blocks, extra, meet)
	from.Insts = x.out
	rewrite.MoveTerm(from, meet)
	meet.Merge, from.Merge = from.Merge, meet
	meet.Cold = from.Cold
	from.SetTerm(ir.Term{Kind: ir.Branch, Cond: rare, Succs: []*ir.Block{extra, meet}, Pos: v.Pos})

	s := &corrector{f: e.f, b: extra, pos: v.Pos, parts: map[*ir.Value]*floatParts{}}
	slow := s.slowResult(v)
	extra.Insts = s.out
	extra.Jump(meet)

	v.Op, v.Args, v.Block = ir.OpPhi, []*ir.Value{quick, slow}, meet
	meet.Phis = []*ir.Value{v}
	x.b, x.out = meet, nil
}

// These constants describe the bits of a float32.
const (
	SignBit   = 1 << 31
	InfBits   = 0xff << 23
	NaNBits   = 0x1ff << 22
	HalfBits  = 126 << 23
	OneBits   = 127 << 23
	TwoBits   = 128 << 23
	Fraction  = 1<<23 - 1
	HiddenBit = 1 << 23
)

// A corrector appends the code of corrections to one block at a time.
type corrector struct {
	f     *ir.Func
	b     *ir.Block
	pos   ir.Pos
	out   []*ir.Value
	parts map[*ir.Value]*floatParts   // maps an operand to its parts, if the slow part has split it
	fused map[*ir.Value]*inverseParts // maps a divisor to its inverse, if the quick part has computed it
}

// addOp appends an operation and returns its result. If the operation can be folded, addOp returns
// a constant or an operand instead.
func (x *corrector) addOp(op ir.Op, t *ir.Type, args ...*ir.Value) *ir.Value {
	if op == ir.OpSelect && args[0].IsConst() {
		if args[0].Bits != 0 {
			return args[1]
		}
		return args[2]
	}
	v := x.f.NewValue(op, t, args...)
	if c := facts.FoldConst(x.f.Module, v); c != nil {
		return c
	}
	v.Block, v.Pos = x.b, x.pos
	x.out = append(x.out, v)
	return v
}

// addInt appends an operation on 32-bit integers.
func (x *corrector) addInt(op ir.Op, args ...*ir.Value) *ir.Value {
	return x.addOp(op, ir.TypeI32, args...)
}

// addBool appends a comparison or another operation with a bool result.
func (x *corrector) addBool(op ir.Op, args ...*ir.Value) *ir.Value {
	return x.addOp(op, ir.TypeBool, args...)
}

// intConst returns the 32-bit constant n.
func (x *corrector) intConst(n int64) *ir.Value { return x.f.Module.Int(ir.TypeI32, n) }

// asFloat converts the bits of a 32-bit integer to a float32. The inverse
// conversion is asWord.
func (x *corrector) asFloat(v *ir.Value) *ir.Value { return x.addOp(ir.OpBitcast, ir.TypeF32, v) }
func (x *corrector) asWord(v *ir.Value) *ir.Value  { return x.addInt(ir.OpBitcast, v) }

// floatConst returns the float32 constant f.
func (x *corrector) floatConst(f float64) *ir.Value {
	return x.f.Module.Const(ir.TypeF32, ir.FloatBits(ir.TypeF32, f))
}

// addDeviceOp appends an operation that the device must compute. Unlike addOp,
// addDeviceOp does not fold the operation, because simplify has already folded all operations that may
// be folded.
func (x *corrector) addDeviceOp(op ir.Op, args ...*ir.Value) *ir.Value {
	v := x.f.NewValue(op, ir.TypeF32, args...)
	v.Block, v.Pos = x.b, x.pos
	x.out = append(x.out, v)
	return v
}
