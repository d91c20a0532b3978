package adapt

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/internal/tests/spirvtools"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// halfPairs builds modules that compute with the halves of two words, and store results.
type halfPairs struct {
	b              *spirv.Builder
	f              *spirv.FunctionBuilder
	f32, u32, pair spirv.ID
	out            spirv.ID
}

func newHalfPairs() *halfPairs {
	b := spirv.NewBuilder()
	b.Capability(spirv.CapabilityShader)
	b.Capability(spirv.CapabilityVulkanMemoryModel)
	b.MemoryModel(spirv.AddressingModelLogical, spirv.MemoryModelVulkan)
	p := &halfPairs{b: b, f32: b.TypeFloat(32), u32: b.TypeInt(32, false)}
	p.pair = b.TypeVector(p.f32, 2)
	p.out = b.Variable(b.TypePointer(spirv.StorageClassPrivate, p.u32), spirv.StorageClassPrivate, 0)
	p.f = b.Function(b.TypeVoid(), b.TypeFunction(b.TypeVoid()), spirv.FunctionControlNone)
	p.f.Label(b.NewID())
	return p
}

func (p *halfPairs) unpack(w spirv.ID) spirv.ID {
	return p.f.CompositeExtract(p.f32, p.f.GLSL(p.pair, spirv.GLSLstd450UnpackHalf2x16, w), 0)
}

// sum returns the word of a float16 sum.
func (p *halfPairs) sum(x, y spirv.ID) spirv.ID {
	s := p.f.Op(spirv.OpFAdd, p.f32, p.unpack(x), p.unpack(y))
	return p.f.GLSL(p.u32, spirv.GLSLstd450PackHalf2x16, p.f.Op(spirv.OpCompositeConstruct, p.pair, s, p.b.ConstNull(p.f32)))
}

// fma returns the word of a marked operation, whose computed form has a selection.
func (p *halfPairs) fma(x, y, z spirv.ID) spirv.ID {
	way, end, before := p.b.NewID(), p.b.NewID(), p.b.NewID()
	p.f.Branch(before)
	p.f.Label(before)
	less := p.f.Op(spirv.OpULessThan, p.b.TypeBool(), x, y)
	p.f.SelectionMerge(end, spirv.SelectionControlNone)
	p.f.BranchConditional(less, way, end)
	p.f.Label(way)
	w := p.f.Op(spirv.OpIAdd, p.u32, x, z)
	p.f.Branch(end)
	p.f.Label(end)
	computed := p.f.Op(spirv.OpPhi, p.u32, w, way, y, before)
	id := p.f.CompositeExtract(p.u32, p.f.Op(spirv.OpCompositeConstruct, p.b.TypeVector(p.u32, 4), computed, x, y, z), 0)
	p.b.Mark(id, spirv.MarkHalfFma)
	return id
}

func (p *halfPairs) high(w spirv.ID) spirv.ID {
	return p.f.Op(spirv.OpShiftRightLogical, p.u32, w, p.b.ConstBits(p.u32, 16))
}

func (p *halfPairs) store(w spirv.ID) { p.f.Store(p.out, w, spirv.MemoryOperands{}) }

