package simplify

// This file has the simplifier's rules for integers and bools. Most rules simplify the 64-bit
// computations and the checks of indices.

import (
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

func (s *Simplifier) arith(v *ir.Value) *ir.Value {
	x, y := v.Args[0], v.Args[1]
	t := v.Type
	switch v.Op {
	case ir.OpIAdd:
		switch {
		case facts.IsZero(y):
			return x
		case y.IsConst() && x.Op == ir.OpIAdd && x.Args[1].IsConst():
			return s.setOp(v, ir.OpIAdd, x.Args[0], s.Module.Const(t, x.Args[1].Bits+y.Bits))
		case x.Op == ir.OpISub && x.Args[1] == y: // (a-y)+y
			return x.Args[0]
		case y.Op == ir.OpISub && y.Args[1] == x: // x+(a-x)
			return y.Args[0]
		case facts.IsNegation(y):
			return s.setOp(v, ir.OpISub, x, y.Args[1])
		case facts.IsNegation(x):
			return s.setOp(v, ir.OpISub, y, x.Args[1])
		}
	case ir.OpISub:
		switch {
		case x == y:
			return s.Module.Const(t, 0)
		case facts.IsNegation(y):
			return s.setOp(v, ir.OpIAdd, x, y.Args[1])
		case facts.IsZero(x) && y.Op == ir.OpISub: // -(a-b)
			return s.setOp(v, ir.OpISub, y.Args[1], y.Args[0])
		case s.Func != nil && facts.IsNegation(x) && !y.IsConst(): // -a-b
			m := &rewrite.Maker{Func: s.Func, At: v}
			sum := m.Op(ir.OpIAdd, t, x.Args[1], y)
			s.madeValues = append(s.madeValues, m.Made...)
			return s.setOp(v, ir.OpISub, s.Module.Const(t, 0), sum)
		case y.IsConst():
			return s.setOp(v, ir.OpIAdd, x, s.Module.Const(t, -y.Bits))
		case x.Op == ir.OpIAdd && x.Args[1] == y: // (a+y)-y
			return x.Args[0]
		case x.Op == ir.OpIAdd && x.Args[0] == y:
			return x.Args[1]
		}
		if a, c := addendOf(x); !x.IsConst() {
			if b, d := addendOf(y); a == b {
				return s.Module.Const(t, c-d)
			}
		}
	case ir.OpIMul:
		switch {
		case facts.IsZero(y):
			return y
		case facts.IsOne(y):
			return x
		case y.IsConst() && x.Op == ir.OpIMul && x.Args[1].IsConst():
			return s.setOp(v, ir.OpIMul, x.Args[0], s.Module.Const(t, x.Args[1].Bits*y.Bits))
		case y.IsConst() && facts.IsNegation(x):
			return s.setOp(v, ir.OpIMul, x.Args[1], s.Module.Const(t, -y.Bits))
		case y.IsConst() && x.Op == ir.OpShrL && x.Args[1].IsConst() && y.Bits == 1<<x.Args[1].Bits: // x>>4*16 is x&^15
			return s.setOp(v, ir.OpAnd, x.Args[0], s.Module.Const(t, -y.Bits))
		case s.Func != nil && y.IsConst() && x.Op == ir.OpIAdd && x.Args[1].IsConst():
			// 3*(i+1) becomes 3*i + 3, a form in which index computations can be compared with each
			// other.
			m := &rewrite.Maker{Func: s.Func, At: v}
			product := m.Op(ir.OpIMul, t, x.Args[0], y)
			s.madeValues = append(s.madeValues, m.Made...)
			return s.setOp(v, ir.OpIAdd, product, s.Module.Const(t, x.Args[1].Bits*y.Bits))
		}
	case ir.OpSDiv:
		if facts.IsOne(y) {
			return x
		}
	case ir.OpUDiv:
		if facts.IsOne(y) {
			return x
		}
		if k, ok := facts.Log2(y); ok {
			return s.setOp(v, ir.OpShrL, x, s.Module.Int(t, k))
		}
	case ir.OpUMod:
		if _, ok := facts.Log2(y); ok {
			return s.setOp(v, ir.OpAnd, x, s.Module.Const(t, y.Bits-1))
		}
	}
	return nil
}

func (s *Simplifier) bits(v *ir.Value) *ir.Value {
	x := v.Args[0]
	t := v.Type
	if v.Op == ir.OpNot {
		if x.Op == ir.OpNot {
			return x.Args[0]
		}
		return nil
	}
	y := v.Args[1]
	if op := v.Op; op == ir.OpAnd || op == ir.OpOr || op == ir.OpXor {
		if y.IsConst() && x.Op == op && x.Args[1].IsConst() {
			c := x.Args[1].Bits
			switch op {
			case ir.OpAnd:
				c &= y.Bits
			case ir.OpOr:
				c |= y.Bits
			default:
				c ^= y.Bits
			}
			return s.setOp(v, op, x.Args[0], s.Module.Const(t, c))
		}
	}
	switch v.Op {
	case ir.OpAnd:
		switch {
		case x == y || facts.IsOnes(y):
			return x
		case facts.IsZero(y):
			return y
		case y.IsConst():
			return s.simplifyMask(v, x, y)
		}
	case ir.OpOr:
		switch {
		case x == y || facts.IsZero(y):
			return x
		case facts.IsOnes(y):
			return y
		}
	case ir.OpXor:
		switch {
		case x == y:
			return s.Module.Const(t, 0)
		case facts.IsZero(y):
			return x
		case facts.IsOnes(y):
			return s.setOp(v, ir.OpNot, x)
		}
	case ir.OpShl, ir.OpShrL, ir.OpShrA:
		if facts.IsZero(y) || facts.IsZero(x) {
			return x
		}
		if v.Op == ir.OpShrA && facts.IsOnes(x) {
			return x
		}
		if y.IsConst() && x.Op == v.Op && x.Args[1].IsConst() {
			w := uint64(t.Bits())
			n, k := y.Bits, x.Args[1].Bits
			if n >= w || k >= w {
				return nil // a shift by such a large count is never executed
			}
			switch n += k; {
			case n < w:
			case v.Op == ir.OpShrA:
				n = w - 1
			default:
				return s.Module.Const(t, 0)
			}
			return s.setOp(v, v.Op, x.Args[0], s.Module.Const(t, n))
		}
	}
	return nil
}

// simplifyMask simplifies v, which is x & c for a constant c.
func (s *Simplifier) simplifyMask(v, x, c *ir.Value) *ir.Value {
	switch {
	case facts.Possible(x)&^c.Bits == 0:
		return x
	case x.Op == ir.OpSConvert && x.Args[0].Type.Bits() < x.Type.Bits() && c.Bits == facts.Mask(x.Args[0].Type):
		return s.setOp(v, ir.OpUConvert, x.Args[0])
	case x.Op == ir.OpOr || x.Op == ir.OpXor: // the mask may clear all bits of an operand
		for i, a := range x.Args {
			if facts.Possible(a)&c.Bits == 0 {
				return s.setOp(v, ir.OpAnd, x.Args[1-i], c)
			}
		}
	}
	return nil
}

// notAbove reports whether v is known to be at most x as an unsigned integer. notAbove considers
// only the op that computes v from x.
func notAbove(v, x *ir.Value) bool {
	switch v.Op {
	case ir.OpAnd:
		return v.Args[0] == x || v.Args[1] == x
	case ir.OpShrL, ir.OpUDiv, ir.OpUMod:
		return v.Args[0] == x
	}
	return false
}

// addendOf returns a value a and a constant c, possibly 0, whose sum is v.
func addendOf(v *ir.Value) (a *ir.Value, c uint64) {
	if v.Op == ir.OpIAdd && v.Args[1].IsConst() {
		return v.Args[0], v.Args[1].Bits
	}
	return v, 0
}

// compareInts simplifies comparisons of integers. compareInts also narrows comparisons of extended
// integers, because index checks compare extended integers.
func (s *Simplifier) compareInts(v *ir.Value) *ir.Value {
	x, y := v.Args[0], v.Args[1]
	if x == y {
		return s.Module.Bool(v.Op == ir.OpIEq || v.Op == ir.OpSLe || v.Op == ir.OpULe)
	}
	switch v.Op {
	case ir.OpULt:
		if facts.IsZero(y) || facts.IsOnes(x) {
			return s.Module.Bool(false)
		}
		if facts.IsOne(y) {
			return s.setOp(v, ir.OpIEq, x, s.Module.Const(y.Type, 0))
		}
		if facts.IsZero(x) {
			return s.setOp(v, ir.OpINe, y, x)
		}
		if notAbove(y, x) {
			return s.Module.Bool(false)
		}
	case ir.OpULe:
		if facts.IsZero(x) || facts.IsOnes(y) || notAbove(x, y) {
			return s.Module.Bool(true)
		}
		if facts.IsZero(y) {
			return s.setOp(v, ir.OpIEq, x, y)
		}
	case ir.OpIEq, ir.OpINe:
		if a, c := addendOf(x); !x.IsConst() {
			if b, d := addendOf(y); a == b {
				return s.Module.Bool((c-d)&facts.Mask(x.Type) == 0 == (v.Op == ir.OpIEq))
			}
		}
		if y.IsConst() && (facts.Certain(x)&^y.Bits != 0 || y.Bits&^facts.Possible(x) != 0) {
			return s.Module.Bool(v.Op == ir.OpINe)
		}
		if y.IsConst() && x.Op == ir.OpIAdd && x.Args[1].IsConst() {
			return s.setOp(v, v.Op, x.Args[0], s.Module.Const(y.Type, y.Bits-x.Args[1].Bits))
		}
		// Both a-b == 0 and a^b == 0 become a == b, for example in a test of a remainder. The same
		// holds for !=.
		if facts.IsZero(y) && (x.Op == ir.OpISub || x.Op == ir.OpXor) {
			return s.setOp(v, v.Op, x.Args[0], x.Args[1])
		}
		if y.IsConst() && x.Op == ir.OpXor && x.Args[1].IsConst() {
			return s.setOp(v, v.Op, x.Args[0], s.Module.Const(y.Type, y.Bits^x.Args[1].Bits))
		}
		// If a constant is compared with a selection between two constants, the result is a
		// selection between two bools.
		if y.IsConst() && x.Op == ir.OpSelect && x.Args[1].IsConst() && x.Args[2].IsConst() {
			yes, no := x.Args[1] == y, x.Args[2] == y
			if v.Op == ir.OpINe {
				yes, no = !yes, !no
			}
			return s.setOp(v, ir.OpSelect, x.Args[0], s.Module.Bool(yes), s.Module.Bool(no))
		}
	}
	return s.narrowCompare(v)
}

// extensionOf returns the value that v extends to a wider type. extensionOf also reports whether v
// is a sign extension.
func extensionOf(v *ir.Value) (from *ir.Value, signed, ok bool) {
	if v.Op != ir.OpSConvert && v.Op != ir.OpUConvert {
		return nil, false, false
	}
	from = v.Args[0]
	return from, v.Op == ir.OpSConvert, from.Type.Bits() < v.Type.Bits()
}

// narrowCompare replaces a comparison of extended integers by a comparison of the original
// integers. Both kinds of extension preserve the unsigned order, and sign extension also preserves
// the signed order. For zero-extended integers, the signed order equals the unsigned order.
func (s *Simplifier) narrowCompare(v *ir.Value) *ir.Value {
	x, y := v.Args[0], v.Args[1]
	a, sx, okx := extensionOf(x)
	b, sy, oky := extensionOf(y)
	if !okx && !oky {
		return nil
	}
	var t *ir.Type
	signed := sx
	if okx {
		t = a.Type
	} else {
		t, signed = b.Type, sy
	}
	if t.Bits() < 32 {
		return nil // the IR has no arithmetic on 8-bit and 16-bit integers
	}
	op := v.Op
	if !signed {
		switch op {
		case ir.OpSLt:
			op = ir.OpULt
		case ir.OpSLe:
			op = ir.OpULe
		}
	}
	// truncated() returns c as a constant of the narrow type t, or nil if c is out of the range of
	// t.
	truncated := func(c *ir.Value) *ir.Value {
		n := s.Module.Const(t, c.Bits)
		if signed && s.Module.Int(c.Type, n.Int()) == c || !signed && n.Bits == c.Bits {
			return n
		}
		return nil
	}
	switch {
	case okx && oky && a.Type == b.Type && sx == sy:
		return s.setOp(v, op, a, b)
	case okx && y.IsConst():
		if n := truncated(y); n != nil {
			return s.setOp(v, op, a, n)
		}
	case oky && x.IsConst():
		if n := truncated(x); n != nil {
			return s.setOp(v, op, n, b)
		}
	default:
		return nil
	}
	return s.outOfRange(v, t, signed, okx)
}

// outOfRange folds v, which compares a constant with an integer that was extended from type t. The
// constant is out of the range of t. The flag "left" is set if the extended integer is the first
// operand.
func (s *Simplifier) outOfRange(v *ir.Value, t *ir.Type, signed, left bool) *ir.Value {
	c := v.Args[1]
	if !left {
		c = v.Args[0]
	}
	switch v.Op {
	case ir.OpIEq:
		return s.Module.Bool(false)
	case ir.OpINe:
		return s.Module.Bool(true)
	case ir.OpSLt, ir.OpSLe:
		// The constant is greater than every extended integer, or less than every extended integer.
		above := c.Int() > 0
		return s.Module.Bool(above == left)
	}
	if !signed {
		return s.Module.Bool(left) // the constant is greater than all zero-extended integers
	}
	// In unsigned order, the constant is between the extensions of non-negative integers and the
	// extensions of negative integers. So the comparison with the constant tests only the sign of
	// the extended integer.
	zero := s.Module.Const(t, 0)
	a := v.Args[0]
	if !left {
		return s.setOp(v, ir.OpSLt, v.Args[1].Args[0], zero)
	}
	return s.setOp(v, ir.OpSLe, zero, a.Args[0])
}

func (s *Simplifier) logic(v *ir.Value) *ir.Value {
	x := v.Args[0]
	if v.Op == ir.OpLNot {
		return s.negateCompare(v, x)
	}
	y := v.Args[1]
	switch v.Op {
	case ir.OpLAnd:
		switch {
		case x == y || facts.IsOne(y):
			return x
		case facts.IsZero(y):
			return y
		case complements(x, y):
			return s.Module.Bool(false)
		}
	case ir.OpLOr:
		switch {
		case x == y || facts.IsZero(y):
			return x
		case facts.IsOne(y):
			return y
		case complements(x, y):
			return s.Module.Bool(true)
		}
	case ir.OpLEq:
		switch {
		case x == y:
			return s.Module.Bool(true)
		case facts.IsOne(y):
			return x
		case facts.IsZero(y):
			return s.setOp(v, ir.OpLNot, x)
		}
	case ir.OpLNe:
		switch {
		case x == y:
			return s.Module.Bool(false)
		case facts.IsZero(y):
			return x
		case facts.IsOne(y):
			return s.setOp(v, ir.OpLNot, x)
		}
	}
	return nil
}

func complements(x, y *ir.Value) bool {
	return x.Op == ir.OpLNot && x.Args[0] == y || y.Op == ir.OpLNot && y.Args[0] == x
}

// negateCompare replaces the negation v of the comparison x by the opposite comparison. The
// ordered float comparisons FLt and FLe have no opposite op, because the opposite must be true if
// an operand is NaN.
func (s *Simplifier) negateCompare(v, x *ir.Value) *ir.Value {
	switch x.Op {
	case ir.OpLNot:
		return x.Args[0]
	case ir.OpIEq:
		return s.setOp(v, ir.OpINe, x.Args[0], x.Args[1])
	case ir.OpINe:
		return s.setOp(v, ir.OpIEq, x.Args[0], x.Args[1])
	case ir.OpFEq:
		return s.setOp(v, ir.OpFNe, x.Args[0], x.Args[1])
	case ir.OpFNe:
		return s.setOp(v, ir.OpFEq, x.Args[0], x.Args[1])
	case ir.OpSLt:
		return s.setOp(v, ir.OpSLe, x.Args[1], x.Args[0])
	case ir.OpSLe:
		return s.setOp(v, ir.OpSLt, x.Args[1], x.Args[0])
	case ir.OpULt:
		return s.setOp(v, ir.OpULe, x.Args[1], x.Args[0])
	case ir.OpULe:
		return s.setOp(v, ir.OpULt, x.Args[1], x.Args[0])
	case ir.OpLEq:
		return s.setOp(v, ir.OpLNe, x.Args[0], x.Args[1])
	case ir.OpLNe:
		return s.setOp(v, ir.OpLEq, x.Args[0], x.Args[1])
	}
	return nil
}

func (s *Simplifier) selection(v *ir.Value) *ir.Value {
	c, x, y := v.Args[0], v.Args[1], v.Args[2]
	switch {
	case facts.IsOne(c):
		return x
	case facts.IsZero(c):
		return y
	case x == y:
		return x
	case c.Op == ir.OpLNot:
		return s.setOp(v, ir.OpSelect, c.Args[0], y, x)
	case x.Op == ir.OpSelect && x.Args[0] == c:
		return s.setOp(v, ir.OpSelect, c, x.Args[1], y)
	case y.Op == ir.OpSelect && y.Args[0] == c:
		return s.setOp(v, ir.OpSelect, c, x, y.Args[2])
	case c.Op == ir.OpULt && c.Args[0] == x && c.Args[1] == y && notAbove(x, y), // the minimum of x and y, which is x
		c.Op == ir.OpULt && c.Args[0] == y && c.Args[1] == x && notAbove(y, x): // the maximum of x and y, which is x
		return x
	case c.Op == ir.OpINe && sameValues(c.Args, v.Args[1:]):
		return x
	case c.Op == ir.OpIEq && sameValues(c.Args, v.Args[1:]):
		return y
	case x.IsConst() && isWhere(y, x, c, true, 6):
		return y
	case y.IsConst() && isWhere(x, y, c, false, 6):
		return x
	}
	if v.Type.Kind != ir.Bool {
		return nil
	}
	switch {
	case facts.IsOne(x) && facts.IsZero(y):
		return c
	case facts.IsZero(x) && facts.IsOne(y):
		return s.setOp(v, ir.OpLNot, c)
	case facts.IsOne(x):
		return s.setOp(v, ir.OpLOr, c, y)
	case facts.IsZero(y):
		return s.setOp(v, ir.OpLAnd, c, x)
	}
	return nil
}

// isWhere reports whether v equals the given constant whenever the bool c has the given value. If v
// and c are phis of the same block, isWhere compares their arguments edge by edge. The argument
// nJoins limits the number of nested phis.
func isWhere(v, constant, c *ir.Value, is bool, nJoins int) bool {
	switch {
	case v == constant:
		return true
	case c.IsConst():
		return facts.IsOne(c) != is
	case nJoins == 0 || v.Op != ir.OpPhi || c.Op != ir.OpPhi || v.Block != c.Block || len(v.Args) != len(c.Args) || len(v.Args) == 0:
		return false // the phis are in different blocks, or a phi is still being built
	}
	for i, a := range v.Args {
		if !isWhere(a, constant, c.Args[i], is, nJoins-1) {
			return false
		}
	}
	return true
}

// sameValues reports whether a and b contain the same two values, in any order.
func sameValues(a, b []*ir.Value) bool {
	return a[0] == b[0] && a[1] == b[1] || a[0] == b[1] && a[1] == b[0]
}

// convertInt simplifies the integer conversion v.
func (s *Simplifier) convertInt(v *ir.Value) *ir.Value {
	x := v.Args[0]
	to, from := v.Type.Bits(), x.Type.Bits()
	if to == from {
		return x
	}
	if to < from && v.Op == ir.OpSConvert {
		return s.setOp(v, ir.OpUConvert, x) // OpUConvert is the only op for truncations
	}
	if x.Op != ir.OpSConvert && x.Op != ir.OpUConvert {
		return nil
	}
	a := x.Args[0]
	switch first := a.Type.Bits(); {
	case a.Type == v.Type && first < from:
		return a // truncation of an extended value to its original type
	case to < from && first < from && first < to:
		return s.setOp(v, x.Op, a) // a truncated extension becomes an extension to fewer bits
	case to < from:
		return s.setOp(v, ir.OpUConvert, a)
	case first < from && (x.Op == ir.OpUConvert || v.Op == ir.OpSConvert):
		return s.setOp(v, x.Op, a) // two extensions become a single extension
	case first > from && v.Op == ir.OpUConvert && a.Type == v.Type && first >= 32:
		return s.setOp(v, ir.OpAnd, a, s.Module.Const(a.Type, facts.Mask(x.Type)))
	}
	return nil
}
