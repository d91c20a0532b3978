// Package passtest contains helpers for tests of the passes of codegen/pass.
//
//	Text                    runs passes over testdata/*.ir and compares with *.out
//	CFG, RandomCFG          random functions with any control flow; Compare, CheckStructured and
//	                        CheckSSA judge a pass by them
//	CheckGen, NestGen       random kernels that index slices, in branches and in nests of loops
//	MemoryGen               random kernels that store to and load from the same elements
//	LaneGen, LaneMachine    random kernels with barriers, and a machine that runs a work-group;
//	                        CompareLanes judges a pass by them
//	MemFunc, NewKernel      the beginnings of functions that tests write by hand
//
// Count is the number of random functions of a test. The flag -seeds sets Count, for longer runs.
package passtest
