package math32

import (
	"math"
	"math/bits"
)

// FMA returns x * y + z, rounded once. If [HasFMA] is true and the device keeps subnormals, FMA is
// one instruction. On other devices, FMA takes some 100 instructions.
func FMA(x, y, z float32) float32 {
	if HasFMA() && flushed() == 0 {
		return FastFMA(x, y, z)
	}
	return fmaOfBits(x, y, z)
}

// HasFMA reports whether the device has an instruction that rounds x * y + z once. GPUs and the host have this instruction. In
// a kernel, HasFMA is a constant that the runtime sets when it loads the module, so drivers omit the code for other devices.
func HasFMA() bool { return true }

// FastFMA is the device's own instruction for x * y + z. If [HasFMA] is true, FastFMA equals FMA,
// except that the device may treat subnormals as zeros. If HasFMA is false, the product x * y may
// be rounded, too. So a kernel that needs the same bits on every device has two branches:
//
//	if math32.HasFMA() {
//		for j := range 8 { // kgen unrolls this loop
//			sum[j] = math32.FastFMA(x, y[j], sum[j])
//		}
//	} else {
//		…
//	}
//
// On the host, rounding the float64 sum is correct unless that sum is in the middle between two float32s.
func FastFMA(x, y, z float32) float32 {
	s := float64(x)*float64(y) + float64(z) // the product is exact
	if math.Float64bits(s)<<36 == 0 {       // if s is in the middle between two float32s, or two subnormals, these bits are zeros
		return middle(x, y, z)
	}
	return float32(s)
}

// HasFMA64 reports whether the device has an instruction that rounds x * y + z once for float64s. In kernels,
// math.FMA is that instruction if HasFMA64 is true. If HasFMA64 is false, math.FMA takes some 200 integer operations.
func HasFMA64() bool { return true }

// FastFMA64 is the device's own instruction for x * y + z with float64s. If [HasFMA64] is true, FastFMA64 equals
// math.FMA. If HasFMA64 is false, the product x * y may be rounded, too. On the host, FastFMA64 is math.FMA.
func FastFMA64(x, y, z float64) float64 { return math.FMA(x, y, z) }

// middle() computes FastFMA if the float64 sum may be halfway between two float32s. It moves an inexact sum by one bit towards the exact sum.
//
//go:noinline
func middle(x, y, z float32) float32 {
	p := float64(x) * float64(y)
	s := p + float64(z)
	if s-s != 0 { // infinite or NaN
		return float32(s)
	}
	t := s - p
	off := (p - (s - t)) + (float64(z) - t) // exact difference of the sum and s
	if off != 0 {
		further := uint64(1)
		if off > 0 != (s > 0) {
			further = 1<<64 - 1
		}
		s = math.Float64frombits(math.Float64bits(s) + further)
	}
	return float32(s)
}

// fmaOfBits computes FMA by integer operations.
func fmaOfBits(x, y, z float32) float32 {
	if flushed() == 0 && z == 0 && x != 0 && y != 0 {
		return float32(x * y)
	}
	bx, by, bz := Float32bits(x), Float32bits(y), Float32bits(z)
	ax, ay, az := bx&^signBit, by&^signBit, bz&^signBit
	if ax == 0 || ay == 0 || ax >= expMask || ay >= expMask || az >= expMask {
		return fmaSpecial(x, y, z)
	}
	// The code computes the exact sum in integers, because the product does not fit into a float32.
	// The product and z become numbers of type wide whose highest set bit is bit 94, with the
	// weight 2**exp.
	mx, ex := split(ax)
	my, ey := split(ay)
	mz, ez := split(az)
	p := wide{hi: mulHi(mx, my)<<15 | mx*my>>17, mid: mx * my << 15, exp: ex + ey + 1}
	if p.hi < 1<<30 {
		p.hi, p.mid, p.exp = p.hi<<1|p.mid>>31, p.mid<<1, p.exp-1
	}
	c := wide{hi: mz << 7, exp: ez}
	if flushed() != 0 && az == 0 {
		c.exp = p.exp
	}

	sign := (bx ^ by) & signBit
	differ := sign != bz&signBit
	if c.exp > p.exp || c.exp == p.exp && (c.hi > p.hi || c.hi == p.hi && c.mid > p.mid) {
		p, c, sign = c, p, bz&signBit
	}
	c = c.shiftRight(uint32(p.exp - c.exp))
	if differ {
		if p = p.sub(c); p.hi|p.mid|p.lo == 0 {
			return 0
		}
	} else {
		p = p.add(c)
	}
	return Float32frombits(p.round() | sign)
}

