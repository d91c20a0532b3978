package quirks

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// This file contains the quirks of lavapipe, Mesa's driver for CPUs, and the workarounds for
// lavapipe that rewrite single operations. Lavapipe runs the work-items of a sub-group as lanes of
// vectors. LLVM compiles the output of Mesa's NIR passes.

// mesa22 is the version of Mesa, from Debian 12, with which the bugs were found.
const mesa22 = "Mesa 22.3.6"

func lavapipeQuirks() []Quirk {
	return []Quirk{
		{
			Name: "float-zero", Driver: Lavapipe, Seen: mesa22,
			Bug:  "x*0 is folded to 0 and x+0 to x, whatever NoContraction and SignedZeroInfNanPreserve say.",
			Case: []string{"internal/tests/difftest/corpus.FloatOpsFloat32", "internal/tests/difftest/corpus.FloatOpsFloat64"},
			Inst: hideZeros,
		},
		{
			Name: "known-float", Driver: Lavapipe, Seen: mesa22,
			Bug:   "Once a loop is unrolled, operands of floats become constants: then x*0 and 0/x are folded to 0, x+0 to x, and x/0 to something undefined, with which whole stores vanish.",
			Case:  []string{"internal/tests/difftest/corpus.ZeroDivisors", "internal/tests/smith/testdata/zero_private.go"},
			After: hideLiterals,
		},
		{
			Name: "store-index", Driver: Lavapipe, Seen: mesa22,
			Bug:  "A phi that only the index of a store into a private array reads may share a register with its next value: s[j], s[j-1] = s[j-1], s[j] goes astray.",
			Case: []string{"internal/tests/difftest/golang.SwapLoops", "internal/tests/difftest/words.Insertion"},
			Inst: MaskPhis,
		},
		{
			Name: "round-double", Driver: Lavapipe, Seen: mesa22,
			Bug:  "On processors without AVX-512 Trunc and RoundEven of float64s go through 32-bit integers: -0 becomes 0, 1.5 is rounded to 1, and what lies above 1<<24 keeps its fraction.",
			Case: []string{"internal/tests/difftest/corpus.MathFuncs", "internal/tests/difftest/idioms.Floats64"},
			Inst: roundDoubles,
		},
		{
			Name: "loop-values", Driver: Lavapipe, Seen: mesa22,
			Bug:   "Lanes that have left a loop keep only what is written to registers for phis; what else the loop computes is what it was in the last round of all lanes. SwiftShader does so as well.",
			Case:  []string{"internal/tests/smith/testdata/outlive.go", "internal/tests/smith/testdata/left_search.go", "internal/tests/smith/testdata/left_again.go"},
			Where: "codegen/pass/quirks/loopvalues.go:routeThroughHeader",
		},
		{
			Name: "idle-lanes", Driver: Lavapipe, Seen: mesa22,
			Bug:   "Lanes that fill up a work-group's last sub-group, but are no work-items, take part in branches and barriers by values that are zero there.",
			Case:  []string{"internal/tests/difftest/groups.Choices"},
			Where: "codegen/pass/lanes/partial.go:Partial",
		},
		{
			Name: "returns-in-loops", Driver: Lavapipe, Seen: mesa22, Fixed: true,
			Bug:   "A return out of several loops at once leaves some lanes in one of them.",
			Case:  []string{"internal/tests/smith/testdata/returns_nested.go"},
			Where: "codegen/pass/structurize/exit.go:leaveByBreak",
		},
		{
			Name: "nested-ifs", Driver: Lavapipe, Seen: mesa22, Fixed: true,
			Bug:   "Ifs nest 80 deep at most, and a return nests what follows it.",
			Case:  []string{"internal/tests/smith/testdata/many_returns.go"},
			Where: "codegen/pass/structurize/exit.go:maxReturns",
		},
		{
			Name: "exits-of-loops", Driver: Lavapipe, Seen: mesa22, Fixed: true,
			Bug:   "Where a branch of a loop ends in a fault on one side and leaves the loop on the other, the values behind the loop may be lost, depending on which side is nested.",
			Case:  []string{"internal/tests/smith/testdata/loop_fault.go"},
			Where: "codegen/pass/structurize/tree.go:branch",
		},
		{
			Name: "rows-of-groups", Driver: Lavapipe, Seen: mesa22, Fixed: true,
			Bug:   "A work-group of several dimensions is cut into sub-groups row by row.",
			Case:  []string{"internal/tests/smith/testdata/groups/rows.go"},
			Where: "codegen/spirv/emit/emit.go:localSize",
		},
		{
			Name: "barriers-in-helpers", Driver: Lavapipe, Seen: mesa22, Fixed: true,
			Bug:   "Loops with memory barriers in them are compiled wrongly.",
			Case:  []string{"internal/tests/difftest/words.Bytes"},
			Where: "codegen/spirv/emit/atomic.go:atomicSemantics",
		},
		{
			Name: "ordering-atomics", Driver: Lavapipe, Seen: mesa22, Fixed: true,
			Bug:   "An atomic operation that orders memory is taken for a control barrier.",
			Case:  []string{"runtime/internal/adapt/relax_test.go:TestRelax"},
			Where: "runtime/internal/adapt/relax.go:Relax",
		},
		{
			Name: "sign-extension", Driver: Lavapipe, Seen: mesa22, Fixed: true,
			Bug:   "The comparison of OpSConvert's result, of 64 bits, with a constant is wrong. Simplify compares such numbers in 32 bits, so no test kernel shows it any more.",
			Case:  []string{"internal/tests/difftest/corpus.ConvertInt32"},
			Where: "codegen/spirv/emit/arith.go:signExtend",
		},
		{
			Name: "partial-sub-group", Driver: Lavapipe, Seen: mesa22, Fixed: true,
			Bug:   "NumSubgroups leaves out a sub-group that is not full.",
			Case:  []string{"internal/tests/difftest/corpus.GroupVotes"},
			Where: "codegen/lower/items.go:subGroups",
		},
		{
			Name: "ended-loops", Driver: Lavapipe, Seen: mesa22, Fixed: true,
			Bug:   "After 65,535 rounds of all its loops together, the lanes of a sub-group leave the loops that they are in, and go on.",
			Case:  []string{"internal/tests/difftest/rounds/rounds_test.go:TestRounds"},
			Where: "runtime/internal/adapt/rounds.go:RecordRounds",
		},
		{
			Name: "large-zeros", Driver: Lavapipe, Seen: mesa22, Fixed: true,
			Bug:   "One store of zeros to a large private array takes half a minute to compile for a thousand elements.",
			Case:  []string{"internal/tests/difftest/corpus.LargeStructs"},
			Where: "codegen/pass/lanes/zeroprivate.go:zeroPrivate",
		},
		{
			Name: "large-copies", Driver: Lavapipe, Seen: mesa22, Fixed: true,
			Bug:   "Short inner loops are unrolled, and most stores become a block or two for each lane: a copy of a [32][32]byte by nested loops takes minutes to compile.",
			Case:  []string{"internal/tests/difftest/corpus.CopyArrays"},
			Where: "codegen/lower/copy.go:eachScalar",
		},
		{
			Name: "many-faults", Driver: Lavapipe, Seen: mesa22, Fixed: true,
			Bug:   "Each call of the helper that records a fault is inlined, which takes some 50 ms.",
			Case:  []string{"internal/tests/difftest/corpus.Faulty"},
			Where: "codegen/pass/lanes/faults.go:lateFaults",
		},
		{
			Name: "private-memory", Driver: Lavapipe, Seen: mesa22, Fixed: true,
			Bug:   "A private array of 2 MiB ends the process.",
			Case:  []string{"internal/tests/difftest/corpus.LargeStructs"},
			Where: "codegen/lower/cell.go:maxVar",
		},
	}
}

