package pass

import (
	"math/bits"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// zeroHider hides values and flags of a function from drivers, behind zeros that these do
// not know to be zero.
type zeroHider struct {
	f     *ir.Func
	kinds int               // of zeros, which differ in their bits
	in    map[*ir.Value]int // the kinds of those that stand in what is hidden
	reads map[*ir.Value]int // how many of the lowest bits of its arguments matter to a value
}

// valueKinds is how many kinds of zeros there are for values where flags are hidden, too.
const valueKinds = 4

func newZeroHider(f *ir.Func) *zeroHider {
	h := &zeroHider{f: f, kinds: 2 * valueKinds, in: map[*ir.Value]int{}}
	if meets(f) {
		h.kinds = valueKinds // the others' bits hide flags
	}
	return h
}

// hideValues keeps NVIDIA's compiler (driver 580) from seeing what values are where it
// goes wrong over that: they are combined with what is zero, but known to be only when a
// kernel runs. What they are is told by hiddenFrom, isBit, isSum64, isStart, isCompared and
// upperBytes, in opaque.go and opaque_loop.go; see also splitComparisons and splitMinima.
func (h *zeroHider) hideValues() {
	f := h.f
	h.splitComparisons()
	h.splitMinima()
	h.reads = readBits(f)
	hidden, bit, scaled, upper := map[*ir.Value]bool{}, map[*ir.Value]bool{}, map[*ir.Value]bool{}, map[*ir.Value]bool{}
	for _, b := range f.Blocks {
		for _, v := range b.Insts {
			for _, a := range upperBytes(v) {
				hidden[a] = true
			}
			for _, a := range v.Args {
				if h.isBit(a, v) && (a.Op != ir.OpSelect || v.Op == ir.OpSelect) {
					hidden[a], bit[a] = true, true
				}
				for _, is := range hiddenFrom {
					hidden[a] = hidden[a] || is(a, v)
				}
				scaled[a] = scaled[a] || isCompared(a, v)
				upper[a] = upper[a] || (isDivided(a, v) || isSigned(a, v)) && a.Type == ir.TypeI64
			}
		}
		for _, phi := range b.Phis {
			for _, a := range phi.Args {
				hidden[a] = hidden[a] || isBit(a) || isStart(a, b) || b.Continue == nil && isSum64(a)
			}
		}
	}
	wide := map[*ir.Value]*ir.Value{}
	for _, b := range f.Blocks {
		var out []*ir.Value
		hide := func(v *ir.Value) {
			if hidden[v] || scaled[v] {
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
					// lavapipe may keep a phi's next value in one place with what another
					// becomes that stands in between.
					w := wide[a]
					switch {
					case w == nil || w == v:
					case isCompared(a, v), hidden[a] && (a.Op == ir.OpPhi && v.Op != ir.OpPhi || a.Op != ir.OpPhi && (isBit(a) || !isCompare(v.Op))):
						v.Args[i] = w
					}
				}
			}
		}
	}
}

// isBit reports whether v is told of by isBit, or those of its bits are that matter to use.
func (h *zeroHider) isBit(v, use *ir.Value) bool {
	if isBit(v) {
		return true
	}
	return v.Op == ir.OpAnd && v.Block != nil && bits.OnesCount64(possible(v)&(1<<h.reads[use]-1)) == 1
}

// readBits returns for the instructions of f how many of the lowest bits of their arguments
// matter to them, or to what uses them: to y*x in y*x & 255 it is 8.
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

// splitComparisons makes x < y and y < x of one function comparisons of different
// values, since NVIDIA's compiler fails where it makes one number of both.
func (h *zeroHider) splitComparisons() {
	type order struct {
		signed bool
		x, y   *ir.Value
	}
	seen := map[order]bool{}
	for _, b := range h.f.Blocks {
		var out []*ir.Value
		for _, v := range b.Insts {
			var k order
			switch v.Op {
			case ir.OpSLt, ir.OpULt:
				k = order{v.Op == ir.OpSLt, v.Args[0], v.Args[1]}
			case ir.OpSLe, ir.OpULe: // the opposite of y < x
				k = order{v.Op == ir.OpSLe, v.Args[1], v.Args[0]}
			}
			switch {
			case k.x == nil || k.x.IsConst() || k.y.IsConst():
			case seen[order{k.signed, k.y, k.x}]:
				made := h.orZero(v.Args[0], v)
				out = append(out, made...)
				v.Args[0] = made[len(made)-1]
			default:
				seen[k] = true
			}
			out = append(out, v)
		}
		b.Insts = out
	}
}

