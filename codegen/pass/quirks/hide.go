package quirks

import (
	"math/bits"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// This file hides values from a driver's optimizer. To hide a value, the code combines the value
// with zeros that the driver cannot know. The zeros are bits of a reserved 32-bit word in the
// launch block (the push constants). The reserved word is zero in every launch.

// hider hides the values of one function from the driver's optimizer.
type hider struct {
	f    *ir.Func
	rows []*Quirk // quirks that apply to the module

	zeroKinds  int               // number of kinds of zeros; each kind uses different bits of the reserved word
	hiddenBy   map[*ir.Value]int // maps a hidden value to the kind of zeros that hides it
	readBitsOf map[*ir.Value]int // maps a value to the number of low bits of its operands that affect the kernel

	knownLiterals  map[literalKey]bool // cached results of isLiteral
	rewrittenBlock                     // the block that hideFloat changes, with its new instructions
}

// valueKinds is the number of kinds of zeros that hide numbers, in functions that also hide bools.
// Zeros of different kinds are different bits of the reserved word.
const valueKinds = 4

func NewHider(f *ir.Func, rows []*Quirk) *hider {
	h := &hider{f: f, rows: rows, zeroKinds: 2 * valueKinds, hiddenBy: map[*ir.Value]int{}, knownLiterals: map[literalKey]bool{}}
	if facts.Meets(f) {
		h.zeroKinds = valueKinds // the other bits of the reserved word hide bools (see flagBit)
	}
	return h
}

// kindBits returns the bits of the reserved word that the zeros of the given kind use. The sign bit
// of the reserved word is used only by neverTrue and hidePhi.
func kindBits(kind int) uint32 { return uint32(0x01010101<<kind) &^ (1 << 31) }

// flagBit returns the bit of the reserved word that hides the n-th bool of a function. In functions
// with hidden bools, the bits that flagBit returns hide only bools.
func flagBit(n int) uint32 {
	const free = 3*valueKinds + 3 // number of bits from 4 to 7, from 12 to 15, from 20 to 23, and from 28 to 30
	n %= free
	return 1 << (n/valueKinds*2*valueKinds + valueKinds + n%valueKinds)
}

// otherKind returns the kind of zeros (the bits of the reserved word) that hideValues combines with
// v. otherKind avoids the kinds that hide v's operands. Otherwise, a driver might simplify
// (x|z)&y|z to x&y|z, where x is no longer hidden. For a square, otherKind returns kind 1, whose
// zeros include bit 1 of the reserved word.
func (h *hider) otherKind(v *ir.Value) int {
	z := v.ID % h.zeroKinds
	switch {
	case v.Op == ir.OpPhi:
		return z
	case v.Op == ir.OpIMul && v.Args[0] == v.Args[1]:
		return 1
	}
	used := map[int]bool{}
	for _, a := range v.Args {
		for _, a := range append([]*ir.Value{a}, a.Args...) {
			if z, ok := h.hiddenBy[a]; ok {
				used[z] = true
			}
		}
	}
	for i := 0; i < h.zeroKinds && used[z]; i++ {
		z = (z + 1) % h.zeroKinds
	}
	return z
}

// hidingFlags is a set of flags that describe how a value v is hidden. If no flag is set, v | zeros
// replaces v in all its uses except comparisons. If v is a phi, v also remains an argument of other
// phis.
type hidingFlags uint8

const (
	// hideBit hides a value in which only one bit may be set. A value x & c becomes x & (c|zero),
	// because a driver that knows the mask c also knows which bit of x is used.
	hideBit hidingFlags = 1 << iota
	// hideUpper hides both halves of a 64-bit value. Without hideUpper, a driver can see that the
	// zeros do not change the upper half, because the zeros have only 32 bits.
	hideUpper
	// hideCompared hides the value only from the comparisons that the quirk matches.
	hideCompared
)

// hideValues hides each value that matches a quirk by combining it with zeros that drivers cannot
// know. For example:
//
//	b = and x, 1
//	z = and (reserved word), 0x01010101
//	y = load s[b | z]     instead of load s[b]
func (h *hider) hideValues() {
	f := h.f
	h.readBitsOf = readBits(f)
	hidden, bit, compared, upper := map[*ir.Value]bool{}, map[*ir.Value]bool{}, map[*ir.Value]bool{}, map[*ir.Value]bool{}
	mark := func(v *ir.Value, how hidingFlags) {
		if how&hideUpper != 0 && v.Type == ir.TypeI64 {
			upper[v] = true
		}
		if how&hideCompared != 0 {
			compared[v] = true
			return
		}
		hidden[v] = true
		if how&hideBit != 0 {
			bit[v] = true
		}
	}
	look := func(use *ir.Value) {
		for _, q := range h.rows {
			switch {
			case q.Match != nil:
				for _, a := range use.Args {
					if q.Match(h, a, use) {
						mark(a, q.Hide)
					}
				}
			case q.Operands != nil:
				for _, a := range q.Operands(use) {
					mark(a, q.Hide)
				}
			}
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Insts {
			look(v)
		}
		for _, phi := range b.Phis {
			look(phi)
		}
	}
	wide := map[*ir.Value]*ir.Value{}
	for _, b := range f.Blocks {
		var out []*ir.Value
		hide := func(v *ir.Value) {
			if hidden[v] || compared[v] {
				kind := h.otherKind(v)
				h.hiddenBy[v] = kind
				made := h.orKind(v, v, kind)
				if v.Op == ir.OpAnd && (bit[v] || isBit(v)) && (v.Args[0].IsConst() || v.Args[1].IsConst()) && !upper[v] {
					made = maskOrZero(f, v)
				}
				if upper[v] {
					made = upperOrZero(f, made)
				}
				if isMadeNegative(v) && !upper[v] {
					made = xorZero(f, v)
				}
				out = append(out, made...)
				wide[v] = made[len(made)-1]
			}
		}
		for _, phi := range b.Phis {
			hide(phi)
		}
		for _, v := range b.Insts {
			out = append(out, v)
			hide(v)
		}
		b.Insts = out
	}
	for _, b := range f.Blocks {
		for _, vs := range [2][]*ir.Value{b.Phis, b.Insts} {
			for _, v := range vs {
				for i, a := range v.Args {
					// If a phi's argument is itself a phi, the argument is not replaced. Lavapipe
					// might keep the replacement in the same register as the next value of another
					// phi.
					w := wide[a]
					switch {
					case w == nil || w == v:
					case h.isCompared(a, v), hidden[a] && (a.Op == ir.OpPhi && v.Op != ir.OpPhi || a.Op != ir.OpPhi && (isBit(a) || !v.Op.Has(ir.FlagCompare))):
						v.Args[i] = w
					}
				}
			}
		}
	}
}

// isCompared reports whether a quirk matches the comparison "use" and hides v only from
// comparisons.
func (h *hider) isCompared(v, use *ir.Value) bool {
	for _, q := range h.rows {
		if q.Match != nil && q.Hide&hideCompared != 0 && q.Match(h, v, use) {
			return true
		}
	}
	return false
}

// readBits maps each instruction of f to the number of low bits of its operands that affect the
// kernel's results. readBits considers the uses of each instruction. For example, in y*x & 255,
// only 8 bits of x and y affect the result.
func readBits(f *ir.Func) map[*ir.Value]int {
	const all = 64
	reads := map[*ir.Value]int{}
	used := map[*ir.Value]int{} // maps a value to the largest number of bits that one of its uses needs
	for i := len(f.Blocks) - 1; i >= 0; i-- {
		b := f.Blocks[i]
		for _, phi := range b.Phis {
			for _, a := range phi.Args {
				used[a] = all
			}
		}
		for j := len(b.Insts) - 1; j >= 0; j-- {
			v := b.Insts[j]
			n := all
			switch v.Op {
			case ir.OpAnd:
				n = used[v]
				if v.Args[1].IsConst() {
					n = min(n, bits.Len64(v.Args[1].Bits))
				}
			case ir.OpUConvert, ir.OpSConvert:
				n = min(used[v], v.Type.Bits())
			case ir.OpIAdd, ir.OpISub, ir.OpIMul, ir.OpOr, ir.OpXor, ir.OpNot:
				n = used[v]
			case ir.OpShl:
				if v.Args[1].IsConst() {
					n = used[v]
				}
			}
			reads[v] = n
			for _, a := range v.Args {
				used[a] = max(used[a], n)
			}
		}
	}
	return reads
}

// orZero returns instructions that the caller inserts next to the instruction "at". The last of the
// returned instructions computes v | zeros.
func (h *hider) orZero(v, at *ir.Value) []*ir.Value { return h.orKind(v, at, v.ID%h.zeroKinds) }

// orKind is like orZero, with zeros of the given kind.
func (h *hider) orKind(v, at *ir.Value, kind int) []*ir.Value {
	m := &rewrite.Maker{Func: h.f, At: at}
	z := m.Zeros(kindBits(kind))
	if v.Type != ir.TypeI32 {
		z = m.Op(ir.OpUConvert, v.Type, z)
	}
	m.Op(ir.OpOr, v.Type, v, z)
	return m.Made
}

// bitsOrZero is like orZero, but applies the "or" to the bits of the float32 v.
func (h *hider) bitsOrZero(v, at *ir.Value) []*ir.Value {
	m := &rewrite.Maker{Func: h.f, At: at}
	m.Made = append(m.Made, h.orZero(m.Op(ir.OpBitcast, ir.TypeI32, v), at)...)
	m.Op(ir.OpBitcast, ir.TypeF32, m.Made[len(m.Made)-1])
	return m.Made
}

// maskOrZero returns instructions that compute x & (c|zero), where v is x & c.
func maskOrZero(f *ir.Func, v *ir.Value) []*ir.Value {
	m := &rewrite.Maker{Func: f, At: v}
	x, c := v.Args[0], v.Args[1]
	if x.IsConst() {
		x, c = c, x
	}
	m.Op(ir.OpAnd, v.Type, x, m.Op(ir.OpOr, v.Type, c, m.Zero(v.Type)))
	return m.Made
}

// xorZero returns instructions that compute v ^ zero. The "exclusive or" with zero also hides bits
// of v that a driver knows to be set, which v | zero would not hide.
func xorZero(f *ir.Func, v *ir.Value) []*ir.Value {
	m := &rewrite.Maker{Func: f, At: v}
	m.Op(ir.OpXor, v.Type, v, m.Zero(v.Type))
	return m.Made
}

// upperOrZero changes the instructions that orZero has made for a 64-bit value, so that both halves
// of the value are combined with zeros.
func upperOrZero(f *ir.Func, made []*ir.Value) []*ir.Value {
	or := made[len(made)-1]
	z := or.Args[1]
	m := &rewrite.Maker{Func: f, At: or, Made: made[:len(made)-1]}
	or.Args[1] = m.Op(ir.OpOr, or.Type, z, m.Op(ir.OpShl, or.Type, z, f.Module.Int(or.Type, 32)))
	return append(m.Made, or)
}

// rewrittenBlock contains the instructions of a block to which hideFloat adds instructions.
type rewrittenBlock struct {
	b    *ir.Block
	out  []*ir.Value             // instructions of the block so far
	done map[*ir.Value]*ir.Value // maps a value to the replacement that hideFloat has created in the block
}

// eachIncoming calls the function `matches` for each argument of each phi. If `matches` returns
// true, eachIncoming replaces the argument by the result of hideFloat.
func (h *hider) eachIncoming(matches func(p, a *ir.Value) bool) {
	for _, b := range h.f.Blocks {
		for _, p := range b.Phis {
			for i, a := range p.Args {
				if matches(p, a) {
					h.rewrittenBlock = rewrittenBlock{b: b.Preds[i], out: b.Preds[i].Insts}
					p.Args[i] = h.hideFloat(a, p)
					b.Preds[i].Insts = h.out
				}
			}
		}
	}
}

// rewriteInsts calls visitInst for each instruction of the function. visitInst
// may replace operands by results of hideFloat.
func (h *hider) rewriteInsts(visitInst func(v *ir.Value)) {
	for _, b := range h.f.Blocks {
		h.rewrittenBlock = rewrittenBlock{b: b, done: map[*ir.Value]*ir.Value{}}
		for _, v := range b.Insts {
			visitInst(v)
			h.out = append(h.out, v)
		}
		b.Insts = h.out
	}
}

// isHideable reports whether hideFloat supports the float type t. For each supported float type,
// devices with that type must also support integers of the same size.
func isHideable(t *ir.Type) bool { return t == ir.TypeF32 || t == ir.TypeF64 }

// hideFloat returns a value that equals the float a but that no driver recognizes as a constant.
// The value that hideFloat returns is used as an operand of v. If a is 0, the returned float
// consists of zero bits of the reserved word. For any other a, the bits of the returned float are
// bits(a) | zero.
func (h *hider) hideFloat(a, v *ir.Value) *ir.Value {
	if x := h.done[a]; x != nil {
		return x
	}
	m := &rewrite.Maker{Func: h.f, At: &ir.Value{Block: h.b, Pos: v.Pos}, Made: h.out}
	if isFloatZero(a) {
		x := m.FloatZero(a)
		h.out = m.Made
		return x
	}
	t := ir.TypeI32
	if a.Type == ir.TypeF64 {
		t = ir.TypeI64
	}
	zero := m.Zero(t)
	var bits *ir.Value
	if isSignalling(a) {
		bits = h.f.Module.Const(t, a.Bits)
	} else {
		bits = m.Op(ir.OpBitcast, t, a)
	}
	x := m.Op(ir.OpBitcast, a.Type, m.Op(ir.OpOr, t, bits, zero))
	h.out = m.Made
	if h.done != nil {
		h.done[a] = x
	}
	return x
}
