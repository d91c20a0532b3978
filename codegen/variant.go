package codegen

import (
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass"
	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/codegen/spirv/emit"
	"github.com/kgen-go/kgen/properties"
)

type nativeRow struct {
	aspect       properties.Aspect
	capabilities []spirv.Capability
}

// native lists what a module may use that the variant in words does without.
var native = []nativeRow{
	{properties.Int8, []spirv.Capability{spirv.CapabilityInt8, spirv.CapabilityStorageBuffer8BitAccess}},
	{properties.Int16, []spirv.Capability{spirv.CapabilityInt16, spirv.CapabilityStorageBuffer16BitAccess}},
	{properties.Int64, []spirv.Capability{spirv.CapabilityInt64}},
}

// addVariants adds the kernel's variants to its description and returns their
// modules. It may change m. What no variant does without are aspects that the
// kernel needs.
func addVariants(m *ir.Module, d *abi.Kernel, module *spirv.Module, after func(form string, m *ir.Module)) ([][]uint32, error) {
	var uses []properties.Aspect
	for _, row := range native {
		if slices.ContainsFunc(row.capabilities, module.HasCapability) {
			uses = append(uses, row.aspect)
		}
	}
	if len(uses) == 0 {
		return nil, nil
	}
	if !pass.Words(m) {
		d.Aspects = append(d.Aspects, uses...)
		slices.Sort(d.Aspects)
		return nil, nil
	}
	if after != nil {
		after(dumpWords, m)
	}
	if err := ir.Verify(m); err != nil {
		return nil, fmt.Errorf("in words: %w", err)
	}
	words, err := emit.Emit(m)
	if err != nil {
		return nil, fmt.Errorf("in words: %w", err)
	}
	slices.Sort(uses)
	d.Variants = append(d.Variants, abi.Variant{Name: abi.VariantWords, Without: uses})
	return [][]uint32{words}, nil
}
