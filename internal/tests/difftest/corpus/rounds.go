package corpus

import "github.com/kgen-go/kgen/dsl"

// Rounds has loops with loads. kgen may combine several iterations of a loop. Each work-item i
// processes the elements of At from Starts[i] up to Starts[i+1].
type Rounds struct {
	How    int
	Starts []uint32
	At     []uint32 // indexes of X
	X      []int32
	Same   []int32 // may be the same memory as X
	Out    []int32
}

// RoundsWays is the number of different loops.
const RoundsWays = 7

func (k Rounds) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = 1
	k.Out[i] = k.sum(i, k.Starts[i], k.Starts[i+1])
}

func (k Rounds) sum(i int, from, to uint32) int32 {
	h := int32(7)
	switch k.How {
	case 0: // a row of a sparse matrix, where two checks depend on loaded values
		for j := from; j < to; j++ {
			h = h*31 + k.X[k.At[j]]
		}
	case 1: // the slice of the stores may be the same memory as the slice of the loads
		for j := from; j < to; j++ {
			h = h*31 + k.X[j]
			k.Same[j+1] = h
		}
	case 2: // exits in the middle, depending on the counter and on loaded values
		for j := from; j < to; j++ {
			if j == 6 {
				break
			}
			x := k.X[j]
			if x == 13 {
				h += int32(j)
				break
			}
			h = h*31 + x
		}
	case 3: // the last loaded value, and the counter, are live after the loop
		last, j := int32(0), int(from)
		for ; j < int(to); j += 2 {
			last = k.X[j] - last
			k.Out[i] = h
			h = h*31 + last
		}
		h = h*31 + last + int32(j)
	case 4: // an index that each iteration computes for the next iteration
		for j, at := from, from; j < to; j++ {
			at = k.At[at]
			h = h*31 + int32(at)
		}
	case 5: // stores of earlier iterations, which a later fault must not undo
		for j := from; j < to; j++ {
			k.Out[i] = h
			h = h*31 + k.X[k.At[j]]
		}
	case 6: // a loop with its test at the end and a branch in its body, next to similar loops
		for n := range 2 {
			for j := from; ; {
				x := k.X[j]
				if x&1 == 0 {
					x = -x
				}
				h = h*31 + x + int32(n)
				if j++; j >= to {
					break
				}
			}
		}
	}
	return h
}
