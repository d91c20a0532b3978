package kernels

// These are cosines and sines of fractions of a full turn.
const (
	half  = 0.70710678118654752440084436210484903928 // square root of 1/2
	cos16 = 0.92387953251128675612818318939678828682 // cosine of 1/16 of a turn; sin16 follows
	sin16 = 0.38268343236508977172845998403039886676
	sin3  = 0.86602540378443864676372317075293618347 // sine of 1/3 of a turn, whose cosine is -1/2
	cos5  = 0.30901699437494742410229341718281905886 // cosine of 1/5 of a turn; the constants for 2/5 follow
	sin5  = 0.95105651629515357211643933337938214340
	cos5b = -0.80901699437494742410229341718281905886
	sin5b = 0.58778525229247312916870595463907276860
	cos7  = 0.62348980185873353052500488400423981063 // cosine of 1/7 of a turn; the constants for 2/7 and 3/7 follow
	sin7  = 0.78183148246802980870844452667405775023
	cos7b = -0.22252093395631440428890256449679475947
	sin7b = 0.97492791218182360701813168299393121723
	cos7c = -0.90096886790241912623610231950744505116
	sin7c = 0.43388373911755812047576833284835875461
)

// short() computes those short transforms of a pass that work-item l computes. The conditions are nested,
// so that a device's compiler can remove the code for radices that are not used. Six elements are two times
// three, and ten are two times five. The order of Good and Thomas needs no roots between these steps.
func (p pass[T]) short(l, uses uint32) {
	if uses>>2&1 != 0 {
		if p.radix == 2 {
			p.shorts(l, 2, func(x element[T]) {
				a, b := x.get(0), x.get(1)
				x.put(0, a.plus(b))
				x.put(1, a.minus(b))
			})
		}
	}
	if uses>>3&1 != 0 {
		if p.radix == 3 {
			p.shorts(l, 3, func(x element[T]) {
				a, b, c := three(x.get(0), x.get(1), x.get(2))
				x.put(0, a)
				x.put(1, b)
				x.put(2, c)
			})
		}
	}
	if uses>>4&1 != 0 {
		if p.radix == 4 {
			p.shorts(l, 4, func(x element[T]) {
				a, b, c, d := four(x.get(0), x.get(1), x.get(2), x.get(3))
				x.put(0, a)
				x.put(1, b)
				x.put(2, c)
				x.put(3, d)
			})
		}
	}
	if uses>>5&1 != 0 {
		if p.radix == 5 {
			p.shorts(l, 5, func(x element[T]) {
				a, b, c, d, e := five(x.get(0), x.get(1), x.get(2), x.get(3), x.get(4))
				x.put(0, a)
				x.put(1, b)
				x.put(2, c)
				x.put(3, d)
				x.put(4, e)
			})
		}
	}
	if uses>>6&1 != 0 {
		if p.radix == 6 {
			p.shorts(l, 6, func(x element[T]) {
				a, b, c := three(x.get(0), x.get(2), x.get(4))
				d, e, f := three(x.get(3), x.get(5), x.get(1))
				x.put(0, a.plus(d))
				x.put(3, a.minus(d))
				x.put(4, b.plus(e))
				x.put(1, b.minus(e))
				x.put(2, c.plus(f))
				x.put(5, c.minus(f))
			})
		}
	}
	if uses>>7&1 != 0 {
		if p.radix == 7 {
			p.shorts(l, 7, func(x element[T]) {
				a, b, c, d, e, f, g := seven(x.get(0), x.get(1), x.get(2), x.get(3), x.get(4), x.get(5), x.get(6))
				x.put(0, a)
				x.put(1, b)
				x.put(2, c)
				x.put(3, d)
				x.put(4, e)
				x.put(5, f)
				x.put(6, g)
			})
		}
	}
	if uses>>8&1 != 0 {
		if p.radix == 8 {
			p.shorts(l, 8, func(x element[T]) {
				a, b, c, d, e, f, g, h := eight(x.get(0), x.get(1), x.get(2), x.get(3), x.get(4), x.get(5), x.get(6), x.get(7))
				x.put(0, a)
				x.put(1, b)
				x.put(2, c)
				x.put(3, d)
				x.put(4, e)
				x.put(5, f)
				x.put(6, g)
				x.put(7, h)
			})
		}
	}
	if uses>>10&1 != 0 {
		if p.radix == 10 {
			p.shorts(l, 10, func(x element[T]) {
				a, b, c, d, e := five(x.get(0), x.get(2), x.get(4), x.get(6), x.get(8))
				f, g, h, i, j := five(x.get(5), x.get(7), x.get(9), x.get(1), x.get(3))
				x.put(0, a.plus(f))
				x.put(5, a.minus(f))
				x.put(6, b.plus(g))
				x.put(1, b.minus(g))
				x.put(2, c.plus(h))
				x.put(7, c.minus(h))
				x.put(8, d.plus(i))
				x.put(3, d.minus(i))
				x.put(4, e.plus(j))
				x.put(9, e.minus(j))
			})
		}
	}
	if uses>>16&1 != 0 {
		if p.radix == 16 {
			p.shorts(l, 16, func(x element[T]) {
				var v [16]Complex[T]
				for i := range uint32(16) {
					v[i] = x.get(i)
				}
				sixteen(&v)
				for i := range uint32(16) {
					x.put(i, v[i])
				}
			})
		}
	}
}

