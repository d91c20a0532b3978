package kernels

import "github.com/kgen-go/kgen/dsl"

var N = dsl.NewSpecConstant(9)
type K struct { M int; Out []int32 }
func (k K) Kernel(t dsl.Task) { var p []int32; for i := range 3 { s := dsl.PrivateAlloca[int32](t, N); if i > 0 { k.Out[i] = p[0] }; p = s } }
