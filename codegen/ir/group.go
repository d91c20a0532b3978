package ir

// This file describes group operations, such as reductions and scans.

import (
	"math"
	"strings"
)

// Combine is the auxiliary data of a reduction or scan op. Combine names the group and the combining
// operation.
type Combine struct {
	Scope Scope
	By    Combiner
	// Alone is true if the code for a work-group op must not use sub-group operations.
	Alone bool
}

// Combiner is the operation by which a reduction or scan combines two values.
type Combiner uint8

// The combiners. The names of combiners for floats have the letter F, as in CombineFAdd, and the
// other combiners are for integers. CombineFMin and CombineFMax combine floats like Go's min and
// max.
const (
	CombineIAdd Combiner = iota
	CombineIMul
	CombineSMin
	CombineUMin
	CombineSMax
	CombineUMax
	CombineAnd
	CombineOr
	CombineXor
	CombineFAdd
	CombineFMul
	CombineFMin
	CombineFMax
	numCombiners
)

var combinerNames = [numCombiners]string{"IAdd", "IMul", "SMin", "UMin", "SMax", "UMax", "And", "Or", "Xor", "FAdd", "FMul", "FMin", "FMax"}

// String returns the combiner's name.
func (c Combiner) String() string { return combinerNames[c] }

func combiners() []Combiner {
	var all []Combiner
	for c := range numCombiners {
		all = append(all, c)
	}
	return all
}

// Float reports whether the combiner is for floats.
func (c Combiner) Float() bool { return c >= CombineFAdd }

// GroupScope returns the group (work-group or sub-group) whose work-items must all reach Sync op v.
func (v *Value) GroupScope() Scope {
	switch a := v.Aux.(type) {
	case Scope:
		return a
	case Combine:
		return a.Scope
	case *Tile, *Product:
		return ScopeSubGroup
	}
	return ScopeWorkGroup
}

// LegalGroupOp reports whether v is a group op that SPIR-V supports. SPIR-V supports only group ops
// on sub-groups, with values that are 32-bit words or bools.
func (v *Value) LegalGroupOp() bool {
	bools := strings.HasSuffix(v.Op.Info().Sig, ":b")
	return v.IsGroupOp() && !v.Op.Has(FlagBuilt) && v.GroupScope() == ScopeSubGroup && (v.Type == TypeI32 || bools)
}

// IsGroupOp reports whether the value is a group op with arguments.
func (v *Value) IsGroupOp() bool { return v.Op.Has(FlagGroup) }

// Neutral returns the neutral value for argument i of a group op. Invocations that have returned
// contribute the neutral value, which does not change the op's result.
func (v *Value) Neutral(m *Module, i int) *Value {
	switch k := v.Op.Info().Neutral; {
	case k == NeutralSecond:
		return v.Args[1]
	case k == NeutralTrue && i == 0:
		return m.Bool(true)
	case i == v.Op.wordArg():
		return v.Args[i]
	}
	return m.Const(v.Args[i].Type, 0)
}

// wordArg returns the index of the op's argument that selects a 32-bit word of the result, or -1.
func (o Op) wordArg() int { return strings.IndexByte(opInfos[o].Sig, 'k') }

// Word returns the index of the 32-bit word that a group op returns. manyWords reports whether the
// op's complete result consists of several 32-bit words. For example, the result of a ballot
// consists of several words, because a ballot has one bit per invocation.
func (v *Value) Word() (n uint64, manyWords bool) {
	i := v.Op.wordArg()
	if i < 0 {
		return 0, false
	}
	return v.Args[i].Bits, true
}

// Inputs returns the arguments of a group op that may differ between invocations.
func (v *Value) Inputs() []*Value {
	if v.Op.Info().Neutral == NeutralSecond {
		return v.Args[:1]
	}
	if i := v.Op.wordArg(); i >= 0 {
		return v.Args[:i] // the last argument is the index of a 32-bit word
	}
	return v.Args
}

// Combine applies the combiner to two values of type t. The arguments x and y and the result of
// Combine are the bits of values of type t.
func (c Combiner) Combine(t *Type, x, y uint64) uint64 {
	shift := 64 - t.Bits()
	signed := func(x uint64) int64 { return int64(x<<shift) >> shift }
	if c.Float() {
		a, b := FloatValue(t, x), FloatValue(t, y)
		switch {
		case c == CombineFMin:
			return FloatBits(t, min(a, b))
		case c == CombineFMax:
			return FloatBits(t, max(a, b))
		case t == TypeF32 && c == CombineFAdd:
			return uint64(math.Float32bits(float32(a) + float32(b)))
		case t == TypeF32:
			return uint64(math.Float32bits(float32(a) * float32(b)))
		case c == CombineFAdd:
			return FloatBits(t, a+b)
		}
		return FloatBits(t, a*b)
	}
	r := x
	switch c {
	case CombineIAdd:
		r = x + y
	case CombineIMul:
		r = x * y
	case CombineSMin:
		r = uint64(min(signed(x), signed(y)))
	case CombineSMax:
		r = uint64(max(signed(x), signed(y)))
	case CombineUMin:
		r = min(x, y)
	case CombineUMax:
		r = max(x, y)
	case CombineAnd:
		r = x & y
	case CombineOr:
		r = x | y
	case CombineXor:
		r = x ^ y
	}
	return r << shift >> shift
}
