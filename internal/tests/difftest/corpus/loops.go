package corpus

import "github.com/kgen-go/kgen/dsl"

// Loops has loops of every kind.
type Loops struct {
	N   []int32
	Out []int64
}

func (k Loops) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	n := k.N[i]
	var r int64
	for {
		n--
		if n < 3 {
			break
		}
		r++
	}
	for u := uint64(1 << 62); u > 0; u >>= 3 {
		r += int64(u >> 58)
	}
	for u := ^uint64(0) - 3; u != 2; u++ {
		r += int64(u & 7)
	}
	for f := float32(0); f < 3; f += 0.25 {
		r += int64(f * 4)
	}
	for d := 1.0; d > 1e-3; d /= 2 {
		r++
	}
	for j := 5; j < int(k.N[i])%5; j++ {
		r += 1000
	}
	for range k.N[i] % 3 {
		r += 7
	}
	for j := range int8(k.N[i] % 4) {
		r += int64(j) << 40
	}
	for j := range uint16(3) {
		j := j * 20000
		r ^= int64(j)
	}
	for j := range -k.N[i] {
		r += int64(j)
	}
	var b uint8
	for b = 250; b > 100; b++ {
		r++
	}
	var c int8 = 120
	for c > 0 {
		c++
		r--
	}
	for lo, hi := 0, 20; lo < hi; lo, hi = lo+1, hi-2 {
		r += int64(lo * hi)
	}
	k.Out[i] = r*256 + int64(b) + int64(c)
}

// Ranges changes the operands of range loops within the loops.
type Ranges struct {
	In  []int32
	Out []int32
}

func (k Ranges) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	s := k.In[:5]
	sum := int32(0)
	for j, v := range s {
		s = s[:2]
		sum += v * int32(j+len(s))
	}
	a := [4]int32{1, 2, 3, 4}
	for j, v := range a {
		a[3-j] += v * 10
		sum += v
	}
	p := &a
	for j, v := range p {
		p[3-j] += v
		sum += v
	}
	for j := range p {
		a[j] ^= int32(i)
	}
	t := a[:]
	for j, v := range t {
		if j < 3 {
			t[j+1] += v
		}
		sum = sum*3 + v
	}
	for j := range len(t) {
		j += 2
		sum += int32(j)
	}
	n := 3
	for j := range n {
		n += j
	}
	var none []int32
	for range none {
		sum = 0
	}
	for _, v := range none[0:0:0] {
		sum = v
	}
	clear(t[1:3])
	m := copy(t[1:], t[:3])
	m += copy(t, k.In[i:i+2])
	m += copy(t[3:], none)
	for _, v := range t {
		sum = sum*5 + v
	}
	k.Out[i] = sum + int32(n+m)
}

// Deep has 24 nested ifs and loops.
type Deep struct {
	In  []int32
	Out []int32
}

func (k Deep) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.In[i]
	r := int32(0)
	for a := range 2 {
		if x > 1 {
			for b := 0; b < 2; b++ {
				if x > 2 || b == 1 {
					for c := range 2 {
						if x%3 != 1 {
							for d := range int(x % 3) {
								if d+a < 3 {
									for e := range 2 {
										if e == c {
											switch x & 3 {
											case 0:
												for f := range 3 {
													if f == 1 {
														continue
													}
													if x > 40 {
														if x > 60 {
															if f == 2 {
																for g := 0; ; g++ {
																	if g > 3 {
																		break
																	}
																	if g == int(x&1) {
																		for h := range g + 2 {
																			r += int32(h)
																			if r > 500 {
																				k.Out[i] = r
																				return
																			}
																		}
																	}
																}
															}
														}
													}
												}
											case 1:
												r += 3
												continue
											case 2:
												break
											default:
												r ^= 5
											}
											r++
										}
									}
								}
							}
						} else {
							r += 2
						}
					}
				}
			}
		}
	}
	k.Out[i] = r
}

// Jumps mixes goto, labels and switches.
type Jumps struct {
	In  []int32
	Out []int32
}

func (k Jumps) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.In[i]
	r := int32(0)
loop:
	for {
		switch y := x % 6; {
		case y < 0:
			x = -x
			continue loop
		case y == 0:
			break loop
		case y == 1:
			r += 10
			fallthrough
		case y == 2:
			r++
			x++
		sw:
			switch {
			case r > 20:
				if x%2 == 0 {
					break sw
				}
				r += 100
				fallthrough
			default:
				r += 2
			}
		case y == 3:
			x += 2
			if r > 50 {
				goto out
			}
		case y == 4:
			for j := range 4 {
				if j == 2 {
					x -= 3
					continue loop
				}
				r += int32(j)
				if r > 200 {
					break loop
				}
			}
		default:
			x--
			r++
		}
		r++
		if r > 300 {
			goto out
		}
	}
	r = -r
out:
	if r&1 == 0 {
		goto even
	}
	r += 3
even:
	k.Out[i] = r
}

func minmax(s []int32) (lo, hi int32, at int) {
	if len(s) == 0 {
		at = -1
		return
	}
	lo, hi = s[0], s[0]
	for j, v := range s {
		if v < lo {
			lo, at = v, j
		}
		if v > hi {
			hi := v
			if hi > 1000 {
				return lo, hi, j
			}
		}
		hi = max(hi, v)
	}
	return
}

func chain1(x int32) int32 { return chain2(x+1) * 2 }
func chain2(x int32) int32 { return chain3(x-3) ^ x }
func chain3(x int32) int32 {
	if x < 0 {
		return chain4(-x)
	}
	return chain4(x) + chain5(x)
}
func chain4(x int32) int32 {
	for j := range int32(4) {
		if x == j {
			return chain5(j)
		}
	}
	return x
}
func chain5(x int32) int32 { return chain6(x, 3) }
func chain6(x, y int32) int32 {
	a, b := chain7(x, y)
	return chain8(a) + b
}
func chain7(x, y int32) (int32, int32) { return y, x }
func chain8(x int32) (r int32) {
	r = x
	if r == 3 {
		return 9
	}
	r++
	return
}

// Results nests calls of functions with several and with named results.
type Results struct {
	In  []int32
	Out []int32
}

func (k Results) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	lo, hi, at := minmax(k.In[i : i+i%4])
	r := lo*3 + hi*5 + int32(at)*7
	r += chain1(int32(i) - 10)
	if lo, hi := hi, lo; lo > hi {
		r += lo
	}
	{
		r := r
		r++
		_ = r
	}
	k.Out[i] = r
}

// OnlyReturn does nothing.
type OnlyReturn struct {
	Out []int32
}

func (k OnlyReturn) Kernel(it dsl.Item1) { return }
