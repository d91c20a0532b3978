// Package report describes the results of compiling a kernel to users, as texts and data. Package
// codegen compiles the kernel and calls this package.
//
// Each of these functions does the work of a command of kgen:
//
//   - [Explain] prints the meaning of diagnostics, for the command kgen explain.
//   - [Of] describes a pass.Report for the flag -explain. It lists the remaining checks, 64-bit
//     integers, and slice elements that several work-items use.
//   - [Page] returns data about each kernel after each pass, which package view shows for kgen
//     view.
//   - [CompareCosts] returns the kernels whose generated files have changed in cost, for the flags
//     -check -diff.
package report
