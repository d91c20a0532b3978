package corpus

import "github.com/kgen-go/kgen/dsl"

// Searches has loops that work-items leave in different iterations. After the loop each work-item
// uses values from its own last iteration.
type Searches struct {
	Seeds []uint32
	Found [][Kinds]uint32
}

// Kinds is the number of searches that each work-item makes.
const Kinds = 12

func step(s uint32) uint32 { return s*1664525 + 1013904223 }

func (k Searches) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	s := k.Seeds[i]
	found := &k.Found[i]
	found[0] = reject(s)
	found[1] = bounded(s)
	x, y, ok := pairOf(s)
	found[2] = x ^ y<<1
	if ok {
		found[2]++
	}
	w := walk(s)
	found[3], found[4] = w.at, w.steps<<16^uint32(w.way)
	found[5] = labelled(s)
	found[6] = ranged(s)
	found[7] = nested(s)
	found[8] = twoWays(s)
	found[9] = doWhile(s)
	found[10] = uint32(signed(s))
	f := fraction(s)
	found[11] = uint32(f * 4096)
}

// reject() advances a state until a condition holds. reject() returns bits of the state before the last step.
func reject(s uint32) uint32 {
	for {
		x := s >> 8
		s = step(s)
		if s&3 == 0 {
			return x
		}
	}
}

func bounded(s uint32) uint32 {
	for n := 0; n < 50; n++ {
		x := s * 3
		s = step(s)
		if s>>28 == 1 {
			return x
		}
	}
	return s
}

func pairOf(s uint32) (x, y uint32, ok bool) {
	for range 20 {
		x, y = s>>16, s&0xffff
		s = step(s)
		if x*x+y*y < 1<<31 {
			return x + 1, y, true
		}
		if s%11 == 0 {
			return y, s, false
		}
	}
	return
}

type path struct {
	at, steps uint32
	way       int8
}

func walk(s uint32) path {
	p := path{at: s & 0xff}
	for {
		before := p
		p.at += s>>3&7 - 3
		p.way = int8(s)
		p.steps++
		s = step(s)
		switch {
		case p.steps > 60:
			return p
		case p.at > 0x103:
			return before
		case s%17 == 3:
			return path{s, before.steps, -p.way}
		}
	}
}

func labelled(s uint32) uint32 {
	var last uint32
outer:
	for a := range uint32(12) {
		for b := range uint32(9) {
			y := s ^ a<<b
			s = step(s)
			switch {
			case s%31 == 0:
				last = y
				break outer
			case s%7 == 0:
				last += y >> 3
				continue outer
			}
		}
		last ^= s >> 5
	}
	return last
}

func states(s uint32) func(yield func(n int, s uint32) bool) {
	return func(yield func(n int, s uint32) bool) {
		for n := 0; ; n++ {
			t := s
			s = step(s)
			if !yield(n, t) {
				return
			}
		}
	}
}

func ranged(s uint32) uint32 {
	for n, t := range states(s) {
		if t>>20&15 == 7 || n > 70 {
			return t>>4 + uint32(n)
		}
	}
	return 0
}

func nested(s uint32) uint32 {
	sum := uint32(0)
	for n := 0; ; n++ {
		x := reject(s)
		s = step(s ^ x)
		if x&7 == 5 || n > 40 {
			return sum<<8 | x&0xff
		}
		sum += x >> 20
	}
}

func twoWays(s uint32) uint32 {
	x := s
	for s%7 != 2 {
		x = s >> 1
		s = step(s)
		if s&0x1f == 1 {
			break
		}
	}
	return x ^ s<<7
}

func doWhile(s uint32) uint32 {
	n, x := uint32(0), uint32(0)
	for ok := true; ok; ok = s>>27 != 3 && n < 90 {
		n++
		x = s | 1
		s = step(s)
	}
	return x + n
}

func signed(s uint32) int16 {
	for n := 24; s%7 == 2; n-- {
		s = s * 1664525
		if s == 1 {
			return int16(s)
		}
	}
	return int16(s)
}

func fraction(s uint32) float32 {
	x := float32(s>>16) / 65536
	for n := 0; n < 64; n++ {
		y := x * 0.75
		x = float32(s&0xff)/256 + y*0.5
		s = step(s)
		if s>>30 == 0 {
			return y
		}
	}
	return x
}

// Bounds searches sorted elements for needles, which are distributed over the work-items. The
// work-item's first index is computed after a branch, and is not used in that branch.
type Bounds struct {
	Sorted  []int32
	Limit   []int64
	Needles []int32
	Out     []int64
}

func (k Bounds) Kernel(it dsl.Item1) {
	n := len(k.Sorted)
	if len(k.Limit) > 0 {
		n = int(min(int64(n), max(k.Limit[0], 0)))
	}
	for i := it.GlobalID(); i < min(len(k.Needles), len(k.Out)); i += it.GlobalRange() {
		lo, hi := 0, n
		for lo < hi {
			mid := int(uint(lo+hi) / 2)
			if k.Sorted[mid] < k.Needles[i] {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		k.Out[i] = int64(lo)
	}
}
