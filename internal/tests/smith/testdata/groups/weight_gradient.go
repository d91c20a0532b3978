// seed 7, global [5 19], local []

// The gradient of weights, A transposed times B. The host form took a value of a round for one that is
// there where a row begins, and did not compile.
package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/smith/shape"
	"github.com/kgen-go/kgen/properties"
)

type P0K struct{ shape.GroupArgs }

func (P0K) Properties() properties.List {
	return properties.List{properties.Float(properties.FloatExact)}
}

func (k P0K) Kernel(it dsl.Item2) {
	i, j := it.GlobalID()
	rows, cols := it.GlobalRange()
	sum := float32(0)
	for b := 0; b < int(k.N&3)+9; b++ {
		sum += k.Reals[b*rows+i] * k.Reals[b*cols+j]
	}
	k.Out[(i*cols+j)*16] = shape.Bits32(sum)
}
