package quirks

import (
	"math/bits"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// This file hides values from a driver's optimizer. It uses a word of the launch block that is zero
// in every launch, which only the runtime knows. hideValues combines values with this word if a row
// of the table asks for it.

// hider hides values of one function.
type hider struct {
	f    *ir.Func
	rows []*Quirk // rows that apply

	kinds int               // number of kinds of zeros, which differ in their bits
	in    map[*ir.Value]int // kind of zeros that hides each hidden value
	reads map[*ir.Value]int // number of low bits of its operands that matter to a value

	known     map[literalKey]bool // results of literal
	rewriting                     // block to which unknown adds values
}

// valueKinds is the number of kinds of zeros for values in a function in which flags are hidden,
// too.
const valueKinds = 4

func NewHider(f *ir.Func, rows []*Quirk) *hider {
	h := &hider{f: f, rows: rows, kinds: 2 * valueKinds, in: map[*ir.Value]int{}, known: map[literalKey]bool{}}
	if facts.Meets(f) {
		h.kinds = valueKinds // the bits of the other kinds hide flags
	}
	return h
}

// kindBits returns the bits of the zeros of a kind. The sign bit is reserved for neverTrue and
// hidePhi.
func kindBits(kind int) uint32 { return uint32(0x01010101<<kind) &^ (1 << 31) }

// flagBit returns the bit of the reserved word that hides the n-th flag of a function. It is a bit
// that hides no values there.
func flagBit(n int) uint32 {
	const free = 3*valueKinds + 3 // number of bits 4 to 7, 12 to 15, 20 to 23, and 28 to 30
	n %= free
	return 1 << (n/valueKinds*2*valueKinds + valueKinds + n%valueKinds)
}

// otherKind returns the kind of zeros with which to hide v. It avoids the kinds that hide v's
// operands, since (x|z)&y|z is just x&y|z. For a square it returns the kind whose bits are next to
// the lowest bits.
func (h *hider) otherKind(v *ir.Value) int {
	z := v.ID % h.kinds
	switch {
	case v.Op == ir.OpPhi:
		return z
	case v.Op == ir.OpIMul && v.Args[0] == v.Args[1]:
		return 1
	}
	used := map[int]bool{}
	for _, a := range v.Args {
		for _, a := range append([]*ir.Value{a}, a.Args...) {
			if z, ok := h.in[a]; ok {
				used[z] = true
			}
		}
	}
	for i := 0; i < h.kinds && used[z]; i++ {
		z = (z + 1) % h.kinds
	}
	return z
}

// hiding says how a value is hidden. Without any of these bits, all uses of the value get v | zeros
// instead. Exceptions are comparisons, and phis whose argument is a phi.
type hiding uint8

const (
	// hideBit is for a value in which only one bit may be set. If the value is x & c, it becomes x
	// & (c|zero), since a driver that knows the mask knows which bit of x matters.
	hideBit hiding = 1 << iota
	// hideUpper is for 64-bit values whose upper half may be known to be zero. Zeros of 32 bits
	// would leave that half unchanged, so the zeros are put into both halves.
	hideUpper
	// hideCompared hides the value only from the comparison that matches.
	hideCompared
)

// hideValues combines values with zeros that only the runtime knows, wherever a row of the table
// says that an instruction must not see its operand:
//
//	b = and x, 1            b  = and x, 1
//	y = load s[b]           z  = and (reserved word), 0x01010101
//	                        b' = or b, z
//	                        y  = load s[b']
func (h *hider) hideValues() {
	f := h.f
	h.reads = readBits(f)
	hidden, bit, compared, upper := map[*ir.Value]bool{}, map[*ir.Value]bool{}, map[*ir.Value]bool{}, map[*ir.Value]bool{}
	mark := func(v *ir.Value, how hiding) {
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
				h.in[v] = kind
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
					// A phi's argument is not replaced if it is a phi itself: lavapipe may keep the
					// replacement in one register with the next value of another phi.
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

// isCompared reports whether a row hides v only from the comparison use.
func (h *hider) isCompared(v, use *ir.Value) bool {
	for _, q := range h.rows {
		if q.Match != nil && q.Hide&hideCompared != 0 && q.Match(h, v, use) {
			return true
		}
	}
	return false
}

// readBits returns, for each instruction of f, the number of low bits of its operands that matter.
// It considers the uses of the results: in y*x & 255, 8 bits of x and y matter.
func readBits(f *ir.Func) map[*ir.Value]int {
	const all = 64
	reads := map[*ir.Value]int{}
	used := map[*ir.Value]int{} // largest number of bits that uses of a value need
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

// orZero returns the instructions that compute v | zeros, which is the last of them. They are to be
// inserted at at.
func (h *hider) orZero(v, at *ir.Value) []*ir.Value { return h.orKind(v, at, v.ID%h.kinds) }

// orKind is orZero with zeros of a kind.
func (h *hider) orKind(v, at *ir.Value, kind int) []*ir.Value {
	m := &rewrite.Maker{Func: h.f, At: at}
	z := m.Zeros(kindBits(kind))
	if v.Type != ir.TypeI32 {
		z = m.Op(ir.OpUConvert, v.Type, z)
	}
	m.Op(ir.OpOr, v.Type, v, z)
	return m.Made
}

// bitsOrZero is orZero for the bits of the float32 v.
func (h *hider) bitsOrZero(v, at *ir.Value) []*ir.Value {
	m := &rewrite.Maker{Func: h.f, At: at}
	m.Made = append(m.Made, h.orZero(m.Op(ir.OpBitcast, ir.TypeI32, v), at)...)
	m.Op(ir.OpBitcast, ir.TypeF32, m.Made[len(m.Made)-1])
	return m.Made
}

// maskOrZero returns x & (c|zero), given v, which is x & c.
func maskOrZero(f *ir.Func, v *ir.Value) []*ir.Value {
	m := &rewrite.Maker{Func: f, At: v}
	x, c := v.Args[0], v.Args[1]
	if x.IsConst() {
		x, c = c, x
	}
	m.Op(ir.OpAnd, v.Type, x, m.Op(ir.OpOr, v.Type, c, m.Zero(v.Type)))
	return m.Made
}

// xorZero returns v ^ zero. In v | zero, a driver would still know each bit that is set in v.
func xorZero(f *ir.Func, v *ir.Value) []*ir.Value {
	m := &rewrite.Maker{Func: f, At: v}
	m.Op(ir.OpXor, v.Type, v, m.Zero(v.Type))
	return m.Made
}

// upperOrZero changes the result of orZero for a 64-bit value so that the zeros are in both halves.
func upperOrZero(f *ir.Func, made []*ir.Value) []*ir.Value {
	or := made[len(made)-1]
	z := or.Args[1]
	m := &rewrite.Maker{Func: f, At: or, Made: made[:len(made)-1]}
	or.Args[1] = m.Op(ir.OpOr, or.Type, z, m.Op(ir.OpShl, or.Type, z, f.Module.Int(or.Type, 32)))
	return append(m.Made, or)
}

// rewriting is the state of rewriting a block, for unknown.
type rewriting struct {
	b    *ir.Block
	out  []*ir.Value             // instructions of the block so far
	done map[*ir.Value]*ir.Value // replacements that unknown has made in the block
}

// eachIncoming applies unknown to those arguments of phis for which match returns true.
func (h *hider) eachIncoming(match func(p, a *ir.Value) bool) {
	for _, b := range h.f.Blocks {
		for _, p := range b.Phis {
			for i, a := range p.Args {
				if match(p, a) {
					h.rewriting = rewriting{b: b.Preds[i], out: b.Preds[i].Insts}
					p.Args[i] = h.unknown(a, p)
					b.Preds[i].Insts = h.out
				}
			}
		}
	}
}

// rewrite calls do for each instruction; do may replace operands by results of unknown.
func (h *hider) rewrite(do func(v *ir.Value)) {
	for _, b := range h.f.Blocks {
		h.rewriting = rewriting{b: b, done: map[*ir.Value]*ir.Value{}}
		for _, v := range b.Insts {
			do(v)
			h.out = append(h.out, v)
		}
		b.Insts = h.out
	}
}

// hideable reports whether unknown supports the float type t: each device that has the type must
// also have integers of its size.
func hideable(t *ir.Type) bool { return t == ir.TypeF32 || t == ir.TypeF64 }

// unknown returns a value equal to the float a, for the use of v, that no driver knows to be
// constant. It is the launch block's zero if a is 0, and otherwise bits(a) | zero.
func (h *hider) unknown(a, v *ir.Value) *ir.Value {
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
