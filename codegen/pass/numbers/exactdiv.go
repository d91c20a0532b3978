package numbers

// This file is the pass exactdiv. It runs behind the workarounds of drivers' bugs, since its
// corrections must stay as they are written.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/properties"
)

// ExactDivide makes float32 division, square root and inverse square root correctly
// rounded on devices where they are not: Vulkan allows 2.5 units in the last place for
// the first, 2 for the last, and for the root its errors and a division's. The code for
// each one has three parts:
//
//	raw    the device's result, where abi.SpecExactDivide says that it is correct; none
//	       of an inverse root, which no device rounds correctly
//	quick  else, where abi.SpecFused says that products and sums are fused: some of these,
//	       for operands that are neither tiny, huge nor special; see exactdiv_fused.go
//	slow   else, in integers of 32 bits; see exactdiv_slow.go
//
// Drivers know the constants when they build the pipeline and drop what is not needed.
// The slow part is long, and what it is for is rare where the others are in use, so it
// has a branch of its own:
//
//	q := a / b     q := quick
//	               if exact && (!fused || a and b are out of the quick part's range) {
//	                   q = slow
//	               }
//
// Control flow has SPIR-V's structure already, and the branch has, too. Where none may
// stand, in the headers of loops and where these go on, both parts are computed.
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
			x.block(b)
		}
		f.Blocks = x.blocks
		for i, b := range f.Blocks {
			b.ID = i
		}
	}
	return nil
}

// divideFast makes of each inverse root the inverse of a root, which no mode asks to be
// exact, but Go to have its special cases.
func divideFast(f *ir.Func) {
	for _, b := range f.Blocks {
		x := &corrector{f: f, b: b}
		for _, v := range b.Insts {
			if v.Op == ir.OpFInvSqrt {
				x.pos = v.Pos
				v.Op, v.Args = ir.OpFDiv, []*ir.Value{x.real(1), x.device(ir.OpFSqrt, v.Args[0])}
			}
			x.out = append(x.out, v)
		}
		b.Insts = x.out
	}
}

// exactDivide is the pass at work on a function.
type exactDivide struct {
	m      *ir.Module
	f      *ir.Func
	fixed  map[*ir.Block]bool // that must not be cut in two
	blocks []*ir.Block        // those that are done, in order
}

// block does b, which becomes a chain of blocks with a branch between each two.
func (e *exactDivide) block(b *ir.Block) {
	e.blocks = append(e.blocks, b)
	if !slices.ContainsFunc(b.Insts, facts.Inexact) {
		return
	}
	cut := !e.fixed[b]
	x := &corrector{f: e.f, b: b, fused: map[*ir.Value]*inverse{}}
	for _, v := range b.Insts {
		v.Block = x.b
		if !facts.Inexact(v) {
			x.out = append(x.out, v)
			continue
		}
		x.pos = v.Pos
		quick, rare := x.quick(v)
		if !cut {
			x.parts = map[*ir.Value]*floatParts{}
			v.Op, v.Args = ir.OpSelect, []*ir.Value{rare, x.slow(v), quick}
			x.out = append(x.out, v)
			continue
		}
		e.branch(x, v, quick, rare)
	}
	x.b.Insts = x.out
}

// branch ends x's block with a branch, where rare is set, past which v is what a block of
// its own computes in integers, and else quick. x goes on in the block where they meet.
func (e *exactDivide) branch(x *corrector, v, quick, rare *ir.Value) {
	from, aside, meet := x.b, e.f.NewBlock(), e.f.NewBlock()
	e.blocks = append(e.blocks, aside, meet)
	from.Insts = x.out
	rewrite.MoveTerm(from, meet)
	meet.Merge, from.Merge = from.Merge, meet
	meet.Cold = from.Cold
	from.SetTerm(ir.Term{Kind: ir.Branch, Cond: rare, Succs: []*ir.Block{aside, meet}, Pos: v.Pos})

	s := &corrector{f: e.f, b: aside, pos: v.Pos, parts: map[*ir.Value]*floatParts{}}
	slow := s.slow(v)
	aside.Insts = s.out
	aside.Jump(meet)

	v.Op, v.Args, v.Block = ir.OpPhi, []*ir.Value{quick, slow}, meet
	meet.Phis = []*ir.Value{v}
	x.b, x.out = meet, nil
}

// Parts of float32's bits.
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

// corrector writes corrections into one block at a time.
type corrector struct {
	f     *ir.Func
	b     *ir.Block
	pos   ir.Pos
	out   []*ir.Value
	parts map[*ir.Value]*floatParts // of operands that the slow parts have taken apart
	fused map[*ir.Value]*inverse    // of divisors that the quick parts have inverted
}

// add adds a value, or returns the constant or argument that it would be.
func (x *corrector) add(op ir.Op, t *ir.Type, args ...*ir.Value) *ir.Value {
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

// i adds an operation on words.
func (x *corrector) i(op ir.Op, args ...*ir.Value) *ir.Value {
	return x.add(op, ir.TypeI32, args...)
}

// is adds a comparison.
func (x *corrector) is(op ir.Op, args ...*ir.Value) *ir.Value {
	return x.add(op, ir.TypeBool, args...)
}

// n is a constant word.
func (x *corrector) n(n int64) *ir.Value { return x.f.Module.Int(ir.TypeI32, n) }

// float and word change the type, not the bits.
func (x *corrector) float(v *ir.Value) *ir.Value { return x.add(ir.OpBitcast, ir.TypeF32, v) }
func (x *corrector) word(v *ir.Value) *ir.Value  { return x.i(ir.OpBitcast, v) }

// real is a constant float32.
func (x *corrector) real(f float64) *ir.Value {
	return x.f.Module.Const(ir.TypeF32, ir.FloatBits(ir.TypeF32, f))
}

// device adds an operation that the device is to compute: unlike add, it folds nothing,
// since simplify, which folds what Go can fold, has been there.
func (x *corrector) device(op ir.Op, args ...*ir.Value) *ir.Value {
	v := x.f.NewValue(op, ir.TypeF32, args...)
	v.Block, v.Pos = x.b, x.pos
	x.out = append(x.out, v)
	return v
}