// TestPairs counts the operations of pairs, and of numbers alone, that a module has in the end.
func TestPairs(t *testing.T) {
	undef := func(p *halfPairs) spirv.ID { return p.f.Op(spirv.OpUndef, p.u32) }
	for _, tt := range []struct {
		name         string
		build        func(p *halfPairs)
		pairs, alone int
	}{
		{"halves of words", func(p *halfPairs) {
			x, y := undef(p), undef(p)
			p.store(p.sum(x, y))
			p.store(p.sum(p.high(x), p.high(y)))
		}, 1, 0},
		{"a chain of pairs", func(p *halfPairs) {
			x, y := undef(p), undef(p)
			a, b := p.sum(x, y), p.sum(p.high(x), y)
			a, b = p.fma(a, y, x), p.fma(b, y, p.high(x))
			p.store(p.sum(a, y))
			p.store(p.sum(b, y))
		}, 3, 0},
		{"an operation between", func(p *halfPairs) {
			x, y := undef(p), undef(p)
			a := p.sum(x, y)
			p.store(a)
			p.store(p.sum(a, a))
			p.store(p.sum(p.high(x), y))
		}, 1, 1},
		{"the upper half first", func(p *halfPairs) {
			x, y := undef(p), undef(p)
			p.store(p.sum(p.high(x), y))
			p.store(p.sum(x, y))
		}, 1, 0},
		{"one depends on the other", func(p *halfPairs) {
			x := undef(p)
			a := p.sum(x, x)
			p.store(p.sum(p.high(x), a))
		}, 0, 2},
		{"halves of different words", func(p *halfPairs) {
			x, y := undef(p), undef(p)
			p.store(p.sum(x, x))
			p.store(p.sum(p.high(y), p.high(y)))
		}, 0, 2},
		{"lanes of different pairs", func(p *halfPairs) {
			x, y, z := undef(p), undef(p), undef(p)
			a, b := p.sum(x, y), p.sum(p.high(x), y)
			c, d := p.sum(z, y), p.sum(p.high(z), y)
			p.store(b)
			p.store(c)
			p.store(p.fma(a, y, y))
			p.store(p.fma(d, y, y))
		}, 2, 2},
		{"neighbours in a loop", func(p *halfPairs) { p.loop(false) }, 1, 1},
		{"strangers in a loop", func(p *halfPairs) { p.loop(true) }, 0, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newHalfPairs()
			tt.build(p)
			words := wordsOf(t, p.b, p.f)
			spirvtools.Validate(t, words)
			got, err := Halves(words, &hal.Halves{Widen: true, Narrow: true, Arithmetic: true, Fused: true})
			if err != nil {
				t.Fatal(err)
			}
			spirvtools.Validate(t, got)
			m, err := spirv.Parse(got)
			if err != nil {
				t.Fatal(err)
			}
			e, pairs, alone, selections := spirv.Edit(m), 0, 0, 0
			m.All(func(in *spirv.Instruction) bool {
				width, lanes := e.Float(in.Type)
				op := width == 16 && (in.Op == spirv.OpFAdd || in.Op == spirv.OpExtInst)
				switch {
				case op && lanes == 2:
					pairs++
				case op:
					alone++
				case in.Op == spirv.OpSelectionMerge:
					selections++
				}
				return true
			})
			if pairs != tt.pairs || alone != tt.alone || selections > 0 {
				var b strings.Builder
				for _, f := range m.Functions {
					for _, in := range f.Code {
						m.Decoder().Format(&b, &in)
						b.WriteString("\n")
					}
				}
				t.Errorf("%d operations of pairs and %d others, want %d and %d; %d selections are left\n%s", pairs, alone, tt.pairs, tt.alone, selections, b.String())
			}
		})
	}
}

// loop has a loop with two numbers, which each round computes anew; where crossed is set, each from the other.
func (p *halfPairs) loop(crossed bool) {
	f, b := p.f, p.b
	x, y := f.Op(spirv.OpUndef, p.u32), f.Op(spirv.OpUndef, p.u32)
	before, head, body, next, end := b.NewID(), b.NewID(), b.NewID(), b.NewID(), b.NewID()
	more := f.Op(spirv.OpUndef, b.TypeBool())
	f.Branch(before)
	f.Label(before)
	f.Branch(head)
	f.Label(head)
	u := f.Phi(p.u32, spirv.Incoming{Value: x, Parent: before})
	v := f.Phi(p.u32, spirv.Incoming{Value: y, Parent: before})
	f.LoopMerge(end, next, spirv.LoopControlNone)
	f.Branch(body)
	f.Label(body)
	a := p.fma(u, y, y)
	c := p.fma(v, y, y)
	if crossed {
		a, c = c, a
	}
	f.AddIncoming(u, spirv.Incoming{Value: a, Parent: next})
	f.AddIncoming(v, spirv.Incoming{Value: c, Parent: next})
	f.BranchConditional(more, next, end)
	f.Label(next)
	f.Branch(head)
	f.Label(end)
	p.store(p.sum(a, c))
}
