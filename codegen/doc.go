// Package codegen turns packages of kernels into packages that launch them (stubs). A stage is a step of the
// compilation, such as loading or lowering. Only codegen imports the packages of all stages. The output of each stage
// is the input of the next stage:
//
//	load -> lower -> back (pass -> spirv/emit) -> gostub -> files
//
// [Generate] runs all stages for the packages of a [Config] and writes the files. [Compile] runs
// the stages up to back for one kernel. [Diagnose], [ExplainPasses] and [View] compile kernels
// without writing files.
package codegen
