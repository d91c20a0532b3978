package adapt

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/spirv"
)

// This file makes one operation of two equal ones of float16s, which GPUs compute in the time of one:
//
//	%p = Fma %half %a %x %y                    %ab = two of %a %b, which are lanes of a vector here already
//	%q = Fma %half %b %x %y             →      %pq = Fma %half2 %ab %xx %yy
//	                                           %p = lane 0 of %pq
//	                                           %q = lane 1 of %pq
//
// Operands must come in pairs without an instruction: both lanes of a vector, the halves of a word, one
// number twice, or constants. So all operands are known where the first operation is, and the vector is computed
// there. Phis of a block pair if an operation of a pair is an operand of both.

// pairing finds pairs in one function.
type pairing struct {
	x    *halves
	defs map[spirv.ID]*spirv.Instruction
	of   map[spirv.ID]*pair // by both of their results
	phis []*pair            // by the order of their blocks
}

// pair is two values that are the lanes of a vector.
type pair struct {
	lanes  [2]*spirv.Instruction
	first  int // the lane that comes first in the code
	vector spirv.ID
}

// addPairs makes operations of pairs of the functions' operations of float16s.
func (x *halves) addPairs() {
	for i := range x.m.Functions {
		f := &x.m.Functions[i]
		before, blocks, after := split(f.Code)
		p := &pairing{x: x, defs: map[spirv.ID]*spirv.Instruction{}, of: map[spirv.ID]*pair{}}
		for _, b := range blocks {
			for j := range b.code {
				p.defs[b.code[j].Result] = &b.code[j]
			}
		}
		p.find(blocks)
		if len(p.of) == 0 {
			continue
		}
		ends := map[spirv.ID][]spirv.Instruction{} // operands of phis, by the block that they come from
		f.Code = before
		for _, b := range blocks {
			b.code = p.rewrite(b, ends)
		}
		for _, b := range blocks {
			f.Code = append(f.Code, spirv.Instruction{Op: spirv.OpLabel, Result: b.label})
			n := len(b.code) - 1
			if merges(b) {
				n--
			}
			f.Code = append(append(append(f.Code, b.code[:n]...), ends[b.label]...), b.code[n:]...)
		}
		f.Code = append(f.Code, after...)
	}
}

// find finds the pairs. It takes neighbouring phis for pairs first, and begins anew without those that turn out
// to be none.
func (p *pairing) find(blocks []*block) {
	refused := map[spirv.ID]bool{}
	for {
		clear(p.of)
		p.phis = nil
		for _, b := range blocks {
			p.pairPhis(b, refused)
		}
		for _, b := range blocks {
			p.pairBlock(b)
		}
		again := false
		for _, u := range p.phis {
			if !p.fed(u) {
				refused[u.lanes[0].Result] = true
				again = true
			}
		}
		if !again {
			return
		}
	}
}

func (p *pairing) add(a, b *spirv.Instruction) *pair {
	u := &pair{lanes: [2]*spirv.Instruction{a, b}, vector: p.x.e.NewID()}
	p.of[a.Result], p.of[b.Result] = u, u
	return u
}

// pairPhis pairs phis that follow one another.
func (p *pairing) pairPhis(b *block, refused map[spirv.ID]bool) {
	var last *spirv.Instruction
	for i := range b.code {
		in := &b.code[i]
		switch {
		case in.Op != spirv.OpPhi || in.Type != p.x.f16() || refused[in.Result]:
		case last == nil:
			last = in
		default:
			p.phis = append(p.phis, p.add(last, in))
			last = nil
		}
	}
}

// fed reports whether the lanes of a pair of phis come from a pair somewhere.
func (p *pairing) fed(u *pair) bool {
	a, b := u.lanes[0], u.lanes[1]
	for i := 0; i < len(a.Words); i += 2 {
		for j := 0; j < len(b.Words); j += 2 {
			if a.Words[i+1] != b.Words[j+1] {
				continue
			}
			if from := p.of[spirv.ID(a.Words[i])]; from != nil && from != u && p.isPair(from, spirv.ID(a.Words[i]), spirv.ID(b.Words[j])) {
				return true
			}
		}
	}
	return false
}

