package emit

// This file declares capabilities.

import (
	"fmt"

	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/codegen/spirv/features"
)

// needCapability records that the module must declare a capability.
func (e *emitter) needCapability(c spirv.Capability) {
	if e.caps[c] {
		return
	}
	if features.Of(c) == nil {
		panic(fmt.Sprintf("BUG: the table of features has no %v", c))
	}
	e.caps[c] = true
}

// declareCapabilities emits the capabilities that the module needs, in the order of features.Rows. declareCapabilities
// also emits the required extensions that are not part of SPIR-V 1.5.
func (e *emitter) declareCapabilities() {
	for i := range features.Rows {
		row := &features.Rows[i]
		if !e.caps[row.Capability] {
			continue
		}
		e.b.Capability(row.Capability)
		if row.Version > spirv.DefaultVersion {
			e.b.Extension(row.Extension)
		}
	}
}