// splitMinima makes the x of x < y another value than that of the choice between x and y
// behind it: of both, of 32 bits, NVIDIA's compiler makes a minimum or maximum, which is
// another thing for NaN and -0.
func (h *zeroHider) splitMinima() {
	chosen := map[[2]*ir.Value]bool{}
	for _, b := range h.f.Blocks {
		for _, v := range b.Insts {
			if v.Op == ir.OpSelect && v.Type == ir.TypeF32 {
				chosen[[2]*ir.Value{v.Args[1], v.Args[2]}] = true
			}
		}
		for _, phi := range b.Phis {
			if phi.Type != ir.TypeF32 || b.Continue != nil {
				continue
			}
			for _, x := range phi.Args {
				for _, y := range phi.Args {
					if x != y {
						chosen[[2]*ir.Value{x, y}] = true
					}
				}
			}
		}
	}
	for _, b := range h.f.Blocks {
		var out []*ir.Value
		for _, v := range b.Insts {
			if v.Op == ir.OpFLt || v.Op == ir.OpFLe {
				x, y := v.Args[0], v.Args[1]
				i := 0
				if x.IsConst() {
					i = 1
				}
				if chosen[[2]*ir.Value{x, y}] || chosen[[2]*ir.Value{y, x}] {
					made := h.bitsOrZero(v.Args[i], v)
					out = append(out, made...)
					v.Args[i] = made[len(made)-1]
				}
			}
			out = append(out, v)
		}
		b.Insts = out
	}
}

// bitsOrZero returns v, a float32, by its bits | 0, and what that takes, to stand before at.
func (h *zeroHider) bitsOrZero(v, at *ir.Value) []*ir.Value {
	m := &maker{f: h.f, at: at}
	m.made = append(m.made, h.orZero(m.op(ir.OpBitcast, ir.TypeI32, v), at)...)
	m.op(ir.OpBitcast, ir.TypeF32, m.made[len(m.made)-1])
	return m.made
}

// numberFlags turns v, x == y or x != y of bools, into a comparison of numbers, and
// returns the values to stand before it: NVIDIA's compiler goes wrong over some exclusive
// ors of bools, as those of two comparisons of 64 bits.
func (h *zeroHider) numberFlags(v *ir.Value) []*ir.Value {
	zero, one := h.f.Module.Int(ir.TypeI32, 0), h.f.Module.Int(ir.TypeI32, 1)
	m := &maker{f: h.f, at: v}
	x := m.op(ir.OpSelect, ir.TypeI32, v.Args[0], one, zero)
	x = m.op(ir.OpOr, ir.TypeI32, x, m.zeros(kindBits(v.ID%h.kinds)))
	y := m.op(ir.OpSelect, ir.TypeI32, v.Args[1], one, zero)
	op := ir.OpIEq
	if v.Op == ir.OpLNe {
		op = ir.OpINe
	}
	v.Op, v.Args = op, []*ir.Value{x, y}
	return m.made
}

// countedFlags makes the bools that loops carry over their rounds numbers: NVIDIA's
// compiler crashes over some phis of bools in headers of loops.
func countedFlags(f *ir.Func) {
	m := f.Module
	zero, one := m.Int(ir.TypeI32, 0), m.Int(ir.TypeI32, 1)
	flags := map[*ir.Value]*ir.Value{}
	for _, h := range f.Blocks {
		if h.Continue == nil {
			continue
		}
		var insts []*ir.Value
		for _, phi := range h.Phis {
			if phi.Type.Kind == ir.Bool {
				flag := f.NewValue(ir.OpINe, ir.TypeBool)
				flag.Block, flag.Pos = h, phi.Pos
				flags[phi] = flag
				insts = append(insts, flag)
			}
		}
		h.Insts = append(insts, h.Insts...)
	}
	replaceUses(f, func(v *ir.Value) *ir.Value {
		if flag := flags[v]; flag != nil {
			return flag
		}
		return v
	})
	for _, h := range f.Blocks {
		for _, phi := range h.Phis {
			flag := flags[phi]
			if flag == nil {
				continue
			}
			phi.Type, flag.Args = ir.TypeI32, []*ir.Value{phi, zero}
			for i, a := range phi.Args {
				switch {
				case a == flag:
					phi.Args[i] = phi
				case a.IsConst():
					phi.Args[i] = m.Const(ir.TypeI32, a.Bits)
				default:
					from := h.Preds[i]
					n := f.NewValue(ir.OpSelect, ir.TypeI32, a, one, zero)
					n.Block, n.Pos = from, phi.Pos
					from.Insts = append(from.Insts, n)
					phi.Args[i] = n
				}
			}
		}
	}
}

