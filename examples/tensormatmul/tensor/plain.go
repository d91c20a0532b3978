package tensor

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/half"
)

// Side is the number of rows and columns of the matrices that Plain multiplies.
const Side = 16

// Plain computes C = A*B as MatMul does, but on every device. Each sub-group computes Side by Side elements of C, and
// loads matrices directly from global memory. A row of A and a column of B have K elements, and a row of C has N elements.
// All sizes are multiples of Side. The nd-range has N/Side by rows/Side sub-groups, in work-groups of one sub-group.
type Plain struct {
	N, K int
	A, B []half.Float16
	C    []float32
}

// Kernel computes a Side by Side matrix of C.
func (k Plain) Kernel(it dsl.NDItem1) {
	sg := it.SubGroup()
	across := k.N / Side
	row, col := it.GroupID()/across*Side, it.GroupID()%across*Side
	var sum dsl.Accumulator[[Side][Side]float32]
	for d := 0; d < k.K; d += Side {
		a := dsl.LoadA[[Side][Side]half.Float16](sg, k.A[row*k.K+d:], k.K, dsl.RowMajor)
		b := dsl.LoadB[[Side][Side]half.Float16](sg, k.B[col*k.K+d:], k.K, dsl.ColumnMajor)
		sum = dsl.MulAdd(sg, a, b, sum)
	}
	dsl.StoreAccumulator(sg, sum, k.C[row*k.N+col:], k.N, dsl.RowMajor)
}
