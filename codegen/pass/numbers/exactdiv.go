package numbers

// This file is the pass exactdiv. It runs after the workarounds for drivers' bugs, since its
// corrections must not be changed.

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
// division and 2 for the inverse root; the root may have the errors of an inverse root and a
// division. The code for each operation has three parts:
//
//	raw    the device's result, if abi.SpecExactDivide says that it is correct; not used
//	       for inverse roots, which no device rounds correctly
//	quick  otherwise, if abi.SpecFused says that products and sums are fused: some fused ops,
//	       for operands that are neither tiny, huge nor special; see exactdiv_fused.go
//	slow   otherwise, in integers of 32 bits; see exactdiv_slow.go
//
// Drivers know the specialization constants when they build the pipeline, and remove the unused
// parts. The slow part is long. It is rarely needed where another part is in use, so it has a
// branch of its own:
//
//	q := a / b     q := quick
//	               if exact && (!fused || a and b are out of the quick part's range) {
//	                   q = slow
//	               }
//
// The control flow already has SPIR-V's structure, and the new branch keeps it. In the headers and
// continue blocks of loops no branch can be inserted; there both parts are computed.
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

// divideFast replaces each inverse root by 1 divided by the root. No mode requires it to be exact,
// but its special cases must be those of Go.
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

// exactDivide is the state of the pass for one function.
type exactDivide struct {
	m      *ir.Module
	f      *ir.Func
	fixed  map[*ir.Block]bool // blocks that must not be split
	blocks []*ir.Block        // finished blocks, in order
}

// block processes b, which becomes a chain of blocks with a branch between each two.
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

// branch ends x's block with a branch on rare. If rare is true, an extra block computes v in
// integers by the slow part; otherwise v is quick. x continues in the block where the two paths
// join.
func (e *exactDivide) branch(x *corrector, v, quick, rare *ir.Value) {
	from, extra, meet := x.b, e.f.NewBlock(), e.f.NewBlock()
	e.blocks = append(e.blocks, extra, meet)
	from.Insts = x.out
	rewrite.MoveTerm(from, meet)
	meet.Merge, from.Merge = from.Merge, meet
	meet.Cold = from.Cold
	from.SetTerm(ir.Term{Kind: ir.Branch, Cond: rare, Succs: []*ir.Block{extra, meet}, Pos: v.Pos})

	s := &corrector{f: e.f, b: extra, pos: v.Pos, parts: map[*ir.Value]*floatParts{}}
	slow := s.slow(v)
	extra.Insts = s.out
	extra.Jump(meet)

	v.Op, v.Args, v.Block = ir.OpPhi, []*ir.Value{quick, slow}, meet
	meet.Phis = []*ir.Value{v}
	x.b, x.out = meet, nil
}

// These are the parts of a float32's bits.
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

// corrector adds corrections to one block at a time.
type corrector struct {
	f     *ir.Func
	b     *ir.Block
	pos   ir.Pos
	out   []*ir.Value
	parts map[*ir.Value]*floatParts // operands that the slow part has split
	fused map[*ir.Value]*inverse    // divisors whose inverse the quick part has computed
}

// add adds an operation and returns its value. If the operation can be folded, add returns the
// constant or the operand instead.
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

// i adds an operation on 32-bit words.
func (x *corrector) i(op ir.Op, args ...*ir.Value) *ir.Value {
	return x.add(op, ir.TypeI32, args...)
}

// is adds a comparison or another operation on bools.
func (x *corrector) is(op ir.Op, args ...*ir.Value) *ir.Value {
	return x.add(op, ir.TypeBool, args...)
}

// n returns a constant word.
func (x *corrector) n(n int64) *ir.Value { return x.f.Module.Int(ir.TypeI32, n) }

// float and word reinterpret the bits of a value as the other type.
func (x *corrector) float(v *ir.Value) *ir.Value { return x.add(ir.OpBitcast, ir.TypeF32, v) }
func (x *corrector) word(v *ir.Value) *ir.Value  { return x.i(ir.OpBitcast, v) }

// real returns a constant float32.
func (x *corrector) real(f float64) *ir.Value {
	return x.f.Module.Const(ir.TypeF32, ir.FloatBits(ir.TypeF32, f))
}

// device adds an operation that the device must compute. Unlike add, it does not fold: simplify has
// already folded all operations that Go can fold.
func (x *corrector) device(op ir.Op, args ...*ir.Value) *ir.Value {
	v := x.f.NewValue(op, ir.TypeF32, args...)
	v.Block, v.Pos = x.b, x.pos
	x.out = append(x.out, v)
	return v
}