// hideZeros replaces the float constants 0 and -0 among v's operands by zeros that the driver
// cannot know. hideZeros changes v only if v is float arithmetic or a selection.
func hideZeros(h *hider, v *ir.Value) []*ir.Value {
	switch v.Op {
	case ir.OpFAdd, ir.OpFSub, ir.OpFMul, ir.OpFDiv, ir.OpFma, ir.OpFmaOnce, ir.OpSelect:
	default:
		return nil
	}
	m := &rewrite.Maker{Func: h.f, At: v}
	for i, a := range v.Args {
		if isFloatZero(a) {
			v.Args[i] = m.FloatZero(a)
		}
	}
	return m.Made
}

// isFloatZero reports whether v is the constant 0 or -0.
func isFloatZero(v *ir.Value) bool {
	return v.IsConst() && v.Type.IsFloat() && v.Bits<<(64-v.Type.Bits()+1) == 0
}

// roundDoubles replaces v by operations that the driver computes correctly, if v rounds a float64
// toward zero or to even. The replacement rounds the magnitude of the float64 and restores its
// sign:
//
//	trunc(x) becomes copysign(floor(abs(x)), x).
//	even(x) becomes copysign(y, x). Let a be abs(x).
//	If a < 1<<52, y is (a + 1<<52) - 1<<52. Otherwise, y is a.
//
// A float64 of at least 1<<52 has no fraction, so the sum a + 1<<52 is rounded to an integer, with
// ties to even.
func roundDoubles(h *hider, v *ir.Value) []*ir.Value {
	t := ir.TypeF64
	if v.Type != t || v.Op != ir.OpFTrunc && v.Op != ir.OpFRoundEven {
		return nil
	}
	m, x := &rewrite.Maker{Func: h.f, At: v}, v.Args[0]
	magnitude := m.Op(ir.OpFAbs, t, x)
	if v.Op == ir.OpFTrunc {
		magnitude = m.Op(ir.OpFFloor, t, magnitude)
	} else {
		whole := h.f.Module.Const(t, ir.FloatBits(t, 1<<52))
		sum := m.Op(ir.OpFSub, t, m.Op(ir.OpFAdd, t, magnitude, whole), whole)
		magnitude = m.Op(ir.OpSelect, t, m.Op(ir.OpFLt, ir.TypeBool, magnitude, whole), sum, magnitude)
	}
	bits := func(f *ir.Value) *ir.Value { return m.Op(ir.OpBitcast, ir.TypeI64, f) }
	sign := m.Op(ir.OpAnd, ir.TypeI64, bits(x), h.f.Module.Const(ir.TypeI64, 1<<63))
	v.Op, v.Args = ir.OpBitcast, []*ir.Value{m.Op(ir.OpOr, ir.TypeI64, bits(magnitude), sign)}
	return m.Made
}

