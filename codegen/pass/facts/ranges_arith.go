package facts

// This file contains arithmetic and comparisons of intervals, for several packages.

import "math"

// Negated returns the interval of -v for all v in p. If p contains the least integer, the interval
// is empty.
func (p Interval) Negated() Interval {
	if p.Lo == math.MinInt64 {
		return Interval{1, 0}
	}
	return Interval{-p.Hi, -p.Lo}
}

// Within reports whether p is not empty and q contains p.
func (p Interval) Within(q Interval) bool { return p.Lo <= p.Hi && q.Lo <= p.Lo && p.Hi <= q.Hi }

// Fits32 reports whether all integers in p fit in 32 bits.
func (p Interval) Fits32() bool { return p.Lo >= math.MinInt32 && p.Hi <= math.MaxInt32 }

// Fits32 reports whether k fits in 32 bits.
func Fits32(k int64) bool { return Interval{k, k}.Fits32() }

// Empty reports whether p contains no integers.
func (p Interval) Empty() bool { return p.Lo > p.Hi }

// SubRanges returns the interval of the differences x-y for x in p and y in q. If a difference may
// overflow, SubRanges returns an empty interval.
func SubRanges(p, q Interval) Interval {
	if q = q.Neg(); q.Empty() {
		return q
	}
	return AddRanges(p, q)
}

// Neg returns the interval of the negated integers of p.
func (p Interval) Neg() Interval {
	if p.Lo == math.MinInt64 {
		return Interval{1, 0}
	}
	return Interval{-p.Hi, -p.Lo}
}
