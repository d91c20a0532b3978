// Package codegen compiles packages of kernels, and generates stubs, which are packages that launch
// the kernels. The compilation consists of stages, such as loading or lowering, and each stage is a
// package. The output of each stage is the input of the next stage. Only codegen imports the
// packages of all stages:
//
//	load -> lower -> back (pass -> spirv/emit) -> gostub -> files
//
// [Generate] runs all stages for the packages of a [Config] and writes the files. [Compile] runs
// the stages from load to back for one kernel. [Diagnose], [ExplainPasses] and [View] compile
// kernels without writing files.
package codegen