// MaskPhis replaces phis that are indices of a store into a private array. The replacement is the
// phi without its sign bit, which is never set in an index.
//
//	s[j & 0x7fffffff] = x     instead of s[j] = x
func MaskPhis(h *hider, v *ir.Value) []*ir.Value {
	if v.Op != ir.OpStore {
		return nil
	}
	ref, ok := v.Aux.(*ir.Ref)
	if !ok || ref.Var == nil || ref.Var.Storage == ir.Workgroup {
		return nil
	}
	m := &rewrite.Maker{Func: h.f, At: v}
	for i, a := range v.Args[1:] {
		if a.Op == ir.OpPhi && a.Type == ir.TypeI32 {
			v.Args[1+i] = m.Op(ir.OpAnd, ir.TypeI32, a, h.f.Module.Int(ir.TypeI32, 1<<31-1))
		}
	}
	return m.Made
}

// hideLiterals hides an operand of float arithmetic if the driver could recognize the operand as a
// constant. A driver could recognize a constant after unrolling a loop, or by a kind of folding
// that kgen does not do. For example:
//
//	for j := range 3 {
//		x /= float32(bits(float32(j)) | zero)     instead of x /= float32(j).
//	}
//
// hideLiterals hides the initial constants of phis, and values that depend only on constants and
// loop counters. A phi does not change if it is used only by selections and by stores to memory
// that is not private.
func hideLiterals(h *hider) {
	used := usedFloats(h.f)
	h.eachIncoming(func(p, a *ir.Value) bool { return a.IsConst() && isHideable(a.Type) && used[p] })
	h.rewriteInsts(func(v *ir.Value) {
		switch v.Op {
		case ir.OpFAdd, ir.OpFSub, ir.OpFMul, ir.OpFDiv, ir.OpFma, ir.OpFmaOnce:
			for i, a := range v.Args {
				if !a.IsConst() && isHideable(a.Type) && h.isLiteral(a, v.Op == ir.OpFDiv) {
					v.Args[i] = h.hideFloat(a, v)
				}
			}
		}
	})
}

