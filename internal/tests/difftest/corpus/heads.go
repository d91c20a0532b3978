package corpus

import "github.com/kgen-go/kgen/dsl"

// Heads has loops whose conditions load from memory. The loaded value is the same in all iterations,
// or an iteration may change the value. Each work-item i owns four elements of At, from At[4*i] on.
type Heads struct {
	How    int
	Starts []uint32 // indexes of At, ascending
	At     []int32
	Same   []int32 // may be the same memory as At
	Out    []int32
}

// HeadsWays is the number of different loops.
const HeadsWays = 7

func (k Heads) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = 1
	k.Out[i] = k.sum(i, 4*i)
}

func (k Heads) sum(i, own int) int32 {
	h := int32(7)
	switch k.How {
	case 0: // a row of a sparse matrix
		j := k.Starts[i] // on a line of its own, because gc does not distinguish two faults on one line
		for ; j < k.Starts[i+1]; j++ {
			h = h*31 + k.At[j]
		}
	case 1: // the loop stores into the slice that contains its bound
		for j := int32(0); j < k.At[own+1]; j++ {
			k.At[own+1]--
			h = h*31 + j
		}
	case 2: // the slice of the store may be the same memory as the slice of the loop bound
		for j := int32(0); j < k.At[own+1]; j++ {
			k.Same[own+1]--
			h = h*31 + j
		}
	case 3: // the second index is loaded, so its check comes after the first check and load
		for j := int32(0); j < k.At[k.Starts[i+1]]; j++ {
			h = h*31 + j
		}
	case 4: // the second check and load depend on the iteration
		for j := own; k.At[own+2] > k.Same[j]; j++ {
			h = h*31 + int32(j)
		}
	case 5: // nested loops
		for j := int32(0); j < k.At[own]; j++ {
			n := k.Starts[i]
			for ; n < k.Starts[i+1]; n++ {
				h = h*31 + j - int32(n)
			}
			k.Out[i] = h
		}
	case 6: // if the load of the loop bound faults, the stores of earlier iterations remain
		for j := range 3 {
			for n := int32(0); n < k.Same[own+j]; n++ {
				k.Out[i] = h
				h = h*31 + n
			}
		}
	}
	return h
}
