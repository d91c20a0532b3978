// Package far has tables that kernels read by way of package near only.
package far

// Table and N are never written.
var (
	Table       = [3]int32{4, 5, 6}
	N     int32 = 7
)
