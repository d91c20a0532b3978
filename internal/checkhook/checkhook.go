// Package checkhook lets the host device's checked mode have the IR of kernels
// without the runtime knowing the compiler. Package checked sets Load.
package checkhook

import (
	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// Load compiles the kernel with the given import path and name from its source, and
// returns its module as it is before work-items become dead lanes. It is nil unless
// package checked is part of the program.
var Load func(pkgPath, name string) (*ir.Module, *abi.Kernel, error)
