package pass

import (
	"math/bits"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// hiddenFrom holds what tells of a value whether a use of it must not see what it is.
var hiddenFrom = []func(v, use *ir.Value) bool{isLesser, isNegated, isCounted, isDivided, isSigned, isTurned, isFlag, isChosenSum, isSquare, isMaskedByCount, isShiftedAgain}

// hideValues keeps NVIDIA's compiler (driver 580) from seeing what values are where it
// goes wrong over that: they are combined with what is zero, but known to be only when a
// kernel runs. What they are is told by hiddenFrom, isBit, isSum64, isScaled, isBound and upperBytes; see
// also splitComparisons and splitMinima.
func hideValues(f *ir.Func) {
	splitComparisons(f)
	splitMinima(f)
	hidden, scaled, upper := map[*ir.Value]bool{}, map[*ir.Value]bool{}, map[*ir.Value]bool{}
	for _, b := range f.Blocks {
		for _, v := range b.Insts {
			for _, a := range upperBytes(v) {
				hidden[a] = true
			}
			for _, a := range v.Args {
				if isBit(a) && (a.Op != ir.OpSelect || v.Op == ir.OpSelect) {
					hidden[a] = true
				}
				for _, is := range hiddenFrom {
					hidden[a] = hidden[a] || is(a, v)
				}
				scaled[a] = scaled[a] || isScaled(a, v) || isBound(a, v)
				upper[a] = upper[a] || (isDivided(a, v) || isSigned(a, v)) && a.Type == ir.TypeI64
			}
		}
		for _, phi := range b.Phis {
			for _, a := range phi.Args {
				hidden[a] = hidden[a] || isBit(a) || b.Continue == nil && isSum64(a)
			}
		}
	}
	wide := map[*ir.Value]*ir.Value{}
	zeros := map[*ir.Value]int{} // which stand in what is hidden
	if meets(f) {
		zeros = nil // hideFlags hides, too, and what decides a branch tells of its zeros
	}
	for _, b := range f.Blocks {
		var out []*ir.Value
		hide := func(v *ir.Value) {
			if hidden[v] || scaled[v] {
				kind := v.ID % zeroKinds
				if zeros != nil {
					kind = otherZeros(v, zeros)
					zeros[v] = kind
				}
				made := orZeros(f, v, v, kind)
				if v.Op == ir.OpAnd && isBit(v) && (v.Args[0].IsConst() || v.Args[1].IsConst()) && !upper[v] {
					made = maskOrZero(f, v)
				}
				if upper[v] {
					made = upperOrZero(f, made)
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
					case isScaled(a, v), isBound(a, v), hidden[a] && (a.Op == ir.OpPhi && v.Op != ir.OpPhi || a.Op != ir.OpPhi && (isBit(a) || !isCompare(v.Op))):
						v.Args[i] = w
					}
				}
			}
		}
	}
}

// isBit reports whether v is computed and 0, 1 or -1 by its op, or 0 and another power of
// two: NVIDIA's compiler goes wrong over products of those, too. Of such an index, as in
// s[(x*y)%2], NVIDIA's compiler makes one bit with a sign, and s[1] becomes s[-1], or
// s[0] becomes s[1]; and it fails where a number is -1, 0 or 1 by two comparisons, as that
// of cmp.Compare.
func isBit(v *ir.Value) bool {
	if v.Block == nil || !v.Type.IsInt() {
		return false
	}
	switch v.Op {
	case ir.OpAnd, ir.OpShl, ir.OpShrL, ir.OpIMul:
		return bits.OnesCount64(possible(v)) == 1
	case ir.OpUMod:
		return v.Args[1].IsConst() && v.Args[1].Bits == 2
	case ir.OpISub: // x%2 with its sign
		even := v.Args[1]
		return even.Op == ir.OpIMul && even.Args[1].IsConst() && even.Args[1].Bits == 2 &&
			even.Args[0].Op == ir.OpSDiv && even.Args[0].Args[0] == v.Args[0] && even.Args[0].Args[1] == even.Args[1]
	case ir.OpSelect:
		return isSmall(v.Args[1]) && isSmall(v.Args[2])
	case ir.OpPhi:
		for _, a := range v.Args {
			if !isSmall(a) && (a.Op == ir.OpPhi || !isBit(a)) {
				return false
			}
		}
		return true
	}
	return false
}

