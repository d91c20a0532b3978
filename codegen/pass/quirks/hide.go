package quirks

import (
	"math/bits"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// This file has what hides values from a driver's optimizer: the word of the launch block
// that is zero in every launch, which only the runtime knows, and hideValues, which combines
// values with it where a row of the table says so.

// hider hides values of one function.
type hider struct {
	f    *ir.Func
	rows []*Quirk // those that apply

	kinds int               // how many kinds of zeros there are, which differ in their bits
	in    map[*ir.Value]int // the kind of zeros that a hidden value has in it
	reads map[*ir.Value]int // how many of the lowest bits of its operands matter to a value

	known     map[literalKey]bool // what literal has found out
	rewriting                     // where unknown puts values
}

// valueKinds is how many kinds of zeros hide values in a function where flags are hidden, too.
const valueKinds = 4

func NewHider(f *ir.Func, rows []*Quirk) *hider {
	h := &hider{f: f, rows: rows, kinds: 2 * valueKinds, in: map[*ir.Value]int{}, known: map[literalKey]bool{}}
	if facts.Meets(f) {
		h.kinds = valueKinds // the others' bits hide flags
	}
	return h
}

// kindBits returns the bits of the zeros of a kind. The sign bit belongs to neverTrue and to
// hidePhi.
func kindBits(kind int) uint32 { return uint32(0x01010101<<kind) &^ (1 << 31) }

// flagBit returns the bit of the reserved word that hides the n-th flag of a function. It is
// one of those that hide no values there.
func flagBit(n int) uint32 {
	const free = 3*valueKinds + 3 // 4 to 7, 12 to 15, 20 to 23, 28 to 30
	n %= free
	return 1 << (n/valueKinds*2*valueKinds + valueKinds + n%valueKinds)
}

// otherKind returns the kind of zeros to hide v with. It avoids the kinds that hide what v is
// computed from, since (x|z)&y|z is just x&y|z, and for a square the kind next to the lowest
// bit.
func (h *hider) otherKind(v *ir.Value) int {
	z := v.ID % h.kinds
	switch {
	case v.Op == ir.OpPhi:
		return z
	case v.Op == ir.OpIMul && v.Args[0] == v.Args[1]:
		return 1
	}
	taken := map[int]bool{}
	for _, a := range v.Args {
		for _, a := range append([]*ir.Value{a}, a.Args...) {
			if z, ok := h.in[a]; ok {
				taken[z] = true
			}
		}
	}
	for i := 0; i < h.kinds && taken[z]; i++ {
		z = (z + 1) % h.kinds
	}
	return z
}

// hiding says how a value is hidden. Without any of these bits, all uses of the value get
// v | zeros instead, except for phis that get a phi and for comparisons.
type hiding uint8

const (
	// hideBit is for a value of which one bit may be set. If it is x & c, it becomes
	// x & (c|zero), since a driver that knows the mask knows which bit of x matters.
	hideBit hiding = 1 << iota
	// hideUpper is for 64 bits whose upper half may be known to be zero, which v | zeros,
	// with zeros of 32 bits, would not change: the zeros stand in both halves.
	hideUpper
	// hideCompared hides the value from the comparison that matches alone.
	hideCompared
)

// hideValues combines values with zeros that only the runtime knows, wherever a row of the
// table says that an instruction must not see what its operand is:
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
					// A phi's next value stays as it is where it is a phi itself: lavapipe may keep
					// that in one register with what another phi becomes in between.
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

// isCompared reports whether a row hides v from the comparison use alone.
func (h *hider) isCompared(v, use *ir.Value) bool {
	for _, q := range h.rows {
		if q.Match != nil && q.Hide&hideCompared != 0 && q.Match(h, v, use) {
			return true
		}
	}
	return false
}

// readBits returns for the instructions of f how many of the lowest bits of their operands
// matter to them, or to what uses their results: 8 to y*x in y*x & 255.
func readBits(f *ir.Func) map[*ir.Value]int {
	const all = 64
	reads := map[*ir.Value]int{}
	used := map[*ir.Value]int{} // the most that is read of a value
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

// orZero returns v | zeros, as the last of the values that this takes, to stand where at does.
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

// bitsOrZero returns the float32 v whose bits went through orZero.
func (h *hider) bitsOrZero(v, at *ir.Value) []*ir.Value {
	m := &rewrite.Maker{Func: h.f, At: at}
	m.Made = append(m.Made, h.orZero(m.Op(ir.OpBitcast, ir.TypeI32, v), at)...)
	m.Op(ir.OpBitcast, ir.TypeF32, m.Made[len(m.Made)-1])
	return m.Made
}

// maskOrZero returns x & (c|zero) for v, which is x & c.
func maskOrZero(f *ir.Func, v *ir.Value) []*ir.Value {
	m := &rewrite.Maker{Func: f, At: v}
	x, c := v.Args[0], v.Args[1]
	if x.IsConst() {
		x, c = c, x
	}
	m.Op(ir.OpAnd, v.Type, x, m.Op(ir.OpOr, v.Type, c, m.Zero(v.Type)))
	return m.Made
}

// xorZero returns v ^ zero. Of v | zero a driver knows each bit that is set in v.
func xorZero(f *ir.Func, v *ir.Value) []*ir.Value {
	m := &rewrite.Maker{Func: f, At: v}
	m.Op(ir.OpXor, v.Type, v, m.Zero(v.Type))
	return m.Made
}

// upperOrZero changes what orZero made of 64 bits so that the zeros stand in both halves.
func upperOrZero(f *ir.Func, made []*ir.Value) []*ir.Value {
	or := made[len(made)-1]
	z := or.Args[1]
	m := &rewrite.Maker{Func: f, At: or, Made: made[:len(made)-1]}
	or.Args[1] = m.Op(ir.OpOr, or.Type, z, m.Op(ir.OpShl, or.Type, z, f.Module.Int(or.Type, 32)))
	return append(m.Made, or)
}

// rewriting is where a block of the function is being rewritten, for unknown.
type rewriting struct {
	b    *ir.Block
	out  []*ir.Value             // the block's instructions so far
	done map[*ir.Value]*ir.Value // what has been made unknown there
}

// eachIncoming makes the floats unknown that phis get, where match says so.
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

// rewrite lets do change the operands of every instruction to what unknown returns.
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

// hideable reports whether unknown can be made of a float's type: each device that has the type
// must have integers of its size.
func hideable(t *ir.Type) bool { return t == ir.TypeF32 || t == ir.TypeF64 }

// unknown returns the float a, for the use of v, as a value of which no driver knows that it is
// constant: the launch block's zero for 0, else bits(a) | zero.
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