// fmaSpecial computes FMA if x or y is zero, or if one of x, y and z is infinite or NaN.
func fmaSpecial(x, y, z float32) float32 {
	if Float32bits(z)&^signBit >= expMask && Float32bits(x)&^signBit < expMask && Float32bits(y)&^signBit < expMask {
		return z // the product is finite, though it may be beyond all float32s
	}
	if lost(x) {
		x = Copysign(1, x)
	}
	if lost(y) {
		y = Copysign(1, y)
	}
	p := float32(x * y)
	if lost(z) && p == 0 {
		return z
	}
	return p + z
}

// The type `wide` is a positive number of 96 bits. The lowest bit is also set if nonzero lower bits
// have been cut off, so that rounding is correct.
type wide struct {
	hi, mid, lo uint32
	exp         int32
}

func (w wide) shiftRight(n uint32) wide {
	cut := uint32(0)
	for ; n >= 32 && w.hi|w.mid|w.lo != 0; n -= 32 {
		cut |= w.lo
		w.hi, w.mid, w.lo = 0, w.hi, w.mid
	}
	if n < 32 {
		cut |= w.lo << (32 - n)
		w.lo = w.lo>>n | w.mid<<(32-n)
		w.mid = w.mid>>n | w.hi<<(32-n)
		w.hi >>= n
	}
	if cut != 0 {
		w.lo |= 1
	}
	return w
}

func (w wide) add(v wide) wide {
	w.lo += v.lo
	carry := less(w.lo, v.lo)
	w.mid += carry
	carry = less(w.mid, carry)
	w.mid += v.mid
	carry += less(w.mid, v.mid)
	w.hi += v.hi + carry
	return w
}

func (w wide) sub(v wide) wide {
	borrow := less(w.lo, v.lo)
	w.lo -= v.lo
	b := less(w.mid, v.mid)
	w.mid -= v.mid
	b += less(w.mid, borrow)
	w.mid -= borrow
	w.hi -= v.hi + b
	return w
}

// less() returns 1 if x < y, else 0.
func less(x, y uint32) uint32 {
	if x < y {
		return 1
	}
	return 0
}

// round() returns the bits of the float32 nearest to w > 0, ties to even.
func (w wide) round() uint32 {
	for w.hi == 0 {
		w.hi, w.mid, w.lo = w.mid, w.lo, 0
		w.exp -= 32
	}
	n := uint32(bits.LeadingZeros32(w.hi))
	h := w.hi<<n | w.mid>>(32-n)
	exp := w.exp + 1 - int32(n)
	rest := w.mid<<n | w.lo
	biased := uint32(exp + 126) // the leading bit of the fraction increases the exponent by one
	if exp < -126 {
		s := uint32(-126 - exp)
		rest |= h << (32 - min(s, 32))
		h >>= s
		biased = 0
	}
	if exp > 127 {
		return expMask
	}
	if rest != 0 {
		h |= 1
	}
	f := h >> 8
	if r := h & 0xff; r > 0x80 || r == 0x80 && f&1 != 0 {
		f++
	}
	return biased<<23 + f // the sum may carry into the exponent, up to infinity
}

// mulHi returns the upper half of the 64-bit product of x and y.
func mulHi(x, y uint32) uint32 {
	x0, x1 := x&0xffff, x>>16
	y0, y1 := y&0xffff, y>>16
	t := x1*y0 + x0*y0>>16
	u := x0*y1 + t&0xffff
	return x1*y1 + t>>16 + u>>16
}
