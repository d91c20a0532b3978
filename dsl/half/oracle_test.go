package half

import (
	"math"
	"math/big"
)

// format is the definition of a type, by which the tests compute its numbers. It shares no code
// with the package.
type format struct {
	name      string
	exp, frac int // bits of exponent and fraction
	bias      int
	nan       uint16 // which operations return
	finite    bool   // whether there are no infinities: only all bits set are NaN
}

var (
	binary16 = format{"Float16", 5, 10, 15, 0x7e00, false}
	bfloat16 = format{"BFloat16", 8, 7, 127, 0x7fc0, false}
	e4m3     = format{"Float8E4M3", 4, 3, 7, 0x7f, true}
	e5m2     = format{"Float8E5M2", 5, 2, 15, 0x7e, false}
)

// size returns how many bits a number has.
func (f format) size() int { return 1 + f.exp + f.frac }

// sign returns the bit that is the sign.
func (f format) sign() uint16 { return 1 << (f.exp + f.frac) }

// inf returns the bits of infinity, or of NaN where there is none.
func (f format) inf() uint16 {
	if f.finite {
		return f.nan
	}
	return (1<<f.exp - 1) << f.frac
}

// largest returns the bits of the largest finite number.
func (f format) largest() uint16 { return f.inf() - 1 }

// value returns the number with the given bits. Each is a float64.
func (f format) value(b uint16) float64 {
	e, m := int(b&^f.sign()>>f.frac), float64(b&(1<<f.frac-1))
	v := 0.0
	switch {
	case f.finite && b&^f.sign() == f.nan, !f.finite && e == 1<<f.exp-1 && m != 0:
		return math.NaN()
	case !f.finite && e == 1<<f.exp-1:
		v = math.Inf(1)
	case e == 0:
		v = math.Ldexp(m, 1-f.bias-f.frac)
	default:
		v = math.Ldexp(m+float64(int(1)<<f.frac), e-f.bias-f.frac)
	}
	if b&f.sign() != 0 {
		return math.Copysign(v, -1)
	}
	return v
}

// round returns the bits of the number nearest to x, ties to even.
func (f format) round(x *big.Float) uint16 {
	sign := uint16(0)
	if x.Signbit() {
		sign = f.sign()
	}
	if x.Sign() == 0 {
		return sign
	}
	// x is between 2^(e-1) and 2^e, and the unit in the last place there is 2^unit. Bits count
	// these units up from those of 2^(e-1), and from 0 among subnormal numbers.
	e := x.MantExp(nil)
	unit := max(e-1, 1-f.bias) - f.frac
	keep := e - unit // bits; 0 or less for numbers below the least one
	var units big.Float
	switch {
	case keep >= 1:
		units.SetPrec(uint(keep)).SetMode(big.ToNearestEven).Set(x)
	case keep == 0: // from half of the unit on
		units.SetPrec(1)
		if a := new(big.Float).Abs(x); a.Cmp(new(big.Float).SetMantExp(big.NewFloat(0.5), unit)) > 0 {
			units.SetMantExp(big.NewFloat(1), unit)
		}
	}
	n, _ := units.SetMantExp(&units, -unit).Abs(&units).Int64()
	bits := int64(0)
	if above := unit - (1 - f.bias - f.frac); above <= 1<<f.exp {
		bits = int64(above)<<f.frac + n
	} else {
		bits = math.MaxInt16
	}
	switch inf := int64(f.inf()); {
	case bits < inf:
		return sign | uint16(bits)
	case f.finite:
		return f.nan
	}
	return sign | f.inf()
}

// fromFloat64 is round for float64s of any kind.
func (f format) fromFloat64(x float64) uint16 {
	switch {
	case x != x || f.finite && math.IsInf(x, 0):
		return f.nan
	case math.IsInf(x, 0):
		if x < 0 {
			return f.sign() | f.inf()
		}
		return f.inf()
	}
	return f.round(big.NewFloat(x))
}

func finite(xs ...float64) bool {
	for _, x := range xs {
		if x-x != 0 {
			return false
		}
	}
	return true
}

func (f format) add(x, y float64) uint16 {
	if !finite(x, y) {
		return f.fromFloat64(x + y)
	}
	return f.round(new(big.Float).SetPrec(600).Add(big.NewFloat(x), big.NewFloat(y)))
}

func (f format) mul(x, y float64) uint16 {
	return f.fromFloat64(x * y) // a float64 holds it
}

func (f format) fma(x, y, z float64) uint16 {
	p := x * y
	if !finite(p, z) {
		return f.fromFloat64(p + z)
	}
	return f.round(new(big.Float).SetPrec(600).Add(big.NewFloat(p), big.NewFloat(z)))
}

// div rounds a quotient of 100 bits. Where the exact one has more, it is no tie, and further from
// one than the difference: ties have few bits, and so have their products with y.
func (f format) div(x, y float64) uint16 {
	if !finite(x, y) || x == 0 || y == 0 {
		return f.fromFloat64(x / y)
	}
	return f.round(new(big.Float).SetPrec(100).Quo(big.NewFloat(x), big.NewFloat(y)))
}

// sqrt rounds a root of 100 bits, as div does a quotient.
func (f format) sqrt(x float64) uint16 {
	if !finite(x) || x <= 0 {
		return f.fromFloat64(math.Sqrt(x))
	}
	return f.round(new(big.Float).SetPrec(100).Sqrt(big.NewFloat(x)))
}