// isPair reports whether x and y are the lanes of u in their order.
func (p *pairing) isPair(u *pair, x, y spirv.ID) bool {
	return u != nil && u.lanes[0].Result == x && u.lanes[1].Result == y
}

// operands returns the float16s that in computes with, if it is an operation of two or three of them.
func (p *pairing) operands(in *spirv.Instruction) []uint32 {
	switch {
	case in.Type != p.x.f16():
	case in.Op == spirv.OpFAdd || in.Op == spirv.OpFSub || in.Op == spirv.OpFMul:
		return in.Words
	case p.x.inst(in, spirv.GLSLstd450Fma):
		return in.Words[2:]
	}
	return nil
}

// farthest bounds how far apart in a block two operations of a pair are, in operations.
const farthest = 32

// pairBlock pairs operations of a block.
func (p *pairing) pairBlock(b *block) {
	var ops []*spirv.Instruction
	for i := range b.code {
		if p.operands(&b.code[i]) != nil {
			ops = append(ops, &b.code[i])
		}
	}
	for i, one := range ops {
		if p.of[one.Result] != nil {
			continue
		}
		for _, other := range ops[i+1 : min(i+1+farthest, len(ops))] {
			if p.of[other.Result] != nil {
				continue
			}
			if p.match(one, other) {
				p.add(one, other)
				break
			}
			if p.match(other, one) {
				p.add(other, one).first = 1
				break
			}
		}
	}
}

// match reports whether two operations are the same but for operands that come in pairs, at least one of which
// is a vector's lanes.
func (p *pairing) match(a, b *spirv.Instruction) bool {
	if a.Op != b.Op {
		return false
	}
	x, y, vector := p.operands(a), p.operands(b), false
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		l, r := spirv.ID(x[i]), spirv.ID(y[i])
		switch {
		case p.isPair(p.of[l], l, r) || p.word(l, r) != 0:
			vector = true
		case !p.same(l, r) && !(p.constant(l) && p.constant(r)):
			return false
		}
	}
	return vector
}

// same reports whether x and y are one number.
func (p *pairing) same(x, y spirv.ID) bool {
	return x == y || p.halfOf(x) != 0 && p.halfOf(x) == p.halfOf(y)
}

// constant reports whether id stands ahead of all functions.
func (p *pairing) constant(id spirv.ID) bool {
	return slices.ContainsFunc(p.x.m.Globals, func(in spirv.Instruction) bool { return in.Result == id })
}

// word returns the word whose lower half x is, and whose upper half y is; 0 if they are no such halves.
func (p *pairing) word(x, y spirv.ID) spirv.ID {
	low, high := p.halfOf(x), p.halfOf(y)
	if low == 0 || high == 0 {
		return 0
	}
	shift := p.defs[high]
	if shift == nil || shift.Op != spirv.OpShiftRightLogical || spirv.ID(shift.Words[1]) != p.x.word(16) {
		return 0
	}
	w := spirv.ID(shift.Words[0])
	if low == w {
		return w
	}
	if and := p.defs[low]; and != nil && and.Op == spirv.OpBitwiseAnd && spirv.ID(and.Words[0]) == w && spirv.ID(and.Words[1]) == p.x.word(0xffff) {
		return w
	}
	return 0
}

// halfOf returns the word whose lower half is x, as method half of halves takes it; 0 if x is no such.
func (p *pairing) halfOf(x spirv.ID) spirv.ID {
	in := p.defs[x]
	if in == nil || in.Op != spirv.OpCompositeExtract || len(in.Words) != 2 || in.Words[1] != 0 {
		return 0
	}
	if from := p.defs[spirv.ID(in.Words[0])]; from != nil && from.Op == spirv.OpBitcast && from.Type == p.x.f16x2() {
		return spirv.ID(from.Words[0])
	}
	return 0
}