// shorts() calls f for each short transform of a pass that work-item l computes.
func (p pass[T]) shorts(l, radix uint32, f func(element[T])) {
	rest := p.length / radix
	w, one := p.share(l, rest, p.layout), p.step(1)
	x := element[T]{p: &p, step: p.step(rest), apart: p.step(p.done)}
	for line := w.line; line < p.together; line += w.lines {
		begin := p.place(line, 0)
		for j := w.e; j < rest; j += w.step {
			_, x.root = quotient(j, p.done)
			x.begin, x.to = p.from+begin+j*one, p.to+begin+((j-x.root)*radix+x.root)*one
			f(x)
		}
	}
}

// eighth() turns a by an eighth of a full turn, and returns the result.
func (a Complex[T]) eighth() Complex[T] {
	return Complex[T]{T((a.Re + a.Im) * half), T((a.Im - a.Re) * half)}
}

// three() computes the transform of three elements.
func three[T Float](a, b, c Complex[T]) (_, _, _ Complex[T]) {
	s, d := b.plus(c), b.minus(c)
	m := Complex[T]{a.Re - T(s.Re*0.5), a.Im - T(s.Im*0.5)}
	n := Complex[T]{T(d.Im * sin3), -T(d.Re * sin3)}
	return a.plus(s), m.plus(n), m.minus(n)
}

// four() computes the transform of four elements.
func four[T Float](a, b, c, d Complex[T]) (_, _, _, _ Complex[T]) {
	s, t, u, v := a.plus(c), a.minus(c), b.plus(d), b.minus(d).turned()
	return s.plus(u), t.plus(v), s.minus(u), t.minus(v)
}

// five() computes the transform of five elements.
func five[T Float](a, b, c, d, e Complex[T]) (_, _, _, _, _ Complex[T]) {
	s, t, u, v := b.plus(e), c.plus(d), b.minus(e), c.minus(d)
	m := Complex[T]{a.Re + (T(s.Re*cos5) + T(t.Re*cos5b)), a.Im + (T(s.Im*cos5) + T(t.Im*cos5b))}
	n := Complex[T]{a.Re + (T(s.Re*cos5b) + T(t.Re*cos5)), a.Im + (T(s.Im*cos5b) + T(t.Im*cos5))}
	p := Complex[T]{T(u.Im*sin5) + T(v.Im*sin5b), -(T(u.Re*sin5) + T(v.Re*sin5b))}
	q := Complex[T]{T(u.Im*sin5b) - T(v.Im*sin5), T(v.Re*sin5) - T(u.Re*sin5b)}
	return a.plus(s.plus(t)), m.plus(p), n.plus(q), n.minus(q), m.minus(p)
}

// seven() computes the transform of seven elements.
func seven[T Float](a, b, c, d, e, f, g Complex[T]) (_, _, _, _, _, _, _ Complex[T]) {
	s, t, u := b.plus(g), c.plus(f), d.plus(e)
	v, w, x := b.minus(g), c.minus(f), d.minus(e)
	even := func(p, q, r T) Complex[T] {
		return Complex[T]{a.Re + (T(s.Re*p) + (T(t.Re*q) + T(u.Re*r))), a.Im + (T(s.Im*p) + (T(t.Im*q) + T(u.Im*r)))}
	}
	odd := func(p, q, r T) Complex[T] {
		return Complex[T]{T(v.Im*p) + (T(w.Im*q) + T(x.Im*r)), -(T(v.Re*p) + (T(w.Re*q) + T(x.Re*r)))}
	}
	k, l, m := even(cos7, cos7b, cos7c), even(cos7b, cos7c, cos7), even(cos7c, cos7, cos7b)
	n, o, p := odd(sin7, sin7b, sin7c), odd(sin7b, -sin7c, -sin7), odd(sin7c, -sin7, sin7b)
	return a.plus(s.plus(t.plus(u))), k.plus(n), l.plus(o), m.plus(p), m.minus(p), l.minus(o), k.minus(n)
}

// eight() computes the transform of eight elements.
func eight[T Float](a, b, c, d, e, f, g, h Complex[T]) (_, _, _, _, _, _, _, _ Complex[T]) {
	a, c, e, g = four(a, c, e, g)
	b, d, f, h = four(b, d, f, h)
	d, f, h = d.eighth(), f.turned(), h.eighth().turned()
	return a.plus(b), c.plus(d), e.plus(f), g.plus(h), a.minus(b), c.minus(d), e.minus(f), g.minus(h)
}

// sixteen() computes the transform of 16 elements, as four times four.
func sixteen[T Float](x *[16]Complex[T]) {
	for i := range 4 {
		x[i], x[4+i], x[8+i], x[12+i] = four(x[i], x[4+i], x[8+i], x[12+i])
	}
	x[5] = x[5].times(Complex[T]{cos16, -sin16})
	x[6] = x[6].eighth()
	x[7] = x[7].times(Complex[T]{sin16, -cos16})
	x[9] = x[9].eighth()
	x[10] = x[10].turned()
	x[11] = x[11].eighth().turned()
	x[13] = x[13].times(Complex[T]{sin16, -cos16})
	x[14] = x[14].eighth().turned()
	x[15] = x[15].times(Complex[T]{-cos16, sin16})
	for i := range 4 {
		x[4*i], x[4*i+1], x[4*i+2], x[4*i+3] = four(x[4*i], x[4*i+1], x[4*i+2], x[4*i+3])
	}
	x[1], x[4] = x[4], x[1]
	x[2], x[8] = x[8], x[2]
	x[3], x[12] = x[12], x[3]
	x[6], x[9] = x[9], x[6]
	x[7], x[13] = x[13], x[7]
	x[11], x[14] = x[14], x[11]
}
