package emit

// This file declares capabilities.

import (
	"fmt"

	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/codegen/spirv/features"
)

// The method need records that the module must declare a capability.
func (e *emitter) need(c spirv.Capability) {
	if e.caps[c] {
		return
	}
	if features.Of(c) == nil {
		panic(fmt.Sprintf("BUG: the table of features has no %v", c))
	}
	e.caps[c] = true
}

// The method declare emits the capabilities that the module needs, in the order of features.Rows. The method declare
// also emits the required extensions that are not part of SPIR-V 1.5.
func (e *emitter) declare() {
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
