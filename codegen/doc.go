// Package codegen turns packages of kernels into packages that launch them. It is
// the only package that knows all stages: each takes the finished value of the
// one before it, and codegen passes them along.
//
//	load -> lower -> back (pass -> spirv/emit) -> gostub -> files
package codegen
