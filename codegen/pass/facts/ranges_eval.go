package facts

// This file computes the interval of an op's result from the intervals of its operands, for the
// analysis in ranges.go.

import (
	"math"
	"math/bits"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// evalInterval computes the interval of the integer v from the intervals of its operands in v's
// block.
func (a *Ranges) evalInterval(v *ir.Value) Interval {
	full := FullRange(v.Type)
	if p, ok := a.smallIntervals[v]; ok {
		return p
	}
	arg := func(i int) Interval { return a.At(v.Args[i], v.Block) }
	var p Interval
	switch v.Op {
	case ir.OpArg:
		return a.arg(v)
	case ir.OpLoad:
		return a.loadedInterval(v)
	case ir.OpBuiltIn:
		return a.builtIn(v.Aux.(ir.BuiltIn))
	case ir.OpIAdd:
		p = AddRanges(arg(0), arg(1))
	case ir.OpISub:
		if q, ok := a.remainderInterval(v); ok {
			return q
		}
		q := arg(1)
		if q.Lo == math.MinInt64 {
			return full
		}
		p = AddRanges(arg(0), Interval{-q.Hi, -q.Lo})
		if known, is := a.isLess(v.Args[0], v.Args[1], v.Block); known && !is && q.Lo >= 0 {
			p = Interval{0, arg(0).Hi - q.Lo} // for example, the length of a slice after its start was advanced
		}
	case ir.OpIMul:
		p = MulRanges(arg(0), arg(1))
	case ir.OpSDiv, ir.OpUDiv:
		p = divRanges(arg(0), arg(1), v.Op == ir.OpUDiv)
	case ir.OpUMod:
		x, q := arg(0), arg(1)
		switch {
		case x.Lo >= 0 && q.Lo > 0:
			p = Interval{0, min(q.Hi-1, x.Hi)}
		case q.Lo > 0:
			p = Interval{0, q.Hi - 1}
		case x.Lo >= 0:
			p = Interval{0, x.Hi}
		default:
			return full
		}
	case ir.OpAnd:
		return andRange(arg(0), arg(1), full)
	case ir.OpOr, ir.OpXor:
		x, y := arg(0), arg(1)
		if x.Lo < 0 || y.Lo < 0 {
			return full
		}
		n := bits.Len64(uint64(max(x.Hi, y.Hi)))
		p = Interval{0, int64(uint64(1)<<n - 1)}
	case ir.OpShrL, ir.OpShrA:
		return shrRange(arg(0), v, full)
	case ir.OpShl:
		if s := v.Args[1]; s.IsConst() && s.Bits < 62 {
			p = MulRanges(arg(0), Interval{1 << s.Bits, 1 << s.Bits})
			break
		}
		return full
	case ir.OpUConvert, ir.OpSConvert:
		if x := v.Args[0]; x.Type.IsInt() {
			return ConvertRange(v, arg(0))
		}
		return full
	case ir.OpSelect:
		return a.armInterval(v, 1).Union(a.armInterval(v, 2))
	case ir.OpBitCount:
		return Interval{0, 64}
	case ir.OpFindLsb, ir.OpFindUMsb:
		return Interval{-1, 63}
	default:
		return full
	}
	if p.Lo < full.Lo || p.Hi > full.Hi || p.Lo > p.Hi {
		return full // the result of the op may wrap
	}
	return p
}

// armInterval returns the interval of operand i of the select v under the condition that v chooses
// that operand. For example, the interval of the select max(x, 0) does not contain negative
// numbers.
func (a *Ranges) armInterval(v *ir.Value, i int) Interval {
	x, b := v.Args[i], v.Block
	p := a.At(x, b)
	EachRelation(v.Args[0], i == 1, func(y *ir.Value, r Relation, z *ir.Value, unsigned bool) {
		switch {
		case unsigned:
		case y == x:
			p = a.apply(p, r, a.At(z, b))
		case z == x:
			p = a.apply(p, Flip(r), a.At(y, b))
		}
	})
	return p
}

func (a *Ranges) arg(v *ir.Value) Interval {
	switch {
	case a.Module.Target.Small && a.isSize(v):
		return Interval{0, abi.MaxSmall}
	case v.Type == ir.TypeI64 && a.lengthOffsets[v.Bits]:
		return Interval{0, MaxLength}
	case v.Bits >= abi.OffsetRange && v.Bits < abi.OffsetReserved:
		return Interval{0, abi.MaxRange}
	}
	return FullRange(v.Type)
}

func (a *Ranges) builtIn(b ir.BuiltIn) Interval {
	switch {
	case b >= ir.LocalInvocationIDX && b <= ir.LocalInvocationIDZ:
		if n := a.Module.WorkGroup[b-ir.LocalInvocationIDX]; n > 0 {
			return Interval{0, int64(n) - 1}
		}
		return Interval{0, abi.MaxLocalSize - 1}
	case b == ir.LocalInvocationIndex:
		if w := a.Module.WorkGroup; w[0] > 0 {
			return Interval{0, int64(w[0])*int64(w[1])*int64(w[2]) - 1}
		}
	case b == ir.SubgroupSize:
		return Interval{1, 128}
	case b == ir.SubgroupLocalInvocationID:
		return Interval{0, 127}
	}
	// A launch has at most MaxRange work-items, rounded up to a multiple of the work-group's size.
	return Interval{0, math.MaxInt32}
}

// remainderInterval returns the interval of v if v is x - x/d*d and d is positive.
func (a *Ranges) remainderInterval(v *ir.Value) (Interval, bool) {
	x, d := Divided(v)
	if d == nil {
		return Interval{}, false
	}
	q := a.At(d, v.Block)
	if q.Lo <= 0 {
		return Interval{}, false
	}
	p := Interval{1 - q.Hi, q.Hi - 1}
	if x := a.At(x, v.Block); x.Lo >= 0 {
		p = Interval{0, min(q.Hi-1, x.Hi)}
	}
	return p, true
}

// remainderOf returns x and d if v is the remainder x - x/d*d, x is not negative, and d is
// positive. For any other v, remainderOf returns nil.
func (a *Ranges) remainderOf(v *ir.Value) (x, d *ir.Value) {
	if x, d = Divided(v); d != nil && a.At(x, v.Block).Lo >= 0 && a.At(d, v.Block).Lo > 0 {
		return x, d
	}
	return nil, nil
}

// Divided returns x and d if v is the difference x - x/d*d, and otherwise nil.
func Divided(v *ir.Value) (x, d *ir.Value) {
	x, mul := v.Args[0], v.Args[1]
	if mul.Op != ir.OpIMul {
		return nil, nil
	}
	for i, div := range mul.Args {
		d := mul.Args[1-i]
		if (div.Op == ir.OpSDiv || div.Op == ir.OpUDiv) && div.Args[0] == x && div.Args[1] == d {
			return x, d
		}
	}
	return nil, nil
}

// AddRanges returns the interval of the sums x+y for x in p and y in q. If a sum may overflow,
// AddRanges returns an empty interval.
func AddRanges(p, q Interval) Interval {
	lo, c := add64(p.Lo, q.Lo)
	hi, d := add64(p.Hi, q.Hi)
	if c || d {
		return Interval{1, 0}
	}
	return Interval{lo, hi}
}

func add64(x, y int64) (sum int64, overflow bool) {
	sum = x + y
	return sum, (sum > x) != (y > 0) && y != 0
}

// Sub64 returns x-y, and reports whether the difference overflows.
func Sub64(x, y int64) (diff int64, overflow bool) {
	diff = x - y
	return diff, (diff < x) != (y > 0) && y != 0
}

// MulRanges returns the interval of the products x*y for x in p and y in q. If a product may
// overflow, MulRanges returns an empty interval.
func MulRanges(p, q Interval) Interval {
	r := Interval{math.MaxInt64, math.MinInt64}
	for _, x := range [2]int64{p.Lo, p.Hi} {
		for _, y := range [2]int64{q.Lo, q.Hi} {
			hi, lo := bits.Mul64(abs64(x), abs64(y))
			if hi != 0 || lo > math.MaxInt64 {
				return Interval{1, 0}
			}
			n := x * y
			r.Lo, r.Hi = min(r.Lo, n), max(r.Hi, n)
		}
	}
	return r
}

func abs64(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

func divRanges(p, q Interval, unsigned bool) Interval {
	if unsigned && p.Lo >= 0 && q.Lo <= 0 {
		return Interval{0, p.Hi} // the interval also holds for a large unsigned divisor, which is negative as a signed integer
	}
	if q.Lo <= 0 || unsigned && p.Lo < 0 {
		return Interval{1, 0}
	}
	r := Interval{p.Lo / q.Hi, p.Hi / q.Lo}
	if p.Lo < 0 {
		r.Lo = p.Lo / q.Lo
	}
	if p.Hi < 0 {
		r.Hi = p.Hi / q.Hi
	}
	return r
}

func andRange(p, q, full Interval) Interval {
	switch {
	case p.Lo >= 0 && q.Lo >= 0:
		return Interval{0, min(p.Hi, q.Hi)}
	case p.Lo >= 0:
		return Interval{0, p.Hi}
	case q.Lo >= 0:
		return Interval{0, q.Hi}
	}
	return full
}

func shrRange(p Interval, v *ir.Value, full Interval) Interval {
	s := v.Args[1]
	if !s.IsConst() || s.Bits >= uint64(v.Type.Bits()) {
		if p.Lo >= 0 {
			return Interval{0, p.Hi}
		}
		return full
	}
	if v.Op == ir.OpShrL && p.Lo < 0 {
		if s.Bits == 0 {
			return full
		}
		return Interval{0, int64(^uint64(0) >> (64 - v.Type.Bits()) >> s.Bits)}
	}
	return Interval{p.Lo >> s.Bits, p.Hi >> s.Bits}
}

// ConvertRange returns the interval of the conversion v if its argument is in the interval p.
func ConvertRange(v *ir.Value, p Interval) Interval {
	full := FullRange(v.Type)
	from := v.Args[0].Type
	if v.Type.Bits() > from.Bits() && v.Op == ir.OpUConvert && p.Lo < 0 {
		p = Interval{0, int64(uint64(1)<<from.Bits() - 1)}
	}
	if p.Lo < full.Lo || p.Hi > full.Hi {
		return full
	}
	return p
}
