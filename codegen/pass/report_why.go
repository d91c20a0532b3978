package pass

// This file finds the reason why a check was not proved, or why an integer was not narrowed.

import (
	"math"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/checks"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/numbers"
)

// Lack is a kind of fact that would be needed for a proof but is not known.
type Lack uint8

const (
	// LackSign means that A may be negative.
	LackSign Lack = iota
	// LackBound means that A may be larger than the constant B.
	LackBound
	// LackRelation means that no known fact relates A and B.
	LackRelation
	// LackMinimum means that B may be less than the constant Limit.
	LackMinimum
	// LackNonZero means that the divisor may be zero.
	LackNonZero
	// LackNonNil means that the pointer may be nil.
	LackNonNil
	// LackRange means that the value may not fit in 32 bits.
	LackRange
	// LackNarrow means that the value fits in 32 bits, but is computed from a 64-bit value.
	LackNarrow
)

// Reason describes why a check could not be proved, or why a value could not be narrowed.
type Reason struct {
	Lack   Lack
	Lo, Hi int64  // known bounds of A, or of the 64-bit value
	Limit  int64  // the constant B
	Source Source // origin of A, or of the 64-bit value
	Other  Source // origin of B
	// For LackSign, Both is set if A may also be larger than the constant Limit.
	Both bool
	// ItemAgainstLen is set if A is a work-item's id and B is a length. A comparison of the id with
	// the length in the kernel would prove the check.
	ItemAgainstLen bool
	// Grid is set if A is a row number times a row length, plus a column number.
	Grid bool
}

// Source is the origin of a value.
type Source struct {
	Text  string // description of the origin, which follows the value's name in messages
	Pos   ir.Pos // source position of the expression that Text describes, or none
	Param string // name of the kernel's argument, if the value is an argument or the length of an argument
	Len   bool   // whether the value is the length of the argument Param
}

// whyOpen returns the reason why the check at the end of block b could not be proved.
func whyOpen(d *checks.Decider, fault *ir.Value, b *ir.Block) Reason {
	site := fault.Aux.(*ir.Site)
	switch site.Kind {
	case abi.FaultDivide:
		v := comparedOperand(b.Term.Cond)
		p := d.Ranges.At(v, b)
		return Reason{Lack: LackNonZero, Lo: p.Lo, Hi: p.Hi, Source: sourceOf(d.Ranges, v)}
	case abi.FaultNil:
		return Reason{Lack: LackNonNil}
	}
	x, y := fault.Args[0], fault.Args[1]
	p, q := d.Ranges.At(x, b), d.Ranges.At(y, b)
	r := Reason{Lack: LackRelation, Lo: p.Lo, Hi: p.Hi, Source: sourceOf(d.Ranges, x), Other: sourceOf(d.Ranges, y)}
	zero := ir.Outside(x.Type, 0)
	if _, ok := d.Prover.Le(zero, x, 0, b); !ok && p.Lo < 0 {
		r.Lack = LackSign
		if q.Lo == q.Hi {
			r.Limit, r.Both = q.Lo, p.Hi > q.Lo || p.Hi == q.Lo && site.Kind == abi.FaultIndex
		}
		return r
	}
	if q.Lo == q.Hi {
		r.Lack, r.Limit = LackBound, q.Lo
		return r
	}
	if p.Lo == p.Hi {
		r.Lack, r.Limit = LackMinimum, p.Lo
		if site.Kind == abi.FaultIndex {
			r.Limit++
		}
		return r
	}
	base := d.Prover.Term(x).Base
	r.Grid = base != nil && isRowIndex(d, base)
	r.ItemAgainstLen = base != nil && isGlobalID(base) && d.Ranges.IsLength(d.Prover.Term(y).Base)
	return r
}

// isRowIndex reports whether v is i*w + j, where w is an extent of the launch's range.
func isRowIndex(d *checks.Decider, v *ir.Value) bool {
	if v.Op != ir.OpIAdd {
		return false
	}
	for _, m := range v.Args {
		if m.Op == ir.OpIMul && (facts.IsRangeArg(d.Prover.Term(m.Args[0]).Base) || facts.IsRangeArg(d.Prover.Term(m.Args[1]).Base)) {
			return true
		}
	}
	return false
}

func isGlobalID(v *ir.Value) bool {
	if v.Op != ir.OpBuiltIn {
		return false
	}
	b := v.Aux.(ir.BuiltIn)
	return b >= ir.GlobalInvocationIDX && b <= ir.GlobalInvocationIDZ
}

// comparedOperand returns the operand that the condition c compares with a constant.
func comparedOperand(c *ir.Value) *ir.Value {
	for c.Op == ir.OpLNot {
		c = c.Args[0]
	}
	if len(c.Args) == 2 && c.Args[0].IsConst() {
		return c.Args[1]
	}
	if len(c.Args) > 0 {
		return c.Args[0]
	}
	return c
}

// whyWide returns the reason why v could not be narrowed.
func whyWide(n *numbers.Narrower, v *ir.Value) Reason {
	p := n.Ranges.Value(v)
	r := Reason{Lack: LackRange, Lo: p.Lo, Hi: p.Hi, Source: sourceOf(n.Ranges, v)}
	if !p.Fits32() {
		return r
	}
	r.Lack = LackNarrow
	for _, x := range v.Args {
		if x.Type == ir.TypeI64 && !n.IsNarrow(x) {
			r.Source = sourceOf(n.Ranges, x)
			break
		}
	}
	return r
}

