package matrix

import "fmt"

// Tuple is a matrix product that a device supports natively. Tuple multiplies M rows of K elements by K rows
// of N elements. A is the element type of both factors, and C is the element type of the sum.
type Tuple struct {
	M, N, K int
	A, C    Elem
}

// String returns the tuple as "16x16x16 half.Float16 → float32".
func (t Tuple) String() string { return fmt.Sprintf("%dx%dx%d %v → %v", t.M, t.N, t.K, t.A, t.C) }

// Part returns the numbers of rows and columns of the native matrix with use u.
func (t Tuple) Part(u Use) [2]int {
	return [...][2]int{A: {t.M, t.K}, B: {t.K, t.N}, Accumulator: {t.M, t.N}}[u]
}

// Makes reports whether matrices of shape s can be divided into native matrices of the tuple.
func (t Tuple) Makes(s Shape) bool {
	p, elem := t.Part(s.Use), t.A
	if s.Use == Accumulator {
		elem = t.C
	}
	return s.Elem == elem && s.Rows%p[0] == 0 && s.Cols%p[1] == 0
}

// Usable reports whether kgen generates code for the tuple. M, N and K must be powers of two, so that rows
// and columns have the alignment that devices require.
func (t Tuple) Usable() bool {
	pow2 := func(n int) bool { return n > 1 && n&(n-1) == 0 }
	return pow2(t.M) && pow2(t.N) && pow2(t.K)
}
