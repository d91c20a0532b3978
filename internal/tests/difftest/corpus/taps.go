package corpus

import "github.com/kgen-go/kgen/dsl"

// Taps has small loops that index private arrays. kgen unrolls some of the loops, so that array
// elements become values, and keeps the other loops.
type Taps struct {
	How  int
	X    []int32
	F    []float32
	Out  []int32
	FOut []float32
}

// TapsWays is the number of different loops.
const TapsWays = 10

func (k Taps) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = k.tap(i)
	if k.How == 9 {
		k.FOut[i] = k.products(i)
	}
}

func (k Taps) tap(i int) int32 {
	h := int32(1)
	switch k.How {
	case 0: // elements that are loaded together, and used in another order
		var v [5]int32
		for j := range v {
			v[j] = k.X[i+j]
		}
		for j := 4; j >= 0; j-- {
			h = h*31 + v[j]
		}
	case 1: // loads that are each skipped if a check fails
		var v [17]int32
		for j := range len(v) {
			if at := i + 3*j; at < len(k.X) {
				v[j] = k.X[at]
			}
		}
		for j := range len(v) {
			h = h*31 + v[j]
		}
	case 2: // a filter whose array is shifted in a loop with an unknown number of iterations
		var past [4]int32
		for _, x := range k.X[:i%23] {
			for j := 3; j > 0; j-- {
				past[j] = past[j-1]
			}
			past[0] = x
			for j := range len(past) {
				h = h*3 + past[j]*int32(j+1)
			}
		}
	case 3: // two dimensions
		var m [3][4]int32
		for y := range 3 {
			for x := range 4 {
				m[y][x] = k.X[i+x] * int32(y+1)
			}
		}
		for x := range 4 {
			for y := range 3 {
				h = h*31 + m[y][x]
			}
		}
	case 4: // a loop with early exit and skipped iterations
		var v [8]int32
		for j := range len(v) {
			if k.X[i+j]%5 == 1 {
				break
			}
			if k.X[i+j]%3 == 0 {
				continue
			}
			v[j] = k.X[i+j]
		}
		for j := range len(v) {
			h = h*31 + v[j]
		}
	case 5: // steps of two
		var v [9]int32
		for j := 0; j < 8; j += 2 {
			v[j+1] = k.X[i+j]
			v[j/2] += int32(j)
		}
		for j := range len(v) {
			h = h*31 + v[j]
		}
	case 6: // one access with an unknown index, among accesses with known indices
		var v, w [6]int32
		for j := range len(v) {
			v[j] = k.X[i+j]
			w[j] = v[j] + 1
		}
		h = v[uint32(k.X[i])%6]
		for j := range len(w) {
			h = h*31 + w[j] + v[j]
		}
	case 7: // a copy of an array; the copy changes later
		var v [5]int32
		for j := range len(v) {
			v[j] = k.X[i+j]
		}
		w := v
		for j := range len(w) {
			w[j] *= 7
			h = h*31 + w[j] + v[len(v)-1-j]
		}
	case 8: // a loop too long for splitting arrays into values
		var v [40]int32
		for j := range len(v) {
			v[j] = k.X[(i+j)%len(k.X)]
		}
		for j := range len(v) {
			h = h*31 + v[j]
		}
	}
	return h
}

// products() computes a block of a matrix product in private memory, as kernels compute it in registers.
func (k Taps) products(i int) float32 {
	var sum [3][3]float32
	for d := range i % 11 {
		var u, v [3]float32
		for j := range len(u) {
			u[j], v[j] = k.F[(d+j)%len(k.F)], k.F[(3*d+5*j)%len(k.F)]
		}
		for y := range 3 {
			for x := range 3 {
				sum[y][x] += u[y] * v[x]
			}
		}
	}
	var all float32
	for y := range 3 {
		for x := range 3 {
			all = all*0.5 + sum[y][x]
		}
	}
	return all
}
