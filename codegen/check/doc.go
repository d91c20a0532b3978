// Package check contains the rules that restrict Go in kernels. A rule forbids a construct in all
// kernels, regardless of run-time values. A kernel without findings may still get errors from
// package lower, because some constructs are forbidden only for some values. For example, package
// lower rejects an unknown function value, and a pointer to one of several variables.
//
// The file rules.go contains a table of the rules. Each rule examines one instruction of go/ssa.
// Check applies the rules to a loaded kernel and the functions that the kernel reaches. Analyzers
// applies the rules to one package at a time, for go vet.
package check
