// Package check holds the rules that make Go restricted: the constructs that no
// kernel may have, whatever the values are that it works on. A kernel in which
// Check finds nothing may still fail in package lower, over what depends on
// values: a function value that is not known, pointers to different variables.
//
// The rules are rows of a table in rules.go; each looks at one instruction. They
// see go/ssa alone. Check applies them to a loaded kernel and what it reaches;
// Analyzers to a package at a time, for go vet.
package check
