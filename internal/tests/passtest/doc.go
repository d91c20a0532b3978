// Package passtest contains helpers for tests of the passes of codegen/pass.
//
//	Text                     runs passes over testdata/*.ir and compares the results with *.out.
//	CFG and RandomCFG        generate random functions with any control flow.
//	Compare, CheckStructured and CheckSSA test a pass with these random functions.
//	CheckGen and NestGen     generate random kernels that index slices, in branches and in nests of loops.
//	MemoryGen                generates random kernels that store to and load from the same elements.
//	LaneGen                  generates random kernels with barriers.
//	LaneMachine              runs a work-group of a kernel with barriers.
//	CompareLanes             tests a pass with random kernels that contain barriers.
//	MemFunc and NewKernel    create functions and kernels to which a test adds code.
//
// Count is the number of random functions that a test generates. The flag -seeds sets Count, for longer runs.
package passtest
