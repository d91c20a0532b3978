// Package near contains functions that kernels call.
package near

import "github.com/kgen-go/kgen/internal/tests/difftest/golang/near/far"

// At returns an element of a table of package far. Kernels call no function of package far.
func At(i int) int32 { return far.Table[i%3] + far.N }