// hideFlags keeps drivers from knowing which way a phi of bools came: where that decides
// a branch, NVIDIA's compiler jumps from where the phi's value is known right to where
// the branch goes, which takes apart what work-items do together. The phi's uses, but for
// those by other phis, are of (phi|zero) != 0. Where no work-items meet it is not worth
// its price.
func (h *zeroHider) hideFlags() {
	f := h.f
	if !meets(f) {
		return
	}
	zero, one := f.Module.Int(ir.TypeI32, 0), f.Module.Int(ir.TypeI32, 1)
	hidden := map[*ir.Value]*ir.Value{}
	own := map[*ir.Value]bool{} // what reads the phi itself
	used := map[*ir.Value]bool{}
	for _, b := range f.Blocks {
		used[b.Term.Cond] = true
		for _, v := range b.Insts {
			for _, a := range v.Args {
				used[a] = true
			}
		}
	}
	for _, b := range f.Blocks {
		var made []*ir.Value
		for _, phi := range b.Phis {
			if phi.Type.Kind != ir.Bool || !used[phi] {
				continue
			}
			m := &maker{f: f, at: phi}
			x := m.op(ir.OpSelect, ir.TypeI32, phi, one, zero)
			own[x] = true
			hidden[phi] = m.op(ir.OpINe, ir.TypeBool, m.op(ir.OpOr, ir.TypeI32, x, m.zeros(flagBit(len(hidden)))), zero)
			made = append(made, m.made...)
		}
		b.Insts = append(made, b.Insts...)
	}
	for _, b := range f.Blocks {
		for _, v := range b.Insts {
			for i, a := range v.Args {
				if w := hidden[a]; w != nil && !own[v] {
					v.Args[i] = w
				}
			}
		}
		if w := hidden[b.Term.Cond]; w != nil {
			b.Term.Cond = w
		}
	}
}

// otherKind returns which zeros may stand in v: not those in what v is computed from,
// since (x|z)&y|z is x&y|z, and of a square those next to its lowest bit.
func (h *zeroHider) otherKind(v *ir.Value) int {
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

// kindBits returns the bits of zeros of a kind. The sign is neverTrue's.
func kindBits(kind int) uint32 { return uint32(0x01010101<<kind) &^ (1 << 31) }

// flagBit returns the bit of zero that hides the n-th flag of a function, of those that
// hide no values there.
func flagBit(n int) uint32 {
	const free = 3*valueKinds + 3 // 4 to 7, 12 to 15, 20 to 23, 28 to 30
	n %= free
	return 1 << (n/valueKinds*2*valueKinds + valueKinds + n%valueKinds)
}

// zeros returns some bits of the launch block's zero, others for most values. Where x|z
// decides a branch and a driver knows x, it knows of these bits of z behind it that they
// are zero, and they would hide nothing more there.
func (m *maker) zeros(bits uint32) *ir.Value {
	return m.op(ir.OpAnd, ir.TypeI32, m.zero(ir.TypeI32), m.f.Module.Const(ir.TypeI32, uint64(bits)))
}

// orZero returns v | z with zeros for z, and what that takes, to stand where at does.
func (h *zeroHider) orZero(v, at *ir.Value) []*ir.Value { return h.orKind(v, at, v.ID%h.kinds) }

// orKind is orZero of a kind of zeros.
func (h *zeroHider) orKind(v, at *ir.Value, kind int) []*ir.Value {
	m := &maker{f: h.f, at: at}
	z := m.zeros(kindBits(kind))
	if v.Type != ir.TypeI32 {
		z = m.op(ir.OpUConvert, v.Type, z)
	}
	m.op(ir.OpOr, v.Type, v, z)
	return m.made
}

// zero returns all of the launch block's zero as a number of 32 bits made one of type t.
func (m *maker) zero(t *ir.Type) *ir.Value {
	z := m.op(ir.OpArg, ir.TypeI32)
	z.Bits = abi.OffsetReserved
	if t != ir.TypeI32 {
		z = m.op(ir.OpUConvert, t, z)
	}
	return z
}

// maskOrZero returns v, x & c, as x & (c|z), and what that takes: a driver that knows the
// mask computes one bit of x, whatever is done with it.
func maskOrZero(f *ir.Func, v *ir.Value) []*ir.Value {
	m := &maker{f: f, at: v}
	x, c := v.Args[0], v.Args[1]
	if x.IsConst() {
		x, c = c, x
	}
	m.op(ir.OpAnd, v.Type, x, m.op(ir.OpOr, v.Type, c, m.zero(v.Type)))
	return m.made
}

// xorZero returns v ^ z, and what that takes: of v | z a driver knows each bit that is set
// in v.
func xorZero(f *ir.Func, v *ir.Value) []*ir.Value {
	m := &maker{f: f, at: v}
	m.op(ir.OpXor, v.Type, v, m.zero(v.Type))
	return m.made
}

// upperOrZero adds to what orZero made, of 64 bits, that the zero is in the upper half,
// too, which without that may be known to be zero.
func upperOrZero(f *ir.Func, made []*ir.Value) []*ir.Value {
	or := made[len(made)-1]
	z := or.Args[1]
	m := &maker{f: f, at: or, made: made[:len(made)-1]}
	or.Args[1] = m.op(ir.OpOr, or.Type, z, m.op(ir.OpShl, or.Type, z, f.Module.Int(or.Type, 32)))
	return append(m.made, or)
}
