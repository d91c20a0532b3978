// Package report describes the results of compiling a kernel to users, as texts and data. Package
// codegen compiles the kernel and calls this package.
//
// These functions implement commands and flags of kgen:
//
//   - [Explain] prints the meaning of diagnostics, for the command kgen explain.
//   - [Of] describes a pass.Report for the flag -explain. The description lists the remaining
//     checks, 64-bit integers, and slice elements that several work-items use.
//   - [Page] returns data about each kernel after each pass, which package view shows for kgen
//     view.
//   - [CompareCosts] returns the kernels whose generated files have changed in cost, for the flags
//     -check -diff.
package report
