package pass

import (
	"math"
	"math/bits"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// eval computes the interval of an integer value from those of its arguments in
// its block.
func (a *ranges) eval(v *ir.Value) interval {
	full := fullRange(v.Type)
	if p, ok := a.given[v]; ok {
		return p
	}
	arg := func(i int) interval { return a.at(v.Args[i], v.Block) }
	var p interval
	switch v.Op {
	case ir.OpArg:
		return a.arg(v)
	case ir.OpBuiltIn:
		return a.builtIn(v.Aux.(ir.BuiltIn))
	case ir.OpIAdd:
		p = addRanges(arg(0), arg(1))
	case ir.OpISub:
		if q, ok := a.remainder(v); ok {
			return q
		}
		q := arg(1)
		if q.lo == math.MinInt64 {
			return full
		}
		p = addRanges(arg(0), interval{-q.hi, -q.lo})
		if known, is := a.less(v.Args[0], v.Args[1], v.Block); known && !is && q.lo >= 0 {
			p = interval{0, arg(0).hi - q.lo} // what is left of a slice, say
		}
	case ir.OpIMul:
		p = mulRanges(arg(0), arg(1))
	case ir.OpSDiv, ir.OpUDiv:
		p = divRanges(arg(0), arg(1), v.Op == ir.OpUDiv)
	case ir.OpUMod:
		x, q := arg(0), arg(1)
		switch {
		case x.lo >= 0 && q.lo > 0:
			p = interval{0, min(q.hi-1, x.hi)}
		case q.lo > 0:
			p = interval{0, q.hi - 1}
		case x.lo >= 0:
			p = interval{0, x.hi}
		default:
			return full
		}
	case ir.OpAnd:
		return andRange(arg(0), arg(1), full)
	case ir.OpOr, ir.OpXor:
		x, y := arg(0), arg(1)
		if x.lo < 0 || y.lo < 0 {
			return full
		}
		n := bits.Len64(uint64(max(x.hi, y.hi)))
		p = interval{0, int64(uint64(1)<<n - 1)}
	case ir.OpShrL, ir.OpShrA:
		return shrRange(arg(0), v, full)
	case ir.OpShl:
		if s := v.Args[1]; s.IsConst() && s.Bits < 62 {
			p = mulRanges(arg(0), interval{1 << s.Bits, 1 << s.Bits})
			break
		}
		return full
	case ir.OpUConvert, ir.OpSConvert:
		if x := v.Args[0]; x.Type.IsInt() {
			return convertRange(v, arg(0))
		}
		return full
	case ir.OpSelect:
		return a.arm(v, 1).union(a.arm(v, 2))
	case ir.OpBitCount:
		return interval{0, 64}
	case ir.OpFindLsb, ir.OpFindUMsb:
		return interval{-1, 63}
	default:
		return full
	}
	if p.lo < full.lo || p.hi > full.hi || p.lo > p.hi {
		return full // it may wrap
	}
	return p
}

// arm is the interval of a select's argument where that is taken: max(x, 0) is
// not negative.
func (a *ranges) arm(v *ir.Value, i int) interval {
	x, b := v.Args[i], v.Block
	p := a.at(x, b)
	eachRelation(v.Args[0], i == 1, func(y *ir.Value, r relation, z *ir.Value, unsigned bool) {
		switch {
		case unsigned:
		case y == x:
			p = a.apply(p, r, a.at(z, b))
		case z == x:
			p = a.apply(p, flip(r), a.at(y, b))
		}
	})
	return p
}

func (a *ranges) arg(v *ir.Value) interval {
	switch {
	case a.m.Target.Small && a.isSize(v):
		return interval{0, abi.MaxSmall}
	case v.Type == ir.TypeI64 && a.length[v.Bits]:
		return interval{0, maxLength}
	case v.Bits >= abi.OffsetRange && v.Bits < abi.OffsetReserved:
		return interval{0, abi.MaxRange}
	}
	return fullRange(v.Type)
}

func (a *ranges) builtIn(b ir.BuiltIn) interval {
	switch {
	case b >= ir.LocalInvocationIDX && b <= ir.LocalInvocationIDZ:
		if n := a.m.WorkGroup[b-ir.LocalInvocationIDX]; n > 0 {
			return interval{0, int64(n) - 1}
		}
		return interval{0, abi.MaxLocalSize - 1}
	case b == ir.LocalInvocationIndex:
		if w := a.m.WorkGroup; w[0] > 0 {
			return interval{0, int64(w[0])*int64(w[1])*int64(w[2]) - 1}
		}
	case b == ir.SubgroupSize:
		return interval{1, 128}
	case b == ir.SubgroupLocalInvocationID:
		return interval{0, 127}
	}
	// Work-groups cover at most MaxRange items, rounded up to whole groups.
	return interval{0, math.MaxInt32}
}

// remainder recognises x - x/d*d with a d that is positive.
func (a *ranges) remainder(v *ir.Value) (interval, bool) {
	x, d := divided(v)
	if d == nil {
		return interval{}, false
	}
	q := a.at(d, v.Block)
	if q.lo <= 0 {
		return interval{}, false
	}
	p := interval{1 - q.hi, q.hi - 1}
	if x := a.at(x, v.Block); x.lo >= 0 {
		p = interval{0, min(q.hi-1, x.hi)}
	}
	return p, true
}

// remainderOf returns x and d where v is the remainder of an x that is not
// negative by a d that is positive.
func (a *ranges) remainderOf(v *ir.Value) (x, d *ir.Value) {
	if x, d = divided(v); d != nil && a.at(x, v.Block).lo >= 0 && a.at(d, v.Block).lo > 0 {
		return x, d
	}
	return nil, nil
}

// divided returns x and d where v is x - x/d*d.
func divided(v *ir.Value) (x, d *ir.Value) {
	x, mul := v.Args[0], v.Args[1]
	if mul.Op != ir.OpIMul {
		return nil, nil
	}
	for i, div := range mul.Args {
		d := mul.Args[1-i]
		if div.Op == ir.OpSDiv && div.Args[0] == x && div.Args[1] == d {
			return x, d
		}
	}
	return nil, nil
}

func addRanges(p, q interval) interval {
	lo, c := add64(p.lo, q.lo)
	hi, d := add64(p.hi, q.hi)
	if c || d {
		return interval{1, 0}
	}
	return interval{lo, hi}
}

func add64(x, y int64) (sum int64, overflow bool) {
	sum = x + y
	return sum, (sum > x) != (y > 0) && y != 0
}

func sub64(x, y int64) (diff int64, overflow bool) {
	diff = x - y
	return diff, (diff < x) != (y > 0) && y != 0
}

func mulRanges(p, q interval) interval {
	r := interval{math.MaxInt64, math.MinInt64}
	for _, x := range [2]int64{p.lo, p.hi} {
		for _, y := range [2]int64{q.lo, q.hi} {
			hi, lo := bits.Mul64(abs64(x), abs64(y))
			if hi != 0 || lo > math.MaxInt64 {
				return interval{1, 0}
			}
			n := x * y
			r.lo, r.hi = min(r.lo, n), max(r.hi, n)
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

func divRanges(p, q interval, unsigned bool) interval {
	if unsigned && p.lo >= 0 && q.lo <= 0 {
		return interval{0, p.hi} // whatever the divisor is without a sign
	}
	if q.lo <= 0 || unsigned && p.lo < 0 {
		return interval{1, 0}
	}
	r := interval{p.lo / q.hi, p.hi / q.lo}
	if p.lo < 0 {
		r.lo = p.lo / q.lo
	}
	if p.hi < 0 {
		r.hi = p.hi / q.hi
	}
	return r
}

func andRange(p, q, full interval) interval {
	switch {
	case p.lo >= 0 && q.lo >= 0:
		return interval{0, min(p.hi, q.hi)}
	case p.lo >= 0:
		return interval{0, p.hi}
	case q.lo >= 0:
		return interval{0, q.hi}
	}
	return full
}

func shrRange(p interval, v *ir.Value, full interval) interval {
	s := v.Args[1]
	if !s.IsConst() || s.Bits >= uint64(v.Type.Bits()) {
		if p.lo >= 0 {
			return interval{0, p.hi}
		}
		return full
	}
	if v.Op == ir.OpShrL && p.lo < 0 {
		if s.Bits == 0 {
			return full
		}
		return interval{0, int64(^uint64(0) >> (64 - v.Type.Bits()) >> s.Bits)}
	}
	return interval{p.lo >> s.Bits, p.hi >> s.Bits}
}

// convertRange is the interval of a conversion of p.
func convertRange(v *ir.Value, p interval) interval {
	full := fullRange(v.Type)
	from := v.Args[0].Type
	if v.Type.Bits() > from.Bits() && v.Op == ir.OpUConvert && p.lo < 0 {
		p = interval{0, int64(uint64(1)<<from.Bits() - 1)}
	}
	if p.lo < full.lo || p.hi > full.hi {
		return full
	}
	return p
}
