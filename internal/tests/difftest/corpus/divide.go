package corpus

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/math32"
)

// Quotients computes quotients and square roots.
type Quotients struct {
	A, B                    []float32
	Quotient, Root, Inverse []float32
}

func (k Quotients) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Quotient[i] = k.A[i] / k.B[i]
	k.Root[i] = math32.Sqrt(k.A[i])
	k.Inverse[i] = 1 / k.A[i]
}