// isFlag reports whether v is 1 or 0 by a bool, and use ands it with a number or multiplies
// one. NVIDIA's compiler takes whether the number is zero for its lowest bit.
func isFlag(v, use *ir.Value) bool {
	if use.Op != ir.OpAnd && use.Op != ir.OpIMul || use.Args[0].IsConst() || use.Args[1].IsConst() {
		return false
	}
	for v.Op == ir.OpUConvert || v.Op == ir.OpAnd && v.Args[1].IsConst() {
		v = v.Args[0]
	}
	return v.Op == ir.OpSelect && isBit(v)
}

// isSmall reports whether v is the constant -1, 0 or 1.
func isSmall(v *ir.Value) bool { return v.IsConst() && v.Int() >= -1 && v.Int() <= 1 }

// isLesser reports whether v, of 64 bits, is the lesser or the greater of two numbers,
// and use adds it to another or subtracts it, or inverts it. NVIDIA's compiler gets the
// upper half of x - min(x, y) wrong, which it takes for a subtraction that stops at zero.
func isLesser(v, use *ir.Value) bool {
	if use.Op != ir.OpISub && use.Op != ir.OpIAdd && use.Op != ir.OpNot || v.Block == nil || v.Type != ir.TypeI64 {
		return false
	}
	return v.Op == ir.OpSelect && isCompare(v.Args[0].Op)
}

// isSquare reports whether v is x*x, and use may leave no more of it than the lowest bits:
// the next to last is never set, so that the last is told of by isBit, too.
func isSquare(v, use *ir.Value) bool {
	return (use.Op == ir.OpIMul || use.Op == ir.OpShl || use.Op == ir.OpAnd) && v.Op == ir.OpIMul && v.Block != nil && v.Args[0] == v.Args[1]
}

// isSum64 reports whether v is a sum or difference of 64 bits. Where one takes its place
// only if it does not wrap around, NVIDIA's compiler gets the upper half wrong, too.
func isSum64(v *ir.Value) bool {
	return v.Block != nil && v.Type == ir.TypeI64 && (v.Op == ir.OpIAdd || v.Op == ir.OpISub)
}

// isChosenSum is isSum64 of what use chooses or not.
func isChosenSum(v, use *ir.Value) bool { return use.Op == ir.OpSelect && isSum64(v) }

// isNegated reports whether v is -x, or a negative multiple of x, used where a number of
// fewer bits is extended: NVIDIA's compiler leaves the extension out, which the lowest of
// these numbers needs. It leaves the negation out in the least or greatest of three.
func isNegated(v, use *ir.Value) bool {
	switch use.Op {
	case ir.OpShl, ir.OpAnd, ir.OpSConvert, ir.OpUConvert, ir.OpSelect:
	default:
		return false
	}
	return v.Block != nil && (isNegation(v) || v.Op == ir.OpIMul && v.Args[1].IsConst() && v.Args[1].Int() < 0)
}

// isDivided reports whether v is what use divides without signs, or divides by, and its
// range may be seen. NVIDIA's compiler divides numbers that are known to have few bits,
// but for a sign, as floats, which is wrong if there are signs; and of 64 bits it gets
// (x%7+7)%7 wrong.
func isDivided(v, use *ir.Value) bool {
	if use.Op != ir.OpUDiv && use.Op != ir.OpUMod || v.Block == nil || v.Op == ir.OpLoad || v.Op == ir.OpArg {
		return false
	}
	if v.Type == ir.TypeI64 {
		return true
	}
	sign := mask(v.Type)>>1 + 1
	return possible(v)&sign != 0 && !use.Args[1].IsConst()
}

// isSigned reports whether v may be sign-extended, and use makes a float64 of it without
// a sign. NVIDIA's compiler makes one of a loaded byte or two with their sign instead.
func isSigned(v, use *ir.Value) bool {
	if use.Op != ir.OpUToF || use.Type != ir.TypeF64 || v.Block == nil || v.Op == ir.OpLoad || v.Op == ir.OpArg {
		return false
	}
	return v.Op == ir.OpSConvert || v.Type == ir.TypeI32 && possible(v)>>31 != 0
}

// isScaled reports whether v is twice a number or another multiple of it, which use
// compares with a constant, with what is computed so that its range may be known, or with
// another multiple of the same number. NVIDIA's compiler shortens such a comparison to the
// bits that are left of the number, but for their sign: it takes 4*x > 3 for true where x
// is -5.
func isScaled(v, use *ir.Value) bool {
	if use.Op != ir.OpSLt && use.Op != ir.OpSLe || v.Block == nil || !isMultiple(v, maxPossible) {
		return false
	}
	other := use.Args[0]
	if other == v {
		other = use.Args[1]
	}
	switch other.Op {
	case ir.OpLoad, ir.OpArg, ir.OpPhi, ir.OpIAdd, ir.OpISub, ir.OpIMul, ir.OpBuiltIn, ir.OpInvalid:
		return linearRoot(v) == linearRoot(other) // else of any range, as far as one can see; OpInvalid is a parameter
	}
	return true
}

