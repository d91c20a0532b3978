// Package far contains tables that kernels read only through package near.
package far

// Table and N are never written.
var (
	Table       = [3]int32{4, 5, 6}
	N     int32 = 7
)
