package facts

// Passes ask here whether to work around a driver's bug. The table of bugs is in package quirks,
// which they may not import.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// QuirkPrefix is what the names of rows have before them where other things could be named.
const QuirkPrefix = "quirk/"

// Avoids reports whether the module is to avoid the bug of the row with that name.
func Avoids(m *ir.Module, name string) bool {
	return len(m.Disabled) == 0 || !slices.Contains(m.Disabled, QuirkPrefix+name)
}