// isMultiple reports whether v is a multiple of a number, or is computed from one, in so
// many steps, in a way that compilers take a comparison through.
func isMultiple(v *ir.Value, depth int) bool {
	of := func(i int) bool { return depth > 0 && isMultiple(v.Args[i], depth-1) }
	switch v.Op {
	case ir.OpIMul, ir.OpShl:
		return v.Args[1].IsConst()
	case ir.OpIAdd: // what are two phis here may be one to a driver
		return !v.Args[0].IsConst() && !v.Args[1].IsConst()
	case ir.OpNot: // ^x > 3 becomes x < ^3
		return of(0)
	case ir.OpISub:
		return v.Args[0].IsConst() && of(1)
	case ir.OpShrA: // such as the lowest bits with a sign
		return v.Args[1].IsConst() && of(0)
	case ir.OpAnd, ir.OpOr, ir.OpXor:
		return of(0) || of(1)
	case ir.OpSelect:
		return of(1) || of(2)
	}
	return false
}

// upperBytes returns what use, an or, shifts up by a byte to put it together with another
// number. Where both bytes come from one number the other way round, NVIDIA's compiler
// loses one.
func upperBytes(use *ir.Value) []*ir.Value {
	if use.Op != ir.OpOr {
		return nil
	}
	isConst := func(x *ir.Value, n int) bool { return x.IsConst() && x.Bits == uint64(n) }
	var out []*ir.Value
	for i, v := range use.Args {
		short := v.Op == ir.OpAnd && isConst(v.Args[1], 0xffff) // of 16 bits, by what may turn out to be 8
		if short {
			v = v.Args[0]
		}
		if v.Op != ir.OpShl || !short && !isConst(v.Args[1], 8) || v.Args[0].Block == nil {
			continue
		}
		other := use.Args[1-i]
		if other.Op == ir.OpShrL && other.Args[0] == v.Args[0] && isConst(other.Args[1], v.Type.Bits()-8) {
			continue // a rotation
		}
		out = append(out, v.Args[0])
	}
	return out
}

// isCounted reports whether v is a number of fewer bits than its type's, whose bits use
// counts: NVIDIA's compiler counts those of 8 bits, and those of the sign with them.
func isCounted(v, use *ir.Value) bool {
	return use.Op == ir.OpBitCount && v.Block != nil && possible(v) != mask(v.Type)
}

// isTurned reports whether v is shifted to the right, and use adds what is shifted to the
// left by the rest of 64 bits, or subtracts one from the other. NVIDIA's compiler makes a
// rotation of both, as if there were neither signs nor borrows.
func isTurned(v, use *ir.Value) bool {
	if use.Op != ir.OpIAdd && use.Op != ir.OpISub || use.Type != ir.TypeI64 {
		return false
	}
	if v.Op != ir.OpShrA && (v.Op != ir.OpShrL || use.Op != ir.OpISub) || !v.Args[1].IsConst() {
		return false
	}
	for _, left := range use.Args {
		switch {
		case left == v || len(left.Args) < 2:
		case left.Op == ir.OpIAdd && left.Args[0] == left.Args[1]:
			return v.Args[1].Bits == 63
		case !left.Args[1].IsConst():
		case left.Op == ir.OpShl && left.Args[1].Bits+v.Args[1].Bits == 64,
			left.Op == ir.OpIMul && left.Args[1].Bits == 1<<(64-v.Args[1].Bits):
			return true
		}
	}
	return false
}

