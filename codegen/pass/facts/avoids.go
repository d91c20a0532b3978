package facts

// This file tells passes whether a module must work around a certain driver bug. The table of
// driver bugs is in package quirks, which most passes may not import.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// QuirkPrefix is the prefix of a driver bug's name in a module's list of disabled features. The
// list of disabled features also contains names without the prefix, such as names of passes.
const QuirkPrefix = "quirk/"

// Avoids reports whether the module must avoid the driver bug with the given name.
func Avoids(m *ir.Module, name string) bool {
	return len(m.Disabled) == 0 || !slices.Contains(m.Disabled, QuirkPrefix+name)
}
