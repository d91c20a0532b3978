package specbench

import (
	"slices"

	"github.com/kgen-go/kgen/dsl"
)

func localLen(n int) dsl.LocalAccessor[float32] { return dsl.LocalLen[float32](n) }

func middle(s []float32) float32 {
	slices.Sort(s)
	return s[len(s)/2]
}
