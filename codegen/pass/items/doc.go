// Package items decides how many work-items an invocation runs.
//
//	c[i] = a[i] + b[i]        one work-item
//
//	for r := range 4 { … }    Coarsen: four, with ids a work-group's size apart; their loads overlap
//	c[4*k : 4*k+4] = …        or, if the elements are adjacent, one load of 16 bytes
//
// vectors.go finds the kernels whose work-groups can access memory by vectors, and vectors_build.go
// writes their code. Brief tells the host device whether a call of a kernel costs as much as the
// work of a work-item.
//
// Package pass has a picture of the rooms and of their imports. This room may import rewrite and
// facts.
package items
