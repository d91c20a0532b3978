// Package passtest contains helpers for tests of the passes of codegen/pass.
//
//	Text                     runs passes over testdata/*.ir and compares the results with *.out.
//	CFG and RandomCFG        generate random functions with any control flow.
//	Compare, CheckStructured and CheckSSA judge a pass by such functions.
//	CheckGen and NestGen     generate random kernels that index slices, in branches and in nests of loops.
//	MemoryGen                generates random kernels that store to and load from the same elements.
//	LaneGen                  generates random kernels with barriers.
//	LaneMachine              runs a work-group of a kernel with barriers.
//	CompareLanes             judges a pass by random kernels with barriers.
//	MemFunc and NewKernel    begin functions and kernels that tests write by hand.
//
// Count is the number of random functions that a test generates. The flag -seeds sets Count, for longer runs.
package passtest
