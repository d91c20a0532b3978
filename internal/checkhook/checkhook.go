// Package checkhook passes the IR of kernels to the checked mode of the host device, so that the runtime does
// not import the compiler. The variable Load is set by package checked.
package checkhook

import (
	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// Load compiles the kernel with the given import path and name from its source. The returned module is
// an intermediate form. A later pass would make work-items wait at barriers after an early return.
// Load is nil unless the program imports package checked.
var Load func(pkgPath, name string) (*ir.Module, *abi.Kernel, error)
