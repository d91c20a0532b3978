package constinit

// This file represents values of package properties.

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/internal/gotypes"
	"github.com/kgen-go/kgen/properties"
)

const propertiesPath = "github.com/kgen-go/kgen/properties"

// Property is the value of a properties.Property. The evaluator copies a Property without examining
// its fields.
type Property struct {
	properties.Property
	Pos token.Pos // position of the call that made the Property
}

func isProperty(t types.Type) bool {
	return gotypes.IsNamed(t, propertiesPath, "Property")
}

// ofProperties reports whether a function is declared in package properties.
func ofProperties(fn *ssa.Function) bool {
	obj := fn.Object()
	return obj != nil && obj.Pkg() != nil && obj.Pkg().Path() == propertiesPath
}
