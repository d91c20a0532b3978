// Package report describes the results of compiling a kernel to users, as texts and data. Package
// codegen compiles the kernel and calls this package.
//
//	kgen explain          Explain: the meaning of diagnostics
//	kgen -explain=…       Of describes a pass.Report: remaining checks and 64-bit integers,
//	                      and elements of slices that several work-items use
//	kgen view             Page: data for package view, about each kernel after each pass
//	kgen -check -diff     CompareCosts: kernels whose generated files cost more or less
package report
