package kernels

import (
	"math"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// The type `float` is the type in which the edges of bins are computed.
type float interface{ float32 | float64 }

// Steps describes bins of equal width between floats. Edge i is Low + i*Width, and the last edge is High.
type Steps[F float] struct {
	Low, High, Width F
	Scale            F // the inverse of Width
}

// edge() returns the edge at which bin i begins.
func (s Steps[F]) edge(i uint32) F { return s.Low + F(F(i)*s.Width) }

// holds() reports whether x is in bin i of n bins.
func (s Steps[F]) holds(x F, i, n uint32) bool {
	return s.edge(i) <= x && (i+1 >= n || x < s.edge(i+1))
}

// bin() returns the number of the bin that contains x, or n if there is none.
func (s Steps[F]) bin(x F, n uint32) uint32 {
	if !(s.Low <= x && x < s.High) {
		return n
	}
	at := n - 1
	if guess := F((x - s.Low) * s.Scale); guess < F(n-1) {
		at = uint32(guess)
	}
	if s.holds(x, at, n) {
		return at
	}
	low, high := uint32(0), n // edge(low) is at most x, and edge(high) is above x
	for high-low > 1 {
		mid := low + (high-low)/2
		if s.edge(mid) <= x {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// Format describes how the bits of a float of at most 32 bits become a float32.
type Format struct {
	Half   uint32  // mask of all bits except the sign, or 0 for integers
	Inf    uint32  // bits of infinity, the greatest float that is not a NaN
	Shift  uint32  // difference between the lengths of a float32's fraction and the float's fraction, in bits
	Rebias uint32  // number that is added to the exponent
	Normal uint32  // bits of the least normal float; 0 if float32 has no greater range
	Unit   float32 // least float above 0; 0 if float32 has no greater range
}

// Value converts a float to a float32. The argument x contains the bits of the float. The value of a NaN is a NaN.
func (f Format) Value(x uint32) float32 {
	m := x & f.Half
	if m > f.Inf {
		return math.Float32frombits(0x7fc00000)
	}
	v := math.Float32frombits(m<<f.Shift + f.Rebias)
	if m < f.Normal {
		v = float32(m) * f.Unit
	}
	if m != x {
		v = -v
	}
	return v
}

// Even32 counts elements of up to 32 bits in bins of equal width.
type Even32 struct {
	X8     []uint8  // bytes of the elements; empty if elements have 32 bits
	X32    []uint32 // 32-bit words of the elements; empty if their address is not a multiple of 4
	Length []int64  // element count of the whole call, or empty for all elements of the slice
	Bins   Bins
	Counts []uint32
	// The next fields are for integers. The distance of element x from the first edge is (x^Flip)-Low, and
	// the distance between the first and last edge is Span. Factor is bins/Span, times 1<<FactorShift.
	Flip, Low, Span, Factor, FactorShift uint32
	// The next fields are for floats.
	Format Format
	Steps  Steps[float32]
}

// Properties sets the work-group's size, and requires that each operation is rounded.
func (Even32) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(Size), properties.Float(properties.FloatExact)}
}

// bin() returns the bin of an element, or a number that is not below the number of bins.
func (k Even32) bin(x uint32) uint32 {
	if k.Format.Half != 0 {
		return k.Steps.bin(k.Format.Value(x), k.Bins.N)
	}
	d := (x ^ k.Flip) - k.Low
	if d >= k.Span {
		return k.Bins.N
	}
	// Factor was rounded down, so the result may be too small by one bin.
	at := uint32(uint64(d) * uint64(k.Factor) >> k.FactorShift)
	if uint64(d)*uint64(k.Bins.N) >= uint64(at+1)*uint64(k.Span) {
		at++
	}
	return at
}

// Kernel counts elements. The work-items of the launch divide the elements among themselves.
func (k Even32) Kernel(it dsl.NDItem1) {
	own := dsl.Local[[Counters]uint32](it)
	elements(it, k.X8, k.X32, first(length(it, k.X8, k.X32), k.Length), func(x uint32) {
		if at := k.bin(x); at < k.Bins.N {
			k.Bins.one(it, own[:], k.Counts, at)
		}
	})
	k.Bins.end(it, own[:], k.Counts)
}

// Even64 counts integers of 64 bits in bins of equal width. Even64 has the fields of Even32.
type Even64 struct {
	X                   []uint64
	Length              []int64
	Bins                Bins
	Counts              []uint32
	Flip, Low, Span     uint64
	Factor, FactorShift uint32
}

// Properties sets the work-group's size.
func (Even64) Properties() properties.List { return properties.List{properties.WorkGroupSize(Size)} }

// product() returns x*y in two parts. The result low contains the 32 lowest bits, and high contains the other bits.
func product(x uint64, y uint32) (high uint64, low uint32) {
	p := (x & math.MaxUint32) * uint64(y)
	return x>>32*uint64(y) + p>>32, uint32(p)
}

// bin() returns the bin of an element, or a number that is not below the number of bins.
func (k Even64) bin(x uint64) uint32 {
	d := (x ^ k.Flip) - k.Low
	if d >= k.Span {
		return k.Bins.N
	}
	high, low := product(d, k.Factor)
	at := low >> (k.FactorShift % 32)
	if k.FactorShift >= 32 {
		at = uint32(high >> (k.FactorShift - 32))
	} else {
		at |= uint32(high << (32 - k.FactorShift))
	}
	high, low = product(d, k.Bins.N)
	if h, l := product(k.Span, at+1); h < high || h == high && l <= low {
		at++
	}
	return at
}

// Kernel counts the elements of some tiles.
func (k Even64) Kernel(it dsl.NDItem1) {
	own := dsl.Local[[Counters]uint32](it)
	n := first(len(k.X), k.Length)
	for base := it.GroupID()*Tile + it.LocalID(); base < n; base += it.GroupRange() * Tile {
		for p := base; p < min(base+Tile, n); p += Size {
			if at := k.bin(k.X[p]); at < k.Bins.N {
				k.Bins.one(it, own[:], k.Counts, at)
			}
		}
	}
	k.Bins.end(it, own[:], k.Counts)
}

// EvenFloat64 counts float64s in bins of equal width.
type EvenFloat64 struct {
	X      []float64
	Length []int64 // element count of the whole call, or empty for all elements of the slice
	Bins   Bins
	Counts []uint32
	Steps  Steps[float64]
}

// Properties sets the work-group's size, and requires that each operation is rounded.
func (EvenFloat64) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(Size), properties.Float(properties.FloatExact)}
}

// Kernel counts the elements of some tiles.
func (k EvenFloat64) Kernel(it dsl.NDItem1) {
	own := dsl.Local[[Counters]uint32](it)
	n := first(len(k.X), k.Length)
	for base := it.GroupID()*Tile + it.LocalID(); base < n; base += it.GroupRange() * Tile {
		for p := base; p < min(base+Tile, n); p += Size {
			if at := k.Steps.bin(k.X[p], k.Bins.N); at < k.Bins.N {
				k.Bins.one(it, own[:], k.Counts, at)
			}
		}
	}
	k.Bins.end(it, own[:], k.Counts)
}
