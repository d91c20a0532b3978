// Package lacks has a kernel without a module for small launches.
package lacks

import "github.com/kgen-go/kgen/dsl"

// K meets in a loop that ends for all together or, at a size that no small launch has, for
// each alone.
type K struct {
	X, Out  []int32
	N, W, H int
}

// Kernel meets.
func (k K) Kernel(it dsl.NDItem1) {
	i := it.GlobalID()
	for {
		it.Barrier()
		if len(k.X) > 1<<29 {
			break
		}
		if k.X[i] > 3 {
			return
		}
	}
	for a := range k.W {
		for b := range k.H {
			for c := range k.N {
				k.Out[(a*k.H+b)*k.N+c] += k.X[(a*k.H+b)*k.N+c+i]
			}
		}
	}
}
