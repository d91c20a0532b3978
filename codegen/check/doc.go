// Package check has the rules that restrict Go in kernels: the constructs that no kernel may have,
// whatever values it works on. A kernel without findings may still fail in package lower, because
// of constructs that depend on values: an unknown function value, or pointers to different
// variables.
//
// The rules are rows of a table in rules.go; each examines one instruction of go/ssa. Check applies
// them to a loaded kernel and the functions that it reaches. Analyzers applies them to one package
// at a time, for go vet.
package check
