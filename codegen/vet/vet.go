// Package vet has the rules about kernels as analyzers, for drivers of
// golang.org/x/tools/go/analysis: command kgenvet, or one's own.
package vet

import (
	"golang.org/x/tools/go/analysis"

	"github.com/kgen-go/kgen/codegen/check"
	"github.com/kgen-go/kgen/codegen/lower"
)

// Analyzers returns an analyzer for each rule. They report what kgen does of the
// code in a kernel's package, at the same positions with the same codes.
func Analyzers() []*analysis.Analyzer { return check.Analyzers(lower.Known) }
