// Package items decides how many work-items an invocation runs.
//
//	c[i] = a[i] + b[i]        one work-item
//
//	for r := range 4 { … }    Coarsen: four of them, a work-group's size apart, whose loads overlap
//	c[4*k : 4*k+4] = …        or, where elements are next to each other, one load of 16 bytes
//
// vectors.go finds the kernels whose work-groups can access memory by vectors, and
// vectors_build.go writes their code. Brief tells whether a call of a kernel costs as much as its
// work-item does, for the host device.
//
// Package pass has a picture of the rooms and of their imports. This room may import rewrite and
// facts.
package items
