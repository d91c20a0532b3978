// Package items decides how many work-items an invocation runs.
//
//	c[i] = a[i] + b[i]        one work-item
//
//	for r := range 4 { … }    Coarsen makes four work-items, whose loads overlap
//	c[4*k:4*k+4] = …          or, if the elements are adjacent, one load of 16 bytes.
//
// The file vectors.go finds kernels whose work-groups can access memory by vectors, and
// vectors_build.go generates their code. For the host device, Brief reports whether calling a
// kernel costs as much as the computation of a work-item.
//
// The doc of package pass shows the order in which the packages below codegen/pass may import each
// other. Package items imports rewrite and facts.
package items
