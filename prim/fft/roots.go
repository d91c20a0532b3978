package fft

import "math"

// root() returns exp(-2πi*index/of). root() computes in float64 and rounds each operation, so the
// result is the same on every processor. root() reduces the angle to at most an eighth of a full
// turn.
func root[I int | int64](index, of I) complex128 {
	k, n := int64(index), int64(of)
	a := 8 * (k % n) // a/n is the angle in eighths of a full turn
	below := a <= 4*n
	if !below {
		a = 8*n - a
	}
	left := a > 2*n
	if left {
		a = 4*n - a
	}
	steep := a > n
	if steep {
		a = 2*n - a
	}
	re, im := cosSin(float64(float64(a)/float64(n)) * (math.Pi / 4))
	if steep {
		re, im = im, re
	}
	if left {
		re = -re
	}
	if below {
		im = -im
	}
	return complex(re, im)
}

// cosSin computes the cosine and the sine of an angle by their power series. The angle is at most
// an eighth of a full turn. The conversions to float64 prevent compilers from fusing products and
// sums.
func cosSin(x float64) (cos, sin float64) {
	z := float64(x * x)
	for n := 18.0; n > 0; n -= 2 { // the series of cos-1 and sin/x-1
		cos = float64(-z / (n * (n - 1)) * (1 + cos))
		sin = float64(-z / (n * (n + 1)) * (1 + sin))
	}
	return 1 + cos, x + float64(x*sin)
}

// spectrum() computes the transform of xs by Stockham's algorithm, with one pass for each prime
// factor of the length. The length must have no prime factors other than 2, 3, 5 and 7.
func spectrum(xs []complex128) []complex128 {
	n := len(xs)
	all := make([]complex128, n)
	for i := range all {
		all[i] = root(i, n)
	}
	other := make([]complex128, n)
	done := 1
	for _, radix := range []int{7, 5, 3, 2} {
		for n/done%radix == 0 {
			rest := n / radix
			for j := range rest {
				k := j % done
				for i := range radix {
					sum := xs[j]
					for m := 1; m < radix; m++ { // the factor is exp(-2πi*m*(k+i*done)/(done*radix))
						sum += xs[j+m*rest] * all[m*(k+i*done)%(done*radix)*(n/(done*radix))]
					}
					other[(j-k)*radix+k+i*done] = sum
				}
			}
			xs, other = other, xs
			done *= radix
		}
	}
	return xs
}

// rootTables collects the roots of unity of a plan while the plan is made.
type rootTables struct {
	all  []complex128
	at   map[tableKey]span
	size float64 // divisor of the inverse transform
}

// tableKey identifies a table of roots of unity.
type tableKey struct {
	kind  byte
	n     int // length of a line, or first argument of chirp(), convolution() or halves()
	other int // argument `rest` of lineTable, or argument m of convolution()
	radix string
}

// The type `span` is the index range of a table in the slice of all tables. The roots for launches
// with Turned set begin at the table's index `turn`.
type span struct{ from, to, turn int }

func (t *rootTables) make(key tableKey, values func() (table []complex128, turn int)) span {
	if s, ok := t.at[key]; ok {
		return s
	}
	v, turn := values()
	s := span{len(t.all), len(t.all) + len(v), turn}
	t.all = append(t.all, v...)
	if t.at == nil {
		t.at = map[tableKey]span{}
	}
	t.at[key] = s
	return s
}

// lineTable returns the table for lines whose passes have the given radices. If the argument
// `rest` is not 1, the lines are columns of a transform that is rest times as long. The arguments
// `near` and `far` are the shifts in the kernels' field Shifts.
func (t *rootTables) lineTable(radices []int, rest, near, far int) span {
	key := tableKey{kind: 'l', n: product(radices), other: rest, radix: string(bytesOf(radices))}
	return t.make(key, func() (table []complex128, turn int) {
		table = append(table, complex(1/t.size, 0)) // no pass uses element 0, so it contains the scale of the inverse transform
		done := 1
		for _, r := range radices {
			for i := 1; i < r; i++ {
				for k := range done {
					table = append(table, root(i*k, done*r))
				}
			}
			done *= r
		}
		if rest == 1 {
			return table, 0
		}
		turn = len(table)
		n := done * rest
		for e := range done {
			for d := range 1 << near {
				table = append(table, root(e*d, n))
			}
		}
		for i := range 1 << far {
			table = append(table, root(i<<near, n))
		}
		for i := range maxTurns(done, rest, near)>>far + 1 {
			table = append(table, root(i<<far<<near, n))
		}
		return table, turn
	})
}

// maxTurns returns an upper bound of e * (column>>near), where e is an element's index in a line.
func maxTurns(length, rest, near int) int { return length * (rest>>near + 1) }

func bytesOf(radices []int) []byte {
	b := make([]byte, len(radices))
	for i, r := range radices {
		b[i] = byte(r)
	}
	return b
}

// chirp() returns the factors exp(-πi*j*j/n) of Bluestein's algorithm.
func (t *rootTables) chirp(n int) span {
	return t.make(tableKey{kind: 'c', n: n}, func() ([]complex128, int) {
		table := make([]complex128, n)
		for j := range table {
			table[j] = root(int64(j)*int64(j), 2*int64(n))
		}
		return table, 0
	})
}

// convolution() returns the transform of the conjugates of chirp, divided by m. Table element j and
// table element m-j contain the same conjugate.
func (t *rootTables) convolution(n, m int) span {
	return t.make(tableKey{kind: 'b', n: n, other: m}, func() ([]complex128, int) {
		table := make([]complex128, m)
		for j := range n {
			w := root(int64(j)*int64(j), 2*int64(n))
			w = complex(real(w)/float64(m), -imag(w)/float64(m))
			table[j] = w
			if j > 0 {
				table[m-j] = w
			}
		}
		return spectrum(table), 0
	})
}

// halves() returns the roots of unity for the kernel Halves.
func (t *rootTables) halves(half int) span {
	return t.make(tableKey{kind: 'h', n: half}, func() ([]complex128, int) {
		table := make([]complex128, half/2+1)
		for k := range table {
			table[k] = root(k, 2*half)
		}
		return table, 0
	})
}
