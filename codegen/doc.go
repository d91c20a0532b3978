// Package codegen turns packages of kernels into packages that launch them (stubs). It is the only
// package that knows all stages. Each stage gets the finished result of the stage before it from
// codegen:
//
//	load -> lower -> back (pass -> spirv/emit) -> gostub -> files
//
// [Generate] runs all stages for the packages of a [Config] and writes the files. [Compile] runs
// the stages up to back for one kernel. [Diagnose], [ExplainPasses] and [View] compile kernels
// without writing files.
package codegen
