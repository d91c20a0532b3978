package idioms

import "github.com/kgen-go/kgen/dsl"

// Flow carries bools and states over the iterations of loops.
type Flow[T Integer] struct {
	A, B []T
	Out  []Row
}

func (k Flow[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	a, b := k.A[i], k.B[i]
	flags(a, b, &k.Out[i])
	states(a, b, &k.Out[i])
	nested(a, b, &k.Out[i])
}

func flags[T Integer](a, b T, out *Row) {
	found, at := false, -1
	for j := range 8 {
		if !found && a>>j&1 != 0 {
			found, at = true, j
		}
	}
	out[0], out[1] = flag(found), uint64(at)
	p, q := a < b, a&2 != 0
	for j := range 7 {
		if b>>j&1 != 0 {
			p, q = q, p
		} else {
			p = p != q
		}
	}
	out[2], out[3] = flag(p), flag(q)
	var was bool
	n := 0
	for j := range 8 {
		is := a>>j&1 != 0
		if is && !was {
			n++
		}
		was = is
	}
	out[4], out[5] = uint64(n), flag(was)
	x, y, z := true, false, a == b
	for j := a & 15; j > 0; j-- {
		x, y, z = y, z, x
	}
	out[6] = flag(x)<<2 | flag(y)<<1 | flag(z)
	all, some := true, false
	for j := range 8 {
		s := (a^b)>>j&3 == 1
		all = all && !s
		some = some || s && j > 2
	}
	out[7] = flag(all)<<1 | flag(some)
	up, level := true, 0
	for range 20 {
		if up {
			level += int(uint8(a)&7) + 1
		} else {
			level -= int(uint8(b)&3) + 2
		}
		if level > 12 {
			up = false
		} else if level < 0 {
			up = true
		}
	}
	out[8], out[9] = uint64(level), flag(up)
	carry, sum := false, T(0)
	for j := range 8 {
		m, o := a>>j&1 != 0, b>>j&1 != 0
		if (m != o) != carry {
			sum |= 1 << j
		}
		carry = m && o || carry && (m != o)
	}
	out[10], out[11] = uint64(sum), flag(carry)
	c := false
	var last T
	for j := T(0); j < 10; j++ {
		if c {
			last = last*3 + j
		}
		c = !c && j != a&7
	}
	out[12] = uint64(last)
	done := false
	n = 0
	for r := a & 31; !done; n++ {
		done = r == b&31 || n >= 40
		r = (r*5 + 3) & 31
	}
	out[13] = uint64(n)
}

func states[T Integer](a, b T, out *Row) {
	state, count := 0, 0
	for j := range 8 {
		bit := a>>j&1 != 0
		switch state {
		case 0:
			if bit {
				state = 1
			}
		case 1:
			if !bit {
				state = 2
				continue
			}
			fallthrough
		case 2:
			count += state
			if bit != (b>>j&1 != 0) {
				state = 3
			}
		case 3:
			state = 0
			if count > 4 {
				state = 4
			}
		default:
			count ^= 1 << j
		}
	}
	out[14], out[15] = uint64(state), uint64(count)
	s := uint8(0)
	for j := range 12 {
		switch (uint8(a) + uint8(j)) & 7 {
		case 0, 5:
			s += 3
		case 1:
			if s&1 == 0 {
				break
			}
			s ^= 0xa5
		case 2, 3:
			s = s<<1 | s>>7
		case 4:
			s = -s
		default:
			s -= uint8(b)
		}
	}
	out[16] = uint64(s)
	negative, digits, v := false, false, int64(0)
	text := [8]byte{' ', '-', '0' + byte(a)%10, '0' + byte(b)%10, byte(a), '1', byte(b), '9'}
	const start, sign, number, stop = 0, 1, 2, 3
	state = start
	for _, c := range text {
		digit := '0' <= c && c <= '9'
		switch state {
		case start:
			if c == ' ' {
				continue
			}
			state = sign
			if c == '-' || c == '+' {
				negative = c == '-'
				continue
			}
			fallthrough
		case sign, number:
			if !digit {
				state = stop
				break
			}
			state, digits = number, true
			v = v*10 + int64(c-'0')
		}
	}
	if negative {
		v = -v
	}
	out[17], out[18] = uint64(v), flag(digits)+2*flag(state == stop)
}

func nested[T Integer](a, b T, out *Row) {
	hit, total := false, 0
outer:
	for j := range 6 {
		for l := range 6 {
			if (int(uint8(a))+j*l)&7 == 5 {
				hit = !hit
				continue outer
			}
			if (int(uint8(b))^j+l)&31 == 9 {
				hit = hit || l > 2
				break outer
			}
			if hit {
				total += j - l
			} else {
				total += 2
			}
		}
	}
	out[19], out[20] = uint64(total), flag(hit)
	prime, n := true, int(uint8(a))
	for d := 2; d*d <= n; d++ {
		if n%d == 0 {
			prime = false
			break
		}
	}
	out[21] = flag(prime && n > 1)
	first := true
	var joined uint64
scan:
	for j := range 4 {
		x := uint8(a)>>(2*j)&3 ^ uint8(b)>>(2*j)&1
		for {
			switch {
			case x == 0:
				continue scan
			case x == 3 && !first:
				break scan
			}
			if !first {
				joined <<= 3
			}
			first = false
			joined |= uint64(x) + 1
			x--
		}
	}
	out[22], out[23] = joined, flag(first)
	swapped, list := true, [5]T{a, b, a ^ b, a - b, 7}
	rounds := 0
	for swapped {
		swapped = false
		for j := 1; j < len(list); j++ {
			if list[j] < list[j-1] {
				list[j], list[j-1] = list[j-1], list[j]
				swapped = true
			}
		}
		rounds++
	}
	out[24], out[25], out[26], out[27] = uint64(list[0]), uint64(list[2]), uint64(list[4]), uint64(rounds)
	even := true
	steps := 0
	for c := uint32(uint8(a)) + 1; c != 1 && steps < 200; steps++ {
		even = c&1 == 0
		if even {
			c >>= 1
		} else {
			c = c*3 + 1
		}
	}
	out[28], out[29] = uint64(steps), flag(even)
}