// vector returns the vector of x and y, which c computes if there is none yet. Of two names of one number it takes
// known.
func (p *pairing) vector(c *spirv.Code, x, y, known spirv.ID) spirv.ID {
	if u := p.of[x]; p.isPair(u, x, y) {
		return u.vector
	}
	if w := p.word(x, y); w != 0 {
		return c.Op(spirv.OpBitcast, p.x.f16x2(), w)
	}
	if p.same(x, y) {
		x, y = known, known
	}
	if p.constant(x) && p.constant(y) {
		return p.x.e.Global(spirv.OpConstantComposite, p.x.f16x2(), uint32(x), uint32(y))
	}
	return c.Op(spirv.OpCompositeConstruct, p.x.f16x2(), x, y)
}

// rewrite returns the block's code with its pairs. Operands of its pairs of phis go to ends.
func (p *pairing) rewrite(b *block, ends map[spirv.ID][]spirv.Instruction) []spirv.Instruction {
	var out, lanes []spirv.Instruction // lanes of phis stand after all phis
	for i := range b.code {
		in := &b.code[i]
		if in.Op != spirv.OpPhi {
			out, lanes = append(out, lanes...), nil
		}
		switch u := p.of[in.Result]; {
		case u == nil:
			out = append(out, *in)
		case u.lanes[u.first] != in:
		case in.Op == spirv.OpPhi:
			out = append(out, p.phi(u, ends))
			lanes = append(lanes, p.split(u)...)
		default:
			out = append(out, p.operation(u)...)
		}
	}
	return out
}

// split returns the instructions that take the lanes out of a pair's vector.
func (p *pairing) split(u *pair) []spirv.Instruction {
	var out []spirv.Instruction
	for lane, in := range u.lanes {
		out = append(out, spirv.Instruction{Op: spirv.OpCompositeExtract, Type: in.Type, Result: in.Result, Words: []uint32{uint32(u.vector), uint32(lane)}})
	}
	return out
}

// operation returns the code of a pair of operations.
func (p *pairing) operation(u *pair) []spirv.Instruction {
	c := p.x.e.NewCode()
	a := u.lanes[0]
	words := slices.Clone(a.Words[:len(a.Words)-len(p.operands(a))])
	x, y := p.operands(a), p.operands(u.lanes[1])
	for i := range x {
		l, r := spirv.ID(x[i]), spirv.ID(y[i])
		words = append(words, uint32(p.vector(c, l, r, [2]spirv.ID{l, r}[u.first])))
	}
	p.x.e.Decorate(u.vector, spirv.DecorationNoContraction)
	op := spirv.Instruction{Op: a.Op, Type: p.x.f16x2(), Result: u.vector, Words: words}
	return append(append(c.List, op), p.split(u)...)
}

// phi returns the phi of a pair of phis.
func (p *pairing) phi(u *pair, ends map[spirv.ID][]spirv.Instruction) spirv.Instruction {
	phi := spirv.Instruction{Op: spirv.OpPhi, Type: p.x.f16x2(), Result: u.vector}
	a, b := u.lanes[0], u.lanes[1]
	for i := 0; i < len(a.Words); i += 2 {
		from := a.Words[i+1]
		for j := 0; j < len(b.Words); j += 2 {
			if b.Words[j+1] == from {
				c := p.x.e.NewCode()
				v := p.vector(c, spirv.ID(a.Words[i]), spirv.ID(b.Words[j]), spirv.ID(a.Words[i]))
				ends[spirv.ID(from)] = append(ends[spirv.ID(from)], c.List...)
				phi.Words = append(phi.Words, uint32(v), from)
				break
			}
		}
	}
	return phi
}