// usedFloats returns the floats that are used by arithmetic or stored to private memory, directly
// or through phis and selections.
func usedFloats(f *ir.Func) map[*ir.Value]bool {
	used := map[*ir.Value]bool{}
	for changed := true; changed; {
		changed = false
		mark := func(a *ir.Value) {
			if isHideable(a.Type) && !used[a] {
				used[a], changed = true, true
			}
		}
		for _, b := range f.Blocks {
			for _, p := range b.Phis {
				if used[p] {
					for _, a := range p.Args {
						mark(a)
					}
				}
			}
			for _, v := range b.Insts {
				ref := v.Ref()
				if v.Op == ir.OpStore && (ref.Var == nil || ref.Var.Storage == ir.Workgroup) || v.Op == ir.OpSelect && !used[v] {
					continue
				}
				for _, a := range v.Args {
					mark(a)
				}
			}
		}
	}
	return used
}

// literalKey is the key of a cached result of isLiteral. The key consists of the arguments of
// isLiteral.
type literalKey struct {
	v            *ir.Value
	throughLoads bool
}

// isLiteral reports whether a driver may find that v is a constant. Values computed from arguments
// or from loads of device memory are not constants. If throughLoads is not set, a load from private
// memory does not count as a constant. Blocked algorithms have many loads from private memory.
func (h *hider) isLiteral(v *ir.Value, throughLoads bool) bool {
	if v.IsConst() || v.IsConstExpr() {
		return true
	}
	k := literalKey{v, throughLoads}
	if may, ok := h.knownLiterals[k]; ok {
		return may
	}
	is := func(x *ir.Value) bool { return h.isLiteral(x, throughLoads) }
	all := func() bool { return !slices.ContainsFunc(v.Args, func(x *ir.Value) bool { return !is(x) }) }
	h.knownLiterals[k] = v.Op == ir.OpPhi && slices.ContainsFunc(v.Args, (*ir.Value).IsConst)
	may := h.knownLiterals[k]
	switch v.Op {
	case ir.OpArg, ir.OpBuiltIn:
	case ir.OpLoad:
		ref := v.Ref()
		may = throughLoads && (ref == nil || ref.Var != nil && ref.Var.Storage != ir.Workgroup)
	case ir.OpSToF, ir.OpUToF: // throughLoads is true for conversions, because blocked algorithms do not convert integers from private memory
		may = h.isLiteral(v.Args[0], true)
	case ir.OpPhi:
		may = may || slices.ContainsFunc(v.Args, is)
	case ir.OpFMul, ir.OpIMul, ir.OpAnd, ir.OpShl, ir.OpShrL, ir.OpShrA:
		// One constant factor can make a product constant, because a zero factor makes the product
		// zero. An operand of v that is already constant is not zero, because kgen would have
		// folded a product with zero.
		may = all() || slices.ContainsFunc(v.Args, func(x *ir.Value) bool { return !x.IsConst() && is(x) })
	case ir.OpISub, ir.OpXor:
		may = all() || v.Args[0] == v.Args[1]
	case ir.OpFDiv:
		may = is(v.Args[0])
	case ir.OpFma, ir.OpFmaOnce:
		may = is(v.Args[2]) && (is(v.Args[0]) || is(v.Args[1]))
	case ir.OpSelect:
		may = is(v.Args[1]) && is(v.Args[2]) || is(v.Args[0]) && (is(v.Args[1]) || is(v.Args[2]))
	default:
		may = v.Op.Has(ir.FlagPure) && all()
	}
	h.knownLiterals[k] = may
	return may
}