// splitComparisons makes x < y and y < x of one function comparisons of different
// values, since NVIDIA's compiler fails where it makes one number of both.
func splitComparisons(f *ir.Func) {
	type order struct {
		signed bool
		x, y   *ir.Value
	}
	seen := map[order]bool{}
	for _, b := range f.Blocks {
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
				made := orZero(f, v.Args[0], v)
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
func splitMinima(f *ir.Func) {
	chosen := map[[2]*ir.Value]bool{}
	for _, b := range f.Blocks {
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
	for _, b := range f.Blocks {
		var out []*ir.Value
		for _, v := range b.Insts {
			if v.Op == ir.OpFLt || v.Op == ir.OpFLe {
				x, y := v.Args[0], v.Args[1]
				i := 0
				if x.IsConst() {
					i = 1
				}
				if chosen[[2]*ir.Value{x, y}] || chosen[[2]*ir.Value{y, x}] {
					made := bitsOrZero(f, v.Args[i], v)
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
func bitsOrZero(f *ir.Func, v, at *ir.Value) []*ir.Value {
	m := &maker{f: f, at: at}
	m.made = append(m.made, orZero(f, m.op(ir.OpBitcast, ir.TypeI32, v), at)...)
	m.op(ir.OpBitcast, ir.TypeF32, m.made[len(m.made)-1])
	return m.made
}

// numberFlags turns v, x == y or x != y of bools, into a comparison of numbers, and
// returns the values to stand before it: NVIDIA's compiler goes wrong over some exclusive
// ors of bools, as those of two comparisons of 64 bits.
func numberFlags(f *ir.Func, v *ir.Value) []*ir.Value {
	zero, one := f.Module.Int(ir.TypeI32, 0), f.Module.Int(ir.TypeI32, 1)
	m := &maker{f: f, at: v}
	x := m.op(ir.OpSelect, ir.TypeI32, v.Args[0], one, zero)
	x = m.op(ir.OpOr, ir.TypeI32, x, m.zeros(v.ID%zeroKinds))
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
func hideFlags(f *ir.Func) {
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
			hidden[phi] = m.op(ir.OpINe, ir.TypeBool, m.op(ir.OpOr, ir.TypeI32, x, m.zeros(phi.ID%zeroKinds)), zero)
			made = append(made, m.made...)
		}
		b.Insts = append(made, b.Insts...)
	}
	for _, b := range f.Blocks {
		for _, v := range b.Insts {
			for i, a := range v.Args {
				if h := hidden[a]; h != nil && !own[v] {
					v.Args[i] = h
				}
			}
		}
		if h := hidden[b.Term.Cond]; h != nil {
			b.Term.Cond = h
		}
	}
}

// otherZeros returns which zeros may stand in v: not those in what v is computed from,
// since (x|z)&y|z is x&y|z, and of a square those next to its lowest bit.
func otherZeros(v *ir.Value, zeros map[*ir.Value]int) int {
	z := v.ID % zeroKinds
	switch {
	case v.Op == ir.OpPhi:
		return z
	case v.Op == ir.OpIMul && v.Args[0] == v.Args[1]:
		return 1
	}
	taken := map[int]bool{}
	for _, a := range v.Args {
		for _, a := range append([]*ir.Value{a}, a.Args...) {
			if z, ok := zeros[a]; ok {
				taken[z] = true
			}
		}
	}
	for i := 0; i < zeroKinds && taken[z]; i++ {
		z = (z + 1) % zeroKinds
	}
	return z
}

// zeroKinds is how many different zeros there are.
const zeroKinds = 8

// zeros returns some bits of the launch block's zero, others for most values. Where x|z
// decides a branch and a driver knows x, it knows of these bits of z behind it that they
// are zero, and they would hide nothing more there. The sign is neverTrue's.
func (m *maker) zeros(kind int) *ir.Value {
	z := m.op(ir.OpArg, ir.TypeI32)
	z.Bits = abi.OffsetReserved
	bits := uint32(0x01010101<<kind) &^ (1 << 31)
	return m.op(ir.OpAnd, ir.TypeI32, z, m.f.Module.Const(ir.TypeI32, uint64(bits)))
}

// orZero returns v | z with zeros for z, and what that takes, to stand where at does.
func orZero(f *ir.Func, v, at *ir.Value) []*ir.Value { return orZeros(f, v, at, v.ID%zeroKinds) }

func orZeros(f *ir.Func, v, at *ir.Value, kind int) []*ir.Value {
	m := &maker{f: f, at: at}
	z := m.zeros(kind)
	if v.Type != ir.TypeI32 {
		z = m.op(ir.OpUConvert, v.Type, z)
	}
	m.op(ir.OpOr, v.Type, v, z)
	return m.made
}

// maskOrZero returns v, x & c, as x & (c|z), and what that takes: a driver that knows the
// mask computes one bit of x, whatever is done with it.
func maskOrZero(f *ir.Func, v *ir.Value) []*ir.Value {
	m := &maker{f: f, at: v}
	x, c := v.Args[0], v.Args[1]
	if x.IsConst() {
		x, c = c, x
	}
	z := m.op(ir.OpArg, ir.TypeI32)
	z.Bits = abi.OffsetReserved
	if v.Type != ir.TypeI32 {
		z = m.op(ir.OpUConvert, v.Type, z)
	}
	m.op(ir.OpAnd, v.Type, x, m.op(ir.OpOr, v.Type, c, z))
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
