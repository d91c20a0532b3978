package facts

// This file lets passes ask whether to work around a driver's bug. The table of bugs is in package
// quirks, which these passes may not import.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// QuirkPrefix begins the names of rows of that table in lists of disabled features, which also name
// other things.
const QuirkPrefix = "quirk/"

// Avoids reports whether the module must avoid the bug of the row with that name.
func Avoids(m *ir.Module, name string) bool {
	return len(m.Disabled) == 0 || !slices.Contains(m.Disabled, QuirkPrefix+name)
}
