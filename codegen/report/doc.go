// Package report words, for users, the results of compiling a kernel. Package codegen compiles the
// kernel and calls this package.
//
//	kgen explain          Explain: the diagnostics by their codes
//	kgen -explain=…       Of words a pass.Report: the checks and the 64-bit integers that remain,
//	                      and the elements of slices that work-items share
//	kgen view             Page: the data of package view, of each kernel after each pass
//	kgen -check -diff     CompareCosts: kernels whose generated files cost more or less
package report
