package split64_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/internal/tests/sample"
)

// TestWordsRandom compares random programs: chains of all ops on 64 bits, where what
// is known of one word shortens the code for the next.
func TestWordsRandom(t *testing.T) {
	xs, ys := operands64(500)
	r := rand.New(rand.NewPCG(7, 8))
	r.Shuffle(len(xs), func(i, j int) { xs[i], xs[j], ys[i], ys[j] = xs[j], xs[i], ys[j], ys[i] })
	for seed := range uint64(sample.Of(400, 40)) {
		sameInWords(t, fmt.Sprintf("program %d", seed), func() *ir.Module { return randomWords(t, seed) }, xs[:48], ys[:48])
		r.Shuffle(len(xs), func(i, j int) { xs[i], xs[j] = xs[j], xs[i] })
	}
}

// wordsMaker makes a random program.
type wordsMaker struct {
	*wordsKernel
	r     *rand.Rand
	longs []*ir.Value
	words []*ir.Value
	bools []*ir.Value
}

func randomWords(t testing.TB, seed uint64) *ir.Module {
	p := &wordsMaker{wordsKernel: newWordsKernel(), r: rand.New(rand.NewPCG(seed, 9))}
	p.longs = []*ir.Value{p.x, p.y}
	p.words = []*ir.Value{p.id, p.op(ir.OpUConvert, ir.TypeI32, p.x)}
	p.bools = []*ir.Value{p.op(ir.OpSLt, ir.TypeBool, p.x, p.y)}
	array := p.m.NewVar(p.m.Kernel, ir.Function, "a", p.m.ArrayOf(ir.TypeI64, p.m.Int(ir.TypeI32, 8)))
	p.b.Append(ir.OpZero, ir.TypeVoid).Aux = &ir.Ref{Var: array}
	for range 10 + p.r.IntN(30) {
		p.step(array)
	}
	sum := p.x
	for _, v := range p.longs {
		sum = p.op(ir.OpXor, ir.TypeI64, p.op(ir.OpIMul, ir.TypeI64, sum, p.m.Int(ir.TypeI64, 31)), v)
	}
	for _, v := range p.words {
		sum = p.op(ir.OpIAdd, ir.TypeI64, sum, p.op(ir.OpSConvert, ir.TypeI64, v))
	}
	for _, v := range p.bools {
		sum = p.op(ir.OpSelect, ir.TypeI64, v, sum, p.op(ir.OpNot, ir.TypeI64, sum))
	}
	return p.finish(t, sum)
}

func (p *wordsMaker) op(op ir.Op, t *ir.Type, args ...*ir.Value) *ir.Value {
	return p.b.Append(op, t, args...)
}

func pick[T any](p *wordsMaker, list []T) T { return list[p.r.IntN(len(list))] }

// long is a value so far, or a constant.
func (p *wordsMaker) long() *ir.Value {
	if p.r.IntN(3) == 0 {
		return p.m.Const(ir.TypeI64, pick(p, edges64()))
	}
	return pick(p, p.longs)
}

func (p *wordsMaker) step(array *ir.Var) {
	long := func(op ir.Op, args ...*ir.Value) { p.longs = append(p.longs, p.op(op, ir.TypeI64, args...)) }
	switch p.r.IntN(12) {
	default:
		p.arith()
	case 0:
		op := pick(p, []ir.Op{ir.OpIEq, ir.OpINe, ir.OpSLt, ir.OpSLe, ir.OpULt, ir.OpULe})
		p.bools = append(p.bools, p.op(op, ir.TypeBool, p.long(), p.long()))
	case 1:
		long(ir.OpSelect, pick(p, p.bools), p.long(), p.long())
	case 2:
		long(pick(p, []ir.Op{ir.OpSConvert, ir.OpUConvert}), pick(p, p.words))
	case 3:
		p.words = append(p.words, p.op(ir.OpUConvert, ir.TypeI32, p.long()))
	case 4:
		n := p.op(ir.OpUConvert, pick(p, []*ir.Type{ir.TypeI8, ir.TypeI16}), p.long())
		long(pick(p, []ir.Op{ir.OpSConvert, ir.OpUConvert}), n)
	case 5:
		index := p.op(ir.OpAnd, ir.TypeI64, p.long(), p.m.Int(ir.TypeI64, 7))
		p.b.Append(ir.OpStore, ir.TypeVoid, p.long(), index).Aux = &ir.Ref{Var: array}
		v := p.b.Append(ir.OpLoad, ir.TypeI64, p.op(ir.OpShrL, ir.TypeI64, p.long(), p.m.Int(ir.TypeI64, 61)))
		v.Aux = &ir.Ref{Var: array}
		p.longs = append(p.longs, v)
	case 6:
		f := p.op(pick(p, []ir.Op{ir.OpSToF, ir.OpUToF}), pick(p, []*ir.Type{ir.TypeF32, ir.TypeF64}), p.long())
		bits := ir.TypeI32
		if f.Type == ir.TypeF64 {
			bits = ir.TypeI64
		}
		if f = p.op(ir.OpBitcast, bits, f); bits == ir.TypeI64 {
			p.longs = append(p.longs, f)
		} else {
			p.words = append(p.words, f)
		}
	}
}

func (p *wordsMaker) arith() {
	op := pick(p, int64Ops[:13])
	x, y := p.long(), p.long()
	switch op {
	case ir.OpNot:
		p.longs = append(p.longs, p.op(op, ir.TypeI64, x))
		return
	case ir.OpShl, ir.OpShrL, ir.OpShrA:
		y = p.op(ir.OpAnd, ir.TypeI64, y, p.m.Int(ir.TypeI64, 63))
		if p.r.IntN(2) == 0 {
			y = p.m.Int(ir.TypeI64, p.r.Int64N(64))
		}
	case ir.OpUDiv, ir.OpUMod:
		y = p.op(ir.OpOr, ir.TypeI64, y, p.m.Int(ir.TypeI64, 1))
	case ir.OpSDiv:
		x = p.op(ir.OpShrA, ir.TypeI64, x, p.m.Int(ir.TypeI64, 1))
		y = p.op(ir.OpOr, ir.TypeI64, y, p.m.Int(ir.TypeI64, 1))
	}
	p.longs = append(p.longs, p.op(op, ir.TypeI64, x, y))
}