// sourceOf finds the value that makes the interval of v large, and describes
// it.
func sourceOf(a *facts.Ranges, v *ir.Value) Source {
	seen := map[*ir.Value]bool{}
	for {
		if seen[v] {
			return Source{Text: "changes in a loop", Pos: stepPos(v)}
		}
		seen[v] = true
		next := causeOf(a, v)
		if next == nil {
			return originOf(a, v)
		}
		v = next
	}
}

// causeOf returns the operand of v that makes the interval of v large. causeOf returns nil if v
// itself is the origin of the large interval.
func causeOf(a *facts.Ranges, v *ir.Value) *ir.Value {
	switch v.Op {
	case ir.OpUConvert, ir.OpSConvert:
		if v.Args[0].Type.IsInt() {
			return v.Args[0]
		}
	case ir.OpPhi, ir.OpSelect, ir.OpIAdd, ir.OpISub, ir.OpIMul, ir.OpShl, ir.OpSDiv, ir.OpUDiv, ir.OpShrA, ir.OpShrL, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpNot:
		args := v.Args
		switch v.Op {
		case ir.OpSelect:
			args = args[1:]
		case ir.OpPhi:
			if isLoopHead(a, v.Block) && isGrowing(v) {
				return nil
			}
		}
		var most *ir.Value
		for _, x := range args {
			if x.IsConst() || x == v || !x.Type.IsInt() {
				continue
			}
			if most == nil || width(a.Value(x)) > width(a.Value(most)) {
				most = x
			}
		}
		if most == nil {
			return nil
		}
		// If the operands are bounded and the result is not, the operation itself makes the
		// interval large.
		switch v.Op {
		case ir.OpIAdd, ir.OpISub, ir.OpIMul, ir.OpShl:
			if a.Value(v) == facts.FullRange(v.Type) && a.Value(most) != facts.FullRange(most.Type) {
				return nil
			}
		}
		return most
	}
	return nil
}

// isGrowing reports whether an argument of phi is phi plus or minus another value.
func isGrowing(phi *ir.Value) bool {
	for _, x := range phi.Args {
		if x.Op != ir.OpPhi && len(x.Args) == 2 && (x.Args[0] == phi || x.Args[1] == phi) {
			return true
		}
	}
	return false
}

func width(p facts.Interval) uint64 { return uint64(p.Hi) - uint64(p.Lo) }

// originOf describes v as the origin of a large interval.
func originOf(a *facts.Ranges, v *ir.Value) Source {
	switch v.Op {
	case ir.OpBuiltIn:
		switch b := v.Aux.(ir.BuiltIn); {
		case isGlobalID(v):
			return Source{Text: "is a work-item id, below the range of the launch"}
		case b >= ir.WorkgroupIDX && b <= ir.WorkgroupIDZ:
			return Source{Text: "is a work-group id"}
		case b == ir.SubgroupSize || b == ir.NumSubgroups || b == ir.SubgroupLocalRange:
			return Source{Text: "is a number of work-items"}
		}
		return Source{Text: "is an id within the work-group"}
	case ir.OpArg:
		return argument(a, v)
	case ir.OpConst:
		return Source{Text: "is a constant"}
	case ir.OpSpecConst:
		return Source{Text: "is a specialization constant"}
	case ir.OpPhi:
		if p := a.Value(v); p.Lo >= 0 && p.Hi < small {
			return Source{Text: "changes in a loop", Pos: stepPos(v)}
		}
		return Source{Text: "changes in a loop that does not bound it", Pos: stepPos(v)}
	}
	s := Source{Text: "is computed by " + v.Op.String(), Pos: v.Pos}
	switch v.Op {
	case ir.OpLoad:
		s.Text = "is read from an array"
		if r := v.Ref(); r.Var == nil {
			s.Text = "is read from device memory"
		} else if r.Var.Storage == ir.Workgroup {
			s.Text = "is read from work-group memory"
		}
	case ir.OpFToS, ir.OpFToU, ir.OpBitcast:
		s.Text = "is made of a float"
	case ir.OpIAdd, ir.OpISub, ir.OpIMul, ir.OpShl:
		s.Text = "may wrap around"
	default:
		if v.Op.Has(ir.FlagReads) {
			s.Text = "is what other work-items have a part in"
		}
	}
	return s
}

func argument(a *facts.Ranges, v *ir.Value) Source {
	if facts.IsRangeArg(v) {
		return Source{Text: "is the range of the launch"}
	}
	for _, p := range a.Module.Params {
		at := int(v.Bits) - abi.OffsetArgs - p.Offset
		switch {
		case p.Offset < 0 || at < 0 || at >= p.Size:
		case p.Kind == abi.Slice:
			return Source{Text: "may be as large as memory", Param: p.Name, Len: true}
		default:
			return Source{Text: "is set by the host at each launch", Param: p.Name}
		}
	}
	return Source{Text: "is set by the host at each launch"}
}

// Small reports whether the value is known to be at least 0 and less than the constant `small`.
func (r Reason) Small() bool { return r.Lo >= 0 && r.Hi < small }

const small = 1 << 20

// Unbounded reports whether no bounds of the 64-bit value are known.
func (r Reason) Unbounded() bool {
	return r.Lo < -facts.MaxLength && r.Hi >= math.MaxInt64-facts.MaxLength
}
