package matrix

import "fmt"

// Tuple is a product that a device has matrices of its own for: M rows of K elements by K rows of N elements. A
// is the type of the factors' elements, and C that of the sum's.
type Tuple struct {
	M, N, K int
	A, C    Elem
}

// String returns the tuple as "16x16x16 half.Float16 → float32".
func (t Tuple) String() string { return fmt.Sprintf("%dx%dx%d %v → %v", t.M, t.N, t.K, t.A, t.C) }

// Part returns the rows and columns of the tuple's matrix of a use.
func (t Tuple) Part(u Use) [2]int {
	return [...][2]int{A: {t.M, t.K}, B: {t.K, t.N}, Accumulator: {t.M, t.N}}[u]
}

// Makes reports whether matrices of the shape can be made of the tuple's.
func (t Tuple) Makes(s Shape) bool {
	p, elem := t.Part(s.Use), t.A
	if s.Use == Accumulator {
		elem = t.C
	}
	return s.Elem == elem && s.Rows%p[0] == 0 && s.Cols%p[1] == 0
}

// Usable reports whether kgen makes code for the tuple: rows and columns are aligned as devices ask for if their
// numbers are powers of two.
func (t Tuple) Usable() bool {
	pow2 := func(n int) bool { return n > 1 && n&(n-1) == 0 }
	return pow2(t.M) && pow2(t.N) && pow2(t.K)
}
